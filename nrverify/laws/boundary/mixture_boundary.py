"""What the two mixture boundaries share: ψ from a curve that grows slower than t, its inverse, its crossing."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from nrverify.laws.boundary.decreasing_inverse import inverse_of_decreasing
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.validation.boundaries import (
    checked_interval,
    like_argument,
    require_one_way_of_looking,
    require_positive,
    require_probability,
    sorted_looks,
)
from nrverify.laws.validation.times import Floats, positive


@dataclass(frozen=True)
class MixtureBoundary:
    """ψ(t) = D²/(2t) + (D/t) c(t), violated where W meets the curve c; it is scaled by ρ."""

    rho: float
    delta: float
    sensitivity: float

    def __post_init__(self) -> None:
        require_positive(rho=self.rho, sensitivity=self.sensitivity)
        require_probability(self.delta)

    def curve(self, time: Any) -> Any:
        """c(t), which W must meet for a violation."""
        raise NotImplementedError

    def _curve_growth(self, t: Floats) -> Floats:
        """t c'(t)/c(t)."""
        raise NotImplementedError

    def _ever(self) -> float:
        """P(W_t ≥ c(t) for some t > 0)."""
        return float(crossing_probability(self.curve, interval=(0.0, math.inf)).probability)

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: Any) -> Any:
        """ψ(t) = D²/(2t) + (D/t) c(t): a strictly decreasing bijection of (0, ∞)."""
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

    def crossing_probability(
        self, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
    ) -> float:
        """P(W_t ≥ c(t) for some look t): a finite grid of looks, an interval, by default all t > 0."""
        require_one_way_of_looking(times, interval)
        if times is not None:
            return float(crossing_probability(self.curve, times=sorted_looks(times)).probability)
        ends = checked_interval(interval)
        if ends == (0.0, math.inf):
            return self._ever()
        return float(crossing_probability(self.curve, interval=ends).probability)

    def _psi(self, t: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(self.sensitivity / t * (self.sensitivity / 2 + self.curve(t)))

    def _log_slope(self, t: Floats) -> Floats:
        """t ψ'(t)/ψ(t) = −1 + t c'(t)/(D/2 + c(t))."""
        curve = self.curve(t)
        return np.asarray(self._curve_growth(t) * curve / (self.sensitivity / 2 + curve) - 1)
