"""The code of `nrverify.laws.brownian`, every formula and branch, against ball arithmetic.

Serves Definition bm, Theorem bm_ploss and the recipe for the next release: marginal, bridge, forward law and loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.brownian import Brownian, Normal
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure

RELATIVE = 1e-12
"""Relative accuracy asked: the tail at 30 deviations alone magnifies a rounding 900 times."""
STANDARD_POINTS = (-30.0, -6.5, -1.25, -0.0625, 0.0, 0.375, 1.0, 4.75, 28.0)
"""Where the laws are asked, in deviations from the mean: both tails, both sides of the mean and the mean itself."""
LEVELS = (1e-300, 1e-12, 0.03125, 0.5, 0.8125, 0.999)
"""Of quantiles: from the least that a double has, over the median, to the upper tail."""
MARGINAL_TIMES = (0.01, 0.375, 1.0, 6.5, 1000.0)
"""Five orders of magnitude, with the unit and two that doubles hold exactly."""
BRIDGES = ((0.375, 1.5, 0.625), (0.01, 1000.0, -40.0), (2.0, 2.125, -3.5), (1.0, 64.0, 0.0), (96.0, 128.0, 7.0))
"""(s, t, given), exact binary numbers wherever a difference is taken."""

Make = Callable[..., Any]


@dataclass(frozen=True)
class Laws:
    """The four functions of a process under test; by default those of `Brownian`."""

    marginal: Make = Brownian().marginal
    bridge: Make = Brownian().bridge
    forward: Make = Brownian().forward
    loss: Make = Brownian().loss


CODE = Laws()


def _normal_agrees(enclosure: Enclosure, name: str, law: Any, mean: Ball, variance: Ball) -> None:
    """Every function of the law is that of N(mean, variance), in both tails and at the infinities."""
    deviation = variance.sqrt()
    points = [float(mean) + float(deviation) * z for z in STANDARD_POINTS]
    computed = {method: getattr(law, method)(np.array(points)) for method in ("logpdf", "cdf", "cdf_left", "sf")}
    for index, x in enumerate(points):
        z = (arb(x) - mean) / deviation
        log_density = -z * z / 2 - deviation.log() - (2 * arb.pi()).log() / 2
        below = (-z / arb(2).sqrt()).erfc() / 2
        above = (z / arb(2).sqrt()).erfc() / 2
        at = f"{name} at {x:g}"
        # An absolute allowance where the exact value passes through 0 (logpdf), and for the rounding of z in the tails.
        tail = RELATIVE * (1 + STANDARD_POINTS[index] ** 2)
        enclosure.agrees(f"{at}: log-density", computed["logpdf"][index], log_density, RELATIVE, RELATIVE)
        enclosure.agrees(f"{at}: P(X ≤ x)", computed["cdf"][index], below, tail)
        enclosure.agrees(f"{at}: P(X < x)", computed["cdf_left"][index], below, tail)
        enclosure.agrees(f"{at}: P(X > x)", computed["sf"][index], above, tail)
    for level in LEVELS:
        z = (arb(float(law.ppf(level))) - mean) / deviation
        reached = (-z / arb(2).sqrt()).erfc() / 2
        slack = RELATIVE * 1e3 if level < 1e-100 else RELATIVE * 50
        enclosure.agrees(f"{name}: the quantile at {level:g} has that level", level, reached, slack)
    _exactly(enclosure, f"{name}: no atom", law.atom, 0.0)
    _exactly(enclosure, f"{name}: P(X ≤ −∞)", law.cdf(-np.inf), 0.0)
    _exactly(enclosure, f"{name}: P(X ≤ ∞)", law.cdf(np.inf), 1.0)
    _exactly(enclosure, f"{name}: P(X > ∞)", law.sf(np.inf), 0.0)
    _exactly(enclosure, f"{name}: density 0 at infinity", np.exp(law.logpdf(np.inf)), 0.0)
    _exactly(enclosure, f"{name}: the quantiles at 0 and 1 are infinite", np.isinf(law.ppf([0.0, 1.0])).sum(), 2.0)


def _exactly(enclosure: Enclosure, name: str, value: Any, exact: float) -> None:
    enclosure.agrees(name, float(value), arb(exact), 0.0)


def _wrong_marginal(variance: Callable[..., Any]) -> Laws:
    return Laws(marginal=lambda t: Normal(np.zeros_like(t), np.sqrt(variance(np.asarray(t)))))


@certificate(
    {"P12": supports, "B06": supports},
    rejects={
        "the time as deviation": {"laws": _wrong_marginal(lambda t: t**2)},
        "twice the variance": {"laws": _wrong_marginal(lambda t: 2 * t)},
        "a mean that is not 0": {"laws": Laws(marginal=lambda t: Normal(np.asarray(1e-9), np.sqrt(t)))},
    },
)
def marginal_law(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """`marginal(t)` is N(0, t)."""
    with ctx.workprec(PRECISION):
        for t in MARGINAL_TIMES:
            _normal_agrees(enclosure, f"N(0, {t:g})", laws.marginal(t), arb(0), arb(t))
        together = laws.marginal(np.array(MARGINAL_TIMES)).logpdf(0.5)
        for t, value in zip(MARGINAL_TIMES, together, strict=True):
            exact = -arb(1) / (8 * arb(t)) - (2 * arb.pi() * arb(t)).log() / 2
            enclosure.agrees(f"An array of times: log-density at 1/2, t = {t:g}", value, exact, RELATIVE, RELATIVE)


def _wrong_bridge(mean: Callable[..., Any], variance: Callable[..., Any]) -> Laws:
    return Laws(bridge=lambda s, t, given: Normal(np.asarray(mean(s, t, given)), np.sqrt(variance(s, t))))


def _share(s: Any, t: Any, given: Any) -> Any:
    return given * s / t


@certificate(
    {"E09": supports, "A13": supports, "B01": supports},
    rejects={
        "mean given·t/s": {"laws": _wrong_bridge(lambda s, t, given: given * t / s, lambda s, t: s * (t - s) / t)},
        "mean given": {"laws": _wrong_bridge(lambda s, t, given: given, lambda s, t: s * (t - s) / t)},
        "variance t − s": {"laws": _wrong_bridge(_share, lambda s, t: t - s)},
        "variance s": {"laws": _wrong_bridge(_share, lambda s, t: s)},
        "the variance behind the printed factor": {"laws": _wrong_bridge(_share, lambda s, t: t * (t - s) / s)},
    },
)
def bridge_law(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """`bridge(s, t, given)` is N(given·s/t, s(t−s)/t) for s < t."""
    with ctx.workprec(PRECISION):
        for s, t, given in BRIDGES:
            mean, variance = arb(given) * arb(s) / arb(t), arb(s) * (arb(t) - arb(s)) / arb(t)
            _normal_agrees(
                enclosure, f"Bridge to {s:g} from {given:g} at {t:g}", laws.bridge(s, t, given), mean, variance
            )
        s, t, given = np.array(BRIDGES).T
        together = laws.bridge(s, t, given).cdf(0.25)
        for (early, late, last), value in zip(BRIDGES, together, strict=True):
            mean, variance = arb(last) * arb(early) / arb(late), arb(early) * (arb(late) - arb(early)) / arb(late)
            exact = (-(arb(1) / 4 - mean) / (2 * variance).sqrt()).erfc() / 2
            enclosure.agrees(f"Arrays: P(X ≤ 1/4) from {last:g} at {late:g}", value, exact, RELATIVE * 100)


def _wrong_forward(mean: Callable[..., Any], variance: Callable[..., Any]) -> Laws:
    return Laws(forward=lambda s, t, given: Normal(np.asarray(mean(s, t, given)), np.sqrt(variance(s, t))))


@certificate(
    {"P10": supports},
    rejects={
        "variance t": {"laws": _wrong_forward(lambda s, t, given: given, lambda s, t: t)},
        "variance of the bridge": {"laws": _wrong_forward(lambda s, t, given: given, lambda s, t: s * (t - s) / t)},
        "mean of the bridge": {"laws": _wrong_forward(_share, lambda s, t: t - s)},
    },
)
def forward_law(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """`forward(s, t, given)` is N(given, t − s) for s < t."""
    with ctx.workprec(PRECISION):
        for s, t, given in BRIDGES:
            name = f"Forward to {t:g} from {given:g} at {s:g}"
            _normal_agrees(enclosure, name, laws.forward(s, t, given), arb(given), arb(t) - arb(s))


@dataclass(frozen=True, eq=False)
class _ClosedStep:
    """A wrong unit mass: its left limit already counts the atom."""

    point: float

    def __getattr__(self, method: str) -> Any:
        name = "cdf" if method == "cdf_left" else method
        return getattr(Normal(np.asarray(self.point), np.asarray(0.0)), name)


@certificate(
    {"A14": supports},
    rejects={
        "a left limit that counts the atom": {"laws": Laws(bridge=lambda s, t, given: _ClosedStep(given))},
        "fresh noise at the same time": {"laws": Laws(forward=lambda s, t, given: Brownian().marginal(t))},
        "the mass at 0": {"laws": Laws(bridge=lambda s, t, given: Brownian().bridge(s, t, 0.0))},
    },
)
def equal_times(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """At s = t both the bridge and the forward law are the unit mass at the last release."""
    for kind, make in (("bridge", laws.bridge), ("forward", laws.forward)):
        for t, given in ((0.75, 0.625), (12.0, -3.5)):
            law = make(t, t, given)
            at = f"{kind} at s = t = {t:g}, given {given:g}"
            _exactly(enclosure, f"{at}: weight of the atom", law.atom, 1.0)
            _exactly(enclosure, f"{at}: no continuous part", np.exp(law.logpdf(given)), 0.0)
            _exactly(enclosure, f"{at}: no continuous part elsewhere", np.exp(law.logpdf(given + 1)), 0.0)
            for x, at_most, below in ((given - 0.5, 0.0, 0.0), (given, 1.0, 0.0), (given + 0.5, 1.0, 1.0)):
                _exactly(enclosure, f"{at}: P(X ≤ {x:g})", law.cdf(x), at_most)
                _exactly(enclosure, f"{at}: P(X < {x:g})", law.cdf_left(x), below)
                _exactly(enclosure, f"{at}: P(X > {x:g})", law.sf(x), 1.0 - at_most)
            for level in (0.25, 0.5, 0.875):
                _exactly(enclosure, f"{at}: quantile at {level:g}", law.ppf(level), given)
    mixed = laws.bridge(np.array([1.0, 2.0]), 2.0, 0.5).atom
    _exactly(enclosure, "An array of times has an atom where they are equal", mixed[0], 0.0)
    _exactly(enclosure, "and only there", mixed[1], 1.0)


LOSSES = (
    (0.25, 1.0, -0.5, 0.75),
    (4.0, -2.0, 1.5, 30.0),
    (1000.0, 1000.0, 998.5, 1010.25),
    (0.01, 0.0, 1.0, -0.125),
    (2.0, 3.0, 3.0, 1.0),
)
"""(t, value, neighbour, release) in one dimension."""


@certificate(
    {"B01": supports, "B03": supports, "A01": supports},
    rejects={
        "value and neighbour exchanged": {"laws": Laws(loss=lambda t, v, n, y: Brownian().loss(t, n, v, y))},
        "no factor 1/2": {"laws": Laws(loss=lambda t, v, n, y: 2 * Brownian().loss(t, v, n, y))},
        "deviation in place of the variance": {
            "laws": Laws(loss=lambda t, v, n, y: Brownian().loss(np.sqrt(t), v, n, y))
        },
        "the release read as noise": {"laws": Laws(loss=lambda t, v, n, y: Brownian().loss(t, v, n, y + v))},
    },
)
def loss_formula(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """`loss` is log p_t(release − value) − log p_t(release − neighbour), elementwise and summed over coordinates."""
    with ctx.workprec(PRECISION):
        for t, value, neighbour, release in LOSSES:
            exact = _exact_loss(t, value, neighbour, release)
            name = f"t = {t:g}, values {value:g} and {neighbour:g}, release {release:g}"
            enclosure.agrees(name, laws.loss(t, value, neighbour, release), exact, RELATIVE)
        releases = np.array([-1.5, 0.25, 8.0])
        elementwise = laws.loss(0.5, 1.0, 0.25, releases)
        for release, found in zip(releases, elementwise, strict=True):
            enclosure.agrees(f"Elementwise: {release:g}", found, _exact_loss(0.5, 1.0, 0.25, release), RELATIVE)
        values, neighbours = np.array([1.0, -2.0, 0.5]), np.array([0.0, 1.25, -0.5])
        transcripts = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, -4.5]])
        times = np.array([0.25, 6.0])
        alone = laws.loss(times[0], values, neighbours, transcripts[0])
        exact = sum(_exact_loss(times[0], *c) for c in zip(values, neighbours, transcripts[0], strict=True))
        enclosure.agrees("One release of three coordinates", alone, exact, RELATIVE)
        for t, row, found in zip(times, transcripts, laws.loss(times, values, neighbours, transcripts), strict=True):
            exact = sum(_exact_loss(t, *coordinate) for coordinate in zip(values, neighbours, row, strict=True))
            enclosure.agrees(f"Three coordinates, t = {t:g}: the sum over coordinates", found, exact, RELATIVE)


def _exact_loss(t: float, value: float, neighbour: float, release: float) -> Ball:
    """log p_t(release − value) − log p_t(release − neighbour), from the two densities."""
    t, value, neighbour, release = (arb(float(number)) for number in (t, value, neighbour, release))
    return ((release - neighbour) ** 2 - (release - value) ** 2) / (2 * t)


@certificate(
    {"E09": supports},
    rejects={
        "the variance used as deviation": {
            "laws": Laws(bridge=lambda s, t, given: _scaled(s, t, given, s * (t - s) / t))
        },
        "the mean left out": {"laws": Laws(bridge=lambda s, t, given: Brownian().bridge(s, t, 0.0))},
    },
)
def draws(enclosure: Enclosure, laws: Laws = CODE) -> None:
    """`rvs` is mean + deviation·Z with Z the generator's own standard normals, for each of the three laws."""
    seed, count = 20260, 16
    normals = np.random.default_rng(seed).standard_normal(count)
    with ctx.workprec(PRECISION):
        for s, t, given in BRIDGES:
            exact = {
                "marginal": (laws.marginal(t), arb(0), arb(t)),
                "bridge": (laws.bridge(s, t, given), arb(given) * arb(s) / arb(t), arb(s) * (arb(t) - arb(s)) / arb(t)),
                "forward": (laws.forward(s, t, given), arb(given), arb(t) - arb(s)),
            }
            for kind, (law, mean, variance) in exact.items():
                drawn = law.rvs(np.random.default_rng(seed), size=count)
                for index in (0, 1, count - 1):
                    ball = mean + variance.sqrt() * arb(float(normals[index]))
                    name = f"{kind} for s = {s:g}, t = {t:g}, given {given:g}: draw {index + 1}"
                    enclosure.agrees(name, drawn[index], ball, RELATIVE, RELATIVE)
        repeated = laws.bridge(2.0, 2.0, 0.625).rvs(np.random.default_rng(seed), size=3)
        _exactly(enclosure, "At equal times every draw is the last release", float(np.abs(repeated - 0.625).max()), 0.0)
        several = laws.bridge(0.5, 2.0, np.array([1.0, -3.0])).rvs(np.random.default_rng(seed))
        for given, normal, draw in zip((1.0, -3.0), normals, several, strict=False):
            ball = arb(given) / 4 + (arb(3) / 8).sqrt() * arb(float(normal))
            enclosure.agrees(f"Without a size, one draw for each law: given {given:g}", draw, ball, RELATIVE, RELATIVE)
        _exactly(enclosure, "and no more", float(np.size(several)), 2.0)


def _scaled(s: float, t: float, given: float, deviation: float) -> Normal:
    return Normal(np.asarray(given * s / t), np.asarray(deviation))
