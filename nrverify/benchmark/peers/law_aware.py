"""The faults of the comparison as subjects whose law nrverify knows."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy.optimize import brentq
from scipy.special import ndtr

from nrverify.reference.mutants.correct.epsilon import EpsilonLaplace
from nrverify.reference.mutants.correct.noise import Brownian


class Laplace(EpsilonLaplace):
    """One release with Laplace noise of the scale 0.7/ε."""

    most_releases = 1

    def time_at(self, at: float, d: int) -> float:
        """0.7 of what ε needs."""
        return 0.7 * super().time_at(at, d)


@lru_cache(maxsize=4096)
def gaussian_deviation(epsilon: float, delta: float) -> float:
    """The smallest that is (ε, δ)-private at sensitivity 1: the root of Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ) = δ."""

    def excess(log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return float(ndtr(near) - math.exp(epsilon) * ndtr(far)) - delta

    return math.exp(brentq(excess, -10.0, 10.0, xtol=1e-14))


class Gaussian(Brownian):
    """One release with 0.7 times the deviation that (ε, 0.01) needs."""

    knob = "epsilon"
    sensitivity = 1.0
    delta = 0.01
    most_releases = 1
    share = 0.7

    def time_at(self, at: float, d: int) -> float:
        """The variance."""
        if not at > 0:
            raise ValueError(f"epsilon is {at!r}: it must be positive; ask for one above 0")
        return (self.share * gaussian_deviation(at, self.delta)) ** 2
