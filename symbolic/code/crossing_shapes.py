"""`nrverify.laws.crossing` under continuous looking at curves that dip, bend, close for a while, or are rough."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.crossing import Crossing, crossing_probability
from nrverify.laws.crossing.continuous import _enclosure
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.code.crossing_curve import CURVE, stays_below_then
from nrverify.symbolic.tools.curves import DANIELS, daniels_height, root_curve_crossing
from nrverify.symbolic.tools.looks import FAR, line_from_gap, line_on_interval
from nrverify.symbolic.tools.normal import cdf_ball, density_ball, integral_ball

DIP = (1.4, 1.47)
"""A dip of 0.05 in log t: five times the width that may be missed."""


def dips(t: Any) -> Any:
    """2.5 in the dip, eight deviations outside: what crosses there is 1e-13 of the rest."""
    return np.where((t >= DIP[0]) & (t < DIP[1]), 2.5, 8 * np.sqrt(t))


def bends(t: Any) -> Any:
    """0.5t + 2.5 until 1, then 0.25t + 2.75."""
    return np.where(t < 1.0, 0.5 * t + 2.5, 0.25 * t + 2.75)


def falls(t: Any) -> Any:
    """0.5t + 2.5 until 1, then 3.5 − 0.5t."""
    return np.where(t < 1.0, 0.5 * t + 2.5, 3.5 - 0.5 * t)


def closes(t: Any) -> Any:
    """1.2 until 1, out of reach until 4, 3 from then on."""
    return np.where(t < 1.0, 1.2, np.where(t < 4.0, np.inf, 3.0))


def opens(t: Any) -> Any:
    """1.2 in units of √10⁹ between 1.3 and 1.7 billion, out of reach at all other times."""
    return np.where((t >= 1.3e9) & (t < 1.7e9), 1.2 * math.sqrt(1e9), np.inf)


def scalar_line(t: float) -> float:
    """0.3t + 20 for one float at a time; beyond 7000, where it is out of reach, it raises."""
    return 0.3 * t + 20.0 + 0.0 * math.exp(t / 10)


def one_for_all(t: Any) -> Any:
    """0.5t + 2 for a float; for an array a constant in its shape, which is wrong."""
    return 0.5 * t + 2.0 if np.ndim(t) == 0 else np.full(np.shape(t), 2.5)


def after_a_closure(first: Ball, second: Ball) -> Ball:
    """P(W meets b₁ before 1, or b₂ between 4 and 6), the path between 1 and 4 unseen.

    The survivors of b₁ at 1 have density φ(x) − φ(x − 2b₁); three units of time later they are spread by √3.
    """

    def survivors(y: Ball, centre: Ball) -> Ball:
        # ∫_{x < b₁} φ(x − c) φ((y−x)/√3)/√3 dx: given y, x is normal around c + (y−c)/4 with variance 3/4.
        return density_ball((y - centre) / 2) / 2 * cdf_ball((first - centre - (y - centre) / 4) * 2 / arb(3).sqrt())

    stayed = integral_ball(
        lambda y: (survivors(y, arb(0)) - survivors(y, 2 * first)) * (1 - line_from_gap(second - y, arb(0), arb(2))),
        arb(-2 * FAR),
        second,
    )
    return 1 - stayed


def steps_off_daniels(t: Any) -> Any:
    """Daniels' curve until 1, then 1.5."""
    a, first, second = DANIELS
    root = first / 2 + np.sqrt(first**2 / 4 + second * np.exp(-a * a / t))
    return np.where(t < 1.0, a / 2 - t / a * np.log(root), 1.5)


def after_daniels() -> Ball:
    """P(W meets Daniels' curve before 1, or 1.5 between 1 and 3): the images at 1 and what follows."""
    a, first, second = (arb(parameter) for parameter in DANIELS)
    stayed = integral_ball(
        lambda x: (
            (density_ball(x) - first * density_ball(x - a) - second * density_ball(x - 2 * a))
            * (1 - line_from_gap(arb(1.5) - x, arb(0), arb(2)))
        ),
        arb(-FAR),
        daniels_height(arb(1), a, first, second),
    )
    return 1 - stayed


def broken_line(slope: float, end: float) -> Ball:
    """0.5t + 2.5 until 1, then at the slope given: crossed before `end`."""
    later = arb(slope)
    return 1 - stays_below_then((arb(0.5), later), (arb(2.5), 3 - later), arb(1), arb(end))


SHAPES: tuple[tuple[str, Callable[[Any], Any], tuple[float, float], Callable[[], Ball]], ...] = (
    ("a dip of 0.05 in log t", dips, (0.5, 3.0), lambda: line_on_interval(0.0, 2.5, *DIP)),
    # Before 0.08 the line is nine deviations away, so looking may start there; 1 is inside a panel, then at its end.
    ("a slight bend", bends, (0.08, 10.0), lambda: broken_line(0.25, 10.0)),
    ("a bend in the middle of the interval", falls, (0.1, 10.0), lambda: broken_line(-0.5, 10.0)),
    ("out of reach for a while", closes, (0.0, 6.0), lambda: after_a_closure(arb(1.2), arb(3))),
    ("a window far away", opens, (0.0, math.inf), lambda: line_on_interval(0.0, 1.2, 1.3, 1.7)),
    ("a curve, then a step up", steps_off_daniels, (0.0, 3.0), after_daniels),
    ("a moment", lambda t: 0.5 * t + 2.0, (1.0, 1.005), lambda: line_on_interval(0.5, 2.0, 1.0, 1.005)),
    ("a low line", lambda t: 0.2 * t + 1.0, (0.0, math.inf), lambda: (-2 * arb(0.2)).exp()),
    ("a function of one float", scalar_line, (0.0, math.inf), lambda: (-arb(12)).exp()),
    ("a function wrong on arrays", one_for_all, (0.0, 4.0), lambda: line_from_gap(arb(2), arb(0.5), arb(4))),
)


@certificate(
    {"M03": supports, "B10": supports},
    rejects={
        "higher by 1e-6 in the logarithm": {"factor": 1 + 2e-6},
        "one-sided for two-sided": {"factor": 0.5},
    },
)
def unusual_curves(enclosure: Enclosure, factor: float = 1.0) -> None:
    """Dips, bends, closures, moments and scalar functions: exact to 1e-6, with an error that is stated and small."""
    with ctx.workprec(PRECISION):
        for name, curve, interval, exact in SHAPES:
            found, value = _found(curve, interval), exact() * arb(factor)
            enclosure.agrees(name, found.probability, value, CURVE)
            stated = arb(found.error) + arb(found.probability) * arb("1e-12")
            enclosure.less(f"{name}: its error is not understated", abs(arb(found.probability) - value), stated)
            enclosure.less(f"{name}: nor is it large", arb(found.error), 10 * CURVE * arb(found.probability))


@cache
def _found(curve: Callable[[Any], Any], interval: tuple[float, float]) -> Crossing:
    return crossing_probability(curve, interval=interval)


@certificate(
    {"B18": supports},
    rejects={
        "never crossed with the probability of the span alone": {"certain": 0},
        "the leading eigenvalue alone": {"terms": 1},
    },
)
def bounded_for_ever(enclosure: Enclosure, certain: int = 1, terms: int = 3) -> None:
    """3√t from 10³⁰⁰ on is crossed for certain; the error reaches down to what is crossed before e⁷⁰⁰."""
    with ctx.workprec(PRECISION):
        found = _bounded()
        enclosure.agrees("the law of the iterated logarithm", found.probability, arb(certain), 0.0)
        span = (arb(700)).exp() / arb(10) ** 300
        enclosure.agrees("its error", found.error, 1 - root_curve_crossing(3.0, float(span.mid()), terms), CURVE)


@cache
def _bounded() -> Crossing:
    return crossing_probability(lambda t: 3 * np.sqrt(t), interval=(1e300, math.inf))


RIPPLE = 0.02
"""So large that the bounds from below and above are far apart beside what either may err."""


@certificate(
    {"B10": supports},
    rejects={
        "the middle of the ripple": {"ripple": 0.0},
        "half the ripple": {"ripple": RIPPLE / 2},
    },
)
def rough_curves(enclosure: Enclosure, ripple: float = RIPPLE) -> None:
    """1.2 with a ripple of 2 % too fast to follow: enclosed by the constants below and above it, and not much more."""
    with ctx.workprec(PRECISION):
        probability, error = _rippled()
        low, high = arb(probability) - arb(error), arb(probability) + arb(error)
        below, above = (line_on_interval(0.0, 1.2 * (1 + sign * ripple), 1.0, 1.25) for sign in (-1, 1))
        enclosure.less("the bound from above holds", below, high)
        enclosure.less("the bound from below holds", low, above)
        # A straight level through 33 samples of a panel may lean, by a small part of the ripple.
        enclosure.less("the bound from above is close", high - below, (below - above) / 10)
        enclosure.less("the bound from below is close", above - low, (below - above) / 10)


@cache
def _rippled() -> tuple[float, float]:
    def level(log_t: Any) -> Any:
        return 1.2 * (1 + RIPPLE * np.sign(np.sin(3e5 * log_t))) * np.exp(-0.5 * log_t)

    return _enclosure(level, [(0.0, math.log(1.25))])
