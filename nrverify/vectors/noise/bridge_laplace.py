"""Vectors of the Laplace process run backwards: its atom, distribution and moments, and the ties of two looks (N04)."""

from __future__ import annotations

from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import Flag, Function, case, real


def tie(s: Fraction, t: Fraction) -> dict[str, Fraction]:
    """(s/t)²."""
    domain.times(s, t)
    return {"probability": (s / t) ** 2}


def atom(s: Fraction, t: Fraction, given: Fraction) -> dict[str, Ball]:
    """(s/t) e^(−|given|(1/s − 1/t))."""
    domain.times(s, t)
    return {"atom": ball(s / t) * ball(-abs(given) * (1 / s - 1 / t)).exp()}


def distribution(s: Fraction, t: Fraction, given: Fraction, x: Fraction) -> dict[str, Ball]:
    """The three exponential pieces and the atom, in the frame where given ≥ 0."""
    domain.times(s, t)
    if given < 0:
        mirrored = _right_side(s, t, -given, -x)
        return {"cdf": 1 - mirrored["left"], "cdf_left": 1 - mirrored["cdf"], "sf": mirrored["left"]}
    found = _right_side(s, t, given, x)
    return {"cdf": found["cdf"], "cdf_left": found["left"], "sf": 1 - found["cdf"]}


def _right_side(s: Fraction, t: Fraction, z: Fraction, y: Fraction) -> dict[str, Ball]:
    slow, fast = 1 / s - 1 / t, 1 / s + 1 / t
    weight = ball((t - s) / (2 * t))
    if y < 0:
        below = weight * ball(y * fast).exp()
        return {"cdf": below, "left": below}
    between = 1 - ball((t + s) / (2 * t)) * ball(-y * slow).exp()
    if y < z:
        return {"cdf": between, "left": between}
    beyond = 1 - weight * ball(2 * z / t - y * fast).exp()
    return {"cdf": beyond, "left": between if y == z else beyond}


def moments(s: Fraction, t: Fraction, given: Fraction) -> dict[str, Ball]:
    """∫ y and ∫ y² over the three exponential pieces and the atom."""
    domain.times(s, t)
    if s == t:
        return {"mean": given, "variance": Fraction(0)}
    z, k, f = ball(abs(given)), ball(1 / s - 1 / t), ball(1 / s + 1 / t)
    density, fall = ball((1 - (s / t) ** 2) / (2 * s)), (-z * k).exp()
    stay = ball(s / t) * fall
    first = density * (-1 / (f * f) + (1 - fall * (1 + k * z)) / (k * k) + fall * (z + 1 / f) / f) + stay * z
    inner = (2 - fall * (k * k * z * z + 2 * k * z + 2)) / (k * k * k)
    outer = fall * (z * z + 2 * z / f + 2 / (f * f)) / f
    second = density * (2 / (f * f * f) + inner + outer) + stay * z * z
    mean = first if given > 0 else -first
    return {"mean": Fraction(0) if given == 0 else mean, "variance": second - first * first}


_INPUTS = {
    "s": real("the time (scale) of the next, less noisy release"),
    "t": real("the time (scale) of the last release"),
    "given": real("the noise X_t of the last release (the release minus f(x)), one coordinate"),
}
_UNCHECKED = Flag("s > t or a time ≤ 0 is not refused", "a weight that is no probability: NaN, or noise added again")
_NO_ATOM = Flag(
    "the atom is left out: the next release always differs",
    "the marginal law is not Laplace, and the bound on the loss has no proof",
)
_SQUARE = Flag(
    "the unconditional weight (s/t)² for (s/t)e^(−|given|(1/s−1/t))",
    "the release keeps or changes its value independently of its size: the marginal law at s is not Laplace",
)
_MISSING_EXPONENTIAL = Flag(
    "the weight s/t without its exponential factor", "large noise is kept too often: the marginal at s has heavy tails"
)
_SIGN = Flag(
    "|given| is not taken, or x is not reflected, for given < 0", "the law is right for half the releases only"
)
_PROCESS = (
    "Laplace noise X_t (density e^(−|x|/t)/2t) of the process with independent increments, at the next time s ≤ t"
)

TIE = Function(
    name="laplace-tie",
    statement="P(X_s = X_t) = (s/t)² for the Laplace noise-reduction process: the noise does not change between the "
    "times s ≤ t with this probability. Also the atom of X_t given X_s, whatever its value.",
    domain="0 < s ≤ t",
    inputs={"s": real("the smaller time (scale)"), "t": real("the larger time (scale)")},
    outputs={"probability": "P(X_s = X_t)"},
    flags={
        "atom-s-over-t": Flag("s/t for (s/t)²", "values repeat too often: the marginal law is not Laplace"),
        "no-atom": _NO_ATOM,
        "inverted": Flag("(t/s)², the times upside down", "no probability: the sampler keeps every value"),
        "unchecked": _UNCHECKED,
    },
    evaluate=tie,
    cases=(
        case(1, "half the scale", "atom-s-over-t no-atom inverted", s="1", t="2"),
        case(2, "a small step", "atom-s-over-t no-atom inverted", s="0.9", t="1"),
        case(3, "equal times: certain", "no-atom", s="3", t="3"),
        case(4, "a large step", "atom-s-over-t inverted", s="0.001", t="1000"),
        case(5, "tiny times", "atom-s-over-t no-atom inverted", s="1e-300", t="4e-300"),
        case(6, "huge times", "atom-s-over-t no-atom inverted", s="1e300", t="8e300"),
        case(7, "s > t", "unchecked", s="2", t="1"),
        case(8, "s = 0", "unchecked", s="0", t="1"),
        case(9, "negative times", "unchecked", s="-2", t="-1"),
    ),
)  # fmt: skip

ATOM = Function(
    name="laplace-bridge-atom",
    statement=f"P(X_s = given | X_t = given) = (s/t)·e^(−|given|(1/s − 1/t)) for {_PROCESS}.",
    domain="0 < s ≤ t, given finite",
    inputs=_INPUTS,
    outputs={"atom": "P(X_s = given | X_t = given)"},
    flags={
        "atom-s-over-t": _MISSING_EXPONENTIAL,
        "unconditional": _SQUARE,
        "no-atom": _NO_ATOM,
        "sign": _SIGN,
        "sum-for-difference": Flag("1/s + 1/t for 1/s − 1/t", "values repeat too rarely: the marginal is not Laplace"),
        "unchecked": _UNCHECKED,
    },
    evaluate=atom,
    cases=(
        case(1, "half the scale", "atom-s-over-t unconditional no-atom sum-for-difference", s="1", t="2", given="3"),
        case(2, "negative noise", "atom-s-over-t unconditional no-atom sign sum-for-difference", s="0.4", t="1",
             given="-0.75"),
        case(3, "no noise: s/t", "unconditional no-atom", s="2", t="5", given="0"),
        case(4, "equal times: certain", "no-atom sum-for-difference", s="3", t="3", given="1.5"),
        case(5, "a small step", "atom-s-over-t unconditional no-atom sum-for-difference", s="9.999999", t="10",
             given="250"),
        case(6, "large noise: the atom is below 10⁻¹⁰⁰", "atom-s-over-t unconditional sum-for-difference", s="0.5",
             t="2", given="200"),
        case(7, "tiny times", "atom-s-over-t unconditional no-atom sum-for-difference", s="1e-300", t="2e-300",
             given="3e-300"),
        case(8, "s > t", "unchecked", s="2", t="1", given="0"),
        case(9, "s = 0", "unchecked", s="0", t="1", given="1"),
        case(10, "a value that is no number", "unchecked", s="1", t="2", given="nan"),
    ),
)  # fmt: skip

CDF = Function(
    name="laplace-bridge-cdf",
    statement=f"Distribution of X_s given X_t = given for {_PROCESS}. For z = given ≥ 0, with κ = 1/s − 1/t and "
    "κ₊ = 1/s + 1/t: P(X_s ≤ y) = ((t−s)/2t)·e^(yκ₊) for y ≤ 0, 1 − ((t+s)/2t)·e^(−yκ) for 0 ≤ y < z, "
    "1 − ((t−s)/2t)·e^(2z/t − yκ₊) for y ≥ z: it jumps at z by (s/t)·e^(−zκ). For z < 0 reflect.",
    domain="0 < s ≤ t, given and x finite",
    inputs={**_INPUTS, "x": real("where the distribution function is asked")},
    outputs={
        "cdf": "P(X_s ≤ x | X_t = given)",
        "cdf_left": "P(X_s < x | X_t = given)",
        "sf": "P(X_s > x | X_t = given)",
    },
    flags={
        "no-atom": _NO_ATOM,
        "atom-s-over-t": _MISSING_EXPONENTIAL,
        "sign": _SIGN,
        "left-limit": Flag(
            "the atom is counted in P(X_s < x), or left out of P(X_s ≤ x), at x = given",
            "a probability transform built on it is not uniform: a correct sampler is refuted, or a wrong one passes",
        ),
        "fresh-noise": Flag(
            "independent noise Lap(s) for every release", "releases can be averaged: the loss adds up over the looks"
        ),
        "swapped-scales": Flag("s and t change places in the exponents", "the law of the next release is not Laplace"),
        "tail": Flag("the upper tail is computed as 1 − cdf", "rare and dangerous releases look impossible"),
        "unchecked": _UNCHECKED,
    },
    evaluate=distribution,
    cases=(
        case(1, "below 0", "no-atom atom-s-over-t fresh-noise swapped-scales", s="1", t="2", given="3", x="-0.5"),
        case(2, "between 0 and given", "no-atom atom-s-over-t fresh-noise swapped-scales", s="1", t="2", given="3",
             x="1.25"),
        case(3, "at the atom", "no-atom atom-s-over-t fresh-noise swapped-scales left-limit", s="1", t="2",
             given="3", x="3"),
        case(4, "beyond given", "no-atom atom-s-over-t fresh-noise swapped-scales", s="1", t="2", given="3", x="4"),
        case(5, "negative noise, beyond it", "no-atom sign fresh-noise swapped-scales", s="0.4", t="1",
             given="-0.75", x="-1.5"),
        case(6, "negative noise, at the atom", "no-atom sign fresh-noise swapped-scales left-limit", s="0.25", t="1",
             given="-0.75", x="-0.75"),
        case(7, "negative noise, between", "no-atom sign fresh-noise swapped-scales", s="0.4", t="1", given="-0.75",
             x="-0.25"),
        case(8, "negative noise, above 0", "no-atom sign fresh-noise swapped-scales", s="0.4", t="1", given="-0.75",
             x="0.3"),
        case(9, "given = 0, at the atom", "no-atom left-limit fresh-noise", s="2", t="5", given="0", x="0"),
        case(10, "equal times, at the atom", "no-atom fresh-noise left-limit", s="3", t="3", given="1.5", x="1.5"),
        case(11, "equal times, below the atom", "no-atom fresh-noise", s="3", t="3", given="1.5", x="1"),
        case(12, "far in the upper tail", "tail fresh-noise swapped-scales no-atom", s="1", t="2", given="3", x="40"),
        case(13, "far in the lower tail", "fresh-noise swapped-scales", s="1", t="2", given="3", x="-40"),
        case(14, "tiny times", "no-atom atom-s-over-t fresh-noise swapped-scales", s="1e-300", t="2e-300",
             given="3e-300", x="1e-300"),
        case(15, "s > t", "unchecked", s="2", t="1", given="0", x="0"),
        case(16, "s = 0", "unchecked", s="0", t="1", given="1", x="0"),
    ),
)  # fmt: skip

MOMENTS = Function(
    name="laplace-bridge-moments",
    statement=f"Mean and variance of X_s given X_t = given for {_PROCESS}: the first two moments of the law in "
    "laplace-bridge-cdf, atom included. To test a sampler.",
    domain="0 < s ≤ t, given finite",
    inputs=_INPUTS,
    outputs={"mean": "E[X_s | X_t = given]", "variance": "Var[X_s | X_t = given]"},
    flags={
        "no-atom": _NO_ATOM,
        "sign": _SIGN,
        "fresh-noise": Flag(
            "independent noise Lap(s) for every release", "releases can be averaged: the loss adds up over the looks"
        ),
        "brownian": Flag("mean given·s/t, as for Brownian noise", "the law of the next release is not Laplace"),
        "unchecked": _UNCHECKED,
    },
    evaluate=moments,
    cases=(
        case(1, "half the scale", "no-atom fresh-noise brownian", s="1", t="2", given="3"),
        case(2, "negative noise", "no-atom sign fresh-noise brownian", s="0.4", t="1", given="-0.75"),
        case(3, "given = 0", "no-atom fresh-noise", s="2", t="5", given="0"),
        case(4, "equal times", "fresh-noise no-atom", s="3", t="3", given="1.5"),
        case(5, "a small step", "no-atom fresh-noise brownian", s="9.75", t="10", given="4"),
        case(6, "large noise", "fresh-noise brownian", s="0.5", t="2", given="-50"),
        case(7, "s > t", "unchecked", s="2", t="1", given="0"),
        case(8, "s = 0", "unchecked", s="0", t="1", given="1"),
    ),
)  # fmt: skip
