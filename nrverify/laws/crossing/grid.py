"""The probability that a Brownian path meets a curve at one of finitely many looks."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from nrverify.laws.crossing.surviving_density import Floats, advance, start

_NEGLIGIBLE = 44.0  # a look e⁻⁴⁴ times less likely to be crossed than another is beyond double precision


def grid_crossing(times: Floats, heights: Floats) -> tuple[float, float]:
    """P(W_t ≥ height(t) at some look), looks in increasing order, and an estimate of its absolute error.

    The sum over looks of the mass that crosses there first. The error comes from the last Legendre coefficients of
    the survivors at every look, times the chance of crossing there or of being there at all, plus rounding.
    """
    levels = heights / np.sqrt(times)
    if np.isneginf(levels).any():
        return 1.0, 0.0
    logs = log_ndtr(-levels)
    if not np.isfinite(logs).any():
        return 0.0, 0.0
    keep = logs > logs.max() - _NEGLIGIBLE
    dropped = float(np.exp(logs[~keep]).sum())
    times, levels = times[keep], levels[keep]
    masses = [0.5 * math.erfc(levels[0] / math.sqrt(2.0))]
    state = start(float(times[0]), float(levels[0]))
    error = 0.0
    for t, level in zip(times[1:].tolist(), levels[1:].tolist(), strict=True):
        state, mass, mass_error = advance(state, t, level, watched=False)
        masses.append(mass)
        error += mass_error
    probability = min(1.0, math.fsum(masses))
    return probability, min(error, state.leak) + dropped + 1e-14 * len(masses) * probability
