"""Vectors of the linear boundary, its inverse and its optimum (claims B09, B13, B14, B17)."""

from __future__ import annotations

from fractions import Fraction

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball
from nrverify.vectors.case import Flag, Function, Invalid, case, real


def boundary(a: Fraction, b: Fraction, sensitivity: Fraction, time: Fraction) -> dict[str, Fraction]:
    """ψ(t) = (Δ/t)(Δ/2 + b) + Δa."""
    domain.positive(a=a, b=b, sensitivity=sensitivity, time=time)
    return {"epsilon": sensitivity * (sensitivity / 2 + b) / time + sensitivity * a}


def inverse(a: Fraction, b: Fraction, sensitivity: Fraction, epsilon: Fraction) -> dict[str, Fraction]:
    """t = Δ(Δ/2 + b)/(ε − Δa), ε > Δa."""
    domain.positive(a=a, b=b, sensitivity=sensitivity, epsilon=epsilon)
    if epsilon <= sensitivity * a:
        raise Invalid("epsilon must exceed the floor sensitivity·a")
    return {"time": sensitivity * (sensitivity / 2 + b) / (epsilon - sensitivity * a)}


def tightest(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> dict[str, Ball]:
    """a = (√(ℓ² + ℓε) − ℓ)/Δ, b = ℓ/2a, t = b/a."""
    domain.positive(epsilon=epsilon, sensitivity=sensitivity)
    domain.probability(delta=delta)
    level = -ball(delta).log()
    a = ((level * level + level * ball(epsilon)).sqrt() - level) / ball(sensitivity)
    b = level / (2 * a)
    return {"a": a, "b": b, "time": b / a}


_LINE = {
    "a": real("slope a of the line"),
    "b": real("intercept b of the line"),
    "sensitivity": real("Δ ≥ ‖f(x) − f(x')‖₂"),
}
_SD = Flag(
    "t is taken for the standard deviation (t² for t)",
    "the bound is wrong by a factor that depends on t: for t > 1 it claims far too little, and the loss exceeds it",
)
_UNCHECKED = Flag("the input is not checked", "a bound that is negative, infinite or NaN is claimed")

BOUNDARY = Function(
    name="linear-boundary",
    statement="Linear privacy boundary: ψ(t) = (Δ/t)(Δ/2 + b) + Δa. With probability at least 1 − e^(−2ab) the loss of "
    "Brownian noise is below ψ(t) at all times t at once.",
    domain="a > 0, b > 0, sensitivity > 0, time > 0",
    inputs={**_LINE, "time": real("t, the variance of the least noisy release")},
    outputs={"epsilon": "ψ(t)"},
    flags={
        "missing-half": Flag("Δ²/t for Δ²/2t", "the bound is larger than it needs to be: accuracy is given away"),
        "missing-mean": Flag(
            "the term Δ²/2t, the mean of the loss, is left out",
            "the bound is too small: the loss exceeds it with a probability above δ",
        ),
        "missing-sensitivity": Flag(
            "a and b are not scaled by the sensitivity", "for sensitivities above 1 the bound claims too little"
        ),
        "sd-for-variance": _SD,
        "unchecked": _UNCHECKED,
    },
    evaluate=boundary,
    cases=(
        case(1, "sensitivity 1", "missing-half missing-mean sd-for-variance", a="0.25", b="4", sensitivity="1",
             time="8"),
        case(2, "tuned at ε = 0.3, δ = 10⁻⁶", "missing-half missing-mean sd-for-variance", a="0.14919442",
             b="46.3003", sensitivity="1", time="310"),
        case(3, "a sensitivity other than 1", "missing-half missing-mean missing-sensitivity sd-for-variance",
             a="0.1", b="70", sensitivity="3", time="500"),
        case(4, "a small sensitivity", "missing-half missing-mean missing-sensitivity sd-for-variance", a="2",
             b="3.5", sensitivity="0.01", time="0.001"),
        case(5, "t → 0: everything is lost", "missing-half missing-mean sd-for-variance", a="1", b="1",
             sensitivity="1", time="1e-300"),
        case(6, "t → ∞: the floor Δa", "missing-sensitivity", a="0.3", b="20", sensitivity="2", time="1e40"),
        case(7, "a time of the smallest magnitude and a sensitivity to match", "missing-half missing-mean "
             "missing-sensitivity sd-for-variance", a="3", b="1e-20", sensitivity="1e-20", time="1e-38"),
        case(8, "time 0", "unchecked", a="1", b="1", sensitivity="1", time="0"),
        case(9, "a negative time", "unchecked", a="1", b="1", sensitivity="1", time="-3"),
        case(10, "a = 0 has no δ below 1", "unchecked", a="0", b="1", sensitivity="1", time="1"),
        case(11, "a time that is no number", "unchecked", a="1", b="1", sensitivity="1", time="nan"),
    ),
)  # fmt: skip

INVERSE = Function(
    name="linear-inverse",
    statement="Inverse of the linear boundary: the least t > 0 with ψ(t) ≤ ε, t = Δ(Δ/2 + b)/(ε − Δa). "
    "ψ falls to its floor Δa without reaching it, so only ε > Δa has an inverse.",
    domain="a > 0, b > 0, sensitivity > 0, epsilon > sensitivity·a",
    inputs={**_LINE, "epsilon": real("the ε asked for")},
    outputs={"time": "the least t with ψ(t) ≤ ε"},
    flags={
        "missing-half": Flag("Δ² for Δ²/2", "more noise than needed: accuracy is given away"),
        "missing-mean": Flag("the term Δ²/2 is left out", "too little noise: the loss exceeds ε more often than δ"),
        "missing-sensitivity": Flag(
            "a and b are not scaled by the sensitivity", "too little or too much noise for every Δ other than 1"
        ),
        "printed-inverse": Flag(
            "inf{t : ψ(t) ≥ ε}, as printed in the paper's corollary", "the infimum is 0: a release without noise"
        ),
        "floor": Flag(
            "ε at or below the floor Δa is not refused",
            "the formula answers infinity or a negative time: no noise, or a crash, for the most careful request",
        ),
        "unchecked": Flag("the input is not checked", "a time that is negative, infinite or NaN becomes a variance"),
    },
    evaluate=inverse,
    cases=(
        case(1, "sensitivity 1", "missing-half missing-mean printed-inverse", a="0.25", b="4", sensitivity="1",
             epsilon="0.8125"),
        case(2, "tuned at ε = 0.3, δ = 10⁻⁶, asked there", "missing-half missing-mean printed-inverse",
             a="0.14919442", b="46.3003", sensitivity="1", epsilon="0.3"),
        case(3, "a sensitivity other than 1", "missing-half missing-mean missing-sensitivity printed-inverse",
             a="0.1", b="70", sensitivity="3", epsilon="0.75"),
        case(4, "a small sensitivity", "missing-half missing-mean missing-sensitivity printed-inverse", a="2",
             b="3.5", sensitivity="0.01", epsilon="5"),
        case(5, "just above the floor", "missing-half missing-mean printed-inverse", a="0.25", b="4",
             sensitivity="2", epsilon="0.500000001"),
        case(6, "a huge ε", "missing-half missing-mean printed-inverse", a="1", b="1", sensitivity="1",
             epsilon="1e300"),
        case(7, "ε at the floor", "floor", a="0.25", b="4", sensitivity="2", epsilon="0.5"),
        case(8, "ε below the floor", "floor", a="0.25", b="4", sensitivity="2", epsilon="0.375"),
        case(9, "ε below the floor for this sensitivity only", "floor missing-sensitivity", a="0.25", b="4",
             sensitivity="4", epsilon="0.5"),
        case(10, "ε = 0", "unchecked", a="0.25", b="4", sensitivity="1", epsilon="0"),
        case(11, "a negative ε", "unchecked", a="0.25", b="4", sensitivity="1", epsilon="-1"),
        case(12, "an ε that is no number", "unchecked", a="0.25", b="4", sensitivity="1", epsilon="nan"),
        case(13, "b = 0", "unchecked", a="0.25", b="0", sensitivity="1", epsilon="1"),
    ),
)  # fmt: skip

TIGHTEST = Function(
    name="linear-tightest",
    statement="The line with e^(−2ab) = δ whose inverse at ε is smallest: with ℓ = log(1/δ), a = (√(ℓ² + ℓε) − ℓ)/Δ, "
    "b = ℓ/(2a); its inverse at ε is t = b/a = Δ²/(2(√(ℓ+ε) − √ℓ)²).",
    domain="epsilon > 0, 0 < delta < 1, sensitivity > 0",
    inputs={
        "epsilon": real("the ε at which the boundary is to be tightest"),
        "delta": real("failure probability δ"),
        "sensitivity": _LINE["sensitivity"],
    },
    outputs={"a": "slope", "b": "intercept", "time": "the inverse at ε"},
    flags={
        "log10": Flag(
            "the decimal logarithm for the natural one",
            "the failure probability is δ^0.43 instead of δ: 0.0025 where 10⁻⁶ was promised",
        ),
        "missing-2": Flag("ab = ℓ for 2ab = ℓ", "the failure probability is δ²: more noise than needed"),
        "half-level": Flag(
            "4ab = ℓ for 2ab = ℓ", "the failure probability is √δ: 0.001 where 10⁻⁶ was promised"
        ),
        "missing-sensitivity": Flag(
            "a and b are not scaled by the sensitivity", "too little or too much noise for every Δ other than 1"
        ),
        "cancellation": Flag(
            "√(ℓ² + ℓε) − ℓ is computed as it is written",
            "for ε far below ℓ the slope has few digits or is 0, and b is infinite",
        ),
        "unchecked": Flag("the input is not checked", "a boundary whose δ is no probability is used"),
    },
    evaluate=tightest,
    cases=(
        case(1, "the setting of the paper's experiments", "log10 missing-2 half-level", epsilon="0.3", delta="1e-6",
             sensitivity="1"),
        case(2, "a sensitivity other than 1", "log10 missing-2 half-level missing-sensitivity", epsilon="0.3",
             delta="1e-6", sensitivity="2.5"),
        case(3, "a small sensitivity", "log10 missing-2 half-level missing-sensitivity", epsilon="1",
             delta="1e-10", sensitivity="1e-3"),
        case(4, "a large δ", "log10 missing-2 half-level", epsilon="2", delta="0.5", sensitivity="1"),
        case(5, "a large ε", "log10 missing-2 half-level", epsilon="100", delta="1e-6", sensitivity="1"),
        case(6, "a tiny ε: the two terms of the slope agree to nine digits", "log10 missing-2 cancellation",
             epsilon="1e-8", delta="1e-6", sensitivity="1"),
        case(7, "a tiny δ", "log10 missing-2 half-level", epsilon="1", delta="1e-300", sensitivity="1"),
        case(8, "a tiny δ and a tiny ε", "log10 missing-2 cancellation", epsilon="1e-14", delta="1e-300",
             sensitivity="1"),
        case(9, "δ close to 1", "log10 missing-2 half-level", epsilon="0.125", delta="0.9990234375",
             sensitivity="1"),
        case(10, "δ = 1", "unchecked", epsilon="1", delta="1", sensitivity="1"),
        case(11, "δ = 0", "unchecked", epsilon="1", delta="0", sensitivity="1"),
        case(12, "ε = 0", "unchecked", epsilon="0", delta="1e-6", sensitivity="1"),
        case(13, "sensitivity 0", "unchecked", epsilon="1", delta="1e-6", sensitivity="0"),
        case(14, "a negative δ", "unchecked", epsilon="1", delta="-1e-6", sensitivity="1"),
    ),
)  # fmt: skip
