"""`nrverify.laws.crossing` under continuous looking: smooth curves, steps and kinks, against known probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from nrverify.laws.boundary import HalfNormalMixture, Mixture
from nrverify.laws.crossing import Crossing, crossing_probability
from nrverify.ledger import certificate, derivation, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.ledger.proof import Expr, Proof
from nrverify.symbolic.tools.curves import (
    DANIELS,
    daniels_crossing,
    half_normal_after,
    mixture_by_duality,
    root_curve_crossing,
)
from nrverify.symbolic.tools.looks import FAR, line_from_gap, line_on_interval
from nrverify.symbolic.tools.normal import density_ball, integral_ball, normal_density, tail_ball

CURVE = 1e-6
"""The stated relative accuracy of continuous looking at a smooth curve."""


def _agrees(enclosure: Enclosure, name: str, found: Crossing, exact: Ball) -> None:
    enclosure.agrees(name, found.probability, exact, CURVE)
    stated = arb(found.error) + arb(found.probability) * arb("1e-14")
    enclosure.less(f"{name}: its error is not understated", abs(arb(found.probability) - exact), stated)
    enclosure.less(f"{name}: nor is it large", arb(found.error), CURVE * arb(found.probability))


@derivation(
    {"M03": supports},
    rejects={
        "the second image at a": {"place": lambda a: a},
        "the root with the other sign": {"sign": -1},
    },
)
def daniels_images(proof: Proof, place: Callable[[Expr], Expr] = lambda a: 2 * a, sign: int = 1) -> None:
    """Two images, at a and 2a, kill a path on Daniels' curve: P(crossed) is a sum of three normal tails."""
    a, t, first, second, y = sp.symbols("a t kappa_1 kappa_2 y", positive=True)
    x = sp.Symbol("x", real=True)
    centre = sp.Symbol("m", real=True)
    image = normal_density(x - centre, t)
    heat = sp.expand((sp.diff(image, t) - sp.diff(image, x, 2) / 2) / image)
    proof.equal("an image at any m solves the heat equation", heat, 0)
    power = (x**2 - (x - place(a)) ** 2) / (2 * t)
    proof.equal(
        "over φ_t(x) the second image is κ₂e^{−a²/t}y², with y = e^{(2x−a)a/2t}", power, (2 * x - a) * a / t - a**2 / t
    )
    decay = sp.Symbol("E", positive=True)
    root = first / 2 + sign * sp.sqrt(first**2 / 4 + second * decay)
    proof.equal(
        "1 = κ₁y + κ₂e^{−a²/t}y² at 1/y = κ₁/2 + √(κ₁²/4 + κ₂e^{−a²/t})",
        sp.expand(root**2),
        sp.expand(first * root + second * decay),
        simplify=sp.expand,
    )
    proof.positive("the root that is positive", root)
    height = a / 2 + t / a * sp.log(y)
    proof.equal("so the curve is x = a/2 + (t/a) log y", sp.expand((2 * height - a) * a / (2 * t)), sp.log(y))


@certificate(
    {"M03": supports, "B18": supports},
    rejects={
        "without the second image": {"images": (DANIELS[0], DANIELS[1], 0.0)},
        "κ₁ and κ₂ exchanged": {"images": (DANIELS[0], DANIELS[2], DANIELS[1])},
    },
)
def daniels_curve(enclosure: Enclosure, images: tuple[float, float, float] = DANIELS) -> None:
    """Daniels' curve up to t = 2: P = Q(c/√t) + κ₁Φ((c−a)/√t) + κ₂Φ((c−2a)/√t)."""
    with ctx.workprec(PRECISION):
        exact = daniels_crossing(arb(2), *(arb(parameter) for parameter in images))
        _agrees(enclosure, "Daniels' curve on (0, 2)", _daniels(), exact)


@cache
def _daniels() -> Crossing:
    a, first, second = DANIELS

    def height(t: Any) -> Any:
        return a / 2 - t / a * np.log(first / 2 + np.sqrt(first**2 / 4 + second * np.exp(-a * a / t)))

    return crossing_probability(height, interval=(0.0, 2.0))


@cache
def _dual(delta: float) -> tuple[float, float]:
    found: tuple[float, float] = mixture_by_duality(delta)
    return found


def _by_duality(delta: float) -> float:
    return _dual(delta)[0]


@certificate(
    {"M06": supports, "B08": supports},
    rejects={
        "the printed one-sided probability δ": {"exact": lambda delta: delta},
        "exactly δ/2": {"exact": lambda delta: delta / 2},
    },
)
def mixture_curve_one_sided(enclosure: Enclosure, exact: Callable[[float], float] = _by_duality) -> None:
    """The mixture curve at δ = 0.1 is crossed with 0.0502218281754: by a combination of martingales that is 1 on it."""
    enclosure.less("the combination is 1 along the curve, within", arb(_dual(0.1)[1]), arb("1e-8"))
    enclosure.agrees("Mixture.crossing_probability, δ = 0.1", _mixture(0.1), arb(exact(0.1)), CURVE)


@cache
def _mixture(delta: float) -> float:
    return Mixture(3.0, delta, 1.0).crossing_probability()


@certificate(
    {"B08": supports, "M06": supports},
    rejects={
        "δ, as if looking from 0": {"exact": lambda time, rho, delta: delta},
        "the two-sided mixture": {"exact": lambda time, rho, delta: half_normal_after(time, rho, delta / 2)},
    },
)
def half_normal_curve(enclosure: Enclosure, exact: Callable[[Ball, Ball, Ball], Ball] = half_normal_after) -> None:
    """The half-normal curve at δ = 10⁻⁶: Q(c/√T) + δE[M_T; W_T < c] after T, and δ itself over all t > 0."""
    with ctx.workprec(PRECISION):
        found = _half_normal_after(2.0, 0.75, 1e-6)
        enclosure.agrees("after T = 2", found, exact(arb(2), arb(0.75), arb(1e-6)), CURVE)
        default = HalfNormalMixture(0.75, 1e-6, 2.0).crossing_probability()
        enclosure.agrees("HalfNormalMixture.crossing_probability is δ itself", default, arb(1e-6), 1e-15)


@cache
def _half_normal_after(time: float, rho: float, delta: float) -> float:
    return HalfNormalMixture(rho, delta, 1.0).crossing_probability(interval=(time, math.inf))


@certificate(
    {"B18": supports},
    rejects={
        "the leading eigenvalue alone": {"terms": 1},
        "a span of 300 for 200": {"span": 300.0},
    },
)
def root_curve(enclosure: Enclosure, terms: int = 7, span: float = 200.0) -> None:
    """The curve 2.25√t over a span of 200 in time: 1 − ΣK_i·span^{−ν_i}, the killed process's series."""
    with ctx.workprec(PRECISION):
        exact = root_curve_crossing(2.25, span, terms)
        _agrees(enclosure, "2.25√t on (0.5, 100)", _root(), exact)
        enclosure.agrees("the same behind a wall that opens at 1/2", _root_behind_a_wall(), exact, CURVE)


@cache
def _root() -> Crossing:
    return crossing_probability(lambda t: 2.25 * np.sqrt(t), interval=(0.5, 100.0))


@cache
def _root_behind_a_wall() -> float:
    return crossing_probability(
        lambda t: np.where(t < 0.5, np.inf, 2.25 * np.sqrt(t)), interval=(0.0, 100.0)
    ).probability


def stays_below_then(slopes: tuple[Ball, Ball], starts: tuple[Ball, Ball], middle: Ball, end: Ball) -> Ball:
    """P(no crossing of a₁t + b₁ on (0, m) and of a₂t + b₂ on [m, T)): the image density at m times what follows."""
    (a1, a2), (b1, b2) = slopes, starts
    first, second = a1 * middle + b1, a2 * middle + b2
    lowest, root = (first if first < second else second), middle.sqrt()
    weight = (-2 * a1 * b1).exp()
    return integral_ball(
        lambda x: (
            (density_ball(x / root) - weight * density_ball((x - 2 * b1) / root))
            / root
            * (1 - line_from_gap(second - x, a2, end - middle))
        ),
        -FAR * root,
        lowest,
    )


BROKEN: tuple[tuple[str, tuple[float, float], tuple[float, float]], ...] = (
    ("a step down", (0.0, 0.0), (1.5, 1.0)),
    ("a step up", (0.0, 0.0), (1.0, 1.6)),
    ("a kink", (1.0, -0.5), (1.0, 2.5)),
    ("a jump between two slopes", (0.5, 0.25), (4.5, 4.25)),
)
"""Every way a curve of two pieces can break: the slopes of both pieces, and where both begin."""


@certificate(
    {"M03": supports, "B10": supports},
    rejects={
        "the pieces as if independent": {"joint": False},
        "a break at 1.1": {"middle": 1.1},
    },
)
def broken_curves(enclosure: Enclosure, joint: bool = True, middle: float = 1.0) -> None:
    """Steps, jumps and kinks at t = 1, looked at until t = 3; and a wall that opens at 1/2."""
    with ctx.workprec(PRECISION):
        cut, end = arb(middle), arb(3)
        for name, slopes, starts in BROKEN:
            a, b = (arb(slopes[0]), arb(slopes[1])), (arb(starts[0]), arb(starts[1]))
            if joint:
                exact = 1 - stays_below_then(a, b, cut, end)
            else:
                later = line_on_interval(slopes[1], starts[1], middle, 3.0)
                exact = 1 - (1 - line_from_gap(b[0], a[0], cut)) * (1 - later)
            enclosure.agrees(name, _broken(slopes, starts).probability, exact, CURVE)
        opening = crossing_probability(lambda t: np.where(t < 0.5, np.inf, 1.2), interval=(0.0, 2.0))
        exact = line_on_interval(0.0, 1.2, 0.5, 2.0)
        enclosure.agrees("infinite before 1/2", opening.probability, exact, CURVE)
        for name, height, certain in (("−∞", -math.inf, 1), ("+∞", math.inf, 0)):
            found = crossing_probability(_constant(height)).probability
            enclosure.agrees(f"a curve at {name}", found, arb(certain), 0.0)


def _constant(height: float) -> Callable[[float], float]:
    return lambda t: height


@cache
def _broken(slopes: tuple[float, float], starts: tuple[float, float]) -> Crossing:
    def height(t: Any) -> Any:
        return np.where(t < 1.0, slopes[0] * t + starts[0], slopes[1] * t + starts[1])

    return crossing_probability(height, interval=(0.0, 3.0))


@certificate(
    {"M03": supports},
    rejects={"e^{−ab}": {"power": 1}, "P(W_t ≥ at + b at t = b/a)": {"power": 0}},
)
def line_as_a_curve(enclosure: Enclosure, power: int = 2) -> None:
    """The lines 0.3t + 20 and 0.3t + 100 as black-box curves over all t > 0: e^{−2ab} = e^{−12} and e^{−60}."""
    with ctx.workprec(PRECISION):
        for b in (20.0, 100.0):
            product = arb(0.3) * arb(b)
            exact = (-power * product).exp() if power else tail_ball(2 * product.sqrt())
            _agrees(enclosure, f"0.3t + {b}", _line(b), exact)


@cache
def _line(b: float) -> Crossing:
    return crossing_probability(lambda t: 0.3 * t + b)
