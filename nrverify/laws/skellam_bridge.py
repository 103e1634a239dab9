"""The bridge of the Skellam process: P(X_s = j | X_t = k) = I_|j|(2λs) I_|k-j|(2λ(t-s)) / I_|k|(2λt)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.laws.process import Size
from nrverify.laws.special import integer_sums as lattice
from nrverify.laws.special.bessel import log_scaled, log_tilted
from nrverify.laws.special.bessel_table import NARROW, OrderTable, worthwhile
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class SkellamBridge:
    """X_s given X_t = given, by the variances of X_s, X_t - X_s and X_t; X_s = given where that of X_t - X_s is 0."""

    before: Floats
    after: Floats
    whole: Floats
    given: Floats

    @property
    def atom(self) -> Any:
        """0: all weights are in the log-pmf."""
        return np.zeros(self.given.shape)[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf; -inf where x is not an integer."""
        x = arguments.points(x, self.given)
        whole_number = np.isfinite(x) & (np.floor(x) == x)
        point = np.where(whole_number, x, 0.0)
        values = lattice.of_distinct(_log_pmf, point, self.before, self.after, self.whole, self.given)
        return np.where(whole_number, values, -np.inf)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self._distribution(np.floor(arguments.points(x, self.given)), upper=False)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self._distribution(np.ceil(arguments.points(x, self.given)) - 1, upper=False)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        return self._distribution(np.floor(arguments.points(x, self.given)), upper=True)

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """An exact draw, by rejection under the pmf."""
        shape = arguments.shape(size, self.given)
        before, after, whole, k = (
            np.broadcast_to(p, shape).reshape(-1) for p in (self.before, self.after, self.whole, self.given)
        )
        guess = np.rint(k * (before / whole))

        def log_pmf(rows: lattice.Rows, points: Floats) -> Floats:
            return _log_pmf(points, before[rows, None], after[rows, None], whole[rows, None], k[rows, None])

        of_all = lattice.tabled(log_pmf) if self.given.size == 1 else log_pmf
        return lattice.draw(of_all, guess, arguments.generator(rng)).astype(np.int64).reshape(shape)[()]

    def _distribution(self, x: Floats, upper: bool) -> Any:
        columns = np.broadcast_arrays(x, self.before, self.after, self.whole, self.given)
        result = np.where((columns[0] >= columns[4]) != upper, 1.0, 0.0)
        result = np.where(np.isinf(columns[0]), np.where((columns[0] > 0) != upper, 1.0, 0.0), result)
        inner = np.isfinite(columns[0]) & (columns[2] > 0)
        if np.any(inner):
            (point, before, after, whole, k), where = lattice.distinct(*(c[inner] for c in columns))
            _, family = lattice.distinct(before, after, k)
            top = lattice.of_distinct(lambda k, whole: log_tilted(k, whole, k / whole), k, whole)

            def log_pmf(rows: lattice.Rows, points: Floats) -> Floats:
                return _log_pmf(
                    points, before[rows, None], after[rows, None], whole[rows, None], k[rows, None], top[rows, None]
                )

            slope = np.arcsinh((k - point - 0.5) / after) - np.arcsinh((point + 0.5) / before)
            deviation = (1 / np.hypot(point, before) + 1 / np.hypot(k - point, after)) ** -0.5
            looked_up = _looked_up(log_pmf, point, before, after, whole, k, deviation < NARROW)
            result[inner] = lattice.distribution(looked_up, point, family, slope, deviation, upper)[where]
        return result[()]


@dataclass(frozen=True, eq=False)
class ShiftedBridge:
    """`origin` plus a bridge: the law of a release between two others, counted from the one at the smaller time."""

    origin: Floats
    bridge: SkellamBridge

    @property
    def atom(self) -> Any:
        """0: all weights are in the log-pmf."""
        return self.bridge.atom

    def logpdf(self, x: ArrayLike) -> Any:
        """The log-pmf; -inf where x is not an integer."""
        return self.bridge.logpdf(arguments.points(x, self.origin) - self.origin)

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        return self.bridge.cdf(arguments.points(x, self.origin) - self.origin)

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        return self.bridge.cdf_left(arguments.points(x, self.origin) - self.origin)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        return self.bridge.sf(arguments.points(x, self.origin) - self.origin)

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """An exact draw."""
        return self.origin.astype(np.int64) + self.bridge.rvs(rng, size)


def _looked_up(
    log_pmf: lattice.LogPmf,
    point: Floats,
    before: Floats,
    after: Floats,
    whole: Floats,
    k: Floats,
    narrow: NDArray[np.bool_],
) -> lattice.LogPmf:
    """The same log-pmf, of narrow laws from tables of the orders at their few arguments, where that pays."""
    reach = np.maximum(np.abs(point), np.abs(k - point))
    most = worthwhile(narrow, float(reach[narrow].max(initial=0.0)), before, after)
    if most is None:
        return log_pmf
    rows = np.flatnonzero(narrow)
    first, second, top = OrderTable(before, rows, most), OrderTable(after, rows, most), log_scaled(k, whole)

    def looked_up(rows: lattice.Rows, points: Floats) -> Floats:
        rest = k[rows, None] - points
        here = narrow[rows] & first.reaches(points) & second.reaches(rest)
        if here.all():
            return np.asarray(first(rows, points) + second(rows, rest) - top[rows, None])
        found = np.empty(points.shape)
        found[~here] = log_pmf(rows[~here], points[~here])
        own = rows[here]
        found[here] = first(own, points[here]) + second(own, rest[here]) - top[own, None]
        return found

    return looked_up


def _log_pmf(j: Floats, before: Floats, after: Floats, whole: Floats, k: Floats, top: Floats | None = None) -> Floats:
    """log I_|j|(before) I_|k-j|(after) / I_|k|(whole), each factor tilted to the most likely slope k/whole."""
    slope = k / whole
    if top is None:
        top = log_tilted(k, whole, slope)
    return np.asarray(log_tilted(j, before, slope) + log_tilted(k - j, after, slope) - top)
