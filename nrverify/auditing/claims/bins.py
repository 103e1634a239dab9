"""Columns in bins: every value its own where there are few, else ranges of equal mass, or the commonest values."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Bins:
    """How one column is divided: by values (`known` keys in order), or by `edges`, with a bin for what is not a number.

    Codes run from 0 to `count` − 1; the last is for what was never seen, or is not a number.
    """

    known: Keys | None
    edges: Floats | None

    @property
    def count(self) -> int:
        """How many bins."""
        if self.known is not None:
            return self.known.size + 1
        assert self.edges is not None
        return self.edges.size + 2

    @property
    def ordered(self) -> bool:
        """Whether the bins, but for the last, follow the size of numbers."""
        return self.edges is not None

    def codes(self, keys: Keys, values: Floats) -> Codes:
        """The bin of each row."""
        if self.known is not None:
            place = np.minimum(np.searchsorted(self.known, keys), max(self.known.size - 1, 0))
            hit = self.known[place] == keys if self.known.size else np.zeros(keys.size, dtype=bool)
            return np.asarray(np.where(hit, place, self.known.size))
        assert self.edges is not None
        code = np.searchsorted(self.edges, values, side="left")
        return np.asarray(np.where(np.isnan(values), self.edges.size + 1, code))


def bins_of(keys: Keys, values: Floats) -> Bins:
    """The bins that fit a column."""
    known, counts = np.unique(keys, return_counts=True)
    if known.size <= FEW:
        return Bins(known, None)
    numbers = values[~np.isnan(values)]
    if numbers.size >= NUMERIC * values.size:
        # Values themselves, so that no edge lies between an infinity and a number.
        inner = np.quantile(numbers, np.linspace(0, 1, RANGES + 1)[1:-1], method="lower")
        return Bins(None, np.unique(inner))
    commonest = np.sort(known[np.argsort(-counts, kind="stable")[:FEW]])
    return Bins(commonest, None)
