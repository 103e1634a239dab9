"""Vectors of the half-normal mixture boundary, its inverse and its optimum (it corrects B08 and M06)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, root, tail
from nrverify.vectors.case import Flag, Function, case, real


def log_mixture(u: Ball) -> Ball:
    """g(U) = U²/2 + log 2Φ(U)."""
    return u * u / 2 + (2 * tail(-u)).log()


def quantile(level: Ball) -> Ball:
    """The U > 0 with g(U) = level; g increases."""
    return root(lambda u: log_mixture(u) - level, arb(1), arb(2), rising=True)


def boundary(rho: Fraction, delta: Fraction, sensitivity: Fraction, time: Fraction) -> dict[str, Ball]:
    """ψ(t) = Δ²/2t + (Δ/t)·U√(t+ρ), 2√(ρ/(t+ρ)) e^(U²/2) Φ(U) = 1/δ."""
    domain.positive(rho=rho, sensitivity=sensitivity, time=time)
    domain.probability(delta=delta)
    u = quantile(-ball(delta).log() + (1 + ball(time / rho)).log() / 2)
    d = ball(sensitivity)
    return {"epsilon": d / ball(time) * (d / 2 + u * ball(time + rho).sqrt())}


def inverse(rho: Fraction, delta: Fraction, sensitivity: Fraction, epsilon: Fraction) -> dict[str, Ball]:
    """The t with ψ(t) = ε: where the mixture martingale at x = tε/Δ − Δ/2 is 1/δ; it increases there with t."""
    domain.positive(rho=rho, sensitivity=sensitivity, epsilon=epsilon)
    domain.probability(delta=delta)
    r, d, e, level = ball(rho), ball(sensitivity), ball(epsilon), -ball(delta).log()

    def excess(t: Ball) -> Ball:
        u = (t * e / d - d / 2) / (t + r).sqrt()
        return log_mixture(u) - level - (1 + t / r).log() / 2

    start = d * d / (2 * e)
    return {"time": start + root(lambda beyond: excess(start + beyond), start, 4 * start, rising=True)}


def tightest(epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> dict[str, Ball]:
    """ρ = t/u, where u = U g'(U), g(U) − ½log(1 + u) = ℓ; m = U√((1+u)/u) and t = (Δ(m + √(m²+2ε))/2ε)²."""
    domain.positive(epsilon=epsilon, sensitivity=sensitivity)
    domain.probability(delta=delta)
    level, e = -ball(delta).log(), ball(epsilon)
    u = root(lambda x: log_mixture(x) - (1 + _ratio(x)).log() / 2 - level, arb(1), arb(2), rising=True)
    ratio = _ratio(u)
    least = u * ((1 + ratio) / ratio).sqrt()
    time = (ball(sensitivity) * (least + (least * least + 2 * e).sqrt()) / (2 * e)) ** 2
    return {"rho": time / ratio, "time": time}


def _ratio(u: Ball) -> Ball:
    """U g'(U) = U(U + φ(U)/Φ(U))."""
    density = (-u * u / 2).exp() / (2 * arb.pi()).sqrt()
    return u * (u + density / tail(-u))


_INPUTS = {
    "rho": real("ρ > 0, the time the boundary is tuned to"),
    "delta": real("failure probability δ"),
    "sensitivity": real("Δ ≥ ‖f(x) − f(x')‖₂"),
}
_FLAGS = {
    "log10": Flag("the decimal logarithm for the natural one", "the failure probability is far above δ"),
    "missing-2": Flag(
        "the factor 2 of the half-normal mixture is left out",
        "the curve is that of δ/2: more noise than needed, and the advantage over the two-sided mixture is gone",
    ),
    "two-sided": Flag(
        "Φ(U) is left out: the two-sided mixture at the same δ", "more noise than needed: δ is used up only to a half"
    ),
    "halved-martingale": Flag(
        "Φ(U) is taken for 1 with the factor 2 kept: the two-sided mixture at 2δ",
        "the failure probability is above δ, by the factor 1/Φ(U)",
    ),
    "missing-mean": Flag(
        "the term Δ²/2t, the mean of the loss, is left out", "the loss exceeds the bound more often than δ"
    ),
    "missing-sensitivity": Flag("the curve is not scaled by Δ", "for sensitivities above 1 the loss exceeds the bound"),
    "unchecked": Flag("the input is not checked", "a bound or a time that is negative, infinite or NaN is used"),
}
_SETTING = "U > 0 solves U²/2 + log(2Φ(U)) = log(1/δ) + ½·log(1 + t/ρ), Φ the normal distribution function"

BOUNDARY = Function(
    name="half-normal-boundary",
    statement=f"One-sided mixture boundary: ψ(t) = Δ²/(2t) + (Δ/t)·U·√(t+ρ), where {_SETTING}. The loss of Brownian "
    "noise at exactly the sensitivity, looked at continuously, ever exceeds it with probability exactly δ.",
    domain="rho > 0, 0 < delta < 1, sensitivity > 0, time > 0",
    inputs={**_INPUTS, "time": real("t, the variance of the least noisy release")},
    outputs={"epsilon": "ψ(t)"},
    flags=_FLAGS,
    evaluate=boundary,
    cases=(
        case(1, "round numbers", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-6", sensitivity="1",
             time="1"),
        case(2, "a large δ, where Φ(U) is far from 1", "log10 missing-2 two-sided halved-martingale missing-mean",
             rho="1", delta="0.25", sensitivity="1", time="2"),
        case(3, "a sensitivity other than 1", "log10 missing-2 two-sided missing-mean missing-sensitivity",
             rho="2.5", delta="1e-5", sensitivity="3", time="40"),
        case(4, "a small sensitivity",
             "log10 missing-2 two-sided halved-martingale missing-mean missing-sensitivity", rho="1e-5",
             delta="0.01", sensitivity="0.01", time="0.002"),
        case(5, "t → 0: everything is lost", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-6",
             sensitivity="1", time="1e-300"),
        case(6, "t → ∞", "log10 missing-2 two-sided", rho="1", delta="1e-6", sensitivity="1", time="1e30"),
        case(7, "δ = 10⁻³⁰⁰", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-300", sensitivity="1",
             time="100"),
        case(8, "δ close to 1 and t small: U is close to 0",
             "log10 missing-2 two-sided halved-martingale missing-mean", rho="4", delta="0.9990234375",
             sensitivity="1", time="0.0078125"),
        case(9, "δ = 1", "unchecked", rho="1", delta="1", sensitivity="1", time="1"),
        case(10, "time 0", "unchecked", rho="1", delta="1e-6", sensitivity="1", time="0"),
        case(11, "a negative ρ", "unchecked", rho="-1", delta="1e-6", sensitivity="1", time="2"),
    ),
)  # fmt: skip

INVERSE = Function(
    name="half-normal-inverse",
    statement=f"Inverse of the one-sided mixture boundary: the t > 0 with Δ²/(2t) + (Δ/t)·U·√(t+ρ) = ε, where "
    f"{_SETTING}. The boundary falls strictly from ∞ to 0, so every ε > 0 has exactly one.",
    domain="rho > 0, 0 < delta < 1, sensitivity > 0, epsilon > 0",
    inputs={**_INPUTS, "epsilon": real("the ε asked for")},
    outputs={"time": "t"},
    flags=_FLAGS,
    evaluate=inverse,
    cases=(
        case(1, "round numbers", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-6", sensitivity="1",
             epsilon="1"),
        case(2, "a large δ, where Φ(U) is far from 1", "log10 missing-2 two-sided halved-martingale missing-mean",
             rho="1", delta="0.25", sensitivity="1", epsilon="0.75"),
        case(3, "a sensitivity other than 1", "log10 missing-2 two-sided missing-mean missing-sensitivity",
             rho="2.5", delta="1e-5", sensitivity="3", epsilon="0.5"),
        case(4, "a small sensitivity",
             "log10 missing-2 two-sided halved-martingale missing-mean missing-sensitivity", rho="1e-5",
             delta="0.01", sensitivity="0.01", epsilon="2"),
        case(5, "a tiny ε", "log10 missing-2 two-sided", rho="1", delta="1e-6", sensitivity="1", epsilon="1e-9"),
        case(6, "a huge ε", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-6", sensitivity="1",
             epsilon="1e12"),
        case(7, "δ = 10⁻³⁰⁰", "log10 missing-2 two-sided missing-mean", rho="1", delta="1e-300", sensitivity="1",
             epsilon="1"),
        case(8, "ε = 0", "unchecked", rho="1", delta="1e-6", sensitivity="1", epsilon="0"),
        case(9, "δ = 0", "unchecked", rho="1", delta="0", sensitivity="1", epsilon="1"),
        case(10, "an ε that is no number", "unchecked", rho="1", delta="1e-6", sensitivity="1", epsilon="nan"),
    ),
)  # fmt: skip

TIGHTEST = Function(
    name="half-normal-tightest",
    statement="The ρ whose one-sided mixture boundary has the smallest inverse at ε, and that inverse: with "
    "g(U) = U²/2 + log(2Φ(U)) and u = U·g'(U), U solves g(U) − ½·log(1+u) = log(1/δ); m = U·√((1+u)/u), "
    "t = (Δ(m + √(m² + 2ε))/(2ε))², ρ = t/u.",
    domain="epsilon > 0, 0 < delta < 1, sensitivity > 0",
    inputs={"epsilon": real("the ε at which the boundary is to be tightest"), "delta": _INPUTS["delta"],
            "sensitivity": _INPUTS["sensitivity"]},
    outputs={"rho": "ρ", "time": "the inverse at ε, the smallest over all ρ"},
    flags={
        "log10": _FLAGS["log10"],
        "two-sided": Flag("the optimum of the two-sided mixture", "ρ is off and more noise than needed is added"),
        "missing-2": _FLAGS["missing-2"],
        "missing-sensitivity": Flag("ρ and t are not scaled by Δ²", "too little noise for sensitivities above 1"),
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=tightest,
    cases=(
        case(1, "the setting of the paper's experiments", "log10 two-sided missing-2", epsilon="0.3", delta="1e-6",
             sensitivity="1"),
        case(2, "a sensitivity other than 1", "log10 two-sided missing-2 missing-sensitivity", epsilon="0.3",
             delta="1e-6", sensitivity="2.5"),
        case(3, "a small sensitivity", "log10 two-sided missing-2 missing-sensitivity", epsilon="1", delta="1e-10",
             sensitivity="1e-3"),
        case(4, "a large δ", "log10 two-sided missing-2", epsilon="2", delta="0.5", sensitivity="1"),
        case(5, "a large ε", "log10 two-sided missing-2", epsilon="100", delta="1e-6", sensitivity="1"),
        case(6, "δ = 10⁻³⁰⁰", "log10 two-sided missing-2", epsilon="1", delta="1e-300", sensitivity="1"),
        case(7, "δ close to 1", "log10 two-sided missing-2", epsilon="0.125", delta="0.9990234375",
             sensitivity="1"),
        case(8, "δ = 1", "unchecked", epsilon="1", delta="1", sensitivity="1"),
        case(9, "ε = 0", "unchecked", epsilon="0", delta="1e-6", sensitivity="1"),
        case(10, "sensitivity 0", "unchecked", epsilon="1", delta="1e-6", sensitivity="0"),
    ),
)  # fmt: skip
