"""The mixture boundary of the paper (claims B08, B15, B16), conservative by nearly 2: its curve is two-sided."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np

from nrverify.laws.boundary.decreasing_inverse import inverse_of_decreasing
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.special.differences import x_minus_log1p
from nrverify.laws.validation.boundaries import (
    checked_interval,
    like_argument,
    log_inverse,
    require_one_way_of_looking,
    require_positive,
    require_probability,
    sorted_looks,
)
from nrverify.laws.validation.times import Floats, positive


@dataclass(frozen=True)
class Mixture:
    """ψ(t) = D²/(2t) + (D/t) x(t) with the curve x(t)² = 2(t+ρ) log(√((t+ρ)/ρ)/δ).

    |W| meets x with probability exactly δ, W itself with a probability p, δ/2 < p < δ, that does not depend on ρ.
    """

    rho: float
    delta: float
    sensitivity: float

    def __post_init__(self) -> None:
        require_positive(rho=self.rho, sensitivity=self.sensitivity)
        require_probability(self.delta)

    def curve(self, time: Any) -> Any:
        """c(t) = √((t+ρ)(2ℓ + log(1+t/ρ))), ℓ = log(1/δ), which W must meet for a violation."""
        return np.sqrt((time + self.rho) * self._squared_quantile(time))

    def _squared_quantile(self, time: Any) -> Any:
        return 2 * log_inverse(self.delta) + np.log1p(time / self.rho)

    def _psi(self, t: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(self.sensitivity / t * (self.sensitivity / 2 + self.curve(t)))

    def _log_slope(self, t: Floats) -> Floats:
        """t ψ'(t)/ψ(t) = −1 + t c'(t)/(D/2 + c(t)), where t c'/c = (t/(t+ρ))(1 + 1/λ)/2, λ = 2ℓ + log(1+t/ρ)."""
        curve = self.curve(t)
        growth = 0.5 * t / (t + self.rho) * (1 + 1 / self._squared_quantile(t))
        return np.asarray(growth * curve / (self.sensitivity / 2 + curve) - 1)

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: Any) -> Any:
        """ψ(t) = D²/(2t) + (D/t)√(2(t+ρ) log(√((t+ρ)/ρ)/δ)): a strictly decreasing bijection of (0, ∞)."""
        return like_argument(self._psi(positive("time", time)), time)

    @overload
    def inverse(self, epsilon: float) -> float: ...
    @overload
    def inverse(self, epsilon: Sequence[float] | Floats) -> Floats: ...
    def inverse(self, epsilon: Any) -> Any:
        """The smallest t with ψ(t) ≤ epsilon; every epsilon > 0 is reached."""
        target = positive("epsilon", epsilon)
        lower = self.sensitivity * (self.sensitivity / (2 * target))
        return like_argument(inverse_of_decreasing(self._psi, self._log_slope, target, lower), epsilon)

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

    def crossing_probability(
        self, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
    ) -> float:
        """P(W_t ≥ c(t) for some look t): a finite grid of looks, an interval, by default all t > 0."""
        require_one_way_of_looking(times, interval)
        if times is not None:
            return float(crossing_probability(self.curve, times=sorted_looks(times)).probability)
        return float(crossing_probability(self.curve, interval=checked_interval(interval)).probability)


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
