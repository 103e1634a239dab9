"""Vectors of the mixture boundary, its inverse and its optimum (claims B08, B13, B15, B16)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, root
from nrverify.vectors.case import Flag, Function, case, real


def psi(rho: Ball, delta: Ball, sensitivity: Ball, time: Ball) -> Ball:
    """Δ²/2t + (Δ/t)√(2(t+ρ) log(√((t+ρ)/ρ)/δ))."""
    curve = (2 * (time + rho) * (((time + rho) / rho).sqrt() / delta).log()).sqrt()
    return sensitivity / time * (sensitivity / 2 + curve)


def boundary(rho: Fraction, delta: Fraction, sensitivity: Fraction, time: Fraction) -> dict[str, Ball]:
    """ψ(t)."""
    domain.positive(rho=rho, sensitivity=sensitivity, time=time)
    domain.probability(delta=delta)
    return {"epsilon": psi(ball(rho), ball(delta), ball(sensitivity), ball(time))}


def inverse(rho: Fraction, delta: Fraction, sensitivity: Fraction, epsilon: Fraction) -> dict[str, Ball]:
    """The t with ψ(t) = ε: ψ is a strictly decreasing bijection of (0, ∞)."""
    domain.positive(rho=rho, sensitivity=sensitivity, epsilon=epsilon)
    domain.probability(delta=delta)
    r, d, c, e = ball(rho), ball(delta), ball(sensitivity), ball(epsilon)
    start = c * c / (2 * e)
    return {"time": root(lambda t: psi(r, d, c, t) - e, start, 4 * start, rising=False)}


def tightest(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> dict[str, Ball]:
    """ρ = t/(w − 1), t = (Δ(√w + √(w + 2ε))/2ε)², w = −W₋₁(−δ²/e)."""
    domain.positive(epsilon=epsilon, sensitivity=sensitivity)
    domain.probability(delta=delta)
    w = -((-ball(delta * delta) / arb.const_e()).lambertw(-1))
    e = ball(epsilon)
    time = (ball(sensitivity) * (w.sqrt() + (w + 2 * e).sqrt()) / (2 * e)) ** 2
    return {"rho": time / (w - 1), "time": time}


_INPUTS = {
    "rho": real("ρ > 0, the time the boundary is tuned to"),
    "delta": real("failure probability δ"),
    "sensitivity": real("Δ ≥ ‖f(x) − f(x')‖₂"),
}
_FLAGS = {
    "log10": Flag(
        "the decimal logarithm for the natural one",
        "the bound is too small, or the noise too little: the loss exceeds it with a probability far above δ",
    ),
    "missing-2": Flag(
        "the factor 2 under the root is left out",
        "the curve is too low by √2: the failure probability is √δ or more, 0.001 where 10⁻⁶ was promised",
    ),
    "missing-root": Flag(
        "log((t+ρ)/(ρδ)) for log(√((t+ρ)/ρ)/δ)", "the bound is larger than it needs to be: accuracy is given away"
    ),
    "missing-mean": Flag(
        "the term Δ²/2t, the mean of the loss, is left out", "the loss exceeds the bound more often than δ"
    ),
    "missing-sensitivity": Flag(
        "the curve is not scaled by the sensitivity", "for sensitivities above 1 the loss exceeds the bound"
    ),
    "underflow": Flag(
        "√((t+ρ)/ρ)/δ or δ² is formed in double precision before the logarithm",
        "infinity or NaN at δ = 10⁻³⁰⁰, although log(1/δ) is only 691",
    ),
    "unchecked": Flag("the input is not checked", "a bound or a time that is negative, infinite or NaN is used"),
}  # fmt: skip
_SD = Flag(
    "t is taken for the standard deviation (t² for t)",
    "the bound is wrong by a factor that depends on t: for t > 1 it claims far too little, and the loss exceeds it",
)

BOUNDARY = Function(
    name="mixture-boundary",
    statement="Mixture privacy boundary: ψ(t) = Δ²/(2t) + (Δ/t)·√(2(t+ρ)·log(√((t+ρ)/ρ)/δ)). With probability at least "
    "1 − δ the loss of Brownian noise is below ψ(t) at all times t at once.",
    domain="rho > 0, 0 < delta < 1, sensitivity > 0, time > 0",
    inputs={**_INPUTS, "time": real("t, the variance of the least noisy release")},
    outputs={"epsilon": "ψ(t)"},
    flags={**_FLAGS, "sd-for-variance": _SD},
    evaluate=boundary,
    cases=(
        case(1, "round numbers", "log10 missing-2 missing-root missing-mean", rho="1", delta="1e-6",
             sensitivity="1", time="1"),
        case(2, "the setting of the paper's experiments", "log10 missing-2 missing-root missing-mean sd-for-variance",
             rho="11", delta="1e-6", sensitivity="1", time="340"),
        case(3, "a sensitivity other than 1",
             "log10 missing-2 missing-root missing-mean missing-sensitivity sd-for-variance", rho="2.5",
             delta="1e-5", sensitivity="3", time="40"),
        case(4, "a small sensitivity",
             "log10 missing-2 missing-root missing-mean missing-sensitivity sd-for-variance", rho="1e-5",
             delta="1e-9", sensitivity="0.01", time="0.002"),
        case(5, "t → 0: everything is lost", "log10 missing-2 missing-mean sd-for-variance", rho="1", delta="1e-6",
             sensitivity="1", time="1e-300"),
        case(6, "t = 10⁻²⁰ρ: the logarithm of 1 + t/ρ vanishes", "log10 missing-2 missing-mean", rho="1",
             delta="0.25", sensitivity="1", time="1e-20"),
        case(7, "t → ∞", "log10 missing-2 missing-root sd-for-variance", rho="1", delta="1e-6", sensitivity="1",
             time="1e30"),
        case(8, "δ = 10⁻³⁰⁰", "log10 missing-2 missing-root missing-mean sd-for-variance", rho="1",
             delta="1e-300", sensitivity="1", time="100"),
        case(9, "δ = 10⁻³⁰⁰ and t/ρ = 10²⁰: their quotient is beyond double precision",
             "log10 missing-2 missing-root underflow sd-for-variance", rho="1", delta="1e-300", sensitivity="1",
             time="1e20"),
        case(10, "δ close to 1", "log10 missing-2 missing-root missing-mean sd-for-variance", rho="4", delta="0.96875",
             sensitivity="1", time="2"),
        case(11, "δ = 1", "unchecked", rho="1", delta="1", sensitivity="1", time="1"),
        case(12, "δ = 0", "unchecked", rho="1", delta="0", sensitivity="1", time="1"),
        case(13, "time 0", "unchecked", rho="1", delta="1e-6", sensitivity="1", time="0"),
        case(14, "a negative time", "unchecked", rho="1", delta="1e-6", sensitivity="1", time="-0.5"),
        case(15, "rho = 0", "unchecked", rho="0", delta="1e-6", sensitivity="1", time="1"),
        case(16, "a time that is no number", "unchecked", rho="1", delta="1e-6", sensitivity="1", time="nan"),
    ),
)  # fmt: skip

INVERSE = Function(
    name="mixture-inverse",
    statement="Inverse of the mixture boundary: the t > 0 with ψ(t) = ε, ψ(t) = Δ²/(2t) + "
    "(Δ/t)·√(2(t+ρ)·log(√((t+ρ)/ρ)/δ)). ψ falls strictly from ∞ to 0, so every ε > 0 has exactly one.",
    domain="rho > 0, 0 < delta < 1, sensitivity > 0, epsilon > 0",
    inputs={**_INPUTS, "epsilon": real("the ε asked for")},
    outputs={"time": "t"},
    flags={
        **_FLAGS,
        "printed-inverse": Flag(
            "inf{t : ψ(t) ≥ ε}, as printed in the paper's corollary", "the infimum is 0: a release without noise"
        ),
        "retuned": Flag(
            "ρ is chosen anew for every ε (the pointwise smallest t over all ρ)",
            "the curve √(wt) is crossed with probability 1: the guarantee is void",
        ),
    },
    evaluate=inverse,
    cases=(
        case(1, "round numbers", "log10 missing-2 missing-root missing-mean printed-inverse retuned", rho="1",
             delta="1e-6", sensitivity="1", epsilon="1"),
        case(2, "the setting of the paper's experiments", "log10 missing-2 missing-root missing-mean printed-inverse",
             rho="11", delta="1e-6", sensitivity="1", epsilon="0.3"),
        case(3, "a larger ε than the one ρ is tuned to",
             "log10 missing-2 missing-root missing-mean printed-inverse retuned", rho="11", delta="1e-6",
             sensitivity="1", epsilon="3"),
        case(4, "a sensitivity other than 1",
             "log10 missing-2 missing-root missing-mean missing-sensitivity printed-inverse retuned", rho="2.5",
             delta="1e-5", sensitivity="3", epsilon="0.5"),
        case(5, "a small sensitivity",
             "log10 missing-2 missing-root missing-mean missing-sensitivity printed-inverse retuned", rho="1e-5",
             delta="1e-9", sensitivity="0.01", epsilon="2"),
        case(6, "a tiny ε: hardly any information", "log10 missing-2 missing-root printed-inverse retuned", rho="1",
             delta="1e-6", sensitivity="1", epsilon="1e-9"),
        case(7, "a huge ε: hardly any noise", "log10 missing-2 missing-mean printed-inverse retuned", rho="1",
             delta="1e-6", sensitivity="1", epsilon="1e12"),
        case(8, "δ = 10⁻³⁰⁰", "log10 missing-2 missing-root missing-mean printed-inverse retuned", rho="1",
             delta="1e-300", sensitivity="1", epsilon="1"),
        case(9, "δ = 10⁻³⁰⁰ and a tiny ε: √((t+ρ)/ρ)/δ is beyond double precision",
             "log10 missing-2 missing-root underflow printed-inverse retuned", rho="1", delta="1e-300",
             sensitivity="1", epsilon="1e-9"),
        case(10, "δ close to 1", "log10 missing-2 missing-root missing-mean printed-inverse retuned", rho="4",
             delta="0.96875", sensitivity="1", epsilon="0.75"),
        case(11, "ε = 0", "unchecked", rho="1", delta="1e-6", sensitivity="1", epsilon="0"),
        case(12, "a negative ε", "unchecked", rho="1", delta="1e-6", sensitivity="1", epsilon="-1"),
        case(13, "δ = 1", "unchecked", rho="1", delta="1", sensitivity="1", epsilon="1"),
        case(14, "an ε that is no number", "unchecked", rho="1", delta="1e-6", sensitivity="1", epsilon="nan"),
        case(15, "sensitivity 0", "unchecked", rho="1", delta="1e-6", sensitivity="0", epsilon="1"),
    ),
)  # fmt: skip

TIGHTEST = Function(
    name="mixture-tightest",
    statement="The ρ whose mixture boundary has the smallest inverse at ε, and that inverse: with w = −W₋₁(−δ²/e), the "
    "root w > 1 of w − log w = 1 + 2·log(1/δ): t = (Δ(√w + √(w + 2ε))/(2ε))², ρ = t/(w − 1).",
    domain="epsilon > 0, 0 < delta < 1, sensitivity > 0",
    inputs={"epsilon": real("the ε at which the boundary is to be tightest"), "delta": _INPUTS["delta"],
            "sensitivity": _INPUTS["sensitivity"]},
    outputs={"rho": "ρ", "time": "the inverse at ε, the smallest over all ρ"},
    flags={
        "log10": _FLAGS["log10"],
        "principal-branch": Flag(
            "the branch W₀ of Lambert's function for W₋₁", "w < 1, ρ is negative and the time far too small: no privacy"
        ),
        "missing-square": Flag("δ for δ² inside Lambert's function", "ρ is off: more noise than needed at ε, and the "
                               "time reported is smaller than the boundary's own inverse, so the loss exceeds ε"),
        "missing-1": Flag("ρ = t/w for ρ = t/(w − 1)", "ρ is not optimal: slightly more noise than needed"),
        "approximate": Flag(
            "ρ = t/(2ℓ + log(1 + 2ℓ)), a common approximation", "ρ is not optimal: slightly more noise than needed"
        ),
        "missing-sensitivity": Flag("ρ and t are not scaled by Δ²", "too little noise for sensitivities above 1"),
        "underflow": _FLAGS["underflow"],
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=tightest,
    cases=(
        case(1, "the setting of the paper's experiments",
             "log10 principal-branch missing-square missing-1 approximate", epsilon="0.3", delta="1e-6",
             sensitivity="1"),
        case(2, "a sensitivity other than 1",
             "log10 principal-branch missing-square missing-1 approximate missing-sensitivity", epsilon="0.3",
             delta="1e-6", sensitivity="2.5"),
        case(3, "a small sensitivity",
             "log10 principal-branch missing-square missing-1 approximate missing-sensitivity", epsilon="1",
             delta="1e-10", sensitivity="1e-3"),
        case(4, "a large δ", "log10 principal-branch missing-square missing-1 approximate", epsilon="2",
             delta="0.5", sensitivity="1"),
        case(5, "a large ε", "log10 principal-branch missing-square missing-1 approximate", epsilon="100",
             delta="1e-6", sensitivity="1"),
        case(6, "a tiny ε", "log10 principal-branch missing-square missing-1 approximate", epsilon="1e-8",
             delta="1e-6", sensitivity="1"),
        case(7, "δ² is below the smallest double", "log10 missing-square missing-1 approximate underflow",
             epsilon="1", delta="1e-300", sensitivity="1"),
        case(8, "δ close to 1: the two branches meet", "log10 principal-branch missing-square missing-1 approximate",
             epsilon="0.125", delta="0.9990234375", sensitivity="1"),
        case(9, "δ = 1", "unchecked", epsilon="1", delta="1", sensitivity="1"),
        case(10, "δ = 0", "unchecked", epsilon="1", delta="0", sensitivity="1"),
        case(11, "ε = 0", "unchecked", epsilon="0", delta="1e-6", sensitivity="1"),
        case(12, "a negative sensitivity", "unchecked", epsilon="1", delta="1e-6", sensitivity="-1"),
    ),
)  # fmt: skip
