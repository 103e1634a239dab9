"""Right subjects asked for an ε: the noise is what a boundary, written here from its formula, needs for it."""

from __future__ import annotations

import math
from functools import lru_cache

from nrverify.reference.mutants.correct.boundary import SkellamLinear, linear_slope
from nrverify.reference.mutants.correct.noise import Brownian, LazyLaplace, Skellam

TUNED_AT = 0.3
"""As in the paper's experiments."""
THETA = 0.3
"""The tilt of the Skellam line: any positive one is valid; with this one the floor is about Δθ/2 = 0.15, as of the line
above."""
LARGEST = 1e5
"""Time at which the search begins: the boundary has nearly come down to its floor by then."""
STEP = 1.01
"""Ratio of the grid: at most 1 % more noise than needed."""


def linear_time(epsilon: float, delta: float, sensitivity: float) -> float:
    """t = Δ(Δ/2 + b)/(ε − Δa) for the line tuned at 0.3; ValueError at and below the floor Δa."""
    level = math.log(1 / delta)
    slope = linear_slope(TUNED_AT, level, sensitivity)
    if not epsilon > sensitivity * slope:
        raise ValueError(f"epsilon must be above {sensitivity * slope!r}, which this boundary never reaches")
    return sensitivity * (sensitivity / 2 + level / (2 * slope)) / (epsilon - sensitivity * slope)


class EpsilonBrownian(Brownian):
    """The Brownian mechanism behind a linear boundary: every look costs at most its ε, with probability 1 − δ."""

    knob = "epsilon"
    sensitivity = 1.0
    delta = 1e-6

    def time_at(self, at: float, d: int) -> float:
        """ψ⁻¹(ε)."""
        return linear_time(at, self.delta, self.sensitivity)


class EpsilonLaplace(LazyLaplace):
    """The Laplace mechanism at t = Δ/ε: every look costs at most its ε, for certain."""

    knob = "epsilon"
    sensitivity = 1.0

    def time_at(self, at: float, d: int) -> float:
        """Δ/ε."""
        if not at > 0:
            raise ValueError(f"epsilon must be positive, got {at!r}")
        return self.sensitivity / at


@lru_cache(maxsize=1024)
def skellam_time(epsilon: float, delta: float) -> float:
    """The smallest t of a grid from which on the line at θ = 0.3 charges at most ε; ValueError where it never does."""
    boundary = SkellamLinear()
    boundary.theta, boundary.delta = THETA, delta
    t = LARGEST
    if not boundary.epsilon(t) <= epsilon:
        raise ValueError(f"epsilon must be above {boundary.epsilon(t)!r}, which this boundary never reaches")
    while boundary.epsilon(t / STEP) <= epsilon:
        t /= STEP
    return t


class EpsilonSkellam(Skellam):
    """The Skellam mechanism behind a linear boundary: every look costs at most its ε, with probability 1 − δ."""

    knob = "epsilon"
    sensitivity = 1
    delta = 1e-6

    def time_at(self, at: float, d: int) -> float:
        """ψ⁻¹(ε), on the safe side."""
        return skellam_time(at, self.delta)
