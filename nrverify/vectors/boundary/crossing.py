"""Vectors of crossing probabilities of a Brownian path: lines, mixture curves, one to three looks (M03, M06, B08)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, tail
from nrverify.vectors.case import SOLVED, SUMMED, Exact, Flag, Function, Invalid, case, real, reals
from nrverify.vectors.crossing_sums import grid as grid_probability
from nrverify.vectors.crossing_sums import line as line_probability
from nrverify.vectors.decimals import Between

LARGEST_GRID = 3
"""Three looks are one certified integral, over the path at the middle one; four would need an integral of integrals."""


def line(a: Fraction, b: Fraction, lo: Fraction, hi: Exact) -> dict[str, Ball | Fraction]:
    """P(W_t ≥ at + b for some t > 0 in [lo, hi])."""
    if not 0 <= lo < hi:
        raise Invalid("the interval must have 0 ≤ lo < hi")
    if (lo == 0 and b <= 0) or (hi == math.inf and a <= 0):
        return {"probability": Fraction(1)}
    end = ball(hi) if isinstance(hi, Fraction) else None
    return {"probability": line_probability(ball(a), ball(b), ball(lo), end)}


def looks(times: Sequence[Fraction], heights: Sequence[Fraction]) -> tuple[list[Ball], list[Ball]]:
    """The distinct looks in increasing order."""
    domain.same_length(times=times, heights=heights)
    domain.positive(**{"every time": min(times)})
    found = dict(zip(times, heights, strict=True))
    if any(found[time] != height for time, height in zip(times, heights, strict=True)):
        raise Invalid("a repeated time must repeat its height")
    if len(found) > LARGEST_GRID:
        raise Invalid(f"vectors have at most {LARGEST_GRID} looks")
    ordered = sorted(found)
    return [ball(time) for time in ordered], [ball(found[time]) for time in ordered]


def grid(times: Sequence[Fraction], heights: Sequence[Fraction]) -> dict[str, Ball]:
    """P(W_t ≥ height(t) for some look)."""
    return {"probability": grid_probability(*looks(times, heights))}


def half_normal(rho: Fraction, delta: Fraction) -> dict[str, Fraction]:
    """Exactly δ: the one-sided mixture martingale is continuous, starts at 1 and tends to 0."""
    domain.positive(rho=rho)
    domain.probability(delta=delta)
    return {"probability": delta}


def mixture(rho: Fraction, delta: Fraction) -> dict[str, Between]:
    """δ/2 < p ≤ δ/(2Φ(√(2 log(1/δ)))), by optional stopping of the one-sided mixture martingale."""
    domain.positive(rho=rho)
    domain.probability(delta=delta)
    half = ball(delta / 2)
    return {"probability": Between(half, half / tail(-((-2 * ball(delta).log()).sqrt())))}


_UNCHECKED = Flag("the input is not checked", "NaN, or a probability that is none")

LINE = Function(
    name="line-crossing",
    statement="P(W_t ≥ at + b for some t > 0 with lo ≤ t ≤ hi), W standard Brownian motion; e^(−2ab) over all t > 0 "
    "(lo = 0, hi = inf) for a, b > 0. From distance d below the line, within a time T: Φ(−(d+aT)/√T) + "
    "e^(−2ad)·Φ(−(d−aT)/√T); averaged over W_lo.",
    domain="0 ≤ lo < hi ≤ inf; a and b finite (with lo = 0 and b ≤ 0, or hi = inf and a ≤ 0, the probability is 1)",
    inputs={"a": real("slope"), "b": real("intercept"), "lo": real("start of the interval"),
            "hi": real("end of the interval, or inf", infinite=True)},
    outputs={"probability": "P(W meets the line on the interval)"},
    flags={
        "missing-2": Flag("e^(−ab) for e^(−2ab)", "crossings seem far more frequent than they are: accuracy is lost"),
        "end-only": Flag(
            "only the end of the interval is looked at", "the crossing probability is about half of what it is, or less"
        ),
        "whole-line": Flag("the interval is ignored: e^(−2ab) always", "a bound valid on an interval looks worse"),
        "start-ignored": Flag(
            "the path is taken to start at 0 at time lo", "what happened before lo is forgotten: too small a chance"
        ),
        "unchecked": _UNCHECKED,
    },
    evaluate=line,
    digits=32,
    roundings=SUMMED,
    cases=(
        case(1, "all t > 0", "missing-2 end-only", a="0.5", b="2", lo="0", hi="inf"),
        case(2, "all t > 0, δ = 10⁻⁶ tuned at ε = 0.3", "missing-2 end-only", a="0.14919442", b="46.30036", lo="0",
             hi="inf"),
        case(3, "all t > 0, a rare event", "missing-2 end-only", a="2", b="100", lo="0", hi="inf"),
        case(4, "up to a finite time", "end-only whole-line", a="0.5", b="2", lo="0", hi="4"),
        case(5, "from a positive time on", "missing-2 end-only whole-line start-ignored", a="0.5", b="2", lo="1",
             hi="inf"),
        case(6, "between two times", "end-only whole-line start-ignored", a="0.5", b="2", lo="1", hi="9"),
        case(7, "between two times, a rare event", "end-only whole-line start-ignored", a="1", b="20", lo="10",
             hi="40"),
        case(8, "a falling line", "end-only whole-line start-ignored", a="-0.25", b="3", lo="0.5", hi="5"),
        case(9, "a line through 0 from a positive time on", "end-only whole-line start-ignored", a="1", b="0",
             lo="1", hi="2"),
        case(10, "a line from below 0: certain at once", "missing-2 end-only whole-line", a="1", b="-1", lo="0",
             hi="1"),
        case(11, "a level line for ever: certain", "end-only", a="0", b="5", lo="0", hi="inf"),
        case(12, "a level line up to a time: the reflection principle", "end-only whole-line", a="0", b="2", lo="0",
             hi="1"),
        case(13, "tiny times", "end-only whole-line start-ignored", a="1e150", b="2e-150", lo="1e-300", hi="2e-300"),
        case(14, "an empty interval", "unchecked", a="1", b="1", lo="2", hi="1"),
        case(15, "a negative start", "unchecked", a="1", b="1", lo="-1", hi="1"),
        case(16, "a slope that is no number", "unchecked", a="nan", b="1", lo="0", hi="1"),
    ),
)  # fmt: skip

GRID = Function(
    name="grid-crossing",
    statement="P(W_t ≥ height(t) for at least one of the looks t), W standard Brownian motion, looks in any order; a "
    "look that is repeated (with the same height) is one look.",
    domain="one to three different times > 0, as many heights; a repeated time repeats its height",
    inputs={"times": reals("the times of the looks, in any order"), "heights": reals("the height at each look")},
    outputs={"probability": "P(W is at or above its height at some look)"},
    flags={
        "union-bound": Flag("the probabilities of the looks are added", "too large: accuracy is given away"),
        "independent": Flag(
            "1 − Π(1 − p_i), as if the looks were independent", "too large: they share the path; accuracy is given away"
        ),
        "largest-look": Flag("only the most likely look counts", "too small: the bound is passed more often than δ"),
        "unsorted": Flag("the looks are taken in the order given", "negative increments: NaN or a wrong probability"),
        "repeated": Flag("a repeated look is counted twice", "division by 0, or too large a probability"),
        "variance-for-sd": Flag("height/t for height/√t", "the probability is that of another time"),
        "unchecked": _UNCHECKED,
    },
    evaluate=grid,
    digits=32,
    roundings=SUMMED,
    cases=(
        case(1, "one look", "variance-for-sd", times=["4"], heights=["3"]),
        case(2, "one look far out", "variance-for-sd", times=["2.5"], heights=["40"]),
        case(3, "two looks", "union-bound independent largest-look variance-for-sd", times=["1", "4"],
             heights=["2", "3"]),
        case(4, "two looks in the order of a mechanism, noisiest first", "unsorted union-bound independent "
             "largest-look variance-for-sd", times=["4", "1"], heights=["3", "2"]),
        case(5, "two looks, close to each other", "union-bound independent largest-look variance-for-sd",
             times=["10", "10.5"], heights=["14", "14.25"]),
        case(6, "three looks", "union-bound independent largest-look variance-for-sd", times=["1", "2", "4"],
             heights=["2", "2.5", "3"]),
        case(7, "three looks in disorder", "unsorted union-bound independent largest-look variance-for-sd",
             times=["2", "4", "1"], heights=["2.5", "3", "2"]),
        case(8, "a repeated look", "repeated union-bound independent variance-for-sd", times=["1", "4", "4"],
             heights=["2", "3", "3"]),
        case(9, "three looks at δ = 10⁻⁶", "union-bound largest-look variance-for-sd",
             times=["100", "200", "400"], heights=["48", "68", "96"]),
        case(10, "a rare event: 10⁻³⁰", "largest-look variance-for-sd", times=["1.5", "3", "7"],
             heights=["14", "20", "30"]),
        case(11, "looks far apart", "union-bound independent largest-look variance-for-sd",
             times=["0.001", "1", "1000"], heights=["0.05", "1.5", "50"]),
        case(12, "negative heights: almost certain", "union-bound largest-look variance-for-sd",
             times=["2", "3", "5"], heights=["-1", "-0.5", "0.25"]),
        case(13, "tiny times", "union-bound independent largest-look variance-for-sd", times=["1e-300", "4e-300"],
             heights=["2e-150", "3e-150"]),
        case(14, "time 0", "unchecked", times=["0", "1"], heights=["1", "2"]),
        case(15, "no looks", "unchecked", times=[], heights=[]),
        case(16, "a height that is no number", "unchecked", times=["1"], heights=["nan"]),
    ),
)  # fmt: skip

_CURVE_INPUTS = {"rho": real("ρ > 0"), "delta": real("failure probability δ")}

HALF_NORMAL = Function(
    name="half-normal-crossing",
    statement="P(W_t ≥ U(t)·√(t+ρ) for some t > 0), where U > 0 solves U²/2 + log(2Φ(U)) = log(1/δ) + ½·log(1 + t/ρ): "
    "exactly δ, for every ρ.",
    domain="rho > 0, 0 < delta < 1",
    inputs=_CURVE_INPUTS,
    outputs={"probability": "P(W ever meets the curve)"},
    flags={
        "two-sided": Flag("δ/2, as for one side of a two-sided curve", "half of δ is thought unused: 2δ is spent"),
        "depends-on-rho": Flag("the result depends on ρ, which only sets the unit of time", "a wrong calibration"),
        "unchecked": _UNCHECKED,
    },
    evaluate=half_normal,
    cases=(
        case(1, "δ = 10⁻⁶", "two-sided", rho="1", delta="1e-6"),
        case(2, "another ρ", "two-sided depends-on-rho", rho="250", delta="1e-6"),
        case(3, "a large δ", "two-sided depends-on-rho", rho="0.01", delta="0.25"),
        case(4, "δ = 10⁻³⁰⁰", "two-sided", rho="1", delta="1e-300"),
        case(5, "δ = 1", "unchecked", rho="1", delta="1"),
        case(6, "rho = 0", "unchecked", rho="0", delta="1e-6"),
    ),
)  # fmt: skip

MIXTURE = Function(
    name="mixture-crossing",
    statement="P(W_t ≥ √(2(t+ρ)·log(√((t+ρ)/ρ)/δ)) for some t > 0): the same for every ρ, and certainly between δ/2 "
    "and δ/(2Φ(√(2·log(1/δ)))). No closed form is known; the radius is half the width of this enclosure.",
    domain="rho > 0, 0 < delta < 1",
    inputs=_CURVE_INPUTS,
    outputs={"probability": "P(W ever meets the curve)"},
    flags={
        "printed-equality": Flag(
            "δ, as printed in the paper's lemma, which is the probability for |W|",
            "twice the true probability: the boundary is thought tight and accuracy is given away",
        ),
        "depends-on-rho": Flag("the result depends on ρ, which only sets the unit of time", "a wrong calibration"),
        "unchecked": _UNCHECKED,
    },
    evaluate=mixture,
    roundings=SOLVED,
    cases=(
        case(1, "δ = 10⁻⁶: seven digits", "printed-equality", rho="1", delta="1e-6"),
        case(2, "another ρ", "printed-equality depends-on-rho", rho="250", delta="1e-6"),
        case(3, "δ = 10⁻¹²: thirteen digits", "printed-equality depends-on-rho", rho="0.01", delta="1e-12"),
        case(4, "δ = 0.01: two digits", "printed-equality", rho="1", delta="0.01"),
        case(5, "δ = 10⁻³⁰: thirty-two digits", "printed-equality", rho="1", delta="1e-30"),
        case(6, "δ = 1", "unchecked", rho="1", delta="1"),
        case(7, "rho = 0", "unchecked", rho="0", delta="1e-6"),
    ),
)  # fmt: skip
