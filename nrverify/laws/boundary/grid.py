"""The boundary calibrated to a known finite grid of looks: no continuous looking is paid for."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, overload

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from nrverify.laws.boundary.weighted_looks import weighted_quantiles
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.validation.boundaries import (
    checked_interval,
    like_argument,
    listed_looks,
    require_one_way_of_looking,
    require_positive,
    require_probability,
    sorted_looks,
)
from nrverify.laws.validation.times import Floats, positive

_ROUNDING = 1e-12
"""Looks whose bound equals epsilon up to rounding count as reaching it."""


@dataclass(frozen=True, init=False)
class Grid:
    """ψ(t) = D²/(2t) + Dz/√t, with z such that W_t ≥ z√t at some look of `times` has probability exactly δ.

    The shape gives every look the same marginal failure probability Q(z); z depends on the ratios of the looks only.
    ψ can be evaluated at any t > 0, but the guarantee holds for the looks of `times`, in any order, and no others.
    With one look z is the normal quantile: the exact (probabilistic) Gaussian mechanism. For δ so large that z < 0
    ψ is negative at late looks.

    With `weights`, one positive number for each look that says how likely the stop is there, each look has a height z_i
    of its own: those with which Σ w_i ψ(t_i) is least, still at exactly δ. Between looks z is interpolated in log t.

    Parameters
    ----------
    times
        The looks, in any order.
    delta
        The probability with which the bound may fail at any of them.
    sensitivity
        D, the largest ℓ2 distance of the values of neighbours.
    weights
        How likely the stop is at each look; None for the same z at all.

    Examples
    --------
    >>> from nrverify import Grid
    >>> boundary = Grid([100.0, 50.0, 25.0], delta=1e-6, sensitivity=1.0)
    >>> round(boundary(25.0), 3)
    1.013
    >>> boundary.inverse(1.2)  # the least noisy look that costs at most that
    25.0
    """

    times: tuple[float, ...]
    delta: float
    sensitivity: float
    weights: tuple[float, ...] | None = field(default=None, repr=False)

    def __init__(
        self,
        times: Iterable[float],
        delta: float,
        sensitivity: float,
        weights: Iterable[float] | None = None,
    ) -> None:
        require_positive(sensitivity=sensitivity)
        require_probability(delta)
        object.__setattr__(self, "times", tuple(listed_looks(times)))
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "sensitivity", sensitivity)
        object.__setattr__(self, "weights", None if weights is None else _checked_weights(weights, self.times))

    @cached_property
    def heights(self) -> tuple[Floats, Floats]:
        """The looks in growing order, and z at each."""
        looks = np.array(sorted_looks(self.times))
        if self.weights is None:
            return looks, np.full(looks.size, self.quantile)
        shares: dict[float, float] = {}
        for time, weight in zip(self.times, self.weights, strict=True):
            shares[time] = shares.get(time, 0.0) + weight
        # In units of the first look, on which the heights do not depend.
        ratios, asked = looks / looks[0], np.array([shares[look] for look in looks.tolist()])
        return looks, weighted_quantiles(ratios, asked, self.delta)

    @cached_property
    def quantile(self) -> float:
        """z: the root of P(∃ look t: W_t ≥ z√t) = δ, between Q⁻¹(δ) (one look) and Q⁻¹(δ/n) (union bound)."""
        from scipy.optimize import brentq

        looks = sorted_looks(self.times)
        log_delta = math.log(self.delta)
        one_look = -float(ndtri_exp(log_delta))
        if len(looks) == 1:
            return one_look
        union_bound = -float(ndtri_exp(log_delta - math.log(len(looks))))
        ratios = [look / looks[0] for look in looks]

        def excess(z: float) -> float:
            if z == one_look:
                # The other looks only add to Q(z) = δ, so the sign at this end needs no computing.
                return math.log(len(looks))
            probability = crossing_probability(lambda t: z * np.sqrt(t), times=ratios).probability
            difference = math.log(probability) - log_delta
            # At tiny δ the union bound is attained to the last digit, and rounding may pass it.
            return min(difference, 0.0) if z == union_bound else difference

        return float(brentq(excess, one_look, union_bound, xtol=1e-14, rtol=1e-14))

    def curve(self, time: Any) -> Any:
        """c(t) = z√t, which W must meet for a violation."""
        return self._height(time) * np.sqrt(time)

    def _height(self, time: Any) -> Any:
        if self.weights is None:
            return self.quantile
        looks, heights = self.heights
        return np.interp(np.log(time), np.log(looks), heights)

    @overload
    def __call__(self, time: float) -> float: ...
    @overload
    def __call__(self, time: Sequence[float] | Floats) -> Floats: ...
    def __call__(self, time: Any) -> Any:
        """ψ(t) = D²/(2t) + Dz/√t, for any t > 0; a guarantee at the looks of `times` only."""
        scaled = self.sensitivity / np.sqrt(positive("time", time))
        with np.errstate(over="ignore"):
            return like_argument(scaled * (scaled / 2 + self._height(np.asarray(time, dtype=np.float64))), time)

    @overload
    def inverse(self, epsilon: float) -> float: ...
    @overload
    def inverse(self, epsilon: Sequence[float] | Floats) -> Floats: ...
    def inverse(self, epsilon: Any) -> Any:
        """The smallest look of the grid with ψ(t) ≤ epsilon: the guarantee holds at no other time."""
        target = positive("epsilon", epsilon)
        looks = np.array(sorted_looks(self.times))
        bounds = self(looks)
        if np.any(unreached := target * (1 + _ROUNDING) < bounds.min()):
            raise ValueError(
                f"epsilon = {float(target[unreached].flat[0])!r} cannot be reached: the looks of this grid go down to "
                f"epsilon = {float(bounds.min())!r}; ask for more than this floor, or give the grid a larger time"
            )
        reached = bounds <= target[..., np.newaxis] * (1 + _ROUNDING)
        return like_argument(looks[np.argmax(reached, axis=-1)], epsilon)

    @classmethod
    def tightest_at(
        cls, *, epsilon: float, delta: float, sensitivity: float, times: Iterable[float] | None = None
    ) -> Self:
        """The grid with looks in the ratios of `times`, scaled so that its smallest look has ψ = epsilon exactly.

        z depends on the ratios only, so the smallest look is √t = D(z + √(z²+2ε))/(2ε). Without `times`, one look:
        the least noise that any boundary needs at (epsilon, delta).
        """
        require_positive(epsilon=epsilon, sensitivity=sensitivity)
        shape = cls([1.0] if times is None else times, delta, sensitivity)
        z = shape.quantile
        discriminant = math.sqrt(z * z + 2 * epsilon)
        if z >= 0:
            root = sensitivity * (z + discriminant) / (2 * epsilon)
        else:
            root = sensitivity / (discriminant - z)
        smallest = min(shape.times)
        return cls([root * root * (time / smallest) for time in shape.times], delta, sensitivity)

    def crossing_probability(
        self, times: Iterable[float] | None = None, interval: tuple[float, float] | None = None
    ) -> float:
        """P(W_t ≥ z√t for some look t): by default over the grid's own `times` (δ), or the looks or interval given.

        Over all t > 0 it is 1, by the law of the iterated logarithm.
        """
        require_one_way_of_looking(times, interval)
        if interval is None:
            looks = sorted_looks(self.times if times is None else times)
            if len(looks) == 1:
                return math.exp(float(log_ndtr(-self._height(looks[0]))))
            return float(crossing_probability(self.curve, times=looks).probability)
        lo, hi = checked_interval(interval)
        if lo == 0 or hi == math.inf:
            return 1.0
        return float(crossing_probability(self.curve, interval=(lo, hi)).probability)


def _checked_weights(weights: Iterable[float], times: tuple[float, ...]) -> tuple[float, ...]:
    found = tuple(float(weight) for weight in weights)
    if len(found) != len(times):
        raise ValueError(f"weights has {len(found)} numbers: it must have one for each of the {len(times)} looks")
    for weight in found:
        if not 0 < weight < math.inf:
            raise ValueError(f"weights has {weight!r}: each must be positive and finite; leave out looks with none")
    return found
