"""Brownian noise: X_t ~ N(0, t), its bridge and its privacy loss (the paper's Brownian mechanism)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from nrverify.laws.process import Size
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class Normal:
    """N(mean, deviation²); where the deviation is 0, the unit mass at the mean."""

    mean: Floats
    deviation: Floats

    @property
    def atom(self) -> Any:
        """1 where the law is degenerate, 0 elsewhere."""
        return np.where(self.deviation == 0, 1.0, 0.0)[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """-z²/2 - log(deviation √(2π)), z = (x - mean) / deviation; -inf where the law is an atom."""
        x = arguments.points(x, self.mean, self.deviation)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            density = -0.5 * self._standardised(x) ** 2 - np.log(self.deviation) - 0.5 * np.log(2 * np.pi)
        return np.where(self.deviation == 0, -np.inf, density)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x) = Φ(z)."""
        x = arguments.points(x, self.mean, self.deviation)
        return np.where(self.deviation == 0, np.where(x >= self.mean, 1.0, 0.0), ndtr(self._standardised(x)))[()]

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        x = arguments.points(x, self.mean, self.deviation)
        return np.where(self.deviation == 0, np.where(x > self.mean, 1.0, 0.0), ndtr(self._standardised(x)))[()]

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x) = Φ(-z), with relative accuracy in the upper tail."""
        x = arguments.points(x, self.mean, self.deviation)
        return np.where(self.deviation == 0, np.where(x < self.mean, 1.0, 0.0), ndtr(-self._standardised(x)))[()]

    def score(self, x: ArrayLike) -> Any:
        """Φ⁻¹(P(X <= x)) = z itself, exact where the cdf is too close to 0 or 1 to be inverted."""
        return self._standardised(arguments.points(x, self.mean, self.deviation))[()]

    def ppf(self, q: ArrayLike) -> Any:
        """The least x with P(X <= x) >= q."""
        quantile = ndtri(arguments.levels(q))
        with np.errstate(invalid="ignore"):
            return np.where(self.deviation == 0, self.mean, self.mean + self.deviation * quantile)[()]

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """mean + deviation · Z, Z standard normal."""
        shape = arguments.shape(size, self.mean, self.deviation)
        return self.mean + self.deviation * arguments.generator(rng).standard_normal(shape)

    def _standardised(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.asarray((x - self.mean) / self.deviation)


@dataclass(frozen=True)
class Brownian:
    """Standard Brownian motion; t is the variance."""

    def marginal(self, t: ArrayLike) -> Normal:
        """N(0, t)."""
        t = arguments.positive("t", t)
        return Normal(np.zeros_like(t), np.sqrt(t))

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> Normal:
        """X_s given X_t = given: N(given s/t, s(t-s)/t)."""
        s, t = arguments.times(s, t)
        deviation = np.sqrt(s) * np.sqrt((t - s) / t)
        s, t, given = arguments.broadcast(s=s, t=t, given=arguments.real("given", given))
        return Normal(given * (s / t), deviation)

    def forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> Normal:
        """X_t given X_s = given: N(given, t-s)."""
        s, t = arguments.times(s, t)
        s, t, given = arguments.broadcast(s=s, t=t, given=arguments.real("given", given))
        return Normal(given, np.sqrt(t - s))

    def between(self, s: ArrayLike, low: ArrayLike, high: ArrayLike, at_low: ArrayLike, at_high: ArrayLike) -> Normal:
        """X_s given its neighbours l < u: N(at_low + (s-l)/(u-l) (at_high - at_low), (s-l)(u-s)/(u-l))."""
        s, low, high = arguments.nested(s, low, high)
        share, deviation = (s - low) / (high - low), np.sqrt(s - low) * np.sqrt((high - s) / (high - low))
        share, deviation, below, above = arguments.broadcast(
            s=share,
            deviation=deviation,
            at_low=arguments.real("at_low", at_low),
            at_high=arguments.real("at_high", at_high),
        )
        return Normal(below + share * (above - below), deviation)

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """⟨value - neighbour, 2 release - value - neighbour⟩ / 2t."""
        t, release = arguments.positive("t", t), arguments.real("release", release)
        value, neighbour = arguments.real("value", value), arguments.real("neighbour", neighbour)
        summed = arguments.coordinates(t, value, neighbour, release)
        # The two distances before their mean: exact when release is close to the values, no overflow when it is huge.
        products = (value - neighbour) * (0.5 * (release - value) + 0.5 * (release - neighbour))
        return ((products.sum(axis=-1) if summed else products) / t)[()]
