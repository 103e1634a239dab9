"""Are these levels uniform? Kolmogorov–Smirnov with a bound that holds at any sample size, and bets beside it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.statistics.multiplicity import p_value
from nrverify.statistics.wealth import BinWealth, MeanWealth, ScaleWealth, uniform_bins

Floats = NDArray[np.float64]


class Kolmogorov(NamedTuple):
    """The distance between the empirical and the claimed distribution, and its p-value."""

    distance: float
    p_value: float


def kolmogorov(levels: Floats) -> Kolmogorov:
    """sup|F_n(u) − u| and 2e^{−2nD²}, at least P(sup ≥ D) for every n and D (Dvoretzky–Kiefer–Wolfowitz–Massart).

    The asymptotic law of Kolmogorov has no guarantee at p = 1e-8; this bound is above it by less than one part in
    e^{6nD²}.
    """
    u = np.sort(_levels(levels))
    n = u.size
    steps = np.arange(n + 1) / n
    distance = float(max(np.max(steps[1:] - u), np.max(u - steps[:-1])))
    return Kolmogorov(distance, min(1.0, 2 * math.exp(-2 * n * distance**2)))


def detectable_distance(n: int, level: float, miss: float) -> float:
    """The distance of laws that n draws refute at the level except with probability `miss`: both errors by DKWM.

    √(log(2/level)/2n) + √(log(1/miss)/2n), the second term one-sided at the point of the largest difference.
    """
    return math.sqrt(math.log(2 / level) / (2 * n)) + math.sqrt(math.log(1 / miss) / (2 * n))


def normal_scores(levels: Floats) -> Floats:
    """Φ⁻¹(u), for u within the open interval that doubles can tell from 0 and 1 alike."""
    smallest = 2.0**-53
    return np.asarray(ndtri(np.clip(_levels(levels), smallest, 1 - smallest)))


def scale_and_shape(levels: Floats) -> float:
    """A p-value that the levels are independent uniforms: 1/e for the average of three bets on their normal scores.

    The bets are on the scale, on the mean and on the counts in bins; it sees a wrong scale with about a tenth of the
    draws that Kolmogorov–Smirnov needs.
    """
    u = _levels(levels)
    z = normal_scores(u)
    scale, mean = ScaleWealth(), MeanWealth()
    scale.bet(z)
    mean.bet(z)
    edges, weights = uniform_bins()
    bins = BinWealth(weights)
    bins.bet(np.bincount(np.searchsorted(edges, u, side="right"), minlength=weights.size))
    return p_value(scale.log_e, mean.log_e, bins.log_e)


def dependence(z: Floats, *earlier: Floats) -> float:
    """A p-value that normal scores z do not regress on covariates known before them: 1/e, averaged over covariates."""
    log_e = []
    for covariate in earlier:
        wealth = MeanWealth()
        wealth.bet(z, covariate)
        log_e.append(wealth.log_e)
    return p_value(*log_e)


def _levels(levels: Floats) -> Floats:
    u = np.asarray(levels, dtype=np.float64).ravel()
    if u.size == 0 or not np.all((u >= 0) & (u <= 1)):
        raise ValueError(
            "levels must be numbers in [0, 1], at least one and none of them NaN; transform by a cdf first"
        )
    return u
