"""The halting law in `nrverify.laws.threshold` and what it rests on, every formula and branch, against enclosures.

Serves Algorithm rat and Theorem rat. Expected values come from exponential polynomials, series, rational numbers and
rigorous quadrature, never from the code under test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from flint import acb, arb, ctx

from nrverify.laws import threshold
from nrverify.laws.threshold import law as threshold_law
from nrverify.ledger import certificate, supports
from nrverify.ledger.enclosure import Ball, Enclosure
from nrverify.symbolic.tools.exponential_polynomials import ball, halting_balls
from nrverify.symbolic.tools.geometric_margins import survival

PRECISION = 500
"""Bits: the sums cancel up to 150 of them."""
ACCURACY = 1e-10
"""Stated relative error of a probability: absolute, of its logarithm."""
ROUNDING = 2.0**-52
"""Of the returned logarithm itself, where it is −250 000."""

Case = tuple[tuple[float, ...], tuple[float, ...]]
"""Utilities and epsilons, exact binary numbers."""

ORDINARY: tuple[Case, ...] = (
    ((-0.4, 2.2, 0.9), (1.0, 1.0, 1.0)),
    ((0.3,), (0.7,)),
    ((1.5, -2.0), (0.5, 2.0)),
    ((2.0, 2.0, -3.0), (0.5, 0.5, 2.0)),
    ((-3.0, 0.5, 0.5, 4.0), (0.1, 0.2, 0.4, 0.8)),
    ((1.0, -1.0, 2.0, -2.0, 0.0), (0.3, 0.3, 0.31, 1.7, 1.7)),
    ((6.0, 4.0, 9.0, 7.0), (1.0, 1.125, 1.25, 1.5)),
)
"""The third has ¼(ε_1 + ε_2) = ½ε_1: a rate of the law meets the kernel's, and powers of y appear."""

FAR: tuple[Case, ...] = (
    ((50.0, -50.0, 50.0), (0.001, 0.01, 10.0)),
    ((4.0, -20.0, 1.0, 0.25), (0.001, 0.1, 1.0, 10.0)),
    ((-1e6, 1e6), (0.1, 0.3)),
    ((1e6, 1e6, -1e6), (1.0, 1.0, 1.0)),
    ((1e6, -1e6, 1e6), (0.1, 0.11, 0.3)),
    ((1e6, 999990.0, 1000003.0, -50.0), (0.1, 0.11, 0.3, 1.0)),
    ((1e6, 1e6, 1e6), (0.001, 0.01, 10.0)),
    ((200.0, 150.0, -200.0), (1.0, 1.5, 4.0)),
    ((300.0, -2000.0, 1500.0, -40.0, 800.0), (0.001, 0.01, 0.5, 2.0, 10.0)),
)
"""Margins of tens to millions of noise scales, where probabilities underflow and only logarithms are left."""

Law = Callable[..., Any]


@cache
def exact_logs(utilities: tuple[float, ...], epsilons: tuple[float, ...]) -> list[Ball]:
    """log P(N = 1), …, log P(N > n) at τ = 0, Δ = 1, enclosed."""
    levels = [Fraction(level) for level in epsilons]
    return exact_logs_of(utilities, [2 / level for level in levels], [4 / level for level in levels])


def exact_logs_of(
    margins: Sequence[float], threshold_scales: Sequence[Fraction], query_scales: Sequence[Fraction]
) -> list[Ball]:
    """The same for any scales of the two noises."""
    with ctx.workprec(PRECISION):
        law = halting_balls([Fraction(margin) for margin in margins], threshold_scales, query_scales)
        return [probability.log() for probability in law]


def _law_agrees(enclosure: Enclosure, name: str, computed: Sequence[float], exact: Sequence[Ball]) -> None:
    for n, (log_probability, enclosed) in enumerate(zip(computed, exact, strict=True), start=1):
        event = f"N = {n}" if n < len(exact) else f"N > {n - 1}"
        enclosure.agrees(f"log P({event}), {name}", float(log_probability), enclosed, ROUNDING, ACCURACY)


def _with_scales(threshold_scale: float, query_scale: float, *, utilities: Any, epsilons: Any) -> Any:
    """A wrong law: other multiples of 1/ε_n for the two noises."""
    levels = np.asarray(epsilons)
    return threshold_law.log_halting_law(utilities, threshold_scale / levels, query_scale / levels)


def _redrawn(*, utilities: Any, epsilons: Any) -> Any:
    """A wrong law: fresh threshold noise in every round."""
    levels = np.asarray(epsilons)
    return threshold_law.log_halting_law_redrawn(utilities, 2 / levels, 4 / levels)


def _frozen(*, utilities: Any, epsilons: Any) -> Any:
    """A wrong law: threshold noise never reduced."""
    levels = np.asarray(epsilons)
    return threshold_law.log_halting_law(utilities, 2 / np.full_like(levels, levels[0]), 4 / levels)


@certificate(
    {"R02": supports, "R05": supports},
    rejects={
        "query noise Lap(2Δ/ε)": {"law": partial(_with_scales, 2.0, 2.0)},
        "threshold noise Lap(4Δ/ε)": {"law": partial(_with_scales, 4.0, 4.0)},
        "threshold noise redrawn in every round": {"law": _redrawn},
        "threshold noise never reduced": {"law": _frozen},
        "utilities with the sign turned": {
            "law": lambda utilities, epsilons: threshold.halting_law(
                utilities=np.negative(utilities), epsilons=epsilons
            )
        },
    },
)
def near_the_threshold(enclosure: Enclosure, law: Law = threshold.halting_law) -> None:
    """The halting law for utilities around the threshold, equal and unequal levels, one to five rounds."""
    for utilities, epsilons in ORDINARY:
        name = f"u = {utilities}, ε = {epsilons}"
        computed = law(utilities=utilities, epsilons=epsilons)
        _law_agrees(enclosure, name, computed, exact_logs(utilities, epsilons))


def _clipped(*, utilities: Any, epsilons: Any) -> Any:
    """A wrong law: utilities cut off at 45 noise scales."""
    reach = 45 * 4 / np.asarray(epsilons)
    return threshold.halting_law(utilities=np.clip(utilities, -reach, reach), epsilons=epsilons)


@certificate(
    {"R05": supports},
    rejects={
        "utilities cut off at 45 noise scales": {"law": _clipped},
        "threshold noise never reduced": {"law": _frozen},
        "logarithms from probabilities in double precision": {
            "law": lambda utilities, epsilons: np.log(
                np.exp(threshold.halting_law(utilities=utilities, epsilons=epsilons)) + 1e-300
            )
        },
    },
)
def far_from_the_threshold(enclosure: Enclosure, law: Law = threshold.halting_law) -> None:
    """The halting law at ±50 and ±10⁶ sensitivities and at levels that grow 10⁴-fold, in logarithms."""
    for utilities, epsilons in FAR:
        name = f"u = {utilities}, ε = {epsilons}"
        computed = law(utilities=utilities, epsilons=epsilons)
        _law_agrees(enclosure, name, computed, exact_logs(utilities, epsilons))


def at_threshold(n: int) -> Fraction:
    """P(N = n) at u = τ and constant ε: ∫_0^1 v[(1−v/2)^{n−1}v/2 + (v/2)^{n−1}(1−v/2)]dv, a rational number."""
    half = Fraction(1, 2)
    above = sum((comb(n - 1, k) * (-half) ** k * half / (k + 3) for k in range(n)), Fraction(0))
    return above + half ** (n - 1) * (Fraction(1, n + 1) - half / (n + 2))


@certificate(
    {"R02": supports, "R03": supports},
    rejects={
        "a fair coin in every round": {"exact": lambda n: Fraction(1, 2**n)},
        "the threshold not subtracted": {"moved": 1.0},
        "one half for 5/24": {"exact": lambda n: Fraction(1, 2)},
    },
)
def at_the_threshold(enclosure: Enclosure, exact: Callable[[int], Fraction] = at_threshold, moved: float = 0.0) -> None:
    """Constant ε and u = τ: P(halt in round n) = 1/2, 5/24, 5/48, …, whatever ε, Δ and τ are."""
    with ctx.workprec(PRECISION):
        for n, expected in ((1, Fraction(1, 2)), (2, Fraction(5, 24)), (3, Fraction(5, 48))):
            enclosure.agrees(f"the rational for round {n}", float(expected), ball(exact(n)), 1e-15)
        for n in (1, 2, 3, 5, 9):
            bits = [0] * (n - 1) + [1]
            settings: dict[str, Any] = {"epsilons": [0.3] * n, "threshold": 7.0 - moved, "sensitivity": 2.0}
            p = threshold.probability(bits, utilities=[7.0] * n, **settings)
            enclosure.agrees(f"P(N = {n}), ε = 0.3, Δ = 2, u = τ = 7", p, ball(exact(n)), ACCURACY)
            log_p = threshold.log_probability(bits, utilities=[7.0] * n, **settings)
            enclosure.agrees(f"log P(N = {n})", log_p, ball(exact(n)).log(), 0.0, ACCURACY)
        survives = 1 - sum((exact(n) for n in range(1, 10)), Fraction(0))
        p = threshold.probability([0] * 9, utilities=[0.0] * 9, epsilons=[1.0] * 9)
        enclosure.agrees("P(N > 9) is what is left", p, ball(survives), ACCURACY)


@certificate(
    {"R05": supports, "R15": supports},
    rejects={
        "margins falling twice as fast": {"slope": 2.0},
        "one round more": {"extra": 1},
    },
)
def many_rounds(enclosure: Enclosure, slope: float = 1.0, extra: int = 0) -> None:
    """24 rounds with u_n = −n, and 12 with the margins of the utility proposition, against Euler's series."""
    rounds = 24
    with ctx.workprec(PRECISION):
        falling = -slope * np.arange(1.0, rounds + 1)
        exact = [survival(arb(1), (arb(-1) / 4).exp(), n + extra) for n in (rounds - 1, rounds)]
        settings: dict[str, Any] = {"utilities": falling, "epsilons": [1.0] * rounds}
        log_p = threshold.log_probability([0] * rounds, **settings)
        enclosure.agrees(f"log P(N > {rounds}), u_n = −n", log_p, exact[1].log(), 0.0, ACCURACY)
        log_p = threshold.log_probability([0] * (rounds - 1) + [1], **settings)
        enclosure.agrees(f"log P(N = {rounds}), u_n = −n", log_p, (exact[0] - exact[1]).log(), 0.0, ACCURACY)
        margins = [-4.0 * np.log(40.0 * 2.0**n) for n in range(1, 13)]
        log_p = threshold.log_probability([0] * 12, utilities=margins, epsilons=[1.0] * 12)
        safe = survival(arb(25) / 1000, arb(1) / 2, 12 + extra)
        enclosure.agrees("log P(no failure in 12 rounds)", log_p, safe.log(), 0.0, 1e-14)


@certificate(
    {"R05": supports},
    rejects={
        "atom of weight r": {"stay": lambda r: r},
        "no atom": {"stay": lambda r: arb(0)},
    },
)
def two_rounds_by_quadrature(enclosure: Enclosure, stay: Callable[[Ball], Ball] = lambda r: r * r) -> None:
    """P(01) for unequal levels from its definition, by rigorous quadrature: ζ_1 is ζ_2, or ζ_2 + Lap(2/ε_1) apart."""
    with ctx.workprec(128):
        for (first, second), (early, late) in (((1.5, -2.0), (0.5, 2.0)), ((-3.25, 0.75), (1.0, 1.25))):
            expected = _two_rounds(arb(first), arb(second), arb(early), arb(late), stay(arb(early) / arb(late)))
            p = threshold.probability([0, 1], utilities=[first, second], epsilons=[early, late])
            enclosure.agrees(f"P(01), u = {first}, {second}, ε = {early}, {late}", p, expected, ACCURACY)


def _two_rounds(first: Ball, second: Ball, early: Ball, late: Ball, stay: Ball) -> Ball:
    b, c, narrow, wide = 2 / early, 4 / early, 2 / late, 4 / late
    reach = 40 * narrow
    breaks = sorted([-reach, first, second, arb(0), reach], key=float)
    total = arb(0, (-reach / narrow).exp())
    for lower, upper in pairwise(breaks):
        middle = (lower + upper) / 2

        def integrand(y: Any, _: Any, middle: Ball = middle) -> Any:
            side = 1 if middle > 0 else -1
            density = (-side * y / narrow).exp() / (2 * narrow)
            x = y - first
            below = middle > first
            sign = -1 if below else 1
            one = (sign * x / c).exp() / 2
            both = (c * c * (sign * x / c).exp() - b * b * (sign * x / b).exp()) / (2 * (c * c - b * b))
            arrived = stay * (1 - one if below else one) + (1 - stay) * (1 - both if below else both)
            z = y - second
            halts = (-z / wide).exp() / 2 if middle > second else 1 - (z / wide).exp() / 2
            return density * arrived * halts

        total += acb.integral(integrand, acb(lower), acb(upper), rel_tol=arb(1e-20), abs_tol=arb(1e-24)).real
    return total
