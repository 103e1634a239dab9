"""Vectors of discrete Gaussian noise: its law, the loss of one release, and its divergence (X18)."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, ctx

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import SUMMED, Flag, Function, Invalid, case, integer, integers, real

Vector = tuple[Fraction, ...]


def _weights_from(first: int, time: Fraction) -> Ball:
    """Σ e^(−j²/2t) over j ≥ first > 0: cut where the rest is below the precision, with a bound on it.

    Beyond N the terms fall by more than e^(−N/t) each.
    """
    nats = ctx.prec * math.log(2) + 20
    end = math.ceil(math.sqrt(first * first + 2 * float(time) * nats)) + 2
    total = sum(((-ball(Fraction(j * j) / (2 * time))).exp() for j in range(first, end)), arb(0))
    bound = (-ball(Fraction(end * end) / (2 * time))).exp() / (1 - (-ball(end / time)).exp())
    return total + arb(0).union(bound)


def _normaliser(time: Fraction) -> Ball:
    return 1 + 2 * _weights_from(1, time)


def _at_least(first: int, time: Fraction) -> Ball:
    """P(X ≥ first), without a difference in the tail."""
    if first <= 0:
        return 1 - _at_least(1 - first, time)
    return _weights_from(first, time) / _normaliser(time)


def marginal(time: Fraction, x: Fraction) -> dict[str, Ball | Fraction]:
    """P(X_t = x), P(X_t ≤ x), P(X_t > x)."""
    domain.positive(time=time)
    below = math.floor(x)
    pmf = (-ball(x * x / (2 * time))).exp() / _normaliser(time) if below == x else Fraction(0)
    return {"pmf": pmf, "cdf": _at_least(-below, time), "sf": _at_least(below + 1, time)}


def loss(time: Fraction, value: Vector, neighbour: Vector, release: Vector) -> dict[str, Fraction]:
    """⟨value − neighbour, 2 release − value − neighbour⟩ / 2t."""
    domain.positive(time=time)
    domain.same_length(value=value, neighbour=neighbour, release=release)
    product = sum(((v - n) * (2 * r - v - n) for v, n, r in zip(value, neighbour, release, strict=True)), Fraction(0))
    return {"loss": product / (2 * time)}


def divergence(epsilon: Fraction, time: Fraction, shift: Fraction) -> dict[str, Ball]:
    """P(X ≥ n) − e^ε P(X ≥ n + k) and P(X ≥ n), n the least integer with (2kn + k²)/2t > ε."""
    domain.positive(time=time)
    if shift < 1:
        raise Invalid("shift must be at least 1")
    k = int(shift)
    first = math.floor(epsilon * time / k - Fraction(k, 2)) + 1
    tail = _at_least(first, time)
    return {"hockey_stick": tail - ball(epsilon).exp() * _at_least(first + k, time), "loss_tail": tail}


_UNCHECKED = Flag("the input is not checked", "NaN, or a law that is none")
_NOISE = "discrete Gaussian noise X, P(X = j) ∝ e^(−j²/2t), t the parameter σ²"

MARGINAL = Function(
    name="discrete-gaussian-marginal",
    statement=f"The law of {_NOISE}: its probabilities, distribution function and upper tail.",
    domain="time > 0, x finite (P(X = x) = 0 where x is no integer)",
    inputs={"time": real("the parameter t = σ²"), "x": real("where the law is asked")},
    outputs={"pmf": "P(X = x)", "cdf": "P(X ≤ x)", "sf": "P(X > x)"},
    flags={
        "rounded": Flag("Gaussian noise rounded to the nearest integer", "other tails: (ε, δ) is not kept"),
        "gaussian-normaliser": Flag("1/√(2πt) for the normaliser", "at small t no probability"),
        "sd-for-variance": Flag("t is taken for σ", "the noise is too large or too small"),
        "left-limit": Flag(
            "P(X < x) for P(X ≤ x) at an integer",
            "a transform built on it is not uniform: a correct sampler is refuted",
        ),
        "tail": Flag("the upper tail is computed as 1 − cdf", "0 or noise where the true tail is 10⁻²⁰"),
        "unchecked": _UNCHECKED,
    },
    evaluate=marginal,
    roundings=SUMMED,
    cases=(
        case(1, "at 0", "rounded left-limit", time="1", x="0"),
        case(2, "little noise", "rounded gaussian-normaliser sd-for-variance left-limit", time="0.1", x="0"),
        case(3, "little noise, at 1", "rounded gaussian-normaliser sd-for-variance left-limit", time="0.2", x="1"),
        case(4, "a negative point", "rounded sd-for-variance left-limit", time="2.5", x="-3"),
        case(5, "between two integers", "rounded sd-for-variance", time="2.5", x="1.5"),
        case(6, "far in the upper tail", "sd-for-variance left-limit tail", time="3", x="20"),
        case(7, "much noise", "sd-for-variance left-limit", time="900", x="25"),
        case(8, "time 0", "unchecked", time="0", x="0"),
        case(9, "a negative time", "unchecked", time="-1", x="0"),
    ),
)  # fmt: skip

LOSS = Function(
    name="discrete-gaussian-loss",
    statement="Privacy loss of a discrete Gaussian release (P(noise = j) ∝ e^(−j²/2t) in each coordinate): "
    "loss = ⟨value − neighbour, 2·release − value − neighbour⟩ / (2t); the normaliser cancels.",
    domain="time > 0; value, neighbour and release are lists of integers of the same length ≥ 1",
    inputs={
        "time": real("the parameter t = σ²"),
        "value": integers("f(x), one integer for each coordinate"),
        "neighbour": integers("f(x'), for the neighbouring data"),
        "release": integers("the release"),
    },
    outputs={"loss": "log P(release | value) − log P(release | neighbour), natural logarithm"},
    flags={
        "missing-half": Flag("the factor 1/2 is left out", "losses come out twice as large"),
        "sd-for-variance": Flag("division by t² instead of t", "for t > 1 the loss comes out too small"),
        "swapped": Flag("value and neighbour change places", "a dangerous release looks safe"),
        "first-coordinate": Flag("only the first coordinate is counted", "other coordinates are never bounded"),
        "unchecked": _UNCHECKED,
    },
    evaluate=loss,
    cases=(
        case(1, "at the value", "missing-half sd-for-variance swapped", time="2", value=["0"], neighbour=["1"],
             release=["0"]),
        case(2, "beyond the value", "missing-half sd-for-variance swapped", time="0.3", value=["4"],
             neighbour=["1"], release=["9"]),
        case(3, "two coordinates", "missing-half sd-for-variance swapped first-coordinate", time="12.5",
             value=["1", "-2"], neighbour=["2", "0"], release=["-3", "-4"]),
        case(4, "half-way: no loss", "", time="3", value=["0"], neighbour=["4"], release=["2"]),
        case(5, "time 0", "unchecked", time="0", value=["0"], neighbour=["1"], release=["0"]),
        case(6, "a release that is no integer", "unchecked", time="1", value=["0"], neighbour=["1"],
             release=["0.5"]),
    ),
)  # fmt: skip

DIVERGENCE = Function(
    name="discrete-gaussian-divergence",
    statement=f"One release with {_NOISE}, when the value moves by the integer shift k: "
    "δ(ε) = P(X > x) − e^ε P(X > x + k), x = εt/k − k/2 (the least δ of (ε, δ)-differential privacy for this pair), "
    "and P(L > ε) = P(X > x), L the privacy loss.",
    domain="time > 0, shift an integer ≥ 1, epsilon finite",
    inputs={
        "epsilon": real("ε"),
        "time": real("the parameter t = σ²"),
        "shift": integer("f(x') − f(x), an integer of at least 1"),
    },
    outputs={"hockey_stick": "P(X > x) − e^ε P(X > x + k)", "loss_tail": "P(L > ε), a strict inequality"},
    flags={
        "continuous": Flag("the formula of Gaussian noise of variance t", "δ comes out too small at some ε"),
        "tail-for-stick": Flag("P(L > ε) is taken for δ", "more noise than needed"),
        "not-strict": Flag("P(L ≥ ε) for P(L > ε)", "the tail comes out too large"),
        "missing-square": Flag("x = εt/k, without k/2", "δ comes out far too small"),
        "unchecked": _UNCHECKED,
    },
    evaluate=divergence,
    roundings=SUMMED,
    cases=(
        case(1, "shift 1", "continuous tail-for-stick missing-square", epsilon="0.25", time="1.5", shift="1"),
        case(2, "less δ by the formula of Gaussian noise", "continuous tail-for-stick missing-square", epsilon="2.25",
             time="0.5", shift="1"),
        case(3, "ε is a loss", "not-strict tail-for-stick", epsilon="1", time="0.5", shift="1"),
        case(4, "shift 3", "continuous tail-for-stick missing-square", epsilon="4", time="1.25", shift="3"),
        case(5, "much noise", "tail-for-stick missing-square", epsilon="0.2", time="300", shift="5"),
        case(6, "a small δ", "continuous tail-for-stick missing-square", epsilon="3.3", time="4", shift="1"),
        case(7, "shift 0", "unchecked", epsilon="1", time="1", shift="0"),
        case(8, "time 0", "unchecked", epsilon="1", time="0", shift="1"),
    ),
)  # fmt: skip
