"""Heights for known looks that say where the stop is expected: least expected bound at exactly δ."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri_exp

from nrverify.laws.crossing.grid import grid_crossing
from nrverify.laws.validation.times import Floats

NODES = 120
"""Of the densities behind the slopes. Slopes only guide the search, δ is made exact at the end: an error of 1e-4 in
them costs 1e-8 of the expected bound."""
LOWEST = -7.0
"""In deviations: paths below do not come back to the heights of any useful δ."""
GAIN = 1e-9
"""Of the expected bound: an optimum that is not improved by this share is found."""


def weighted_quantiles(looks: Floats, weights: Floats, delta: float) -> Floats:
    """z_i, for looks in growing order, with P(W ≥ z_i√t_i at some look i) = δ that make Σ w_i z_i/√t_i least.

    Σ w_i ψ(t_i) is then least too, ψ(t) = D²/2t + D·z/√t. The programme is smooth; a common shift of all heights at the
    end makes the probability δ to rounding, whatever the programme left.
    """
    from scipy.optimize import brentq, minimize

    log_delta = math.log(delta)
    slopes = weights / np.sqrt(looks)
    slopes = slopes / slopes.sum()
    start = np.full(looks.size, -float(ndtri_exp(log_delta - math.log(looks.size))))
    if looks.size == 1:
        return start

    def excess(heights: Floats) -> float:
        return math.log(grid_crossing(looks, heights * np.sqrt(looks))[0]) - log_delta

    last: dict[bytes, tuple[float, Floats]] = {}

    def guided(heights: Floats) -> tuple[float, Floats]:
        """log P − log δ and its slopes, from one pass over the densities; the programme asks for both in turn."""
        key = heights.tobytes()
        if key not in last:
            last.clear()
            probability, slopes_of_it = _crossing(looks, heights)
            last[key] = math.log(probability) - log_delta, slopes_of_it / probability
        return last[key]

    def expected(heights: Floats) -> float:
        return float(slopes @ heights)

    programme: Any = {
        "fun": expected,
        "x0": start,
        "jac": lambda _: slopes,
        "method": "SLSQP",
        "constraints": {"type": "eq", "fun": lambda z: guided(z)[0], "jac": lambda z: guided(z)[1]},
        "options": {"ftol": GAIN, "maxiter": 200},
    }
    found: Any = minimize(**programme)
    heights = _refined(looks, slopes, np.asarray(found.x, dtype=np.float64), log_delta)
    return heights + float(brentq(lambda shift: excess(heights + shift), -1.0, 1.0, xtol=1e-14, rtol=1e-14))


def _refined(looks: Floats, slopes: Floats, heights: Floats, log_delta: float) -> Floats:
    """The heights at which the slopes of P are in the ratios of those of the expected bound, from heights nearby.

    The programme ends where the expected bound hardly falls, which leaves heights open to the root of that.
    """
    from scipy.optimize import root

    def conditions(z: Floats) -> Floats:
        probability, steepness = _crossing(looks, z)
        return np.append(np.diff(np.log(-steepness / slopes)), math.log(probability) - log_delta)

    with np.errstate(divide="ignore", invalid="ignore"):
        before = float(np.abs(conditions(heights)).max())
        if not math.isfinite(before):
            return heights
        found = np.asarray(root(conditions, heights, tol=1e-13).x, dtype=np.float64)
        # Where slopes are as small as rounding there is nothing to refine.
        return found if float(np.abs(conditions(found)).max()) < before else heights


def slopes_of_crossing(looks: Floats, heights: Floats) -> Floats:
    """∂P/∂z_i of P(W ≥ z_i√t_i at some look i): minus the density at the height of paths that cross nowhere else."""
    return _crossing(looks, heights)[1]


def _crossing(looks: Floats, heights: Floats) -> tuple[float, Floats]:
    """P, as the sum of what crosses first at each look, and its slopes."""
    roots = np.sqrt(looks)
    points, shares = _rule()
    low, high = LOWEST * roots, heights * roots
    x = (low + high)[:, np.newaxis] / 2 + (high - low)[:, np.newaxis] / 2 * points
    dx = (high - low)[:, np.newaxis] / 2 * shares
    before, first = np.empty(looks.size), np.empty(looks.size)
    density = _normal(x[0], looks[0])
    before[0], first[0] = _normal(high[0], looks[0]), ndtr(-heights[0])
    steps = []
    for i in range(1, looks.size):
        mass, gap = density * dx[i - 1], looks[i] - looks[i - 1]
        before[i] = mass @ _normal(high[i] - x[i - 1], gap)
        first[i] = mass @ ndtr((x[i - 1] - high[i]) / math.sqrt(gap))
        steps.append(_normal(x[i] - x[i - 1][:, np.newaxis], gap))
        density = mass @ steps[-1]
    after = np.ones(looks.size)
    stays = np.ones(NODES)
    for i in range(looks.size - 2, -1, -1):
        mass, gap = stays * dx[i + 1], looks[i + 1] - looks[i]
        after[i] = _normal(x[i + 1] - high[i], gap) @ mass
        stays = steps[i] @ mass
    return float(first.sum()), np.asarray(-before * after * roots)


@cache
def _rule() -> tuple[Floats, Floats]:
    points, shares = np.polynomial.legendre.leggauss(NODES)
    return np.asarray(points), np.asarray(shares)


def _normal(x: Floats, variance: float) -> Floats:
    found: Floats = np.exp(-np.square(x) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return found
