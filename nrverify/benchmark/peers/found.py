"""How many runs an auditor needed: one attempt, many of them, and the search by doubling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

FINE = 1.05
"""The search ends when the number that refutes is at most 5 % above one that does not."""


@dataclass(frozen=True)
class Found:
    """Runs at refutation, None where there was none, and the seconds of drawing and judging them."""

    runs: int | None
    seconds: float


@dataclass(frozen=True)
class Needed:
    """What one auditor needed against one claim at one level, from several seeds; or why it cannot judge it."""

    case: str
    alpha: float
    auditor: str
    told: bool
    own: bool
    found: tuple[Found, ...]
    reason: str = ""

    @property
    def median(self) -> float:
        """Of the runs; infinite where half of the seeds found nothing."""
        return float(median(self._runs)) if self.found else float("inf")

    @property
    def ninth(self) -> float:
        """Runs within which nine of ten seeds refute."""
        return self._runs[-(-9 * len(self._runs) // 10) - 1] if self.found else float("inf")

    @property
    def seconds(self) -> float:
        """The median."""
        return float(median(one.seconds for one in self.found))

    @property
    def _runs(self) -> list[float]:
        return sorted(float("inf") if one.runs is None else float(one.runs) for one in self.found)


def by_doubling(refutes: Callable[[int], bool], first: int, most: int) -> Found:
    """The fewest runs that refute, to within 5 %: doubled until it does, then bisected.

    An auditor for a number of runs fixed in advance gets the number that suits it, and is not charged for attempts.
    """
    low, high = 0, first
    while not (last := _timed(refutes, high)).runs:
        if high >= most:
            return Found(None, last.seconds)
        low, high = high, min(2 * high, most)
    while low and high > FINE * low:
        middle = round((low * high) ** 0.5)
        tried = _timed(refutes, middle)
        if tried.runs:
            high, last = middle, tried
        else:
            low = middle
    return last


def _timed(refutes: Callable[[int], bool], runs: int) -> Found:
    begin = perf_counter()
    refuted = refutes(runs)
    return Found(runs if refuted else None, perf_counter() - begin)
