"""`nrverify.laws.crossing` at finite grids and for straight lines, against exact integrals in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.crossing import Crossing, crossing_probability, line_crossing_probability
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.tools.looks import (
    ever_positive,
    geometric_looks,
    line_after,
    line_from_gap,
    line_on_interval,
    one_look,
    three_looks,
    two_looks,
)
from nrverify.symbolic.tools.normal import tail_ball

GRID = 1e-8
"""The stated relative accuracy on a grid of looks."""

CLOSED_FORM = 1e-12
"""Relative accuracy where no recursion is needed: a few operations and a normal tail."""


def at_looks(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """The law's answer for a curve given by its heights."""
    height = dict(zip(times, heights, strict=True))
    return crossing_probability(lambda t: height[float(t)], times=times)


def exact_looks(times: Sequence[float], heights: Sequence[float]) -> Ball:
    """P(W reaches the height at one of up to three looks)."""
    if len(times) == 1:
        return one_look(times[0], heights[0])
    return two_looks(times, heights) if len(times) == 2 else three_looks(times, heights)


LOOKS: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...] = (
    ((2.0,), (1.0,)),
    ((0.01,), (0.7,)),
    ((1.0, 3.0), (4.8, 8.3)),
    ((1.0, 1.001), (4.8, 4.8)),
    ((1.0, 2.0), (5.0, 9.2)),
    ((1.0, 2.0), (7.0, 6.9)),
    ((0.5, 400.0), (-0.4, 3.0)),
    ((1.0, 2.0, 5.0), (4.9, 6.6, 10.8)),
    ((0.3, 0.31, 90.0), (1.0, 0.2, 12.0)),
    ((1.0, 2.0, 3.0), (9.0, 13.0, 15.5)),
    ((1.0, 2.0), (3.0, 20.0)),
)
"""Times and heights: one to three looks, nearly equal and far apart, heights below zero, and ones that hardly count."""


@certificate(
    {"B03": supports, "B10": supports, "B11": supports},
    rejects={
        "the union bound": {
            "exact": lambda times, heights: sum((one_look(t, c) for t, c in zip(times, heights, strict=True)), arb(0))
        },
        "independent looks": {
            "exact": lambda times, heights: (
                1 - math.prod((1 - one_look(t, c) for t, c in zip(times, heights, strict=True)), start=arb(1))
            )
        },
        "the last look only": {"exact": lambda times, heights: one_look(times[-1], heights[-1])},
    },
)
def few_looks(enclosure: Enclosure, exact: Callable[[Sequence[float], Sequence[float]], Ball] = exact_looks) -> None:
    """One, two and three looks, from certain to 1e-19, agree with the exact integrals to 1e-8."""
    with ctx.workprec(PRECISION):
        for times, heights in LOOKS:
            found = _few(times, heights)
            value = exact(times, heights)
            enclosure.agrees(f"looks {times} at {heights}", found.probability, value, GRID)
            enclosure.less("its error is not understated", abs(arb(found.probability) - value), _stated(found))
            enclosure.less("nor is it large", arb(found.error), GRID * arb(found.probability))
        times, heights = LOOKS[7]
        backwards = at_looks((5.0, 1.0, 2.0, 5.0), (10.8, 4.9, 6.6, 10.8)).probability
        enclosure.agrees("in any order, with repetitions", backwards, exact(times, heights), GRID)
        unreachable = at_looks((1.0, 2.0, 3.0), (4.8, math.inf, 8.3)).probability
        enclosure.agrees("an infinite height is never reached", unreachable, exact((1.0, 3.0), (4.8, 8.3)), GRID)
        for name, certain, number in (
            ("no look is reachable", at_looks((1.0,), (math.inf,)), 0),
            ("a height of −∞ is reached", at_looks((1.0, 2.0), (3.0, -math.inf)), 1),
        ):
            enclosure.agrees(name, certain.probability, arb(number), 0.0)
            enclosure.agrees(f"{name}, without error", certain.error, arb(0), 0.0)


@cache
def _few(times: tuple[float, ...], heights: tuple[float, ...]) -> Crossing:
    return at_looks(times, heights)


def _stated(found: Crossing) -> Ball:
    return arb(found.error) + arb(found.probability) * arb("1e-14") + arb("1e-300")


@certificate(
    {"B03": supports},
    rejects={
        "C(2n−1, n)/4ⁿ": {"exact": lambda looks: (1 + ever_positive(looks)) / 2},
        "one look fewer": {"exact": lambda looks: ever_positive(looks - 1)},
    },
)
def many_looks_at_zero(enclosure: Enclosure, exact: Callable[[int], Ball] = ever_positive) -> None:
    """A path is above 0 at one of n equally spaced looks with probability 1 − C(2n, n)/4ⁿ: n = 4, 10 and 100."""
    for looks in (4, 10, 100):
        found = _at_zero(looks)
        enclosure.agrees(f"{looks} looks", found, exact(looks), GRID)


@cache
def _at_zero(looks: int) -> float:
    return crossing_probability(lambda t: 0.0 * t, times=np.arange(1, looks + 1) * 0.7).probability


@certificate(
    {"B03": supports, "B11": supports},
    rejects={
        "the failure probability δ itself": {"factors": ("1", "1")},
        "the union bound": {"factors": ("10", "100")},
    },
)
def single_look_quantile_at_many_looks(enclosure: Enclosure, factors: tuple[str, str] = ("9.241", "30.40")) -> None:
    """The one-look quantile at a data-dependent one of 10 (100) looks over a factor 100 fails with 9.241δ (30.40δ)."""
    delta = 1e-6
    with ctx.workprec(PRECISION):
        level = float((arb(2).sqrt() * (2 * arb(delta)).erfcinv()).mid())
        enclosure.agrees("the quantile", float(tail_ball(arb(level)).mid()), arb(delta), 1e-14)
        for looks, factor in zip((10, 100), factors, strict=True):
            found, independent = _quantile_looks(level, looks)
            digits = arb("0.0005") if looks == 10 else arb("0.005")
            enclosure.less(
                f"{looks} looks: {factor} δ to the last digit", abs(arb(found) / arb(delta) - arb(factor)), digits
            )
            enclosure.agrees(f"{looks} looks, by forward recursion of the survivors", found, arb(independent), GRID)


@cache
def _quantile_looks(level: float, looks: int) -> tuple[float, float]:
    found = crossing_probability(lambda t: level * np.sqrt(t), times=np.geomspace(0.2, 20.0, looks)).probability
    return found, geometric_looks(level, looks, 100.0)


def exact_line(a: float, b: float, lo: float, hi: float) -> Ball:
    """P(W_t ≥ at + b for some t in [lo, hi]), t > 0."""
    if (lo == 0.0 and b <= 0.0) or (math.isinf(hi) and a <= 0.0):
        return arb(1)
    if math.isinf(hi):
        return (-2 * arb(a) * arb(b)).exp() if lo == 0.0 else line_after(a, b, lo)
    return line_from_gap(arb(b), arb(a), arb(hi)) if lo == 0.0 else line_on_interval(a, b, lo, hi)


LINES: tuple[tuple[float, float, float, float], ...] = (
    (0.5, 2.0, 0.0, math.inf),
    (0.15, 46.0, 0.0, math.inf),
    (0.5, 2.0, 0.0, 3.0),
    (2.0, 9.0, 0.0, 4.0),
    (-0.3, 2.0, 0.0, 3.0),
    (0.0, 2.0, 0.0, 3.0),
    (0.5, -1.0, 0.0, 3.0),
    (-0.5, 1.0, 2.0, math.inf),
    (0.5, 2.0, 1.5, math.inf),
    (0.5, -0.2, 1.5, math.inf),
    (1.0, 6.0, 5.0, math.inf),
    (0.5, 2.0, 1.5, 6.0),
    (-0.4, 2.0, 1.5, 1.6),
    (0.7, -1.5, 0.5, 60.0),
    (1.0, 7.0, 4.0, 12.0),
    (0.7, 0.4, 0.0, math.inf),
    (-0.7, 0.4, 0.0, 3.0),
    (1.5, 0.4, 0.0, 1.0),
    (0.5, -1.0, 1.0, 3.0),
    (0.4, -1.0, 1.0, math.inf),
)
"""Slope, height, from, to: each sign of the slope and of the height at zero, with and without a start and an end."""


@certificate(
    {"B09": supports, "M03": supports},
    rejects={
        "e^{−ab}": {"exact": lambda a, b, lo, hi: exact_line(a, b / 2, lo, hi)},
        "the end point only": {"exact": lambda a, b, lo, hi: one_look(min(hi, 1e300), a * min(hi, 1e300) + b)},
        "twice the end point": {"exact": lambda a, b, lo, hi: 2 * one_look(min(hi, 1e300), a * min(hi, 1e300) + b)},
    },
)
def lines(enclosure: Enclosure, exact: Callable[[float, float, float, float], Ball] = exact_line) -> None:
    """A line on any interval, rising or falling, from above or below the origin: closed form and integral, to 1e-12."""
    with ctx.workprec(PRECISION):
        for a, b, lo, hi in LINES:
            value = exact(a, b, lo, hi)
            enclosure.agrees(
                f"{a}t + {b} on ({lo}, {hi})", line_crossing_probability(a, b, (lo, hi)), value, CLOSED_FORM
            )
        whole = line_crossing_probability(0.5, 2.0)
        enclosure.agrees("all t > 0 is the default", whole, exact(0.5, 2.0, 0.0, math.inf), CLOSED_FORM)
        for name, call in _misuses():
            _refuses(enclosure, name, call)


def _misuses() -> list[tuple[str, Callable[[], Any]]]:
    return [
        ("an infinite slope", lambda: line_crossing_probability(math.inf, 1.0)),
        ("an interval that ends before it starts", lambda: line_crossing_probability(1.0, 1.0, (2.0, 1.0))),
        ("times and interval", lambda: crossing_probability(lambda t: t, times=[1.0], interval=(0.0, 1.0))),
        ("no looks", lambda: crossing_probability(lambda t: t, times=[])),
        ("a look at 0", lambda: crossing_probability(lambda t: t, times=[0.0, 1.0])),
        ("a curve that is NaN", lambda: crossing_probability(lambda t: math.nan, times=[1.0])),
    ]


def _refuses(enclosure: Enclosure, name: str, call: Callable[[], object]) -> None:
    try:
        answer = call()
    except ValueError as refusal:
        enclosure.checked(f"{name} is refused", str(refusal))
        return
    raise Refuted(f"{name}: answered {answer!r}")
