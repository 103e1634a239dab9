"""The linear boundary: the loss bound behind the line crossing P(∃t: W_t ≥ at + b) = e^(−2ab) (claims B09, M03)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np

from nrverify.laws.crossing import crossing_probability, line_crossing_probability
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
class Linear:
    """ψ(t) = (D/t)(D/2 + b) + Da, violated where W meets the line at + b: with probability exactly e^(−2ab).

    Usually made by `tightest_at`. Called with a time (the variance of the noise) it is the ε that holds at all looks.

    Parameters
    ----------
    a, b
        Slope and intercept of the line; δ is e^(−2ab).
    sensitivity
        D, the largest ℓ2 distance of the values of neighbours.

    Examples
    --------
    >>> from nrverify import Linear
    >>> boundary = Linear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    >>> round(boundary.inverse(1.0), 2)  # the variance that ε = 1 needs
    28.62
    >>> round(boundary(100.0), 3)  # what a release of variance 100 costs
    0.637
    >>> round(boundary.floor, 3)  # no smaller ε is reached, whatever the noise
    0.491
    """

    a: float
    b: float
    sensitivity: float

    def __post_init__(self) -> None:
        require_positive(a=self.a, b=self.b, sensitivity=self.sensitivity)

    @property
    def delta(self) -> float:
        """e^(−2ab)."""
        return math.exp(-2 * self.a * self.b)

    @property
    def floor(self) -> float:
        """Da = lim ψ(t) as t → ∞: no smaller epsilon is ever reached."""
        return self.sensitivity * self.a

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: Any) -> Any:
        """ψ(t) = (D/t)(D/2 + b) + Da."""
        t = positive("time", time)
        with np.errstate(over="ignore"):
            return like_argument(self.sensitivity * (self.sensitivity / 2 + self.b) / t + self.floor, time)

    @overload
    def inverse(self, epsilon: float) -> float: ...
    @overload
    def inverse(self, epsilon: Sequence[float] | Floats) -> Floats: ...
    def inverse(self, epsilon: Any) -> Any:
        """The smallest t with ψ(t) ≤ epsilon: D(D/2 + b)/(epsilon − Da), for epsilon > Da."""
        target = positive("epsilon", epsilon)
        if np.any(target <= self.floor):
            raise ValueError(
                f"epsilon = {float(target.min())!r} cannot be reached: this boundary stays above its floor "
                f"sensitivity*a = {self.floor!r}; ask for more than the floor, or tune it at a smaller epsilon"
            )
        return like_argument(self.sensitivity * (self.sensitivity / 2 + self.b) / (target - self.floor), epsilon)

    @classmethod
    def tightest_at(cls, *, epsilon: float, delta: float, sensitivity: float) -> Self:
        """The line with e^(−2ab) = delta whose inverse at epsilon is smallest, t* = b/a = D²/(2(√(ℓ+ε)−√ℓ)²).

        a = (√(ℓ²+ℓε) − ℓ)/D and b = ℓ/(2a); the difference of roots is written as ε√ℓ/(√(ℓ+ε)+√ℓ), which does not
        cancel where ε is far below ℓ = log(1/delta).
        """
        require_positive(epsilon=epsilon, sensitivity=sensitivity)
        require_probability(delta)
        level = log_inverse(delta)
        root = math.sqrt(level)
        a = epsilon * root / (math.sqrt(level + epsilon) + root) / sensitivity
        return cls(a=a, b=level / (2 * a), sensitivity=sensitivity)

    def curve(self, time: Any) -> Any:
        """c(t) = at + b, which W must meet for a violation."""
        return self.a * time + self.b

    def crossing_probability(
        self, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
    ) -> float:
        """P(W_t ≥ at + b for some look t): a finite grid of looks, an interval, by default all t > 0 (e^(−2ab))."""
        require_one_way_of_looking(times, interval)
        if times is not None:
            return float(crossing_probability(self.curve, times=sorted_looks(times)).probability)
        return line_crossing_probability(self.a, self.b, checked_interval(interval))
