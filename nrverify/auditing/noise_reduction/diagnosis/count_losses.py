"""Losses of integer noise when the value moves by one, from its probabilities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive, ndtr

Floats = NDArray[np.float64]

TAIL, FEWEST = 12.0, 40
"""Deviations from 0 within which counts are added up, and how many at least: beyond, less than 1e-30 is left."""
EPSILONS = np.linspace(0.1, 4.0, 40)
"""At which two curves are compared."""


def expected_loss(mean: float) -> float:
    """E log P(K)/P(K − 1) for K the difference of two Poisson counts of this mean: P(k) = e^{−2μ} I_k(2μ)."""
    own, other = _skellam(2 * mean)
    seen = (own > 0) & (other > 0)
    return float(np.sum(own[seen] * np.log(own[seen] / other[seen])))


def excess_of_rate(share: float, variances: Floats) -> float:
    """The largest expected loss with this share of the rate over that of the counts claimed, of these variances."""
    return max(expected_loss(0.5 * share * v) / expected_loss(0.5 * v) for v in variances.tolist())


def renyi_of_counts(variance: float) -> float:
    """The Rényi divergence of order 2 of the difference of two Poisson counts, log Σ P(k)²/P(k − 1)."""
    own, other = _skellam(variance)
    seen = other > 0
    return float(np.log(np.sum(own[seen] ** 2 / other[seen])))


def least_renyi(precision: float) -> float:
    """That of any law for which an unbiased estimate of the value has this precision, at least.

    By Hammersley, Chapman and Robbins the variance of an unbiased estimate is at least 1/χ² for a change of one, and
    the divergence is log(1 + χ²).
    """
    return math.log1p(precision)


def worst_of_rounded_normals(variance: float) -> tuple[float, float, float]:
    """ε, and there the hockey-stick divergence of rounded normal noise and of counts with the same variance.

    Where the first is most above the second: counts have the heavier tails, so that far out a release of rounded
    normal noise tells more.
    """
    most = _most(variance)
    edges = (np.arange(-most - 1, most + 2) - 0.5) / math.sqrt(variance)
    # From the nearer tail, so that small probabilities keep their digits.
    rounded = np.where(edges[:-1] > 0, ndtr(-edges[:-1]) - ndtr(-edges[1:]), ndtr(edges[1:]) - ndtr(edges[:-1]))
    curves = [_hockey_stick(*law) for law in ((rounded[1:], rounded[:-1]), _skellam(variance))]
    at = int(np.argmax(curves[0] - curves[1]))
    return float(EPSILONS[at]), float(curves[0][at]), float(curves[1][at])


def _hockey_stick(own: Floats, other: Floats) -> Floats:
    return np.asarray([np.maximum(own - math.exp(epsilon) * other, 0.0).sum() for epsilon in EPSILONS])


def _skellam(variance: float) -> tuple[Floats, Floats]:
    """P(k) and P(k − 1) for counts k around 0."""
    most = _most(variance)
    weights = np.asarray(ive(np.abs(np.arange(-most - 1, most + 1)), variance), dtype=np.float64)
    return weights[1:], weights[:-1]


def _most(variance: float) -> int:
    return int(TAIL * math.sqrt(variance)) + FEWEST
