"""Where a fault shows: only in some dimensions, through one method, at some releases or times.

It decides no verdict. Levels of each kind are told apart by the variance of the innovations of fixed schedules, which
is 1 at each of them if the claim holds: some are wrong, at the others the same would have been seen, and no case by
itself says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import gammainc, gammaincc

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.batch import Batch

WRONG, RIGHT = 1e-4, 1e-3
"""A level with a smaller tail probability than the first is wrong; one with a larger than the second may be right."""
FEWEST, MOST_LEFT = 100, 0.1
"""Levels with fewer innovations are left out, unless they have so large a share of all."""

Sum = tuple[int, float]


@dataclass
class Places:
    """The number of innovations and Σz² at each level of each kind, case by case."""

    sums: dict[tuple[str, float, str], Sum] = field(default_factory=dict)

    def observe(self, batch: Batch) -> None:
        """Takes in sessions of a fixed schedule."""
        if batch.innovations is None or batch.times is None:
            return
        counts = batch.innovations.present.sum(axis=(0, 2))
        squares = (batch.innovations.filled**2).sum(axis=(0, 2))
        case = batch.case.name
        self._add(("dimension", batch.releases.shape[2], case), counts.sum(), squares.sum())
        self._add(("method", float(batch.case.method == "open"), case), counts.sum(), squares.sum())
        for place, (time, count, square) in enumerate(zip(batch.times[0], counts, squares, strict=True)):
            self._add(("release", place + 1, case), count, square)
            self._add(("time", float(np.floor(np.log10(time))), case), count, square)

    def merge(self, other: Places) -> None:
        """Takes in what another has seen."""
        for place, (count, square) in other.sums.items():
            self._add(place, count, square)

    def _add(self, place: tuple[str, float, str], count: int, square: float) -> None:
        before = self.sums.get(place, (0, 0.0))
        self.sums[place] = before[0] + int(count), before[1] + float(square)

    @property
    def words(self) -> str | None:
        """Where it is seen, if it is not everywhere; None also where two kinds of places cannot be told apart."""
        found = list(self._only())
        return found[0] if len(found) == 1 else None

    def _only(self) -> Iterator[str]:
        for kind, say in WORDS.items():
            cells: dict[float, list[Sum]] = {}
            for (of, level, _), found in sorted(self.sums.items()):
                if of == kind:
                    cells.setdefault(level, []).append(found)
            if (divided := _divided(cells)) is not None:
                yield say(*divided)


def _divided(cells: Mapping[float, Sequence[Sum]]) -> tuple[list[float], list[float]] | None:
    """The levels where the law is wrong, and those where it is right, if all are one or the other in every case.

    No case alone makes a level wrong: it may differ from the others in more than one thing.
    """
    pooled = {level: _pooled(found) for level, found in cells.items()}
    seen = {level: found for level, found in pooled.items() if found[0] >= FEWEST}
    if _pooled(seen.values())[0] < (1 - MOST_LEFT) * _pooled(pooled.values())[0]:
        return None
    wrong = [level for level, found in seen.items() if _tail(found) < WRONG]
    right = [level for level in seen if level not in wrong]
    if not wrong or not right:
        return None
    nearest = min((square / count for count, square in map(seen.__getitem__, wrong)), key=lambda ratio: abs(ratio - 1))
    if not all(_spared(seen[level], nearest) for level in right):
        return None
    of_wrong, of_right = ([cell for level in levels for cell in cells[level]] for levels in (wrong, right))
    without = [_pooled([*of_wrong[:at], *of_wrong[at + 1 :]]) for at in range(len(of_wrong))]
    several = len(of_right) > 1 and all(_tail(rest) < WRONG for rest in without)
    against = any(_spared(cell, nearest) for cell in of_wrong) or any(_tail(cell) < WRONG for cell in of_right)
    return (wrong, right) if several and not against else None


def _pooled(sums: Iterable[Sum]) -> Sum:
    parts = list(sums)
    return sum(count for count, _ in parts), sum(square for _, square in parts)


def _tail(found: Sum) -> float:
    """The probability of a Σz² as far off, on either side."""
    half, square = 0.5 * found[0], 0.5 * found[1]
    return 2 * float(min(gammainc(half, square), gammaincc(half, square))) if half else 1.0


def _spared(found: Sum, ratio: float) -> bool:
    """Whether a variance is as claimed, and not so many times that."""
    count, square = found
    return _tail(found) > RIGHT and _tail((count, square / max(ratio, 1e-300))) < RIGHT


def _of_releases(wrong: Sequence[float], right: Sequence[float]) -> str:
    if wrong == [1]:
        return "at the first release"
    if min(wrong) > max(right):
        return f"from release {min(wrong):.0f} on"
    return "at " + _listed("release", [f"{level:.0f}" for level in wrong])


def _of_times(wrong: Sequence[float], right: Sequence[float]) -> str:
    if min(wrong) > max(right):
        return f"at times from {10.0 ** min(wrong):g} on"
    if max(wrong) < min(right):
        return f"at times below {10.0 ** (max(wrong) + 1):g}"
    return "at times " + " and ".join(f"from {10.0**level:g} to {10.0 ** (level + 1):g}" for level in wrong)


def _listed(what: str, names: Sequence[str]) -> str:
    return f"{what}{'s' if len(names) > 1 else ''} {', '.join(names)}"


WORDS: dict[str, Callable[[Sequence[float], Sequence[float]], str]] = {
    "dimension": lambda wrong, _: "in " + _listed("dimension", [f"{level:.0f}" for level in wrong]),
    "method": lambda wrong, _: f"through {'open' if wrong == [1] else 'sample'}()",
    "release": _of_releases,
    "time": _of_times,
}


def with_places(results: Sequence[CheckResult], checks: Sequence[Check]) -> list[CheckResult]:
    """Where something is refuted, the results say where a fault of the law is seen."""
    refuted = any(result.verdict is CheckVerdict.REFUTED for result in results)
    places = next((kept for check in checks if (kept := getattr(check, "places", None)) is not None), None)
    if not refuted or places is None:
        return list(results)
    words = places.words
    return [replace(result, where=words) for result in results]
