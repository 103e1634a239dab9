"""Discrete Laplace noise: P(X_t = j) ∝ e^{-|j|/t} on the integers, its noise reduction forwards and backwards.

With p_t = e^{-1/t} and c(p) = p/(1-p)² the characteristic function is 1/(1 + c(p_t)(2 - 2cos θ)), so that
X_t = X_s + (0 with weight ρ = c(p_s)/c(p_t), else a fresh draw at t): a Markov process with exact integer bridges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.discrete_laplace_bridge import (
    DiscreteLaplaceBridge,
    difference_rate,
    geometric,
    log1mexp,
    sum_rate,
    whole_draw,
)
from nrverify.laws.process import Size
from nrverify.laws.staying_between import StayingBetween
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class StayingDiscreteLaplace:
    """With probability `stay` the centre, with probability `spread` the centre plus a discrete Laplace draw."""

    centre: Floats
    scale: Floats
    stay: Floats
    spread: Floats

    @property
    def atom(self) -> Any:
        """0: all weights, also that of staying, are in the log-pmf."""
        return np.zeros(np.broadcast_shapes(self.centre.shape, self.scale.shape))[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf, log(spread tanh(1/2t)) - |x - centre|/t, `stay` added at the centre; -inf off the integers."""
        x = arguments.points(x, self.centre, self.scale)
        whole = np.isfinite(x) & (np.floor(x) == x)
        distance = np.abs(np.where(whole, x, 0.0) - self.centre)
        with np.errstate(divide="ignore", over="ignore"):
            drawn = np.log(self.spread) + _log_peak(self.scale) - distance / self.scale
            here = np.logaddexp(np.log(self.stay), drawn)
        return np.where(whole, np.where(distance == 0, here, drawn), -np.inf)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self._distribution(np.floor(arguments.points(x, self.centre, self.scale)), upper=False)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self._distribution(np.ceil(arguments.points(x, self.centre, self.scale)) - 1, upper=False)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        return self._distribution(np.floor(arguments.points(x, self.centre, self.scale)), upper=True)

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """centre + (0, or the difference of two geometric draws)."""
        shape = arguments.shape(size, self.centre, self.scale)
        rate = 1 / np.maximum(self.scale, np.finfo(np.float64).tiny)
        moves = arguments.generator(rng).random(shape) < self.spread
        steps = geometric(rng, rate, shape) - geometric(rng, rate, shape)
        return whole_draw(self.centre + np.where(moves, steps, 0.0), self.scale)

    def _distribution(self, x: Floats, upper: bool) -> Any:
        distance = x - self.centre
        below = distance < 0
        with np.errstate(over="ignore"):
            steps = np.where(below, -distance, distance + 1)
            tail = self.spread * np.exp(-steps / self.scale) / (1 + np.exp(-1 / self.scale))
        return np.where(below == upper, 1 - tail, tail)[()]


@dataclass(frozen=True)
class DiscreteLaplace:
    """The discrete Laplace process on the integers; t is the scale, p_t = e^{-1/t}."""

    def marginal(self, t: ArrayLike) -> StayingDiscreteLaplace:
        """P(X_t = j) = (1-p)/(1+p) p^|j|, p = e^{-1/t}."""
        t = arguments.positive("t", t)
        return StayingDiscreteLaplace(np.zeros_like(t), t, np.zeros_like(t), np.ones_like(t))

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> DiscreteLaplaceBridge:
        """X_s given X_t = given: the reverse kernel, by Bayes' rule; the weight of a tie is in its pmf."""
        s, t = arguments.times(s, t)
        k = arguments.integer("given", given).astype(np.float64)
        s, t, k = arguments.broadcast(s=s, t=t, given=k)
        return DiscreteLaplaceBridge(s, t, k)

    def forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> StayingDiscreteLaplace:
        """X_t given X_s = given: given with weight ρ = c(p_s)/c(p_t), else given plus a draw of X_t."""
        s, t = arguments.times(s, t)
        k = arguments.integer("given", given).astype(np.float64)
        s, t, k = arguments.broadcast(s=s, t=t, given=k)
        # ρ = q(1-p_t)²/(1-p_s)² and 1-ρ = (1-r)(1-q)/(1-p_s)², q = p_s/p_t, r = p_s p_t: neither is a difference.
        slow, fast = difference_rate(s, t), sum_rate(s, t)
        with np.errstate(over="ignore", divide="ignore"):
            from_s, from_t = -np.expm1(-1 / s), -np.expm1(-1 / t)
        stay = np.exp(-slow) * (from_t / from_s) ** 2
        spread = np.expm1(-fast) / from_s * (np.expm1(-slow) / from_s)
        return StayingDiscreteLaplace(k, t, stay, spread)

    def between(
        self, s: ArrayLike, low: ArrayLike, high: ArrayLike, at_low: ArrayLike, at_high: ArrayLike
    ) -> StayingBetween:
        """X_s given its neighbours l < u: it stayed at at_low, or moved by a draw at s seen from u, by Bayes' rule.

        The weights are those of the ways to get from at_low to at_high: by staying until s, or by moving before it.
        """
        s, low, high = arguments.nested(s, low, high)
        below, above = (
            arguments.integer(name, x).astype(np.float64) for name, x in (("at_low", at_low), ("at_high", at_high))
        )
        s, low, high, below, above = arguments.broadcast(s=s, low=low, high=high, at_low=below, at_high=above)
        distance = above - below
        before, after, whole = (self.forward(*ends, 0) for ends in ((low, s), (s, high), (low, high)))
        drawn = np.exp(self.marginal(high).logpdf(0))
        # Off 0 the law of the distance cancels; at 0 it may also come of staying all the way.
        rest = np.where(distance == 0, after.stay + after.spread * drawn, after.spread)
        total = np.where(distance == 0, whole.stay + whole.spread * drawn, whole.spread)
        fresh = np.where(distance == 0, drawn, 1.0)
        step = DiscreteLaplaceBridge(s, high, distance)
        return StayingBetween(below, before.stay * (rest / total), before.spread * (fresh / total), step, integer=True)

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """(‖release - neighbour‖₁ - ‖release - value‖₁) / t."""
        t, release = arguments.positive("t", t), arguments.integer("release", release)
        value, neighbour = arguments.integer("value", value), arguments.integer("neighbour", neighbour)
        summed = arguments.coordinates(t, value, neighbour, release)
        difference = np.abs(release - neighbour) - np.abs(release - value)
        with np.errstate(over="ignore"):
            return ((difference.sum(axis=-1) if summed else difference) / t)[()]


def _log_peak(scale: Floats) -> Floats:
    """log P(X = 0) = log((1-p)/(1+p)) = log tanh(1/2t)."""
    with np.errstate(over="ignore"):
        rate = 1 / scale
    return log1mexp(rate) - np.log1p(np.exp(-rate))
