"""The mixture boundary of the paper (claims B08, B15, B16), conservative by nearly 2: its curve is two-sided."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nrverify.laws.boundary.mixture_boundary import MixtureBoundary
from nrverify.laws.special.differences import x_minus_log1p
from nrverify.laws.validation.boundaries import (
    log_inverse,
    require_positive,
    require_probability,
)
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True)
class Mixture(MixtureBoundary):
    """ψ(t) = D²/(2t) + (D/t) x(t) with the curve x(t)² = 2(t+ρ) log(√((t+ρ)/ρ)/δ).

    |W| meets x with probability exactly δ, W itself with a probability p, δ/2 < p < δ, that does not depend on ρ.
    Every ε > 0 is reached. `HalfNormalMixture` spends all of δ and needs less noise.

    Parameters
    ----------
    rho
        Where the boundary is tightest, as a time.
    delta
        The probability with which the bound may fail.
    sensitivity
        D, the largest ℓ2 distance of the values of neighbours.

    Examples
    --------
    >>> from nrverify import Mixture
    >>> boundary = Mixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    >>> round(boundary.inverse(1.0), 2), round(boundary.inverse(0.1))
    (33.09, 3586)
    """

    def curve(self, time: Any) -> Any:
        """c(t) = √((t+ρ)(2ℓ + log(1+t/ρ))), ℓ = log(1/δ), which W must meet for a violation."""
        return np.sqrt((time + self.rho) * self._squared_quantile(time))

    def _squared_quantile(self, time: Any) -> Any:
        return 2 * log_inverse(self.delta) + np.log1p(time / self.rho)

    def _curve_growth(self, t: Floats) -> Floats:
        """t c'/c = (t/(t+ρ))(1 + 1/λ)/2, λ = 2ℓ + log(1+t/ρ)."""
        return np.asarray(0.5 * t / (t + self.rho) * (1 + 1 / self._squared_quantile(t)))

    @classmethod
    def tightest_at(cls, *, epsilon: float, delta: float, sensitivity: float) -> Self:
        """The ρ that minimises the inverse at epsilon.

        min over ρ of x(t) is √(wt), reached at t/ρ = w − 1, where w = −W₋₁(−δ²/e), i.e. w − log w = 1 + 2ℓ; hence
        t* = (D(√w + √(w+2ε))/(2ε))² and ρ = t*/(w − 1).
        """
        require_positive(epsilon=epsilon, sensitivity=sensitivity)
        require_probability(delta)
        excess = _lambert_excess(2 * log_inverse(delta))
        root = math.sqrt(1 + excess)
        tightest = (sensitivity * (root + math.sqrt(1 + excess + 2 * epsilon)) / (2 * epsilon)) ** 2
        return cls(rho=tightest / excess, delta=delta, sensitivity=sensitivity)


def _lambert_excess(u: float) -> float:
    """v = w − 1 with w = −W₋₁(−e^(−1−u)): the root v > 0 of v − log(1+v) = u.

    The left side is convex and increasing and √(2u) + u lies above the root, so Newton's method descends to it;
    stated in u = 2ℓ nothing underflows where δ² would.
    """
    v = math.sqrt(2 * u) + u
    for _ in range(100):
        step = (float(x_minus_log1p(v)) - u) * (1 + v) / v
        v -= step
        if abs(step) <= 4e-16 * v:
            break
    return v
