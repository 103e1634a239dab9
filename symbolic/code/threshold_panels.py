"""The quadrature under the threshold law: integrals over one panel, in every regime, against exact primitives.

Serves Algorithm rat. The halting law hardly feels a panel on which the function outgrows the kernel, since what lies
beyond such a panel is larger still; so its integrals are checked here on their own.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from nrverify.laws.threshold.convolution import forward_step, local_integrals
from nrverify.laws.threshold.panels import DEGREE, FALLING, RISING, Panels
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.symbolic.tools.exponential_polynomials import Terms, ball, primitive, times, value

PRECISION = 1200
"""Bits: the primitives on a steep panel cancel by its whole rise."""
ACCURACY = 1e-12
"""A hundredth of what is stated of a probability, which is a sum over panels."""
HUMP, QUARTER, ONE = Fraction(3, 4), Fraction(1, 4), Fraction(1)
"""h(y) has a hump that exponentials do not have: 1 + 4·¾·x(1 − x)."""

PANELS = (
    (Fraction(2), Fraction(3), Fraction(3, 4)),
    (Fraction(8), Fraction(40), Fraction(1, 2)),
    (Fraction(8), Fraction(0), Fraction(4)),
    (Fraction(100), Fraction(20), Fraction(1)),
    (Fraction(100), Fraction(300), Fraction(2)),
    (Fraction(64), Fraction(200), Fraction(16)),
)
"""Width, rise of the exponent, scale t of the kernel: both integrals gentle, one steep, both steep, h outgrowing."""


def panel(width: Fraction, rise: Fraction) -> tuple[Panels, Terms]:
    """h(y) = e^{ρy}(1 + 4a·x(1−x)) on [0, w], x = y/w, ρ = rise/w: as the code holds it, and exactly."""
    x = np.asarray(RISING, dtype=np.longdouble)
    shape = (1 + 4 * float(HUMP) * x * (1 - x)).astype(np.float64)
    edges = np.array([0, width.numerator], dtype=np.longdouble) / width.denominator
    held = Panels(edges, np.array([0, float(rise)], dtype=np.longdouble), shape[None, :])
    rate = rise / width
    bend = ball(4 * HUMP / width)
    return held, {(rate, 0): arb(1), (rate, 1): bend, (rate, 2): -bend / ball(width)}


def _between(terms: Terms, lower: Fraction, upper: Fraction) -> Ball:
    inner = primitive(terms)
    return value(inner, upper) - value(inner, lower)


@certificate(
    {"R05": supports},
    rejects={
        "kernel e^{−|x|/t}/t": {"factor": 2.0},
        "left and right exchanged": {"mirrored": True},
    },
)
def integrals_on_a_panel(
    enclosure: Enclosure,
    factor: float = 1.0,
    mirrored: bool = False,
) -> None:
    """∫ h, and h against the Laplace kernel left and right of each node, on gentle, steep and outgrowing panels."""
    with ctx.workprec(PRECISION):
        for width, rise, t in PANELS:
            held, terms = panel(width, rise)
            name = f"w = {width}, rise = {rise}, t = {t}"
            for sign, direction in ((1, "rising"), (-1, "falling")):
                turned = held if sign > 0 else Panels(held.edges, held.log_values[::-1], held.shapes)
                exact = _between(terms, Fraction(0), width).log()
                enclosure.agrees(
                    f"log ∫h, {direction}, {name}", float(turned.log_integral()), exact, ACCURACY, ACCURACY
                )
            found = local_integrals(held, np.longdouble(float(t)), np.array([True]))
            with np.errstate(divide="ignore"):
                log_left = np.log(found.left[0])
            sides = (found.log_right[0], log_left) if mirrored else (log_left, found.log_right[0])
            for node in (1, DEGREE // 4, DEGREE // 2, DEGREE - 1):
                y = Fraction(float(RISING[node])) * width
                here = ball(rise / width * y)
                left = _between(times(terms, {(1 / t, 0): arb(1)}), Fraction(0), y).log() - ball(y / t) - here
                right = _between(times(terms, {(-1 / t, 0): arb(1)}), y, width).log() + ball(y / t) - here
                scale = ball(2 * t).log() - arb(factor).log()
                enclosure.agrees(
                    f"log left of node {node}, {name}", float(sides[0][node]), left - scale, ACCURACY, ACCURACY
                )
                enclosure.agrees(f"log right of node {node}", float(sides[1][node]), right - scale, ACCURACY, ACCURACY)


@certificate(
    {"R05": supports},
    rejects={
        "all of it moves": {"stays": Fraction(0)},
        "h taken as 0 right of the panels": {"beyond": Fraction(0)},
        "h taken as flat left of the panels": {"continued": False},
    },
)
def step_over_a_panel(
    enclosure: Enclosure,
    stays: Fraction = QUARTER,
    beyond: Fraction = ONE,
    continued: bool = True,
) -> None:
    """r²h + (1−r²)h∗Lap(t) with h going on exponentially to the left and flat to the right of its panel."""
    with ctx.workprec(PRECISION):
        for width, rise, t in PANELS[:3]:
            held, terms = panel(width, rise)
            scale = np.longdouble(float(t))
            moved = forward_step(held, local_integrals(held, scale, np.array([True])), scale, 0.25)
            logs = moved.log_values[0] * FALLING + moved.log_values[1] * RISING + np.log(moved.shapes[0])
            rate = rise / width if continued else Fraction(0)
            for node in (0, 1, DEGREE // 2, DEGREE - 1, DEGREE):
                y = Fraction(float(RISING[node])) * width
                rises, falls = ({(sign / t, 0): arb(1)} for sign in (1, -1))
                left = _between(times(terms, rises), Fraction(0), y) + 1 / ball(rate + 1 / t)
                right = _between(times(terms, falls), y, width) + ball(beyond * t) * ball(rise - width / t).exp()
                spread = (left * ball(-y / t).exp() + right * ball(y / t).exp()) / ball(2 * t)
                exact = ball(stays) * value(terms, y) + ball(1 - stays) * spread
                name = f"log of the step at node {node}, w = {width}, rise = {rise}, t = {t}"
                enclosure.agrees(name, float(logs[node]), exact.log(), ACCURACY, ACCURACY)
