"""Laplace noise: X_t ~ Lap(t) with the increments of the paper's Laplace process, run forwards and backwards.

The reverse kernel has an atom (the release does not change) and explicit inverses, so the process can be sampled at
any s > 0 without a path and without a smallest time.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.laplace_bridge import LaplaceBridge, uniform
from nrverify.laws.process import Size
from nrverify.laws.staying_between import StayingBetween
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class AtomicLaplace:
    """With probability `spread` a Laplace variable of the given centre and scale, else the centre itself."""

    centre: Floats
    scale: Floats
    stay: Floats
    spread: Floats

    @property
    def atom(self) -> Any:
        """The weight of the centre, 1 - spread."""
        return self.stay[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """log(spread / 2 scale) - |x - centre| / scale, the density of the continuous part."""
        x = arguments.points(x, self.centre, self.scale)
        with np.errstate(divide="ignore", over="ignore"):
            return (np.log(self.spread) - np.log(2 * self.scale) - np.abs(x - self.centre) / self.scale)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        x = arguments.points(x, self.centre, self.scale)
        return self._distribution(x, x < self.centre)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        x = arguments.points(x, self.centre, self.scale)
        return self._distribution(x, x <= self.centre)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        x = arguments.points(x, self.centre, self.scale)
        outer = self._outer(x)
        return np.where(x < self.centre, 1 - outer, outer)[()]

    def ppf(self, q: ArrayLike) -> Any:
        """The least x with P(X <= x) >= q."""
        q = arguments.levels(q)
        half = 0.5 * self.spread
        with np.errstate(divide="ignore", invalid="ignore"):
            below = self.centre + self.scale * np.log(q / half)
            above = self.centre - self.scale * np.log((1 - q) / half)
        return np.where(q < half, below, np.where(1 - q < half, above, self.centre))[()]

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """The quantile at a uniform level."""
        return self.ppf(uniform(rng, arguments.shape(size, self.centre, self.scale)))

    def _distribution(self, x: Floats, below: Any) -> Any:
        outer = self._outer(x)
        return np.where(below, outer, 1 - outer)[()]

    def _outer(self, x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(0.5 * self.spread * np.exp(-np.abs(x - self.centre) / self.scale))


@dataclass(frozen=True)
class Laplace:
    """The Laplace process; t is the scale, and X stays where it is between s and t with probability (s/t)²."""

    def marginal(self, t: ArrayLike) -> AtomicLaplace:
        """Lap(t), of density e^{-|x|/t} / 2t."""
        t = arguments.positive("t", t)
        return AtomicLaplace(np.zeros_like(t), t, np.zeros_like(t), np.ones_like(t))

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> LaplaceBridge:
        """X_s given X_t = given: the reverse kernel, with an atom (s/t) exp(-|given| (1/s - 1/t)) at given."""
        s, t = arguments.times(s, t)
        s, t, given = arguments.broadcast(s=s, t=t, given=arguments.real("given", given))
        return LaplaceBridge(s, t, given)

    def forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> AtomicLaplace:
        """X_t given X_s = given: given with probability (s/t)², else given + Lap(t)."""
        s, t = arguments.times(s, t)
        s, t, given = arguments.broadcast(s=s, t=t, given=arguments.real("given", given))
        return AtomicLaplace(given, t, (s / t) ** 2, ((t - s) / t) * (1 + s / t))

    def between(
        self, s: ArrayLike, low: ArrayLike, high: ArrayLike, at_low: ArrayLike, at_high: ArrayLike
    ) -> StayingBetween:
        """X_s given its neighbours l < u: atoms at both, and where they are equal nothing but that point.

        It stays at at_low with weight (l/s)² (u²-s²)/(u²-l²).
        """
        s, low, high = arguments.nested(s, low, high)
        below, above = arguments.real("at_low", at_low), arguments.real("at_high", at_high)
        s, low, high, below, above = arguments.broadcast(s=s, low=low, high=high, at_low=below, at_high=above)
        whole = (high - low) * (1 + low / high)
        stay = (low / s) ** 2 * ((high - s) * (1 + s / high) / whole)
        move = (s - low) / s * (1 + low / s) * (high / whole)
        equal = below == above
        step = LaplaceBridge(s, high, above - below)
        return StayingBetween(below, np.where(equal, 1.0, stay), np.where(equal, 0.0, move), step, integer=False)

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """(‖release - neighbour‖₁ - ‖release - value‖₁) / t."""
        t, release = arguments.positive("t", t), arguments.real("release", release)
        value, neighbour = arguments.real("value", value), arguments.real("neighbour", neighbour)
        summed = arguments.coordinates(t, value, neighbour, release)
        # |r-n| - |r-v| is 2r-v-n cut off at ±|v-n|, with the sign of v-n: no difference of huge distances is taken.
        gap = np.abs(value - neighbour)
        with np.errstate(over="ignore"):
            inside = np.clip((release - value) + (release - neighbour), -gap, gap)
        difference = np.sign(value - neighbour) * inside
        return ((difference.sum(axis=-1) if summed else difference) / t)[()]
