"""Skellam noise: X_t, the difference of two Poisson variables of mean rate·t each, its bridge and its privacy loss.

Serves the paper's integer-valued noise reduction; with μ = 2·rate·t the pmf of X_t is e^{-μ} I_|k|(μ).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.laws.process import Size
from nrverify.laws.skellam_bridge import ShiftedBridge, SkellamBridge
from nrverify.laws.special import integer_sums as lattice
from nrverify.laws.special.bessel import log_ratio, log_scaled
from nrverify.laws.special.bessel_table import NARROW, OrderTable, worthwhile
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class SymmetricSkellam:
    """centre + the difference of two Poisson variables of mean variance/2; the centre itself where variance = 0."""

    centre: Floats
    variance: Floats

    @property
    def atom(self) -> Any:
        """0: all weights are in the log-pmf."""
        return np.zeros(np.broadcast_shapes(self.centre.shape, self.variance.shape))[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf, log(e^{-variance} I_{|x - centre|}(variance)); -inf where x is not an integer."""
        x = arguments.points(x, self.centre, self.variance)
        whole = np.isfinite(x) & (np.floor(x) == x)
        distance = np.where(whole, x, 0.0) - self.centre
        return np.where(whole, lattice.of_distinct(log_scaled, distance, self.variance), -np.inf)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self._distribution(np.floor(arguments.points(x, self.centre, self.variance)), upper=False)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self._distribution(np.ceil(arguments.points(x, self.centre, self.variance)) - 1, upper=False)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        return self._distribution(np.floor(arguments.points(x, self.centre, self.variance)), upper=True)

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """centre + the difference of two Poisson draws."""
        shape = arguments.shape(size, self.centre, self.variance)
        mean = 0.5 * self.variance
        steps = arguments.generator(rng).poisson(mean, shape) - rng.poisson(mean, shape)
        return self.centre.astype(np.int64) + steps

    def _distribution(self, x: Floats, upper: bool) -> Any:
        distance, variance = np.broadcast_arrays(x - self.centre, self.variance)
        result = np.where((distance >= 0) != upper, 1.0, 0.0)
        inner = np.isfinite(distance) & (variance > 0)
        if np.any(inner):
            (point, mu), where = lattice.distinct(distance[inner], variance[inner])
            _, family = lattice.distinct(mu)

            slope = -np.arcsinh((point + 0.5) / mu)
            deviation = np.sqrt(np.hypot(point, mu))
            log_pmf = _log_pmf(point, mu, deviation < NARROW)
            result[inner] = lattice.distribution(log_pmf, point, family, slope, deviation, upper)[where]
        return result[()]


def _log_pmf(point: Floats, mu: Floats, narrow: NDArray[np.bool_]) -> lattice.LogPmf:
    """The log-pmf of rows of these variances, of narrow laws from a table of the orders, where that pays."""

    def log_pmf(rows: lattice.Rows, points: Floats) -> Floats:
        return np.asarray(log_scaled(points, mu[rows, None]))

    most = worthwhile(narrow, float(np.abs(point[narrow]).max(initial=0.0)), mu)
    if most is None:
        return log_pmf
    table = OrderTable(mu, np.flatnonzero(narrow), most)

    def looked_up(rows: lattice.Rows, points: Floats) -> Floats:
        here = narrow[rows] & table.reaches(points)
        found = np.empty(points.shape)
        found[here] = table(rows[here], points[here])
        found[~here] = log_pmf(rows[~here], points[~here])
        return found

    return looked_up


@dataclass(frozen=True)
class Skellam:
    """The symmetric Skellam process of the given rate: two independent Poisson processes of that rate, subtracted."""

    rate: float

    def __post_init__(self) -> None:
        if arguments.positive("rate", self.rate).ndim:
            raise ValueError(f"rate is {self.rate!r}: it must be one positive real number")

    def marginal(self, t: ArrayLike) -> SymmetricSkellam:
        """Skell(rate·t, rate·t)."""
        t = arguments.positive("t", t)
        return SymmetricSkellam(np.zeros_like(t), self._variance(t))

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> SkellamBridge:
        """X_s given X_t = given."""
        s, t = arguments.times(s, t)
        k = arguments.integer("given", given).astype(np.float64)
        s, t, k = arguments.broadcast(s=s, t=t, given=k)
        return SkellamBridge(self._variance(s), self._variance(t - s), self._variance(t), k)

    def forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> SymmetricSkellam:
        """X_t given X_s = given: given + Skell(rate·(t-s), rate·(t-s))."""
        s, t = arguments.times(s, t)
        k = arguments.integer("given", given).astype(np.float64)
        s, t, k = arguments.broadcast(s=s, t=t, given=k)
        return SymmetricSkellam(k, self._variance(t - s))

    def between(
        self, s: ArrayLike, low: ArrayLike, high: ArrayLike, at_low: ArrayLike, at_high: ArrayLike
    ) -> ShiftedBridge:
        """X_s given its neighbours l < u: at_low plus a bridge over s-l of u-l, since increments are stationary."""
        s, low, high = arguments.nested(s, low, high)
        below, above = (
            arguments.integer(name, x).astype(np.float64) for name, x in (("at_low", at_low), ("at_high", at_high))
        )
        s, low, high, below, above = arguments.broadcast(s=s, low=low, high=high, at_low=below, at_high=above)
        variances = (self._variance(s - low), self._variance(high - s), self._variance(high - low))
        return ShiftedBridge(below, SkellamBridge(*variances, above - below))

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """Σ log I_{|release - value|}(μ) - log I_{|release - neighbour|}(μ), μ = 2·rate·t."""
        t, release = arguments.positive("t", t), arguments.integer("release", release)
        value, neighbour = arguments.integer("value", value), arguments.integer("neighbour", neighbour)
        summed = arguments.coordinates(t, value, neighbour, release)
        mu = self._variance(t[..., None] if summed else t)
        losses = log_ratio(np.abs(release - value), np.abs(release - neighbour), mu)
        return losses.sum(axis=-1)[()] if summed else losses

    def _variance(self, t: Floats) -> Floats:
        """2·rate·t, the variance of X_t."""
        with np.errstate(over="ignore"):
            variance = np.asarray(2 * (self.rate * t))
        if np.any(np.isinf(variance)):
            raise ValueError(f"t = {t.max()} times rate = {self.rate} overflows; take a smaller rate or smaller times")
        return variance
