"""The worst stopping rule of Laplace noise reduction at the price αε²/2, enclosed: how much is gained, from both sides.

Units and letters as in `laplace_renyi`: m = −x clipped to [0, 1], B(ε) = a(ε − αε²/2), G(ε, m) = e^{B − 2aεm} is what
stopping pays. A rule that goes on while m > b(ε) is worth v(ε) there, wherever the noise is (`laplace_worst_rule`
derives it), with b the place where G = v. In y = 2aεb and s = log ε this is one equation,

    dy/ds = aε(1 − αε) + (α(e^y − 1) − y)/2a,

that contracts backwards. Stopping at a first look ε unless m > b is worth J(ε) = e^B(α + a·e^{−(2α−1)εb})/(2α−1), and
no rule exceeds J by more than ∫ E D⁺, D the drift of max(G, v) where it is G.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_series, ctx

from nrverify.ledger.enclosure import Ball

STEP = 1 / 64
"""Of a panel, in log ε."""
SUBSTEPS = 4
"""Of the floating-point solution in a panel: it is only a guess, whose error is enclosed afterwards."""
CELLS = 24
"""Of m in [0, b], on which the sign of the drift is decided."""
NEGLIGIBLE = 34.0
"""The last ε is where stopping pays e^{−34}: 2e-15, and what comes later no more."""
ALMOST_NOTHING = 1e-5
"""The first ε is where y is about this: before it no place is worth stopping at."""
PRECISION = 80
"""Bits of the series, whose balls are as wide as a panel makes them: fewer than elsewhere, for they are long."""


@dataclass(frozen=True)
class Panel:
    """ε from `left` to `right`; J and y at `left`; balls that hold ε and y on the whole panel."""

    left: Ball
    right: Ball
    first_look: Ball
    start: Ball
    epsilon: Ball
    y: Ball


class Worst(NamedTuple):
    """What the worst rule is worth, between two balls; the first look at which J is largest, and b there."""

    least: Ball
    most: Ball
    first: float
    place: float


def slope(order: float, s: float, y: float) -> float:
    """dy/ds, in floating-point numbers."""
    a, epsilon = order - 1, math.exp(s)
    return a * epsilon * (1 - order * epsilon) + (order * math.expm1(y) - y) / (2 * a)


def guess(order: float) -> list[tuple[float, float]]:
    """(log ε, y) from the last ε backwards, by Runge–Kutta, until y is almost 0."""
    a = order - 1
    last = 1 / order + math.sqrt(1 / order**2 + 2 * NEGLIGIBLE / (a * order))
    # Where dy/ds = 0, to begin with: the solution is drawn to it.
    s, y = math.log(last), math.log(2 * a * a * last * last + 2)
    found = [(s, y)]
    while y > ALMOST_NOTHING:
        step = STEP
        while True:
            there = _integrated(order, s, y, -step)
            if there > ALMOST_NOTHING / 4:
                break
            step /= 2
        s, y = s - step, there
        found.append((s, y))
    return found


def _integrated(order: float, s: float, y: float, step: float) -> float:
    h = step / SUBSTEPS
    for _ in range(SUBSTEPS):
        k1 = slope(order, s, y)
        k2 = slope(order, s + h / 2, y + h / 2 * k1)
        k3 = slope(order, s + h / 2, y + h / 2 * k2)
        k4 = slope(order, s + h, y + h * k3)
        s, y = s + h, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def exponent(order: Ball, epsilon: Ball) -> Ball:
    """B(ε) = a(ε − αε²/2)."""
    return (order - 1) * (epsilon - order * epsilon * epsilon / 2)


def _cubic(order: float, left: tuple[float, float], right: tuple[float, float]) -> list[Ball]:
    """Coefficients, about the middle of a panel, of the cubic with the guess's values and slopes at its ends."""
    (s0, y0), (s1, y1) = left, right
    half = arb(s1) / 2 - arb(s0) / 2
    d0, d1 = (arb(slope(order, s, y)) * half for s, y in (left, right))
    total, rise = arb(y0) + y1, arb(y1) - y0
    unit = (total / 2 - (d1 - d0) / 4, rise * 3 / 4 - (d0 + d1) / 4, (d1 - d0) / 4, (d0 + d1) / 4 - rise / 4)
    return [coefficient / half**power for power, coefficient in enumerate(unit)]


def _residual(order: Ball, cubic: list[Ball], middle: Ball, half: Ball) -> Ball:
    """The largest |p' − slope(s, p)| on a panel: Taylor's formula about its middle, the last term on all of it."""
    a = order - 1

    def series(about: Ball) -> arb_series:
        offset = arb_series([about - middle, 1], prec=5)
        p = sum((offset**k * c for k, c in enumerate(cubic)), arb_series([0], prec=5))
        e = arb_series([about, 1], prec=5).exp()
        wanted = e * a * (1 - e * order) + (order * (p.exp() - 1) - p) / (2 * a)
        return p.derivative() - wanted

    centre, everywhere = series(middle), series(middle + arb(0, 1) * half)
    return sum((abs(centre[k]) * half**k for k in range(4)), abs(everywhere[4]) * half**4)


@lru_cache(maxsize=8)
def panels(order: float) -> tuple[Panel, ...]:
    """The panels from the first ε to the last, with the error of the guess enclosed.

    At the last ε v is worth e^B or less. In v the equation contracts backwards, so that errors of the guess add up at
    most: each panel adds its length times its residual times e^{B−p}.
    """
    with ctx.workprec(PRECISION):
        exact, nodes = arb(order), guess(order)
        error = exponent(exact, arb(nodes[0][0]).exp()).exp()
        found = []
        for right, left in pairwise(nodes):
            middle, half = (arb(left[0]) + right[0]) / 2, (arb(right[0]) - left[0]) / 2
            cubic = _cubic(order, left, right)
            worth = (exponent(exact, (middle + arb(0, 1) * half).exp()) - _value(cubic, half)).exp()
            error = arb((error + 2 * half * _residual(exact, cubic, middle, half) * worth).upper())
            found.append(_panel(exact, left, right[0], _value(cubic, half), error))
        return tuple(reversed(found))


def _panel(order: Ball, node: tuple[float, float], right: float, guessed: Ball, error: Ball) -> Panel:
    left, start = arb(node[0]).exp(), _with_error(order, arb(node[0]).exp(), arb(node[1]), error)
    epsilon = left.union(arb(right).exp())
    y = _with_error(order, epsilon, guessed, error)
    return Panel(left, arb(right).exp(), first_look(order, left, start), start, epsilon, y)


def _value(cubic: list[Ball], half: Ball) -> Ball:
    """The cubic on its whole panel."""
    offset, total = arb(0, 1) * half, arb(0)
    for coefficient in reversed(cubic):
        total = total * offset + coefficient
    return total


def _with_error(order: Ball, epsilon: Ball, p: Ball, error: Ball) -> Ball:
    """y from v within η of e^{B−p}; it is never above 2aε, where going on is worth no less than stopping."""
    ceiling = arb((2 * (order - 1) * epsilon).upper())
    share = error * (p - exponent(order, epsilon)).exp()
    if not share < 1:
        return arb(0).union(ceiling)
    low, high = p - (1 + share).log(), p - (1 - share).log()
    high = ceiling if not high < ceiling else high
    return arb(low.lower()).union(arb(high.upper()))


def first_look(order: Ball, epsilon: Ball, y: Ball) -> Ball:
    """J(ε): stopping at ε unless m > b, b = y/2aε, and going on there."""
    width = 2 * order - 1
    return exponent(order, epsilon).exp() * (order + (order - 1) * (-width * y / (2 * (order - 1))).exp()) / width


def _drift(order: Ball, panel: Panel, lower: Ball, upper: Ball) -> Ball:
    """S = 2αε·D/(a·e^B) on a panel and for 2aεm between two numbers x, by the mean value in x.

    S = e^{−x}(2αε(1 − αε) − 1 − αx(2 + 1/a)/a) + (α/a)²(1 − e^{−x}) + e^{(x − αy)/a}.
    """
    a, epsilon, y = order - 1, panel.epsilon, panel.y
    square, per_x = (order / a) ** 2, order * (2 + 1 / a) / a
    level = 2 * order * epsilon * (1 - order * epsilon) - 1

    def value(x: Ball) -> Ball:
        return (-x).exp() * (level - per_x * x - square) + square + ((x - order * y) / a).exp()

    def rise(x: Ball) -> Ball:
        return (-x).exp() * (square - per_x - level + per_x * x) + ((x - order * y) / a).exp() / a

    middle = (lower + upper) / 2
    cell = lower.union(upper)
    return value(arb(middle.mid())) + rise(cell) * (cell - arb(middle.mid()))


def _cells(panel: Panel) -> Iterator[tuple[Ball, Ball]]:
    """x = 2aεm from 0 to the largest y of the panel, in equal cells; the first is the place 0 alone."""
    top = arb(panel.y.upper())
    yield arb(0), arb(0)
    for cell in range(CELLS):
        yield top * cell / CELLS, top * (cell + 1) / CELLS


def _rises(order: Ball, panel: Panel) -> bool:
    """Whether D ≥ 0 wherever stopping pays, on the whole panel: nothing is lost by waiting."""
    return all(_drift(order, panel, *cell) >= 0 for cell in _cells(panel))


def _gains(order: Ball, panel: Panel) -> tuple[Ball, Ball]:
    """At least ∫ E D⁺ over the panel, and ∫ E D⁻; m = 0 has probability 1/2, and density up to ε/2 beyond."""
    a = order - 1
    factor = a * exponent(order, panel.epsilon).exp() / (2 * order * panel.epsilon) * (panel.right - panel.left)
    up, down = arb(0), arb(0)
    for lower, upper in _cells(panel):
        drift = _drift(order, panel, lower, upper)
        mass = (upper - lower) / (4 * a) if upper > 0 else arb(1) / 2
        up += mass * max(arb(drift.upper()), arb(0))
        down += mass * max(-arb(drift.lower()), arb(0))
    return arb((up * factor).upper()), arb((down * factor).upper())


@lru_cache(maxsize=8)
def worst_rule(order: float) -> Worst:
    """The enclosure for one α.

    Up to the panel where D ≥ 0 ends it pays to wait: max(G, v) is a submartingale there, and before the first panel no
    place pays more than e^y·v. From then on a rule gains at most E D⁺, of which J grows by E D⁺ − E D⁻.
    """
    with ctx.workprec(PRECISION):
        exact, found = arb(order), panels(order)
        best = max(found, key=lambda panel: float(panel.first_look.mid()))
        waits = next(index for index, panel in enumerate(found) if not _rises(exact, panel))
        gained = arb(0)
        for panel, following in pairwise(found[waits:]):
            up, down = _gains(exact, panel)
            gained += min(up, arb((following.first_look - panel.first_look + down).upper()))
        late = found[-1].left
        most = found[waits].first_look + gained + exponent(exact, late).exp()
        most *= arb(found[0].start.upper()).exp()
        first = float(best.left.mid())
        return Worst(best.first_look, most, first, float(best.start.mid()) / (2 * (order - 1) * first))
