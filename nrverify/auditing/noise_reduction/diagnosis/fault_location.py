"""Where a fault shows: only in some dimensions, through one method, at some releases or times.

It decides no verdict. Levels of each kind are told apart by the variance of the innovations of fixed schedules, which
is 1 at each of them if the claim holds: some are wrong, at the others the same would have been seen, and no case by
itself says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc

from nrverify.auditing.core.finding import METHOD_LEVELS, Place
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.transforms.rosenblatt import Innovations
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.diagnosis.example_session import MostUnusual
from nrverify.statistics.additive import Additive, Tally

WRONG, RIGHT = 1e-4, 1e-3
"""A level with a smaller tail probability than the first is wrong; one with a larger than the second may be right."""
FEWEST_INNOVATIONS, MOST_LEFT = 100, 0.1
"""Levels with fewer innovations are left out, unless they have so large a share of all."""

Sum = tuple[int, float]
Seen = tuple[tuple[str, float, str], Sum]
"""A kind of place, its level and the case, and what was seen there."""
KINDS = ("dimension", "method", "release", "time")
"""In which places are told apart: a method by its number, a time the decade it lies in."""
FIRST, LATER = "first release at a time", "later release at a time"
"""By decade, too, but of first and of later releases apart."""
VALUE_FIRST, VALUE_LATER = "first release at a value", "later release at a value"
"""By the size of the value, of first and of later releases apart."""
AFTER = "release after noise"
"""By the sign of the noise before, of later releases."""
LARGEST_VALUE = 1e3
"""Values of 1 and less are one size, and so are those from here on."""


class Places(Additive):
    """The number of innovations and Σz² at each level of each kind, case by case."""

    def __init__(self) -> None:
        self.sums: Tally[tuple[str, float, str], NDArray[np.float64]] = Tally()
        self.most_unusual = MostUnusual()

    def observe(self, batch: Batch) -> None:
        """Takes in sessions of a fixed schedule."""
        if batch.innovations is None or batch.times is None:
            return
        self.most_unusual.observe(batch)
        squared = batch.innovations.filled**2
        counts, squares = batch.innovations.present.sum(axis=(0, 2)), squared.sum(axis=(0, 2))
        case, every = batch.case.name, (counts.sum(), squares.sum())
        found: list[Seen] = [
            (("dimension", batch.releases.shape[2], case), every),
            (("method", float(METHOD_LEVELS.index(batch.case.method)), case), every),
        ]
        decades = np.floor(np.log10(batch.times[0])).tolist()
        for place, (decade, *own) in enumerate(zip(decades, counts, squares, strict=True)):
            here = (own[0], own[1])
            found.append((("release", place + 1, case), here))
            found.append((("time", decade, case), here))
            found.append(((LATER if place else FIRST, decade, case), here))
        found += self._of_past(batch.innovations, squared, batch)
        self.add(found)

    def add(self, found: Sequence[Seen]) -> None:
        """Takes in numbers of innovations and Σz², all of a batch at once."""
        sums = self.sums
        for (where, _), new in zip(found, np.array([seen for _, seen in found], dtype=float), strict=True):
            known = sums.get(where)
            sums[where] = new if known is None else known + new

    def _of_past(self, innovations: Innovations, squared: NDArray[np.float64], batch: Batch) -> Iterator[Seen]:
        """By what no constant depends on: the size of the value, and the sign of the noise before."""
        present, value, case = innovations.present, batch.case.array, batch.case.name
        sizes = np.floor(np.log10(np.clip(np.abs(value), 1.0, LARGEST_VALUE)))
        for size in set(sizes.tolist()):
            own = sizes == size
            for kind, at in ((VALUE_FIRST, slice(0, 1)), (VALUE_LATER, slice(1, None))):
                here = present[:, at, own]
                yield (kind, size, case), (here.sum(), squared[:, at, own][here].sum())
        before, there, later = batch.noise[:, :-1], present[:, 1:], squared[:, 1:]
        for sign, side in ((-1.0, before < 0), (1.0, before > 0)):
            after = there & side
            yield (AFTER, sign, case), (after.sum(), later[after].sum())

    @property
    def place(self) -> Place | None:
        """Where it is seen, if it is not everywhere; None also where two kinds of places cannot be told apart."""
        found = list(self._only())
        return found[0] if len(found) == 1 else None

    def _only(self) -> Iterator[Place]:
        for kind in KINDS:
            cells: dict[float, list[Sum]] = {}
            for of, level, case in sorted(self.sums):
                if of == kind:
                    count, square = self.sums[of, level, case]
                    cells.setdefault(level, []).append((int(count), float(square)))
            if (divided := _divided(cells)) is not None:
                wrong, right = divided
                yield Place(kind, tuple(map(float, wrong)), tuple(map(float, right)))


def _divided(cells: Mapping[float, Sequence[Sum]]) -> tuple[list[float], list[float]] | None:
    """The levels where the law is wrong, and those where it is right, if all are one or the other in every case.

    No case alone makes a level wrong: it may differ from the others in more than one thing.
    """
    pooled = {level: _pooled(found) for level, found in cells.items()}
    seen = {level: found for level, found in pooled.items() if found[0] >= FEWEST_INNOVATIONS}
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


def with_place(results: Sequence[CheckResult], places: Places | None) -> list[CheckResult]:
    """Where something is refuted, the findings say where a fault of the law is seen."""
    refuted = any(result.verdict is CheckVerdict.REFUTED for result in results)
    place = places.place if refuted and places is not None else None
    if place is None:
        return list(results)
    return [
        result if result.finding is None else replace(result, finding=replace(result.finding, where=place))
        for result in results
    ]
