"""The reverse kernel of the Laplace process: the law of X_s given X_t = given, with its atom, in closed form."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.laws.process import Size
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class LaplaceBridge:
    """X_s given X_t = given, 0 < s <= t.

    In the frame where z = given >= 0, with κ = 1/s - 1/t, κ₊ = 1/s + 1/t and a = (t-s)/2t: mass a below 0 decaying at
    rate κ₊, mass decaying at rate κ between 0 and z, an atom (s/t) e^{-zκ} at z, and a tail of rate κ₊ beyond.
    """

    s: Floats
    t: Floats
    given: Floats

    @property
    def atom(self) -> Any:
        """(s/t) exp(-|given| κ)."""
        return (self.s / self.t * np.exp(-np.abs(self.given) * self._slow))[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """log of (1 - s²/t²) / 2s · exp(-|x|/s - |given - x|/t + |given|/t), the continuous part."""
        z, y = self._framed(arguments.points(x, self.given))
        with np.errstate(divide="ignore", over="ignore"):
            weight = np.log((self.t - self.s) / self.t) + np.log1p(self.s / self.t) - np.log(2 * self.s)
            return (weight - self._decay(y, z))[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        z, y = self._framed(arguments.points(x, self.given))
        return np.where(self.given >= 0, self._below(y, z, y >= z), self._above(y, z, y > z))[()]

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        z, y = self._framed(arguments.points(x, self.given))
        return np.where(self.given >= 0, self._below(y, z, y > z), self._above(y, z, y >= z))[()]

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        z, y = self._framed(arguments.points(x, self.given))
        return np.where(self.given >= 0, self._above(y, z, y >= z), self._below(y, z, y > z))[()]

    def ppf(self, q: ArrayLike) -> Any:
        """The least x with P(X <= x) >= q."""
        q = arguments.levels(q)
        positive = self.given >= 0
        z = np.abs(self.given)
        # In the frame of given >= 0 the levels below and above the point change places when given < 0.
        y = self._quantile(np.where(positive, q, 1 - q), np.where(positive, 1 - q, q), z)
        return np.where(positive, y, -y)[()]

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """The quantile at a uniform level."""
        return self.ppf(uniform(rng, arguments.shape(size, self.s, self.t, self.given)))

    @property
    def _slow(self) -> Floats:
        return (self.t - self.s) / self.s / self.t

    @property
    def _fast(self) -> Floats:
        return (1 + self.s / self.t) / self.s

    @property
    def _outer(self) -> Floats:
        return 0.5 * ((self.t - self.s) / self.t)

    def _framed(self, x: Floats) -> tuple[Floats, Floats]:
        """The frame where given >= 0: |given|, and x reflected with it."""
        return np.abs(self.given), np.where(self.given >= 0, x, -x)

    def _decay(self, y: Floats, z: Floats) -> Floats:
        """|y|/s + |z-y|/t - z/t as a sum of terms >= 0."""
        outside = np.maximum(-y, 0) + np.maximum(y - z, 0)
        return np.asarray(outside * self._fast + np.clip(y, 0, z) * self._slow)

    def _below(self, y: Floats, z: Floats, beyond: NDArray[np.bool_]) -> Floats:
        """The mass up to y, with the atom where `beyond`, by terms >= 0 except beyond the atom, where it is > 1/2."""
        middle = self._outer - (1 - self._outer) * np.expm1(-np.clip(y, 0, z) * self._slow)
        outer = self._tail(y, z)
        return np.where(beyond, 1 - outer, np.where(y < 0, outer, middle))

    def _above(self, y: Floats, z: Floats, beyond: NDArray[np.bool_]) -> Floats:
        """The mass from y on, without the atom where `beyond`."""
        middle = (1 - self._outer) * np.exp(-np.clip(y, 0, z) * self._slow)
        outer = self._tail(y, z)
        return np.where(beyond, outer, np.where(y < 0, 1 - outer, middle))

    def _tail(self, y: Floats, z: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(self._outer * np.exp(-self._decay(y, z)))

    def _quantile(self, lower: Floats, upper: Floats, z: Floats) -> Floats:
        """The point with mass `lower` below and `upper` = 1 - lower above, each used where it is the accurate one."""
        a, slow, fast = self._outer, self._slow, self._fast
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.log(lower / a) / fast
            middle = -np.log1p(-(lower - a) / (1 - a)) / slow
            right = z + (np.log(a / upper) - z * slow) / fast
        before_atom = lower < self._below(z, z, np.zeros(z.shape, dtype=bool))
        return np.where(lower < a, left, np.where(before_atom, np.clip(middle, 0, z), np.where(right > z, right, z)))


def uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Uniform levels in (0, 1): the level 0, which a generator may return, has an infinite quantile."""
    return np.maximum(arguments.generator(rng).random(shape), 2.0**-54)
