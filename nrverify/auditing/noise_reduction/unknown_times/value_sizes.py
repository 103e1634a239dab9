"""Whether the noise ignores the value when the noise level of an ε is not known: sizes are compared."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.noise_reduction.checks.value import LARGE_VALUE
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MOST_KEPT = 512
"""Sizes kept of each place until something comes to compare them with."""

TRAITS: dict[str, Callable[[float], bool]] = {
    "at values below 0": lambda value: value < 0,
    f"at values of {LARGE_VALUE:g} and more": lambda value: abs(value) >= LARGE_VALUE,
}
"""Kinds of values."""


class UnknownValues(LawCheck):
    """At the same place of the same schedule the noise has the same size whatever the value.

    Two sessions there have noise of the same law, so either is the larger by a fair coin. Each is compared once with
    one at a value of another kind, and with no other place or schedule: a subject that is told the schedule beforehand
    may suit its noise to it. Catches noise that depends on the sign or the size of the value, where the noise level of
    an ε is not known. Misses dependence that leaves these coins fair.
    """

    id = "law.value"
    claims: tuple[str, ...] = ("P12",)
    expectation = "noise of the same size whatever the value"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {_size(trait): (1.0, TieWealth()) for trait in TRAITS}
        super().__init__(families)
        self._new: list[tuple[Place, Kind, Floats]] = []
        self._kept: dict[tuple[Place, Kind], Floats] = {}

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

    def fresh(self) -> UnknownValues:
        """The same before anything was seen."""
        blank = super().fresh()
        blank._new, blank._kept = [], {}
        return blank

    def merge(self, other: UnknownValues) -> None:
        """Compares what another has kept with sizes at values of another kind, and keeps the rest."""
        super().merge(other)
        heads: dict[str, list[Bools]] = {trait: [] for trait in TRAITS}
        for place, kind, sizes in other._new:
            left = sizes
            for another in KINDS:
                kept = self._kept.get((place, another), NONE)
                pairs = min(kept.size, left.size)
                if another != kind and pairs:
                    larger = _larger(kept[:pairs], left[:pairs])
                    self.count += larger.size
                    for trait, of_one, of_two in zip(TRAITS, another, kind, strict=True):
                        if of_one != of_two:
                            heads[trait].append(larger if of_one else ~larger)
                    self._kept[place, another], left = kept[pairs:], left[pairs:]
            self._kept[place, kind] = np.concatenate([self._kept.get((place, kind), NONE), left])[:MOST_KEPT]
        for trait, parts in heads.items():
            if parts:
                self._coins(_size(trait), np.concatenate(parts))

    def _detectable(self, alpha: float) -> str | None:
        """A shift of the fair coin outside its confidence limits."""
        off = f"{half_width(self.count, alpha):.2g}"
        return f"noise that is larger at one of two kinds of values too often by {off}" if self.count else None


Kind = tuple[bool, ...]
"""Which traits a value has."""
Place = tuple[str, str, tuple[float, ...], int]
"""A case, its method and schedule, and the place in it."""
KINDS: tuple[Kind, ...] = tuple(product((False, True), repeat=len(TRAITS)))
NONE: Floats = np.empty(0)


def _kind(value: float) -> Kind:
    return tuple(trait(value) for trait in TRAITS.values())


def _larger(sizes: Floats, others: Floats) -> Bools:
    """Whether each is the larger of the two, where they differ."""
    different = sizes != others
    return np.asarray(sizes[different] > others[different])


def _size(trait: str) -> str:
    return f"size of the noise {trait}"
