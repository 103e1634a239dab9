"""The Laplace laws of nrverify.laws against balls: every piece of every distribution function, quantile and loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.laplace import AtomicLaplace, Laplace
from nrverify.laws.laplace_bridge import LaplaceBridge
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.record import Record

LAPLACE = Laplace()
ACCURACY = 2e-13
"""Relative accuracy asked of probabilities, and of log-densities next to 1."""

SMALLEST = 1e-300
"""Below it a probability may be rounded to 0."""


@dataclass(frozen=True)
class BallLaw:
    """An atom at `centre` and the density exp(height − Σ rate·|x − kink|), whose mass is found piece by piece."""

    centre: float
    atom: Ball
    height: Ball
    kinks: Sequence[tuple[float, Ball]]

    def log_density(self, x: float) -> Ball:
        return self.height - sum(rate * abs(arb(x) - kink) for kink, rate in self.kinks)

    def below(self, x: float) -> Ball:
        """∫ density over (−∞, x): on each piece the density over its slope, at the two ends."""
        total, left = arb(0), None
        for right in [*sorted(kink for kink, _ in self.kinks if kink < x), x]:
            slope = sum(rate * (1 if right <= kink else -1) for kink, rate in self.kinks)
            total += self.log_density(right).exp() / slope
            if left is not None:
                total -= self.log_density(left).exp() / slope
            left = right
        return total

    def above(self, x: float) -> Ball:
        """∫ density over (x, ∞), by reflection."""
        return BallLaw(-self.centre, self.atom, self.height, [(-kink, rate) for kink, rate in self.kinks]).below(-x)


def ball_marginal(t: float) -> BallLaw:
    """Lap(t)."""
    return BallLaw(0.0, arb(0), -(2 * arb(t)).log(), [(0.0, 1 / arb(t))])


def ball_forward(s: float, t: float, given: float) -> BallLaw:
    """given with probability (s/t)², else given + Lap(t)."""
    stay = (arb(s) / t) ** 2
    return BallLaw(given, stay, (1 - stay).log() - (2 * arb(t)).log(), [(given, 1 / arb(t))])


def ball_bridge(s: float, t: float, given: float) -> BallLaw:
    """By Bayes' rule: p_s(y)·forward(y → given)/p_t(given), on and off the diagonal."""
    here, there = ball_marginal(s), ball_marginal(t)
    onwards = ball_forward(s, t, 0.0)
    atom = onwards.atom * (here.log_density(given) - there.log_density(given)).exp()
    height = here.height + onwards.height - there.log_density(given)
    return BallLaw(given, atom, height, [(0.0, 1 / arb(s)), (given, 1 / arb(t))])


class Levels(np.random.Generator):
    """A generator that returns the levels it was given."""

    def __init__(self, levels: float | Sequence[float]) -> None:
        super().__init__(np.random.PCG64(0))
        self.levels = np.array(levels)

    def random(self, shape: Any) -> Any:  # type: ignore[override]
        return np.broadcast_to(self.levels, shape)


def compare(enclosure: Enclosure, name: str, law: Any, exact: BallLaw, points: Sequence[float]) -> None:
    """Atom, log-density, both distribution functions, upper tail, quantiles and draws of one law."""
    each = Enclosure(Record())
    each.agrees(f"{name}: atom", law.atom, exact.atom, ACCURACY, SMALLEST)
    densities, cdf, left, tail = law.logpdf(points), law.cdf(points), law.cdf_left(points), law.sf(points)
    for i, x in enumerate(points):
        up_to, from_on = exact.below(x), exact.above(x)
        at = f"{name} at {x:.6g}"
        each.agrees(f"log-density of {at}", densities[i], exact.log_density(x), ACCURACY, ACCURACY)
        each.agrees(f"P(X ≤ x) of {at}", cdf[i], up_to + (exact.atom if x >= exact.centre else 0), ACCURACY, SMALLEST)
        each.agrees(f"P(X < x) of {at}", left[i], up_to + (exact.atom if x > exact.centre else 0), ACCURACY, SMALLEST)
        each.agrees(f"P(X > x) of {at}", tail[i], from_on + (exact.atom if x < exact.centre else 0), ACCURACY, SMALLEST)
    levels = [2.0**-54, 1e-9, 0.04, 0.2, 0.45, 0.5, 0.55, 0.7, 0.9, 0.999, 1 - 2.0**-30]
    quantiles = law.ppf(levels)
    drawn = law.rvs(Levels([0.0, *levels[1:]]), len(levels))
    before, after = exact.below(exact.centre), exact.below(exact.centre) + exact.atom
    for level, quantile, draw in zip(levels, quantiles, drawn, strict=True):
        where = f"{name} at level {level:.6g}"
        if before < level and level < after:
            _same(f"quantile of {where} is the atom", quantile, exact.centre)
        else:
            beyond = exact.atom if quantile > exact.centre else 0
            each.agrees(
                f"P(X ≤ quantile) of {where}", level, exact.below(quantile) + beyond, 1e-14, 4e-16 + 4e-15 * level
            )
        _same(f"a draw of {where} is its quantile, that of 0 the one of 2⁻⁵⁴", draw, quantile)
    alone = law.rvs(Levels(levels[3]))
    _same(f"{name}: one draw without a size", alone, quantiles[3])
    ends = np.array([-np.inf, np.inf])
    _same(f"{name}: levels 0 and 1", law.ppf([0.0, 1.0]), ends)
    _same(f"{name}: distribution function at ∓∞", law.cdf(ends), [0.0, 1.0])
    _same(f"{name}: upper tail at ∓∞", law.sf(ends), [1.0, 0.0])
    _same(f"{name}: log-density at ∓∞", law.logpdf(ends), [-np.inf, -np.inf])
    enclosure.checked(name, f"atom, density, distribution function at {len(points)} points, quantiles and draws agree")


def unmoved(name: str, law: Any, given: float) -> None:
    """At s = t the whole law is the atom."""
    around = [given - 1.0, given, given + 1.0]
    _same(f"{name}: atom", law.atom, 1.0)
    _same(f"{name}: no density", law.logpdf(around), [-np.inf] * 3)
    _same(f"{name}: P(X ≤ x)", law.cdf(around), [0.0, 1.0, 1.0])
    _same(f"{name}: P(X < x)", law.cdf_left(around), [0.0, 0.0, 1.0])
    _same(f"{name}: P(X > x)", law.sf(around), [1.0, 0.0, 0.0])
    _same(f"{name}: quantiles", law.ppf([0.01, 0.5, 0.99]), [given] * 3)
    _same(f"{name}: draws", law.rvs(np.random.default_rng(0), 3), [given] * 3)


def _same(name: str, found: Any, expected: Any) -> None:
    if not np.array_equal(np.asarray(found, dtype=float), np.asarray(expected, dtype=float)):
        raise Refuted(f"{name}: {found} instead of {expected}")


PAIRS = ((0.5, 2.0), (1.0, 1.0 + 2.0**-20), (0.01, 1000.0))
"""s < t: an ordinary pair, one almost equal, one far apart."""


def around(s: float, t: float, given: float) -> list[float]:
    """Points in every piece, at the atom, at 0 and far out."""
    inner = [given * share for share in (0.25, 0.75)]
    return [-7 * t, -s, 0.0, *inner, given, given + s, given - s, given + 7 * t, given * (1 + 1e-12)]


@certificate(
    {"N01": supports, "N09": supports},
    rejects={
        "scale 2t": {"marginal": lambda t: LAPLACE.marginal(2 * np.asarray(t))},
        "variance t instead of 2t²": {"marginal": lambda t: LAPLACE.marginal(np.sqrt(np.asarray(t) / 2))},
    },
)
def laplace_marginal(enclosure: Enclosure, marginal: Callable[..., Any] = LAPLACE.marginal) -> None:
    """The marginal law is Lap(t)."""
    with ctx.workprec(PRECISION):
        for t in (0.01, 2.0, 1000.0):
            points = [-40 * t, -t, -1e-9 * t, 0.0, 0.3 * t, 5 * t, 40 * t]
            compare(enclosure, f"Lap({t:g})", marginal(t), ball_marginal(t), points)


@certificate(
    {"N01": supports, "N04": supports},
    rejects={
        "staying with probability s/t": {
            "forward": lambda s, t, z: AtomicLaplace(
                np.asarray(z), np.asarray(t), np.asarray(s / t), np.asarray(1 - s / t)
            )
        },
        "a jump of scale s": {
            "forward": lambda s, t, z: AtomicLaplace(
                np.asarray(z), np.asarray(s), np.asarray((s / t) ** 2), np.asarray(1 - (s / t) ** 2)
            )
        },
        "the reverse kernel": {"forward": LAPLACE.bridge},
    },
)
def laplace_forward(enclosure: Enclosure, forward: Callable[..., Any] = LAPLACE.forward) -> None:
    """The forward law: the given value with probability (s/t)², else given + Lap(t)."""
    with ctx.workprec(PRECISION):
        for s, t in PAIRS:
            for given in (0.0, 1.5, -0.7):
                points = [given - 30 * t, given - t, given, given + 0.2 * s, given + 30 * t]
                exact = ball_forward(s, t, given)
                compare(enclosure, f"X_{t:g} given X_{s:g} = {given:g}", forward(s, t, given), exact, points)
        unmoved("s = t", forward(2.0, 2.0, -1.5), -1.5)


@certificate(
    {"N04": supports, "N06": supports, "N08": supports},
    rejects={
        "the forward law run backwards": {"bridge": LAPLACE.forward},
        "no reflection for given < 0": {"bridge": lambda s, t, z: LAPLACE.bridge(s, t, abs(z))},
        "times scaled by 1 + 10⁻⁹": {"bridge": lambda s, t, z: LAPLACE.bridge(s, t * (1 + 1e-9), z)},
        "twice the given value": {
            "bridge": lambda s, t, z: LaplaceBridge(np.asarray(s), np.asarray(t), np.asarray(2 * z))
        },
    },
)
def laplace_bridge(enclosure: Enclosure, bridge: Callable[..., Any] = LAPLACE.bridge) -> None:
    """The reverse kernel against Bayes' rule: below 0, between 0 and the given value, at the atom and beyond."""
    with ctx.workprec(PRECISION):
        for s, t in PAIRS:
            for given in (0.0, 1.5, 0.6, -0.7, 40 * t):
                exact = ball_bridge(s, t, given)
                name = f"X_{s:g} given X_{t:g} = {given:g}"
                compare(enclosure, name, bridge(s, t, given), exact, around(s, t, given))
        for given in (0.0, 1.5, -1.5):
            unmoved("s = t", bridge(2.0, 2.0, given), given)


@certificate(
    {"N08": supports},
    rejects={
        "value and neighbour exchanged": {"loss": lambda t, v, n, r: LAPLACE.loss(t, n, v, r)},
        "half the time": {"loss": lambda t, v, n, r: LAPLACE.loss(np.asarray(t) / 2, v, n, r)},
        "always the bound ‖f(x)−f(x')‖₁/t": {
            "loss": lambda t, v, n, r: np.abs(np.asarray(v) - n).sum() / np.asarray(t) * np.ones(np.shape(r))
        },
    },
)
def laplace_loss(enclosure: Enclosure, loss: Callable[..., Any] = LAPLACE.loss) -> None:
    """The loss is (‖release − neighbour‖₁ − ‖release − value‖₁)/t, in one dimension and in several."""

    with ctx.workprec(PRECISION):

        def exact(t: float, value: Sequence[float], neighbour: Sequence[float], release: Sequence[float]) -> Ball:
            gaps = (abs(arb(r) - n) - abs(arb(r) - v) for v, n, r in zip(value, neighbour, release, strict=True))
            return sum(gaps, arb(0)) / t

        each = Enclosure(Record())
        releases = [-5.0, 0.25, 0.3, 0.6, 0.75, 1.0, 9.0, 1e16, -1e16]
        for value, neighbour in ((0.25, 1.0), (1.0, 0.25), (0.5, 0.5)):
            found = loss(2.5, value, neighbour, np.array(releases))
            for release, number in zip(releases, found, strict=True):
                expected = exact(2.5, [value], [neighbour], [release])
                each.agrees(f"values {value}, {neighbour}, release {release:g}", number, expected, ACCURACY, 1e-16)
        values, neighbours = [0.0, 1.0, -2.0], [0.5, 0.25, -2.0]
        rows = [[0.1, 0.6, 3.0], [-1.0, 2.0, 0.0], [1.0, 0.0, -7.0]]
        times = [0.5, 2.0, 8.0]
        found = loss(np.array(times), np.array(values), np.array(neighbours), np.array(rows))
        for t, row, number in zip(times, rows, found, strict=True):
            each.agrees(f"three coordinates, t = {t}", number, exact(t, values, neighbours, row), ACCURACY, 1e-16)
        alone = loss(0.5, np.array(values), np.array(neighbours), np.array(rows[0]))
        each.agrees("one release of three coordinates", alone, exact(0.5, values, neighbours, rows[0]), ACCURACY, 1e-16)
        enclosure.note(
            "Loss", "agrees for releases on either side of, between and far from the two values, and summed over 3"
        )
