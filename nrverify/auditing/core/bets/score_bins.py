"""Bins of normal scores: the omnibus bins, and a fine grid for the familiar Kolmogorov–Smirnov number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.statistics.additive import Additive
from nrverify.statistics.wealth import uniform_bins

Floats = NDArray[np.float64]

FINE = 4096
"""Every edge of a bin is a multiple of 1/4096."""
BIN_EDGES, BIN_WEIGHTS = uniform_bins()
_BIN_OF = np.searchsorted(BIN_EDGES, (np.arange(FINE) + 0.5) / FINE)
"""By the middle of each fine bin, so that rounding at an edge decides nothing."""


def fine_bins(z: Floats) -> NDArray[np.int32]:
    """⌊4096 Φ(z)⌋, at most 4095."""
    bins: NDArray[np.int32] = (FINE * ndtr(z)).astype(np.int32)
    return np.minimum(bins, FINE - 1, out=bins)


def fine_counts(z: Floats) -> Floats:
    """How many normal scores fall into each of the fine bins."""
    return np.bincount(fine_bins(z), minlength=FINE).astype(float)


def bin_counts(fine: Floats) -> Floats:
    """Counts in the omnibus bins, from those in the fine ones."""
    return np.asarray(np.bincount(_BIN_OF, weights=fine, minlength=BIN_WEIGHTS.size), dtype=float)


def bin_counts_by_place(z: Floats, places: NDArray[np.intp]) -> Floats:
    """Counts in the omnibus bins for each place, from 0 on, of scores z (n,)."""
    bins, size = BIN_WEIGHTS.size, int(places.max()) + 1
    found = np.bincount(_BIN_OF[fine_bins(z)] + bins * places, minlength=size * bins)
    return found.reshape(size, bins).astype(float)


class KolmogorovSmirnov(Additive):
    """The familiar number beside the bets: the distance of pooled normal scores from N(0, 1), on a fine grid.

    Its p-value is the Dvoretzky–Kiefer–Wolfowitz–Massart bound 2 exp(−2nD²) at this one look; no verdict rests on it.
    """

    bins = 1024

    def __init__(self) -> None:
        self.counts = np.zeros(self.bins)

    def add(self, fine: Floats) -> None:
        """Takes in how many normal scores fell into each of the fine bins."""
        self.counts += fine.reshape(self.bins, -1).sum(axis=1)

    @property
    def p_value(self) -> float:
        """The bound on the p-value of the distance."""
        total = self.counts.sum()
        if total == 0:
            return 1.0
        distance = np.max(np.abs(np.cumsum(self.counts) / total - np.arange(1, self.bins + 1) / self.bins))
        return float(min(1.0, 2 * np.exp(-2 * total * distance**2)))
