"""Discrete Gaussian noise: P(X = j) ∝ e^{-j²/2t} on the integers, t = σ², for one release.

Sums of discrete Gaussians are not discrete Gaussian, so the family has no exact noise reduction: it has no bridge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.process import Size
from nrverify.laws.special import integer_sums as lattice
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats

_TERMS = 8
"""Terms of the normalising series: the last is below e^{-8²π/2}, 1e-43 of the first, in either form."""


def log_normaliser(t: Floats) -> Floats:
    """log Σ_j e^{-j²/2t}, by Poisson summation √(2πt) Σ_n e^{-2π²tn²} where t is above 1/2π."""
    n = np.arange(1.0, _TERMS + 1)
    wide = np.maximum(t, 1 / (2 * math.pi))[..., None]
    narrow = np.minimum(t, 1 / (2 * math.pi))[..., None]
    with np.errstate(over="ignore", under="ignore"):
        dual = np.log1p(2 * np.exp(-2 * math.pi**2 * wide * n**2).sum(axis=-1))
        direct = np.log1p(2 * np.exp(-(n**2) / narrow / 2).sum(axis=-1))
        return np.asarray(np.where(t > 1 / (2 * math.pi), 0.5 * np.log(2 * math.pi) + 0.5 * np.log(t) + dual, direct))


@dataclass(frozen=True, eq=False)
class CentredDiscreteGaussian:
    """The law P(X = j) ∝ e^{-j²/2t}; t is a parameter, the variance of X only where t is large."""

    t: Floats

    @property
    def atom(self) -> Any:
        """0: all weights are in the log-pmf."""
        return np.zeros(self.t.shape)[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf, -x²/2t - log Σ_j e^{-j²/2t}; -inf where x is not an integer."""
        x = arguments.points(x, self.t)
        whole = np.isfinite(x) & (np.floor(x) == x)
        point = np.where(whole, x, 0.0)
        return np.where(whole, _log_pmf(point, self.t), -np.inf)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self._distribution(np.floor(arguments.points(x, self.t)), upper=False)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self._distribution(np.ceil(arguments.points(x, self.t)) - 1, upper=False)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        return self._distribution(np.floor(arguments.points(x, self.t)), upper=True)

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """An exact draw, by rejection under the pmf."""
        shape = arguments.shape(size, self.t)
        t = np.broadcast_to(self.t, shape).reshape(-1)

        def log_pmf(rows: lattice.Rows, points: Floats) -> Floats:
            return _log_pmf(points, t[rows, None])

        of_all = lattice.tabled(log_pmf) if self.t.size == 1 else log_pmf
        drawn = lattice.draw(of_all, np.zeros(t.shape), arguments.generator(rng))
        return drawn.astype(np.int64).reshape(shape)[()]

    def _distribution(self, x: Floats, upper: bool) -> Any:
        point, t = np.broadcast_arrays(x, self.t)
        result = np.where((point >= 0) != upper, 1.0, 0.0)
        inner = np.isfinite(point)
        if np.any(inner):
            (point, t), where = lattice.distinct(point[inner], t[inner])
            _, family = lattice.distinct(t)

            def log_pmf(rows: lattice.Rows, points: Floats) -> Floats:
                return _log_pmf(points, t[rows, None])

            with np.errstate(over="ignore"):
                slope = np.clip(-(point + 0.5) / t, -_STEEPEST, _STEEPEST)
            result[inner] = lattice.distribution(log_pmf, point, family, slope, np.sqrt(t), upper)[where]
        return result[()]


_STEEPEST = 1e150
"""Slopes of log p are cut off here, where one step is already e^{-1e150}: their squares must not overflow."""


@dataclass(frozen=True)
class DiscreteGaussian:
    """The discrete Gaussian family on the integers; t is the parameter σ². One release only: there is no bridge."""

    def marginal(self, t: ArrayLike) -> CentredDiscreteGaussian:
        """P(X = j) ∝ e^{-j²/2t}."""
        return CentredDiscreteGaussian(arguments.positive("t", t))

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """⟨value - neighbour, 2 release - value - neighbour⟩ / 2t."""
        t, release = arguments.positive("t", t), arguments.integer("release", release)
        value, neighbour = arguments.integer("value", value), arguments.integer("neighbour", neighbour)
        summed = arguments.coordinates(t, value, neighbour, release)
        twice = (release - value).astype(np.float64) + (release - neighbour).astype(np.float64)
        products = 0.5 * (value - neighbour).astype(np.float64) * twice
        with np.errstate(over="ignore"):
            return ((products.sum(axis=-1) if summed else products) / t)[()]


def _log_pmf(x: Floats, t: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(-0.5 * (x / t) * x - log_normaliser(t))
