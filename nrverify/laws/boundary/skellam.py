"""The linear boundary of symmetric Skellam noise, for integer queries (N14: the paper states no guarantee)."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, overload

import numpy as np

from nrverify.laws.boundary.skellam_crossing import crossing_at_looks, crossing_on_interval, least_tilt
from nrverify.laws.special.bessel import log_ratio
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

_LARGEST_LEVEL = 2**50
"""Beyond this the lattice is finer than double precision resolves."""
_ROUNDING = 1e-13
"""Relative: an ε that is itself the value at a corner must find that corner, though both are rounded; a few hundred
units in the last place."""
_LARGEST_TILT = 700.0
"""cosh overflows from 711 on; some room is left for products with it."""


@dataclass(frozen=True)
class SkellamLinear:
    """ψ(t) = log I_k(μ)/I_{k+D}(μ), k = ⌈B(t)⌉ − 1, B(t) = (ℓ + μ(cosh θ−1))/θ, μ = 2·rate·t.

    e^(θX−μ(cosh θ−1)) is a martingale, so X_t < B(t), that is X_t ≤ k, for all t at once with probability at least
    1 − δ. The Skellam law is log-concave, so log I_|X|(μ)/I_|X+m|(μ) increases in X and, for X ≥ 0, in m ≤ D: at X ≤ k
    it is at most ψ(t). The case m < 0 is the same for −X. ψ falls between the times where B passes an integer and jumps
    up at each of them.

    Parameters
    ----------
    theta
        The tilt of the martingale, which decides where the boundary is tightest.
    delta
        The probability with which the bound may fail.
    sensitivity
        D, an integer: how far apart the values of neighbours may be.
    rate
        Of the noise: X_t is the difference of two Poisson counts of mean rate·t.

    Examples
    --------
    >>> from nrverify import SkellamLinear
    >>> boundary = SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1, rate=0.5)
    >>> round(boundary.inverse(1.0), 2)
    22.02
    """

    theta: float
    delta: float
    sensitivity: int
    rate: float

    def __post_init__(self) -> None:
        require_positive(theta=self.theta, rate=self.rate)
        require_probability(self.delta)
        _require_integer(self.sensitivity)
        if self.theta > _LARGEST_TILT:
            raise ValueError(
                f"theta is {self.theta!r}: it must be at most {_LARGEST_TILT}: cosh(theta) overflows beyond"
            )

    @property
    def floor(self) -> float:
        """inf ψ: lim ψ(t) = D asinh((cosh θ − 1)/θ) as t → ∞, or ψ at the first corner where ℓ < θ/2 lets it rise."""
        limit = self.sensitivity * math.asinh(self._curvature / self.theta)
        first = math.floor(log_inverse(self.delta) / self.theta)
        return min(limit, self._least(first))

    @property
    def _curvature(self) -> float:
        return 2 * math.sinh(self.theta / 2) ** 2

    def line(self, time: Any) -> Any:
        """B(t) = (ℓ + 2·rate·t(cosh θ − 1))/θ, which X must meet for a violation."""
        return (log_inverse(self.delta) + 2 * self.rate * time * self._curvature) / self.theta

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: Any) -> Any:
        """ψ(t) = log I_k(μ)/I_{k+D}(μ), k = ⌈B(t)⌉ − 1."""
        t = positive("time", time)
        k = np.ceil(self.line(t)) - 1
        return like_argument(np.asarray(log_ratio(k, k + self.sensitivity, 2 * self.rate * t)), time)

    @overload
    def inverse(self, epsilon: float) -> float: ...
    @overload
    def inverse(self, epsilon: Sequence[float] | Floats) -> Floats: ...
    def inverse(self, epsilon: Any) -> Any:
        """The smallest t with ψ(t) ≤ epsilon.

        ψ jumps, so it may exceed epsilon again at larger t; the guarantee at the look t itself is ψ(t) ≤ epsilon.
        """
        target = positive("epsilon", epsilon)
        return like_argument(np.vectorize(self._inverse, otypes=[float])(target), epsilon)

    def _inverse(self, epsilon: float) -> float:
        """On the piece where k is fixed ψ falls to its value at the corner B = k + 1; the first low enough one."""
        first = math.floor(log_inverse(self.delta) / self.theta)

        k = _first_true(lambda k: self._least(k) <= epsilon * (1 + _ROUNDING), first)
        if k is None:
            raise ValueError(
                f"epsilon = {epsilon!r} cannot be reached: this boundary falls to its floor {self.floor!r}; "
                "ask for more than the floor, or tune the boundary at a smaller epsilon"
            )
        time = min(_variance(k, epsilon, self.sensitivity), self._corner(k)) / (2 * self.rate)
        while self.line(time) > k + 1:
            # A corner rounded upwards would already be on the next piece, after the jump.
            time = math.nextafter(time, 0.0)
        return time

    def _least(self, k: int) -> float:
        """ψ at the corner where B = k + 1: its least value while k is fixed."""
        corner = self._corner(k)
        return float(log_ratio(k, k + self.sensitivity, corner)) if corner > 0 else math.inf

    def _corner(self, k: int) -> float:
        """The μ at which B = k + 1."""
        return (self.theta * (k + 1) - log_inverse(self.delta)) / self._curvature

    @classmethod
    def tightest_at(cls, *, epsilon: float, delta: float, sensitivity: int, rate: float) -> Self:
        """A θ that minimises the inverse at epsilon, exactly.

        Let μ_k solve log I_k(μ)/I_{k+D}(μ) = epsilon; it increases with k. Some θ has ψ(t) ≤ epsilon at μ_k with this k
        exactly when min over θ of B is at most k + 1 there, so the least time is μ_k/(2·rate) for the first such k. Any
        θ with B ≤ k + 1 at μ_k gives it; the one that minimises B is taken.
        """
        require_positive(epsilon=epsilon, rate=rate)
        require_probability(delta)
        _require_integer(sensitivity)
        level = log_inverse(delta)

        def feasible(k: int) -> bool:
            mu = _variance(k, epsilon, sensitivity)
            return mu * math.sinh(least_tilt(level, mu)) <= k + 1

        k = _first_true(feasible, 0)
        if k is None:
            raise ValueError(f"epsilon = {epsilon!r} is too small for double precision; ask for a larger one")
        return cls(least_tilt(level, _variance(k, epsilon, sensitivity)), delta, sensitivity, rate)

    def crossing_probability(
        self, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
    ) -> float:
        """P(X_t ≥ B(t) for some look t), i.e. that the loss passes ψ: a finite grid, an interval, by default all t > 0.

        Exact lattice sums, with a remainder below 1e-11 of the result over all t > 0. The time taken grows as θ⁻³.
        """
        require_one_way_of_looking(times, interval)
        level = log_inverse(self.delta)
        if times is not None:
            mus = [2 * self.rate * look for look in sorted_looks(times)]
            return self.delta * crossing_at_looks(self.theta, level, mus)
        lo, hi = checked_interval(interval)
        return self.delta * crossing_on_interval(self.theta, level, 2 * self.rate * lo, 2 * self.rate * hi)


def _require_integer(sensitivity: float) -> None:
    require_positive(sensitivity=sensitivity)
    if sensitivity != int(sensitivity):
        raise ValueError(f"sensitivity is {sensitivity!r}: it must be an integer: Skellam noise is for integer queries")


def _variance(k: int, epsilon: float, sensitivity: int) -> float:
    """The μ with log I_k(μ)/I_{k+D}(μ) = epsilon, from the bracket around D asinh((k + D/2)/μ) ≈ epsilon."""
    from scipy.optimize import brentq

    def excess(log_mu: float) -> float:
        return float(log_ratio(k, k + sensitivity, math.exp(log_mu))) - epsilon

    ratio = epsilon / sensitivity
    log_sinh = ratio + math.log(-math.expm1(-2 * ratio) / 2)
    guess = math.log(k + sensitivity / 2) - log_sinh
    if guess < -700:
        raise ValueError(f"epsilon = {epsilon!r} is too large: the time that gives it is below the smallest float")
    low, high = guess - 0.1, guess + 0.1
    while excess(low) < 0:
        low -= 1.0
    while excess(high) > 0:
        high += 1.0
    return math.exp(brentq(excess, low, high, xtol=1e-15, rtol=1e-15))


def _first_true(holds: Callable[[int], bool], start: int) -> int | None:
    """The first k ≥ start at which a condition that stays true once it is true holds; None beyond 2⁵⁰."""
    step, low, high = 1, start - 1, start
    while not holds(high):
        if high > _LARGEST_LEVEL:
            return None
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
