"""The privacy loss, its bound and the margins in `nrverify.laws.threshold`, and the tails beneath, against enclosures.

Serves Theorem rat (loss of the bits) and Proposition rat_utility (the law of ξ − ζ and its sharp margin).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws import threshold
from nrverify.laws.threshold import law as threshold_law
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.code.threshold import ACCURACY, ROUNDING, exact_logs, exact_logs_of

TIGHT = 1e-14
"""Of formulas without quadrature."""

Numbers = tuple[float, ...]

PAIRS: tuple[tuple[Numbers, Numbers, Numbers], ...] = (
    ((0.5, -1.0, 2.0), (-0.5, 0.0, 1.0), (0.5, 0.75, 2.0)),
    ((8.0, 12.0, -9.0), (9.0, 13.0, -10.0), (1.0, 1.0, 1.0)),
    ((1e6, 50.0), (1e6 + 1, 49.5), (0.1, 0.3)),
)
"""Utilities, those of a neighbour, levels."""


@certificate(
    {"R05": supports},
    rejects={
        "databases exchanged": {"sign": -1.0},
        "the first round left out": {"from_round": 1},
    },
)
def loss_of_the_bits(enclosure: Enclosure, sign: float = 1.0, from_round: int = 0) -> None:
    """privacy_loss is the difference of exact logarithms, for halts in every round and for zeros, of either sign."""
    with ctx.workprec(PRECISION):
        for own, other, levels in PAIRS:
            exact = [a - b for a, b in zip(exact_logs(own, levels), exact_logs(other, levels), strict=True)]
            for n in range(1, len(levels) + 2):
                bits = [0] * (n - 1) + [1] if n <= len(levels) else [0] * len(levels)
                changed = [*other[:from_round], *own[from_round:]]
                # Δ = 2 and τ = −3 do not matter: utilities in those units.
                loss = threshold.privacy_loss(
                    bits,
                    utilities=[2 * u - 3 for u in changed],
                    neighbour=[2 * u - 3 for u in other],
                    epsilons=levels,
                    threshold=-3.0,
                    sensitivity=2.0,
                )
                enclosure.agrees(f"loss of {bits}, u = {own}, u' = {other}", sign * loss, exact[n - 1], 0.0, ACCURACY)
        utilities: Numbers = (1.0, -2.0, 5.0)
        levels = (0.5, 1.0, 3.0)
        log_p = threshold.log_probability([0, 1], utilities=utilities, epsilons=levels)
        expected = exact_logs(utilities[:2], levels[:2])[1]
        enclosure.agrees("rounds after the last bit do not count", log_p, expected, ROUNDING, ACCURACY)
        log_p = threshold.log_probability([0, 0], utilities=utilities, epsilons=levels)
        enclosure.agrees("nor after zeros", log_p, exact_logs(utilities[:2], levels[:2])[2], ROUNDING, ACCURACY)
        other = (0.5, -2.5, 4.0)
        loss = threshold.privacy_loss([0, 0, 1], utilities=utilities, neighbour=other, epsilons=levels)
        plain = exact_logs(utilities, levels)[2] - exact_logs(other, levels)[2]
        enclosure.agrees("τ = 0 and Δ = 1 unless given", sign * loss, plain, 0.0, ACCURACY)


@certificate(
    {"R05": supports, "R10": supports},
    rejects={
        "the paper's ε_n": {"bound": lambda levels: levels[-1]},
        "½ for ¼": {"bound": lambda levels: min(levels[-1], sum(levels) / 2)},
        "the first level for the last": {"bound": lambda levels: min(levels[0], sum(levels) / 4)},
    },
)
def bound_on_the_loss(enclosure: Enclosure, bound: Callable[..., float] = threshold.worst_loss) -> None:
    """worst_loss = min(ε_n, ¼Σε_i), in both branches; exact losses far out come within 10⁻⁴ of it and never pass."""
    cases: tuple[tuple[Numbers, float], ...] = (
        ((1.0,) * 6, 1.0),
        ((0.5, 1.0, 2.0), 0.875),
        ((1.0, 1.0), 0.5),
        ((0.25,) * 3 + (2.0,), 0.6875),
    )
    for levels, expected in cases:
        enclosure.agrees(f"worst loss for ε = {levels}", bound(levels), arb(expected), TIGHT)
    for levels in ((1.0,), (1.0, 1.0, 1.0), (0.5, 1.0, 2.0)):
        far = 64.0
        other = (far,) * (len(levels) - 1) + (-far,)
        own = (far - 1,) * (len(levels) - 1) + (1 - far,)
        n = len(levels) - 1
        loss = exact_logs(own, levels)[n] - exact_logs(other, levels)[n]
        enclosure.less(f"a halt in round {n + 1} at ±64, ε = {levels}: its exact loss", loss, arb(bound(levels)))
        enclosure.less("which nearly reaches the bound", arb(bound(levels)) - arb(1e-4), loss)


def tail_ball(eta: Ball, level: Ball) -> Ball:
    """P(ξ − ζ > η) at Δ = 1 by partial fractions: (c²e^{−x/c} − b²e^{−x/b})/2(c² − b²), b = 2/ε, c = 4/ε."""
    return sum_tail(eta, 2 / level, 4 / level)


def sum_tail(x: Ball, b: Ball, c: Ball) -> Ball:
    """P(Lap(b) + Lap(c) > x), by partial fractions of the characteristic function; b = 0 and b = c as limits."""
    distance = abs(x)
    if b == c:
        upper = (2 + distance / c) / 4 * (-distance / c).exp()
    else:
        narrow = b * b * (-distance / b).exp() if b > 0 else arb(0)
        wide = c * c * (-distance / c).exp() if c > 0 else arb(0)
        upper = (wide - narrow) / (2 * (c * c - b * b))
    return upper if x >= 0 else 1 - upper


TAIL_POINTS = (
    (5.0, 1.0, 1.0),
    (0.0, 0.5, 2.0),
    (0.5, 1.0, 1.0),
    (-0.5, 1.0, 1.0),
    (-3.0, 0.75, 1.5),
    (600.0, 2.0, 0.5),
    (-40.0, 2.0, 4.0),
)
"""η, ε, Δ."""
MARGIN_POINTS = (
    (0.0125, 1.0, 1.0),
    (1e-12, 0.5, 2.0),
    (0.4375, 3.0, 1.0),
    (0.5, 1.0, 1.0),
    (0.503, 1.0, 4.0),
    (0.75, 2.0, 0.5),
)
"""Probability, ε, Δ."""


@certificate(
    {"R12": supports},
    rejects={
        "q/2 for the tail": {"tail": lambda eta, level, unit: np.exp(-eta * level / (4 * unit)) / 2},
        "one-sided for all η": {"tail": lambda eta, level, unit: threshold.margin_tail(abs(eta), level, unit)},
        "the printed margin for the sharp one": {"margin": lambda p, level, unit: 4 * unit / level * np.log(2 / p)},
        "the same sharp margin beyond one half": {
            "margin": lambda p, level, unit: threshold.utility_margin(min(p, 1 - p), level, unit)
        },
    },
)
def margins(
    enclosure: Enclosure,
    tail: Callable[..., float] = threshold.margin_tail,
    margin: Callable[..., float] = threshold.utility_margin,
) -> None:
    """margin_tail is P(ξ − ζ > η), utility_margin its inverse, for η of either sign and any ε and Δ."""
    with ctx.workprec(PRECISION):
        for eta, level, unit in TAIL_POINTS:
            exact = tail_ball(arb(eta), arb(level) / arb(unit))
            enclosure.agrees(f"P(ξ − ζ > {eta:g}), ε = {level}, Δ = {unit}", tail(eta, level, unit), exact, 1e-13)
        for p, level, unit in MARGIN_POINTS:
            reached = tail_ball(arb(margin(p, level, unit)), arb(level) / arb(unit))
            enclosure.agrees(f"P(ξ − ζ > η({p:g})), ε = {level}, Δ = {unit}", p, reached, 1e-13)
        enclosure.agrees(
            "Δ = 1 unless given: P(ξ − ζ > 3)", threshold.margin_tail(3.0, 2.0), tail_ball(arb(3), arb(2)), 1e-13
        )
        reached = tail_ball(arb(threshold.utility_margin(0.125, 2.0)), arb(2))
        enclosure.agrees("Δ = 1 unless given: P(ξ − ζ > η(0.125))", 0.125, reached, 1e-13)


@certificate(
    {"R12": supports, "R02": supports},
    rejects={
        "both tails for one": {"log_tail": lambda x, b, c: threshold_law.log_tail(x, b, c) + np.log(2.0)},
        "the wider noise alone": {"log_tail": lambda x, b, c: threshold_law.log_tail(x, 0 * b, np.maximum(b, c))},
        "the sign of x forgotten": {"log_tail": lambda x, b, c: threshold_law.log_tail(abs(x), b, c)},
    },
)
def tails(enclosure: Enclosure, log_tail: Callable[..., Any] = threshold_law.log_tail) -> None:
    """log_tail for scales in either order, equal or 0, and x of either sign; and the law of redrawn noise."""
    with ctx.workprec(PRECISION):
        for b, c in ((2.0, 4.0), (4.0, 2.0), (3.0, 3.0), (0.0, 1.5), (1.5, 0.0), (1.0, 1.0000001), (0.001, 10.0)):
            for x in (0.0, 0.5, 7.0, 300.0, -0.5, -7.0):
                exact = sum_tail(arb(x), arb(b), arb(c)).log()
                found = log_tail(*(np.longdouble(number) for number in (x, b, c)))
                enclosure.agrees(f"log P(Lap({b}) + Lap({c}) > {x})", float(found), exact, 1e-12, TIGHT)
        rounds = ((1.0, 2.0, 4.0), (-2.0, 1.0, 2.0), (3.0, 0.0, 1.0))
        law = threshold_law.log_halting_law_redrawn(*zip(*rounds, strict=True))
        survived = arb(0)
        for n, (a, narrow, wide) in enumerate(rounds):
            halted = sum_tail(arb(-a), arb(narrow), arb(wide)).log()
            enclosure.agrees(f"redrawn noise: log P(N = {n + 1})", float(law[n]), survived + halted, 0.0, TIGHT)
            survived += sum_tail(arb(a), arb(narrow), arb(wide)).log()
        enclosure.agrees("redrawn noise: log P(N > 3)", float(law[3]), survived, 0.0, TIGHT)


@certificate(
    {"R05": supports},
    rejects={
        "scales exchanged": {"exchanged": True},
        "the noise of the first round in all": {"frozen": True},
    },
)
def other_scales(enclosure: Enclosure, exchanged: bool = False, frozen: bool = False) -> None:
    """The law, one halt and the survival alone, for noise scales that no level ε gives."""
    for b, c in (
        ((8.0, 4.0, 1.0), (4.0, 2.0, 1.0)),
        ((2.0, 1.0, 0.5), (8.0, 0.25, 2.0)),
        ((4.0, 4.0, 4.0), (1.0, 9.0, 0.25)),
    ):
        margins = (-4.0, 1.5, 0.25)
        exact = exact_logs_of(margins, [Fraction(x) for x in b], [Fraction(x) for x in c])
        used = (c, b) if exchanged else ((b[0],) * 3, c) if frozen else (b, c)
        law = threshold_law.log_halting_law(margins, *used)
        alone = threshold_law.log_halt(margins, *used), threshold_law.log_survival(margins, *used)
        for n, enclosed in enumerate(exact):
            enclosure.agrees(f"entry {n + 1} of the law, b = {b}, c = {c}", float(law[n]), enclosed, ROUNDING, ACCURACY)
        enclosure.agrees("the last halt alone", float(alone[0]), exact[2], ROUNDING, ACCURACY)
        enclosure.agrees("the survival alone", float(alone[1]), exact[3], ROUNDING, ACCURACY)
