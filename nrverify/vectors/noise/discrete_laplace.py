"""Vectors of discrete Laplace noise: its law, the next release given the last, loss and divergence (X08, X17)."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import Flag, Function, Invalid, case, integer, integers, real

Vector = tuple[Fraction, ...]


def _ratio(time: Fraction) -> Ball:
    """p = e^(−1/t)."""
    return (-ball(1 / time)).exp()


def mass(j: int, p: Ball) -> Ball:
    """P(X = j)."""
    return (1 - p) / (1 + p) * p ** abs(j)


def marginal(time: Fraction, x: Fraction) -> dict[str, Ball | Fraction]:
    """P(X_t = x), P(X_t ≤ x), P(X_t > x), without a difference in the tails."""
    domain.positive(time=time)
    p, below = _ratio(time), math.floor(x)
    lower, upper = p ** abs(below) / (1 + p), p ** abs(below + 1) / (1 + p)
    return {
        "pmf": mass(below, p) if below == x else Fraction(0),
        "cdf": lower if below < 0 else 1 - upper,
        "sf": upper if below >= 0 else 1 - lower,
    }


def bridge(s: Fraction, t: Fraction, given: Fraction, x: Fraction) -> dict[str, Ball | Fraction]:
    """P(X_s = x | X_t = given), P(X_s ≤ x | …), P(X_s > x | …): by Bayes' rule, its ends as geometric series."""
    domain.times(s, t)
    k, below = int(given), math.floor(x)
    if s == t:
        return {
            "pmf": Fraction(int(x == k)),
            "cdf": Fraction(int(k <= below)),
            "sf": Fraction(int(k > below)),
        }
    p, q = _ratio(s), _ratio(t)
    kept = p / (1 - p) ** 2 / (q / (1 - q) ** 2)

    def at(j: int) -> Ball:
        return mass(j, p) * ((1 - kept) * mass(k - j, q) + (kept if j == k else 0)) / mass(k, q)

    def beyond(first: int, step: int) -> Ball:
        """The sum over first, first + step, …; outside 0 and k each term is p·q times the one before."""
        edge = max(0, k) if step > 0 else min(0, k)
        reach = max(step * first, step * edge + 1)
        inner = sum((at(step * j) for j in range(step * first, reach)), arb(0))
        return inner + at(step * reach) / (1 - p * q)

    return {"pmf": at(below) if below == x else Fraction(0), "cdf": beyond(below, -1), "sf": beyond(below + 1, 1)}


def loss(time: Fraction, value: Vector, neighbour: Vector, release: Vector) -> dict[str, Fraction]:
    """(‖release − neighbour‖₁ − ‖release − value‖₁) / t."""
    domain.positive(time=time)
    domain.same_length(value=value, neighbour=neighbour, release=release)
    distances = (abs(r - n) - abs(r - v) for v, n, r in zip(value, neighbour, release, strict=True))
    return {"loss": sum(distances, Fraction(0)) / time}


def divergence(epsilon: Fraction, time: Fraction, shift: Fraction) -> dict[str, Ball | Fraction]:
    """E(1 − e^(ε−L))₊ and P(L > ε), summed over the releases."""
    domain.positive(time=time)
    if shift < 1:
        raise Invalid("shift must be at least 1")
    k, p = int(shift), _ratio(time)
    # Noise j ≤ 0 has the loss k/t, noise j ≥ k the loss −k/t.
    weights = {0: 1 / (1 + p), k: p**k / (1 + p)} | {j: mass(j, p) for j in range(1, k)}
    above = [j for j in weights if (k - 2 * j) / time > epsilon]
    if not above:
        return {"hockey_stick": Fraction(0), "loss_tail": Fraction(0)}
    tail = sum((weights[j] for j in above), arb(0))
    least = sum((weights[j] * -(ball(epsilon - (k - 2 * j) / time)).expm1() for j in above), arb(0))
    return {"hockey_stick": least, "loss_tail": Fraction(1) if len(above) == k + 1 else tail}


_UNCHECKED = Flag("the input is not checked", "NaN, or a law that is none")
_LEFT = Flag(
    "P(X < x) for P(X ≤ x) at an integer", "a transform built on it is not uniform: a correct sampler is refuted"
)
_TAIL = Flag("the upper tail is computed as 1 − cdf", "0 or noise where the true tail is 10⁻²⁰")
_NOISE = "discrete Laplace noise X_t, P(X_t = j) = (1−p)/(1+p)·p^|j|, p = e^(−1/t)"

MARGINAL = Function(
    name="discrete-laplace-marginal",
    statement=f"The law of {_NOISE}: its probabilities, distribution function and upper tail.",
    domain="time > 0, x finite (P(X_t = x) = 0 where x is no integer)",
    inputs={"time": real("the scale t"), "x": real("where the law is asked")},
    outputs={"pmf": "P(X_t = x)", "cdf": "P(X_t ≤ x)", "sf": "P(X_t > x)"},
    flags={
        "sign": Flag(
            "magnitude and sign are drawn apart, and −0 is not rejected", "0 is twice as likely: ε is not kept"
        ),
        "rounded": Flag("Laplace noise rounded to the nearest integer", "0 has another weight: ε is not kept near it"),
        "left-limit": _LEFT,
        "tail": _TAIL,
        "unchecked": _UNCHECKED,
    },
    evaluate=marginal,
    cases=(
        case(1, "at 0", "sign rounded left-limit", time="1", x="0"),
        case(2, "at 3", "sign rounded left-limit", time="2.5", x="3"),
        case(3, "a negative point", "sign rounded left-limit", time="0.7", x="-2"),
        case(4, "between two integers", "sign rounded", time="1", x="1.5"),
        case(5, "between two negative integers", "sign rounded", time="1", x="-1.5"),
        case(6, "far in the upper tail", "tail left-limit", time="0.5", x="30"),
        case(7, "little noise", "sign left-limit tail", time="0.02", x="1"),
        case(8, "much noise", "sign", time="30", x="-20"),
        case(9, "time 0", "unchecked", time="0", x="0"),
        case(10, "a negative time", "unchecked", time="-1", x="0"),
    ),
)  # fmt: skip

BRIDGE = Function(
    name="discrete-laplace-bridge",
    statement=f"The law of the next, less noisy release: X_s given X_t = k for {_NOISE}, and X_t = X_s + (0 with "
    "probability ρ = c(p_s)/c(p_t), else a fresh draw of the law at t), c(p) = p/(1−p)²; for s = t all mass is at k.",
    domain="0 < s ≤ t, given an integer, x finite (P(X_s = x) = 0 where x is no integer)",
    inputs={
        "s": real("the scale of the next, less noisy release"),
        "t": real("the scale of the last release"),
        "given": integer("the noise X_t of the last release, an integer"),
        "x": real("where the law is asked"),
    },
    outputs={
        "pmf": "P(X_s = x | X_t = given)",
        "cdf": "P(X_s ≤ x | X_t = given)",
        "sf": "P(X_s > x | X_t = given)",
    },
    flags={
        "continuous-weight": Flag("ρ = (s/t)², as for Laplace noise", "the releases are not discrete Laplace"),
        "fresh-noise": Flag(
            "independent noise for every release", "releases can be averaged: the loss adds up over the looks"
        ),
        "no-atom": Flag("ρ = 0: a fresh draw every time", "the releases are not discrete Laplace"),
        "left-limit": _LEFT,
        "tail": _TAIL,
        "unchecked": _UNCHECKED,
    },
    evaluate=bridge,
    cases=(
        case(1, "half the scale, at what is given", "continuous-weight fresh-noise no-atom left-limit", s="1", t="2",
             given="3", x="3"),
        case(2, "between 0 and what is given", "continuous-weight fresh-noise no-atom left-limit", s="1", t="2",
             given="3", x="1"),
        case(3, "given 0", "continuous-weight fresh-noise no-atom left-limit", s="0.5", t="1", given="0", x="0"),
        case(4, "a negative value", "continuous-weight fresh-noise no-atom left-limit", s="0.8", t="1.5",
             given="-4", x="-2"),
        case(5, "between two integers", "continuous-weight fresh-noise no-atom", s="1", t="3", given="2", x="0.5"),
        case(6, "equal times, at the value", "fresh-noise no-atom left-limit", s="2", t="2", given="5", x="5"),
        case(7, "equal times, below the value", "fresh-noise no-atom", s="2", t="2", given="5", x="4"),
        case(8, "far in the upper tail", "fresh-noise no-atom left-limit tail", s="0.5", t="1", given="-2", x="15"),
        case(9, "much noise", "fresh-noise no-atom", s="6", t="15", given="20", x="3"),
        case(10, "s > t", "unchecked", s="2", t="1", given="0", x="0"),
        case(11, "a value that is no integer", "unchecked", s="1", t="2", given="0.5", x="0"),
    ),
)  # fmt: skip

LOSS = Function(
    name="discrete-laplace-loss",
    statement="Privacy loss of a discrete Laplace release (P(noise = j) ∝ e^(−|j|/t) in each coordinate): "
    "loss = (‖release − neighbour‖₁ − ‖release − value‖₁)/t.",
    domain="time > 0; value, neighbour and release are lists of integers of the same length ≥ 1",
    inputs={
        "time": real("the scale t of the least noisy release so far"),
        "value": integers("f(x), one integer for each coordinate"),
        "neighbour": integers("f(x'), for the neighbouring data"),
        "release": integers("the release, at time t"),
    },
    outputs={"loss": "log P(release | value) − log P(release | neighbour), natural logarithm"},
    flags={
        "times-scale": Flag("multiplied by t instead of divided", "for t < 1 the loss comes out too small"),
        "swapped": Flag("value and neighbour change places", "a dangerous release looks safe"),
        "first-coordinate": Flag("only the first coordinate is counted", "other coordinates are never bounded"),
        "euclidean": Flag("ℓ₂ distances instead of ℓ₁", "with several coordinates the loss comes out too small"),
        "unchecked": _UNCHECKED,
    },
    evaluate=loss,
    cases=(
        case(1, "at the value", "times-scale swapped", time="2", value=["0"], neighbour=["1"], release=["0"]),
        case(2, "between the values", "times-scale swapped", time="0.3", value=["-1"], neighbour=["4"],
             release=["1"]),
        case(3, "beyond the neighbour", "times-scale swapped", time="7.5", value=["0"], neighbour=["3"],
             release=["9"]),
        case(4, "three coordinates", "first-coordinate euclidean", time="2.5",
             value=["1", "-2", "5"], neighbour=["2", "-1", "5"], release=["3", "-4", "1"]),
        case(5, "half-way: no loss", "", time="3", value=["0"], neighbour=["4"], release=["2"]),
        case(6, "hardly any noise", "times-scale swapped", time="0.001", value=["10"], neighbour=["9"],
             release=["10"]),
        case(7, "time 0", "unchecked", time="0", value=["0"], neighbour=["1"], release=["0"]),
        case(8, "a release that is no integer", "unchecked", time="1", value=["0"], neighbour=["1"],
             release=["0.5"]),
    ),
)  # fmt: skip

DIVERGENCE = Function(
    name="discrete-laplace-divergence",
    statement=f"One release with {_NOISE}, when the value moves by the integer shift: sup_S P(S) − e^ε P'(S) = "
    "E(1 − e^(ε−L))₊ (the least δ of (ε, δ)-differential privacy for this pair), and P(L > ε), L the privacy loss.",
    domain="time > 0, shift an integer ≥ 1, epsilon finite",
    inputs={
        "epsilon": real("ε"),
        "time": real("the scale t"),
        "shift": integer("f(x') − f(x), an integer of at least 1"),
    },
    outputs={"hockey_stick": "E(1 − e^(ε−L))₊", "loss_tail": "P(L > ε), a strict inequality"},
    flags={
        "continuous": Flag("1 − e^((ε − k/t)/2), of Laplace noise", "between two losses δ comes out too small"),
        "tail-for-stick": Flag("P(L > ε) is taken for δ", "more noise than needed"),
        "not-strict": Flag("P(L ≥ ε) for P(L > ε)", "a pure claim comes out violated"),
        "half-mass": Flag("the loss at the ends has the weight of one point", "δ comes out too small"),
        "unchecked": _UNCHECKED,
    },
    evaluate=divergence,
    cases=(
        case(1, "shift 1, half-way between its two losses", "continuous tail-for-stick half-mass", epsilon="0",
             time="1", shift="1"),
        case(2, "shift 1", "continuous tail-for-stick half-mass", epsilon="0.25", time="2", shift="1"),
        case(3, "shift 3, between two losses", "continuous tail-for-stick half-mass", epsilon="0.75", time="2",
             shift="3"),
        case(4, "ε is a loss", "not-strict tail-for-stick half-mass", epsilon="0.5", time="2", shift="3"),
        case(5, "ε is the largest loss: pure", "not-strict", epsilon="1.5", time="2", shift="3"),
        case(6, "just below the largest loss", "tail-for-stick half-mass", epsilon="1.4999", time="2", shift="3"),
        case(7, "much noise", "tail-for-stick", epsilon="0.1", time="20", shift="7"),
        case(8, "little noise", "continuous tail-for-stick", epsilon="3", time="0.25", shift="2"),
        case(9, "a negative ε", "continuous tail-for-stick half-mass", epsilon="-0.25", time="1.5", shift="2"),
        case(10, "shift 0", "unchecked", epsilon="1", time="1", shift="0"),
        case(11, "a shift that is no integer", "unchecked", epsilon="1", time="1", shift="1.5"),
        case(12, "time 0", "unchecked", epsilon="1", time="0", shift="1"),
    ),
)  # fmt: skip
