"""The expected loss of a difference of two Poisson counts when the value moves by one, from its probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

Floats = NDArray[np.float64]

TAIL, FEWEST = 12.0, 40
"""Deviations from 0 within which counts are added up, and how many at least: beyond, less than 1e-30 is left."""


def expected_loss(mean: float) -> float:
    """E log P(K)/P(K − 1) for K the difference of two Poisson counts of this mean: P(k) = e^{−2μ} I_k(2μ)."""
    most = int(TAIL * np.sqrt(2 * mean)) + FEWEST
    with np.errstate(divide="ignore"):
        logs = np.log(ive(np.abs(np.arange(-most - 1, most + 1)), 2 * mean))
    own, other = logs[1:], logs[:-1]
    seen = np.isfinite(own) & np.isfinite(other)
    return float(np.sum(np.exp(own[seen]) * (own[seen] - other[seen])))


def excess_of_rate(share: float, variances: Floats) -> float:
    """The largest expected loss with this share of the rate over that of the counts claimed, of these variances."""
    return max(expected_loss(0.5 * share * v) / expected_loss(0.5 * v) for v in variances.tolist())
