"""Columns in bins: every value its own where there are few, else ranges of equal mass, or the commonest values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.columns import Floats, Keys

Codes = NDArray[np.int64]

FEW = 48
"""Values of which each has a bin of its own: with more, a bin has too few runs to learn from."""
RANGES = 32
"""Bins of a column of many numbers: fine enough to place a threshold within 3 % of the mass."""
NUMERIC = 0.5
"""A column of many values is one of numbers where at least so many of them are."""
FEWEST_IN_TAIL = 16
"""Runs in the outermost ranges, which halve towards the ends: a leaf of the tree needs as many."""
FEWEST_OUTLIERS, MOST_OUTLIERS = 4, 256
"""Numbers beyond a gap near one end that have a range of their own, at least and at most."""
FEWEST_OF_VALUE, MOST_REPEATED = 8, 16
"""Times a number came among continuous ones before it has a bin of its own, and how many have one."""


@dataclass(frozen=True)
class Bins:
    """How one column is divided: by values (`known` keys in order), or by `edges`, with a bin for what is not a number.

    Codes run from 0 to `count` − 1; the last is for what was never seen, or is not a number. Between ranges and that
    last one are single numbers that come again and again among continuous ones (`repeated` keys in order).
    """

    known: Keys | None
    edges: Floats | None
    repeated: Keys = field(default_factory=lambda: np.zeros(0, dtype=np.uint64))

    @property
    def count(self) -> int:
        """How many bins."""
        if self.known is not None:
            return self.known.size + 1
        assert self.edges is not None
        return self.edges.size + self.repeated.size + 2

    @property
    def ordered(self) -> bool:
        """Whether the bins, but for single numbers and the last, follow the size of numbers."""
        return self.edges is not None

    def codes(self, keys: Keys, values: Floats) -> Codes:
        """The bin of each row."""
        if self.known is not None:
            place, hit = _found(self.known, keys)
            return np.asarray(np.where(hit, place, self.known.size))
        assert self.edges is not None
        code = np.searchsorted(self.edges, values, side="left")
        code = np.where(np.isnan(values), self.count - 1, code)
        place, hit = _found(self.repeated, keys)
        return np.asarray(np.where(hit, self.edges.size + 1 + place, code))


def _found(known: Keys, keys: Keys) -> tuple[Codes, NDArray[np.bool_]]:
    """The places of keys among known ones in order, and whether they are there."""
    place = np.minimum(np.searchsorted(known, keys), max(known.size - 1, 0))
    hit = known[place] == keys if known.size else np.zeros(keys.size, dtype=bool)
    return place, hit


def bins_of(keys: Keys, values: Floats) -> Bins:
    """The bins that fit a column."""
    known, counts = np.unique(keys, return_counts=True)
    if known.size <= FEW:
        return Bins(known, None)
    number = ~np.isnan(values)
    if number.sum() >= NUMERIC * values.size:
        often = np.zeros(0, dtype=np.uint64) if known.size < NUMERIC * keys.size else _repeated(known, counts)
        # Values themselves, so that no edge lies between an infinity and a number.
        inner = np.quantile(values[number], _shares(int(number.sum())), method="lower")
        return Bins(None, np.unique([*inner, *_before_outliers(np.sort(values[number]))]), often)
    commonest = np.sort(known[np.argsort(-counts, kind="stable")[:FEW]])
    return Bins(commonest, None)


def _repeated(known: Keys, counts: Codes) -> Keys:
    """The keys that came most often of those that came again and again."""
    order = np.argsort(-counts, kind="stable")[:MOST_REPEATED]
    return np.sort(known[order[counts[order] >= FEWEST_OF_VALUE]])


def _shares(size: int) -> Floats:
    """The shares of the mass below each edge: even ranges, and at both ends ever smaller ones.

    A rare event that shows as an unusually large or small number is alone in the last of them.
    """
    even = np.linspace(0, 1, RANGES + 1)[1:-1]
    halvings = max(int(np.log2(max(size / FEWEST_IN_TAIL, 1.0))) - int(np.log2(RANGES)), 0)
    tail = 0.5 ** np.arange(1, halvings + 1) / RANGES
    return np.concatenate([tail[::-1], even, 1 - tail])


def _before_outliers(ordered: Floats) -> list[float]:
    """The last number before the widest gap near either end: what lies beyond may be of another kind."""
    near = min(ordered.size // RANGES, MOST_OUTLIERS)
    if near <= FEWEST_OUTLIERS:
        return []
    with np.errstate(invalid="ignore"):
        low, high = np.diff(ordered[FEWEST_OUTLIERS - 1 : near]), np.diff(ordered[-near : 1 - FEWEST_OUTLIERS])
    found = []
    if np.isfinite(low).any():
        found.append(float(ordered[FEWEST_OUTLIERS - 1 + int(np.nanargmax(low))]))
    if np.isfinite(high).any():
        found.append(float(ordered[ordered.size - near + int(np.nanargmax(high))]))
    return found
