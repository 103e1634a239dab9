"""Whether the noise ignores the value when the noise level of an ε is not known: sizes compared at the same ε."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.cases import Case
from nrverify.auditing.check import Batch
from nrverify.auditing.law_check import LawCheck
from nrverify.auditing.value_law import LARGE_VALUE
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]

MOST_KEPT = 2048
"""Sizes kept of each ε until something comes to compare them with."""


@dataclass(frozen=True)
class Origin:
    """Where a size comes from: the case, one value, and the place in the schedule."""

    case: str
    value: float
    first: bool
    single: bool


TRAITS: dict[str, Callable[[Origin], bool]] = {
    "at values below 0": lambda origin: origin.value < 0,
    f"at values of {LARGE_VALUE:g} and more": lambda origin: abs(origin.value) >= LARGE_VALUE,
    "of first releases": lambda origin: origin.first,
    "of single releases": lambda origin: origin.single,
}
"""What sizes may depend on and must not."""


class UnknownValues(LawCheck):
    """At the same ε the noise has the same size whatever the value, the schedule and the place in it.

    Two sessions at one ε have noise of the same law, so either is the larger by a fair coin. Each session is compared
    once with one of another kind. Catches noise that depends on the value, its sign, or the schedule, where the noise
    level of an ε is not known. Misses dependence that leaves these coins fair.
    """

    id = "law.value"
    claims: tuple[str, ...] = ("P12",)
    expectation = "noise of the same size at the same ε"

    def __init__(self, cases: list[Case]) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            f"size of the noise {trait}": (2.0, TieWealth()) for trait in TRAITS
        }
        self._cases = tuple(dict.fromkeys(case.name for case in cases))
        families |= {_of_case(name): (0.5, TieWealth()) for name in self._cases}
        super().__init__(families)
        self._new: list[tuple[float, Origin, Floats]] = []
        self._kept: dict[float, list[tuple[Origin, Floats]]] = {}

    def observe(self, batch: Batch) -> None:
        """Keeps of each session the size at one ε, of the places of the schedule in turn; compared at the merge."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        asked = batch.asked[0]
        places = np.flatnonzero(np.append(True, np.diff(asked) > 0))
        for turn, place in enumerate(places):
            sizes = np.abs(batch.noise[turn :: places.size, place])
            for coordinate, value in enumerate(batch.case.value):
                origin = Origin(batch.case.name, value, place == 0, asked.size == 1)
                self._new.append((float(asked[place]), origin, sizes[:MOST_KEPT, coordinate]))

    def fresh(self) -> UnknownValues:
        """The same before anything was seen."""
        blank = super().fresh()
        blank._new, blank._kept = [], {}
        return blank

    def merge(self, other: UnknownValues) -> None:
        """Compares what another has kept with sizes of other kinds at the same ε, and keeps the rest."""
        super().merge(other)
        for at, origin, sizes in other._new:
            waiting = self._kept.setdefault(at, [])
            left = sizes
            for index, (earlier, kept) in enumerate(waiting):
                if not left.size:
                    break
                if _traits(earlier) != _traits(origin) or earlier.case != origin.case:
                    pairs = min(kept.size, left.size)
                    self._compare(earlier, kept[:pairs], origin, left[:pairs])
                    waiting[index], left = (earlier, kept[pairs:]), left[pairs:]
            self._kept[at] = [part for part in waiting if part[1].size]
            if sum(part.size for _, part in self._kept[at]) < MOST_KEPT:
                self._kept[at].append((origin, left))

    def _compare(self, one: Origin, sizes: Floats, two: Origin, others: Floats) -> None:
        """Bets that the larger is of the kind of which only one of them is."""
        different = sizes != others
        larger = (sizes > others)[different]
        self.count += larger.size
        for trait, of_kind in TRAITS.items():
            self._coin(f"size of the noise {trait}", larger, of_kind(one), of_kind(two))
        if one.case != two.case:
            self._coin(_of_case(one.case), larger, True, False)
            self._coin(_of_case(two.case), larger, False, True)

    def _coin(self, name: str, larger: NDArray[np.bool_], of_one: bool, of_two: bool) -> None:
        """`larger` says of which the first is the larger."""
        wealth = self.portfolio[name]
        assert isinstance(wealth, TieWealth)
        if of_one != of_two and larger.size:
            wealth.bet(larger if of_one else ~larger, 0.5)

    def _detectable(self, alpha: float) -> str | None:
        """A shift of the fair coin outside its confidence limits."""
        if not self.count:
            return None
        off = np.sqrt(np.log(2 / alpha) / (2 * self.count))
        return f"noise that is the larger of two at the same ε too often by {off:.2g}"


def _of_case(name: str) -> str:
    return f"size of the noise at value and schedule of the case {name}"


def _traits(origin: Origin) -> tuple[bool, ...]:
    return tuple(of_kind(origin) for of_kind in TRAITS.values())
