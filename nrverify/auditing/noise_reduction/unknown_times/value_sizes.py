"""Whether the noise ignores the value when the noise level of an ε is not known: sizes are compared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import form
from nrverify.auditing.core.faults.noise import DEPENDS_ON_VALUE
from nrverify.auditing.core.finding import Size
from nrverify.auditing.noise_reduction.checks.value import LARGE_VALUE, ValueLaw
from nrverify.auditing.noise_reduction.context import NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.unknown_times.needs import GRID_FINE, TIMES_UNKNOWN
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MOST_KEPT = 512
"""Sizes kept of each place until something comes to compare them with."""

BELOW = Topic("larger noise at values below 0 than at others", DEPENDS_ON_VALUE)
LARGE = Topic(f"larger noise at values of {LARGE_VALUE:g} and more than at others", DEPENDS_ON_VALUE)
TRAITS: dict[Topic, Callable[[float], bool]] = {
    BELOW: lambda value: value < 0,
    LARGE: lambda value: abs(value) >= LARGE_VALUE,
}
"""Kind of values, by the topic about them."""


@form(
    ValueLaw,
    claims=("P12",),
    needs=(
        TIMES_UNKNOWN,
        GRID_FINE,
    ),
    expected="noise of the same size whatever the value",
    templates={},
    records="without times the noise is compared between values far from each other: records hold two that are near",
)
class UnknownValues(PortfolioCheck):
    """At the same place of the same schedule the noise has the same size whatever the value.

    Two sessions there have noise of the same law, so either is the larger by a fair coin. Each is compared once with
    one at a value of another kind, and with no other place or schedule: a subject that is told the schedule beforehand
    may suit its noise to it. Catches noise that depends on the sign or the size of the value, where the noise level of
    an ε is not known. Misses dependence that leaves these coins fair.
    """

    configuration = ("_new", "_waiting")

    def __init__(self) -> None:
        super().__init__({topic: (1.0, TieWealth()) for topic in TRAITS})
        self._new: list[tuple[Place, Kind, Floats]] = []
        self._waiting: dict[tuple[Place, Kind], Floats] = {}

    @classmethod
    def build(cls, context: NoiseReductionContext) -> UnknownValues:
        """The same for every subject."""
        return cls()

    def observe(self, batch: Batch) -> None:
        """Keeps of each session the size at one place of the schedule, of all in turn; compared at the merge."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        asked = batch.asked[0]
        places = np.flatnonzero(np.append(True, np.diff(asked) > 0))
        for turn, place in enumerate(places):
            sizes = np.abs(batch.noise[turn :: places.size, place])
            for coordinate, value in enumerate(batch.case.value):
                where = (batch.case.name, batch.case.method, tuple(asked.tolist()), int(place))
                self._new.append((where, _kind(value), sizes[:MOST_KEPT, coordinate]))

    def empty_copy(self) -> UnknownValues:
        """An empty copy with the same configuration."""
        blank = super().empty_copy()
        blank._new, blank._waiting = [], {}
        return blank

    def merge(self, other: UnknownValues) -> None:
        """Compares what another has kept with sizes at values of another kind, and keeps the rest: no mere sum."""
        super().merge(other)
        heads: dict[Topic, list[Bools]] = {topic: [] for topic in TRAITS}
        for place, kind, sizes in other._new:
            left = sizes
            for another in KINDS:
                kept = self._waiting.get((place, another), NONE)
                pairs = min(kept.size, left.size)
                if another != kind and pairs:
                    larger = _larger(kept[:pairs], left[:pairs])
                    self.count += larger.size
                    for topic, of_one, of_two in zip(TRAITS, another, kind, strict=True):
                        if of_one != of_two:
                            heads[topic].append(larger if of_one else ~larger)
                    self._waiting[place, another], left = kept[pairs:], left[pairs:]
            self._waiting[place, kind] = np.concatenate([self._waiting.get((place, kind), NONE), left])[:MOST_KEPT]
        for topic, parts in heads.items():
            if parts:
                self.events(topic).bet(np.concatenate(parts), 0.5)

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A shift of the fair coin outside its confidence limits."""
        if not self.count:
            return ()
        most = max(TRAITS, key=lambda topic: self.events(topic).count)
        return self.coin_size(most, "probability that the noise is larger at one of two kinds of values", alpha)


Kind = tuple[bool, ...]
"""Which traits a value has."""
Place = tuple[str, str, tuple[float, ...], int]
"""A case, its method and schedule, and the place in it."""
KINDS: tuple[Kind, ...] = tuple(product((False, True), repeat=len(TRAITS)))
NONE: Floats = np.empty(0)
"""What is waiting at a place where nothing was seen yet."""


def _kind(value: float) -> Kind:
    return tuple(trait(value) for trait in TRAITS.values())


def _larger(sizes: Floats, others: Floats) -> Bools:
    """Whether each is the larger of the two, where they differ."""
    different = sizes != others
    return np.asarray(sizes[different] > others[different])
