"""The reverse kernel of the discrete Laplace process: the law of X_s given X_t = given, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.process import Size
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats, Integers

_LARGEST = float(np.finfo(np.float64).max)
_LARGEST_DRAW = 2.0**62
"""Draws are 64-bit integers; sums of two such draws still fit."""


@dataclass(frozen=True, eq=False)
class DiscreteLaplaceBridge:
    """X_s given X_t = given, 0 < s <= t.

    In the frame where k = given >= 0, with q = p_s/p_t and r = p_s p_t, Bayes' rule gives

        P(X < -m) = a r^m for m >= 0,  a = r(1-q)/(1-qr),      P(X >= j) = (1-a) q^j for 0 <= j <= k,
        P(X > k + m) = a q^k r^m for m >= 0,                    1-a = (1-r)/(1-qr),

    and so P(X = k) = q^k ((1-r)(1-q) + q(1-p_t²))/(1-qr), in which staying and drawing a 0 are added up.
    """

    s: Floats
    t: Floats
    given: Floats

    @property
    def atom(self) -> Any:
        """0: the weight of a tie is in the log-pmf."""
        return np.zeros(self.given.shape)[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf; -inf where x is not an integer."""
        x = arguments.points(x, self.given)
        whole = np.isfinite(x) & (np.floor(x) == x)
        k, y = self._framed(np.where(whole, x, 0.0))
        slow, fast = difference_rate(self.s, self.t), sum_rate(self.s, self.t)
        with np.errstate(divide="ignore", over="ignore"):
            outside = np.maximum(-y, 0) + np.maximum(y - k, 0)
            decay = outside * fast + np.clip(y, 0, k) * slow
            both = 2 / np.maximum(self.s, 2 / _LARGEST)
            elsewhere = log1mexp(fast) + log1mexp(slow) - log1mexp(both)
            from_t = -np.expm1(-2 / np.maximum(self.t, 2 / _LARGEST))
            tie = np.log(np.expm1(-fast) * np.expm1(-slow) + np.exp(-slow) * from_t) - log1mexp(both)
            tie = np.where(self.s == self.t, 0.0, np.minimum(tie, 0.0))  # certain, whatever the rounding of both terms
            return np.where(whole, np.where(y == k, tie, elsewhere) - decay, -np.inf)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self._up_to(np.floor(arguments.points(x, self.given)))

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self._up_to(np.ceil(arguments.points(x, self.given)) - 1)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        x = np.floor(arguments.points(x, self.given))
        k, y = self._framed(x)
        return np.where(self.given >= 0, self._above(y, k), self._below(y - 1, k))[()]

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """An exact draw up to the rounding of uniforms: below 0, a race of a geometric draw against k, or beyond k."""
        shape = arguments.shape(size, self.s, self.t, self.given)
        slow, fast = difference_rate(self.s, self.t), sum_rate(self.s, self.t)
        k = np.abs(self.given)
        coin, tie = arguments.generator(rng).random(shape), rng.random(shape)
        step, race = geometric(rng, fast, shape), geometric(rng, slow, shape)
        # Given X >= k it is k with probability 1 - P(X > k)/P(X >= k) = 1 - a/(1-a).
        low = self._outer(slow, fast)
        reached = np.where(tie < low / self._rest(fast), k + 1 + step, k)
        drawn = np.where(coin < low, -1 - step, np.where(race < k, race, reached))
        return whole_draw(np.where(self.given >= 0, drawn, -drawn), self.t)

    def _up_to(self, x: Floats) -> Any:
        k, y = self._framed(x)
        return np.where(self.given >= 0, self._below(y, k), self._above(y - 1, k))[()]

    def _framed(self, x: Floats) -> tuple[Floats, Floats]:
        """The frame where given >= 0: |given|, and x reflected with it."""
        return np.abs(self.given), np.where(self.given >= 0, x, -x)

    def _below(self, y: Floats, k: Floats) -> Floats:
        """P(X <= y) in the frame, by terms >= 0 except from k on, where it is 1/2 or more."""
        slow, fast = difference_rate(self.s, self.t), sum_rate(self.s, self.t)
        low, rest = self._outer(slow, fast), self._rest(fast)
        with np.errstate(over="ignore"):
            left = low * np.exp(-np.maximum(-y - 1, 0) * fast)
            middle = low - rest * np.expm1(-np.clip(y + 1, 0, k) * slow)
            right = 1 - low * np.exp(-k * slow - np.maximum(y - k, 0) * fast)
        return np.where(y < 0, left, np.where(y < k, middle, right))

    def _above(self, y: Floats, k: Floats) -> Floats:
        """P(X > y) in the frame."""
        slow, fast = difference_rate(self.s, self.t), sum_rate(self.s, self.t)
        low, rest = self._outer(slow, fast), self._rest(fast)
        with np.errstate(over="ignore"):
            left = 1 - low * np.exp(-np.maximum(-y - 1, 0) * fast)
            middle = rest * np.exp(-np.clip(y + 1, 0, k) * slow)
            right = low * np.exp(-k * slow - np.maximum(y - k, 0) * fast)
        return np.where(y < 0, left, np.where(y < k, middle, right))

    def _outer(self, slow: Floats, fast: Floats) -> Floats:
        """a = r(1-q)/(1-qr) = P(X < 0) in the frame."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-fast) * np.expm1(-slow) / np.expm1(-2 / self.s))

    def _rest(self, fast: Floats) -> Floats:
        """1 - a = (1-r)/(1-qr)."""
        with np.errstate(over="ignore"):
            return np.asarray(np.expm1(-fast) / np.expm1(-2 / self.s))


def difference_rate(s: Floats, t: Floats) -> Floats:
    """1/s - 1/t = -log(p_s/p_t), finite also where it overflows, so that its product with 0 is 0."""
    with np.errstate(over="ignore"):
        return np.minimum((t - s) / s / t, _LARGEST)


def sum_rate(s: Floats, t: Floats) -> Floats:
    """1/s + 1/t = -log(p_s p_t), finite."""
    with np.errstate(over="ignore"):
        return np.minimum((1 + s / t) / s, _LARGEST)


def log1mexp(x: Floats) -> Floats:
    """log(1 - e^{-x}) for x >= 0, accurate in relative terms."""
    with np.errstate(divide="ignore"):
        return np.where(x < 0.6, np.log(-np.expm1(-x)), np.log1p(-np.exp(-np.maximum(x, 0.6))))


def geometric(rng: np.random.Generator, rate: Floats, shape: tuple[int, ...]) -> Floats:
    """A draw with P(G >= m) = e^{-rate·m}; 0 for an infinite rate, so large where the rate is 0 that it passes all."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.floor(rng.standard_exponential(shape) / rate))


def whole_draw(drawn: Floats, scale: Floats) -> Integers:
    """The draws as 64-bit integers."""
    if np.any(~(np.abs(drawn) <= _LARGEST_DRAW)):
        raise ValueError(
            f"t is {scale.max()}: it must give draws below 2^62, which 64-bit integers hold; take a smaller t"
        )
    return np.asarray(drawn).astype(np.int64)[()]
