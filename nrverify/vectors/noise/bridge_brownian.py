"""Vectors of the Brownian bridge: the next release given the last (claims A13, E09)."""

from __future__ import annotations

from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, tail
from nrverify.vectors.case import Flag, Function, case, real


def moments(s: Fraction, t: Fraction, given: Fraction) -> dict[str, Fraction]:
    """N(given·s/t, s(t−s)/t)."""
    domain.times(s, t)
    return {"mean": given * s / t, "variance": s * (t - s) / t}


def distribution(s: Fraction, t: Fraction, given: Fraction, x: Fraction) -> dict[str, Ball | Fraction]:
    """Φ((x − mean)/√variance) and its complement; a step at the mean where s = t."""
    mean, variance = moments(s, t, given).values()
    if variance == 0:
        below = Fraction(x >= mean)
        return {"cdf": below, "sf": 1 - below}
    z = ball(x - mean) / ball(variance).sqrt()
    return {"cdf": tail(-z), "sf": tail(z)}


_INPUTS = {
    "s": real("the time of the next, less noisy release"),
    "t": real("the time of the last release"),
    "given": real("the noise X_t of the last release (the release minus f(x)), one coordinate"),
}
_FLAGS = {
    "printed-factor": Flag(
        "the ratio of the two times upside down in the variance (t(t−s)/s), as printed in the paper's proof",
        "too much noise, and a transcript whose releases do not fit together: the privacy loss formula fails",
    ),
    "missing-factor": Flag(
        "variance t − s, the forward increment, for s(t−s)/t", "the release has the wrong variance: not N(f(x), s)"
    ),
    "fresh-noise": Flag(
        "independent noise N(0, s) for every release", "releases can be averaged: the loss adds up over the looks"
    ),
    "no-shrinkage": Flag("mean `given` for given·s/t", "the release is not N(f(x), s): too much noise, wrongly placed"),
    "wrong-weight": Flag(
        "mean given·(t−s)/t for given·s/t", "the releases are correlated the wrong way round: their loss is not ψ's"
    ),
    "sd-for-variance": Flag(
        "the variance where the standard deviation belongs, or the reverse",
        "too little noise when it is below 1: the loss exceeds what is claimed",
    ),
    "equal-times": Flag(
        "s = t divides by 0 or draws new noise", "the same time asked twice gives NaN, or a second look"
    ),
    "unchecked": Flag("s > t or a time ≤ 0 is not refused", "a negative variance: NaN, or noise added again"),
}  # fmt: skip

MOMENTS = Function(
    name="brownian-bridge-moments",
    statement="Brownian noise X_s at the next time s ≤ t given X_t = given is normal with mean given·s/t and variance "
    "s(t−s)/t. The next release is f(x) + X_s.",
    domain="0 < s ≤ t, given finite",
    inputs=_INPUTS,
    outputs={"mean": "given·s/t", "variance": "s(t−s)/t"},
    flags=_FLAGS,
    evaluate=moments,
    cases=(
        case(1, "half the time", "printed-factor missing-factor fresh-noise no-shrinkage sd-for-variance", s="1",
             t="2", given="3"),
        case(2, "a tenth of the time",
             "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight sd-for-variance", s="0.4", t="4",
             given="-2.5"),
        case(3, "a small step", "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight sd-for-variance",
             s="99", t="100", given="17"),
        case(4, "given = 0", "printed-factor missing-factor fresh-noise sd-for-variance", s="2", t="7", given="0"),
        case(5, "equal times: the same release again", "fresh-noise equal-times wrong-weight", s="3", t="3",
             given="1.25"),
        case(6, "equal tiny times", "fresh-noise equal-times", s="1e-300", t="1e-300", given="-1e-150"),
        case(7, "from t to almost 0: the bridge pins to f(x)",
             "printed-factor missing-factor no-shrinkage wrong-weight sd-for-variance", s="1e-300", t="1", given="2"),
        case(8, "from infinity: the last release says nothing",
             "printed-factor missing-factor no-shrinkage wrong-weight", s="2", t="1e300", given="1e140"),
        case(9, "s > t", "unchecked", s="2", t="1", given="0"),
        case(10, "s = 0", "unchecked", s="0", t="1", given="0"),
        case(11, "a negative time", "unchecked", s="-1", t="1", given="0"),
        case(12, "a time that is no number", "unchecked", s="1", t="nan", given="0"),
    ),
)  # fmt: skip

CDF = Function(
    name="brownian-bridge-cdf",
    statement="P(X_s ≤ x | X_t = given) = Φ((x − given·s/t)/√(s(t−s)/t)) and its complement, for Brownian noise; for "
    "s = t all mass is at `given`.",
    domain="0 < s ≤ t, given and x finite",
    inputs={**_INPUTS, "x": real("where the distribution function is asked")},
    outputs={"cdf": "P(X_s ≤ x | X_t = given)", "sf": "P(X_s > x | X_t = given)"},
    flags={
        **_FLAGS,
        "tail": Flag(
            "the upper tail is computed as 1 − cdf",
            "0 or noise where the true tail is 10⁻²⁰: rare and dangerous releases look impossible",
        ),
    },
    evaluate=distribution,
    cases=(
        case(1, "half the time", "printed-factor missing-factor fresh-noise no-shrinkage sd-for-variance", s="1",
             t="2", given="3", x="2"),
        case(2, "a tenth of the time",
             "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight sd-for-variance", s="0.4", t="4",
             given="-2.5", x="-0.5"),
        case(3, "a small step", "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight sd-for-variance",
             s="99", t="100", given="17", x="17.5"),
        case(4, "at the mean: one half", "fresh-noise no-shrinkage wrong-weight", s="1", t="4", given="8", x="2"),
        case(5, "far in the lower tail", "printed-factor missing-factor fresh-noise no-shrinkage sd-for-variance",
             s="1", t="3", given="0.5", x="-9"),
        case(6, "far in the upper tail", "tail printed-factor missing-factor fresh-noise no-shrinkage "
             "sd-for-variance", s="1", t="3", given="0.5", x="12"),
        case(7, "equal times, at the atom", "fresh-noise equal-times", s="3", t="3", given="1.25", x="1.25"),
        case(8, "equal times, just below the atom", "fresh-noise equal-times", s="3", t="3", given="1.25",
             x="1.2499999999999998"),
        case(9, "times of 10⁻³⁰⁰", "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight",
             s="2.5e-301", t="1e-300", given="1e-150", x="5e-151"),
        case(10, "times of 10³⁰⁰", "printed-factor missing-factor fresh-noise no-shrinkage wrong-weight",
             s="2.5e299", t="1e300", given="-1e150", x="1e149"),
        case(11, "s > t", "unchecked", s="2", t="1", given="0", x="0"),
        case(12, "s = 0", "unchecked", s="0", t="1", given="0", x="1"),
    ),
)  # fmt: skip
