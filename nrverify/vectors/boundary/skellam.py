"""Vectors of the Skellam boundary, its inverse and its optimum, for integer queries (N14)."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, Uncertain, ball, ceiling, certainly, root
from nrverify.vectors.case import SUMMED, Flag, Function, Invalid, case, integer, real
from nrverify.vectors.skellam_sums import log_ratio

_FARTHEST = 2000  # levels searched; the cases need a few hundred
_SEARCH = 128  # bits that decide between levels


def boundary(
    theta: Fraction, delta: Fraction, sensitivity: Fraction, rate: Fraction, time: Fraction
) -> dict[str, Ball]:
    """ψ(t) = log I_k(μ)/I_{k+Δ}(μ), k = ⌈B(t)⌉ − 1."""
    _check(delta, sensitivity, rate, theta=theta, time=time)
    mu, tilt = ball(2 * rate * time), ball(theta)
    k = ceiling((-ball(delta).log() + mu * (tilt.cosh() - 1)) / tilt) - 1
    return {"epsilon": log_ratio(k, int(sensitivity), mu)}


def inverse(
    theta: Fraction, delta: Fraction, sensitivity: Fraction, rate: Fraction, epsilon: Fraction
) -> dict[str, Ball]:
    """The least t with ψ(t) ≤ ε: on the first piece of constant k whose last value, at B = k + 1, is that low.

    By Amos's bound I_{ν+1}(x)/I_ν(x) < e^(−asinh((ν+½)/x)), and B ≤ k + 1, ψ stays above Δ asinh((cosh θ − 1)/θ)
    wherever log(1/δ) ≥ θ/2.
    """
    _check(delta, sensitivity, rate, theta=theta, epsilon=epsilon)
    level, tilt = -ball(delta).log(), ball(theta)
    floor = int(sensitivity) * ((tilt.cosh() - 1) / tilt).asinh()
    if level > tilt / 2 and floor > ball(epsilon):
        raise Invalid("epsilon must exceed the floor of this boundary")
    first = ceiling(level / tilt) - 1
    for k in range(first, first + _FARTHEST):
        with ctx.workprec(_SEARCH):
            corner = (tilt * (k + 1) - level) / (tilt.cosh() - 1)
            least = log_ratio(k, int(sensitivity), corner)
            reached = certainly(least < ball(epsilon), least > ball(epsilon))
        if reached:
            return {"time": variance(k, int(sensitivity), epsilon) / ball(2 * rate)}
    raise Uncertain("no level low enough")


def tightest(epsilon: Fraction, delta: Fraction, sensitivity: Fraction, rate: Fraction) -> dict[str, Ball]:
    """The least inverse at ε over all θ: μ_k/(2·rate) for the first k that some θ keeps, where ψ = ε at μ_k.

    Some θ has B ≤ n = k + 1 at μ exactly when log(1/δ) ≤ sup_θ θn − μ(cosh θ − 1) = n·asinh(n/μ) − √(n² + μ²) + μ.
    The right side falls with μ, so the condition at μ_k says that the μ of equality is at least μ_k, and ψ there at
    most ε.
    """
    _check(delta, sensitivity, rate, epsilon=epsilon)
    level = -ball(delta).log()
    for k in range(_FARTHEST):
        with ctx.workprec(_SEARCH):
            least = log_ratio(k, int(sensitivity), _largest_variance(k + 1, level))
            kept = certainly(least < ball(epsilon), least > ball(epsilon))
        if kept:
            return {"level": Fraction(k), "time": variance(k, int(sensitivity), epsilon) / ball(2 * rate)}
    raise Uncertain("no level low enough")


def variance(k: int, sensitivity: int, epsilon: Fraction) -> Ball:
    """The μ with log I_k(μ)/I_{k+Δ}(μ) = ε, near Δ asinh((k + Δ/2)/μ) = ε."""
    near = (k + ball(Fraction(sensitivity, 2))) / (ball(epsilon) / sensitivity).sinh()
    return root(lambda mu: log_ratio(k, sensitivity, mu) - ball(epsilon), near / 2, 2 * near, rising=False)


def _largest_variance(n: int, level: Ball) -> Ball:
    """The μ with n·asinh(n/μ) − √(n² + μ²) + μ = level."""

    def excess(mu: Ball) -> Ball:
        return n * (n / mu).asinh() - (n * n + mu * mu).sqrt() + mu - level

    near = n * n / (2 * level)
    return root(excess, near / 2, near, rising=False)


def _check(delta: Fraction, sensitivity: Fraction, rate: Fraction, **others: Fraction) -> None:
    domain.positive(sensitivity=sensitivity, rate=rate, **others)
    domain.probability(delta=delta)


_INPUTS = {
    "delta": real("failure probability δ"),
    "sensitivity": integer("Δ ≥ |f(x) − f(x')|, an integer; one coordinate"),
    "rate": real("rate of each of the two Poisson processes"),
}
_BOUND = (
    "with μ = 2·rate·t, B(t) = (log(1/δ) + μ(cosh θ − 1))/θ and k = ⌈B(t)⌉ − 1: ψ(t) = log I_k(μ) − log I_{k+Δ}(μ), "
    "I_k the modified Bessel function of the first kind"
)
_FLAGS = {
    "missing-2": Flag(
        "μ = rate·t for 2·rate·t", "noise and bound disagree by a factor 2 in the variance: accuracy is given away"
    ),
    "log10": Flag("the decimal logarithm for the natural one", "the failure probability is δ^0.43 instead of δ"),
    "level-too-low": Flag(
        "k = ⌈B⌉ − 2: one level too low", "X = ⌈B⌉ − 1 is below the line and its loss is above the bound"
    ),
    "level-too-high": Flag("k = ⌈B⌉: one level too high", "the bound is larger than it needs to be"),
    "gaussian": Flag(
        "the line of Gaussian noise (θ²/2 for cosh θ − 1) and its loss", "the true loss exceeds the bound more often"
    ),
    "one-step": Flag("Δ·log I_k/I_{k+1} for log I_k/I_{k+Δ}", "for Δ > 1 the loss exceeds the bound"),
    "unchecked": Flag("the input is not checked", "a bound or a time that is negative, infinite or NaN is used"),
}
_THETA = real("θ > 0, the tilt of the martingale e^(θX − μ(cosh θ − 1))")

BOUNDARY = Function(
    name="skellam-boundary",
    statement=f"Privacy boundary of symmetric Skellam noise: {_BOUND}. With probability at least 1 − δ the loss is at "
    "most ψ(t) at all times t at once.",
    domain="theta > 0, 0 < delta < 1, sensitivity a positive integer, rate > 0, time > 0",
    inputs={"theta": _THETA, **_INPUTS, "time": real("the time t of the least noisy release")},
    outputs={"epsilon": "ψ(t)"},
    flags=_FLAGS,
    evaluate=boundary,
    roundings=SUMMED,
    logarithms=frozenset({"epsilon"}),
    cases=(
        case(1, "moderate noise", "missing-2 log10 level-too-low level-too-high gaussian", theta="0.5", delta="1e-6",
             sensitivity="1", rate="1", time="50"),
        case(2, "a sensitivity other than 1", "missing-2 log10 level-too-low level-too-high gaussian one-step",
             theta="0.5", delta="1e-6", sensitivity="3", rate="1", time="50"),
        case(3, "rate and time both count", "missing-2 log10 level-too-low level-too-high gaussian", theta="0.25",
             delta="1e-5", sensitivity="1", rate="4", time="30"),
        case(4, "a tilt far from Gaussian", "missing-2 log10 level-too-low level-too-high gaussian", theta="2",
             delta="1e-6", sensitivity="1", rate="1", time="2"),
        case(5, "t → 0: everything is lost", "missing-2 log10 level-too-low level-too-high gaussian", theta="1",
             delta="1e-6", sensitivity="1", rate="1", time="1e-12"),
        case(6, "much noise", "missing-2 level-too-low level-too-high", theta="0.05",
             delta="1e-6", sensitivity="1", rate="1", time="5000"),
        case(7, "δ = 10⁻³⁰⁰", "missing-2 log10 level-too-low level-too-high gaussian", theta="1", delta="1e-300",
             sensitivity="2", rate="1", time="100"),
        case(8, "a large δ", "missing-2 level-too-high gaussian", theta="1.5", delta="0.5", sensitivity="1",
             rate="1", time="1"),
        case(9, "a sensitivity that is no integer", "unchecked", theta="1", delta="1e-6", sensitivity="1.5",
             rate="1", time="1"),
        case(10, "δ = 1", "unchecked", theta="1", delta="1", sensitivity="1", rate="1", time="1"),
        case(11, "time 0", "unchecked", theta="1", delta="1e-6", sensitivity="1", rate="1", time="0"),
    ),
)  # fmt: skip

INVERSE = Function(
    name="skellam-inverse",
    statement=f"Inverse of the Skellam boundary: the least t > 0 with ψ(t) ≤ ε, {_BOUND}. ψ falls while k is constant "
    "and jumps up where B passes an integer; where it never falls to ε there is no inverse.",
    domain="theta > 0, 0 < delta < 1, sensitivity a positive integer, rate > 0, epsilon above the infimum of ψ, "
    "min(Δ·asinh((cosh θ − 1)/θ), ψ at the end of the first piece)",
    inputs={"theta": _THETA, **_INPUTS, "epsilon": real("the ε asked for")},
    outputs={"time": "the least t with ψ(t) ≤ ε"},
    flags={
        name: _FLAGS[name]
        for name in ("missing-2", "log10", "level-too-low", "level-too-high", "gaussian", "one-step", "unchecked")
    }
    | {"floor": Flag("an ε below the floor of ψ is not refused", "a search without end, or a time that keeps no ε")},
    evaluate=inverse,
    roundings=SUMMED,
    cases=(
        case(1, "moderate noise", "missing-2 log10 level-too-low level-too-high gaussian", theta="0.5", delta="1e-6",
             sensitivity="1", rate="1", epsilon="0.75"),
        case(2, "a sensitivity other than 1", "missing-2 log10 level-too-low level-too-high gaussian one-step",
             theta="0.5", delta="1e-6", sensitivity="3", rate="1", epsilon="2.5"),
        case(3, "a rate other than 1", "missing-2 log10 level-too-low level-too-high gaussian", theta="0.25",
             delta="1e-5", sensitivity="1", rate="4", epsilon="0.5"),
        case(4, "a large ε", "missing-2 log10 level-too-low level-too-high gaussian", theta="2", delta="1e-6",
             sensitivity="1", rate="1", epsilon="5"),
        case(5, "close to the floor", "missing-2 log10 level-too-high gaussian", theta="0.5", delta="1e-6",
             sensitivity="1", rate="1", epsilon="0.28"),
        case(6, "below the floor", "floor", theta="0.5", delta="1e-6", sensitivity="1", rate="1", epsilon="0.25"),
        case(7, "ε = 0", "unchecked", theta="1", delta="1e-6", sensitivity="1", rate="1", epsilon="0"),
        case(8, "rate 0", "unchecked", theta="1", delta="1e-6", sensitivity="1", rate="0", epsilon="1"),
    ),
)  # fmt: skip

TIGHTEST = Function(
    name="skellam-tightest",
    statement="The least time at which a Skellam boundary (over all θ > 0) is at most ε: t = μ_k/(2·rate), where μ_k "
    "solves log I_k(μ)/I_{k+Δ}(μ) = ε and k ≥ 0 is the first integer with log(1/δ) ≤ n·asinh(n/μ_k) − √(n² + μ_k²) + "
    "μ_k, n = k + 1 (then, and only then, some θ has B ≤ k + 1 at μ_k). Many θ reach it, so θ is no output.",
    domain="epsilon > 0, 0 < delta < 1, sensitivity a positive integer, rate > 0",
    inputs={"epsilon": real("the ε at which the boundary is to be tightest"), **_INPUTS},
    outputs={"level": "k", "time": "the inverse at ε, the smallest over all θ"},
    flags={
        "missing-2": _FLAGS["missing-2"],
        "log10": _FLAGS["log10"],
        "gaussian": Flag("the optimum of the linear boundary of Gaussian noise", "too little noise: ε is not kept"),
        "level-too-high": Flag("n = k for n = k + 1", "one level more than needed: accuracy is given away"),
        "unchecked": _FLAGS["unchecked"],
    },
    evaluate=tightest,
    roundings=SUMMED,
    cases=(
        case(1, "ε = 1", "missing-2 log10 gaussian level-too-high", epsilon="1", delta="1e-6", sensitivity="1",
             rate="1"),
        case(2, "a sensitivity other than 1", "missing-2 log10 gaussian level-too-high", epsilon="2", delta="1e-6",
             sensitivity="3", rate="1"),
        case(3, "a rate other than 1", "missing-2 log10 gaussian level-too-high", epsilon="1", delta="1e-6",
             sensitivity="1", rate="8"),
        case(4, "a small ε", "missing-2 log10 gaussian level-too-high", epsilon="0.3", delta="1e-6",
             sensitivity="1", rate="1"),
        case(5, "a large ε and a large δ: k = 0", "missing-2 gaussian", epsilon="6", delta="0.5",
             sensitivity="1", rate="1"),
        case(6, "δ = 10⁻³⁰⁰", "missing-2 log10 gaussian level-too-high", epsilon="3", delta="1e-300",
             sensitivity="1", rate="1"),
        case(7, "δ = 1", "unchecked", epsilon="1", delta="1", sensitivity="1", rate="1"),
        case(8, "ε = 0", "unchecked", epsilon="0", delta="1e-6", sensitivity="1", rate="1"),
        case(9, "sensitivity 0", "unchecked", epsilon="1", delta="1e-6", sensitivity="0", rate="1"),
    ),
)  # fmt: skip
