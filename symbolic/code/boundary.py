"""The boundaries of `nrverify.laws.boundary` that follow Brownian noise, against exact values in ball arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb, ctx

from nrverify.laws.boundary import HalfNormalMixture, Linear, Mixture
from nrverify.ledger import Refuted, certificate, supports
from nrverify.ledger.enclosure import PRECISION, Ball, Enclosure
from nrverify.symbolic.tools.normal import cdf_ball, density_ball

CLOSED_FORM = 1e-12
"""The stated accuracy of everything that is not a crossing probability of a curve."""

TUNINGS = ((0.3, 1e-6, 1.0), (2.5, 0.5, 0.125), (1e-5, 1e-9, 3.0), (40.0, 0.9, 7.0), (0.7, 1e-300, 1.0))
"""(ε, δ, Δ)."""


def odds_of(delta: float) -> Ball:
    """ℓ = log(1/δ)."""
    return -arb(delta).log()


def linear_psi(t: Ball, boundary: Any) -> Ball:
    """(Δ/t)(Δ/2 + b) + Δa."""
    d, a, b = arb(boundary.sensitivity), arb(boundary.a), arb(boundary.b)
    return d / t * (d / 2 + b) + d * a


def mixture_psi(t: Ball, boundary: Any) -> Ball:
    """Δ²/2t + (Δ/t)√(2(t+ρ) log(δ⁻¹√((t+ρ)/ρ)))."""
    d, rho, delta = arb(boundary.sensitivity), arb(boundary.rho), arb(boundary.delta)
    curve = (2 * (t + rho) * (((t + rho) / rho).sqrt() / delta).log()).sqrt()
    return d * d / (2 * t) + d / t * curve


@certificate(
    {"B09": supports, "B12": supports, "B13": supports, "B14": supports, "B17": supports},
    rejects={
        "Δ²/t for Δ²/2t": {"psi": lambda t, f: linear_psi(t, f) + arb(f.sensitivity) ** 2 / (2 * t)},
        "slope a for Δa": {"psi": lambda t, f: linear_psi(t, f) - arb(f.sensitivity) * arb(f.a) + arb(f.a)},
        "δ = e^{−ab}": {"delta": lambda f: (-arb(f.a) * arb(f.b)).exp()},
        "the optimum with ε/2": {"halving": 2},
    },
)
def linear_law(
    enclosure: Enclosure,
    psi: Callable[[Ball, Any], Ball] = linear_psi,
    delta: Callable[[Any], Ball] = lambda f: (-2 * arb(f.a) * arb(f.b)).exp(),
    halving: int = 1,
) -> None:
    """Linear: value, δ, floor, inverse, refusal at the floor and the tightest line, each to 1e-12."""
    with ctx.workprec(PRECISION):
        for line in (Linear(a=0.15, b=46.0, sensitivity=1.0), Linear(a=3.0, b=0.02, sensitivity=0.25)):
            _values(enclosure, "Linear", line, psi, (1e-6, 0.3, 2.0, 700.0, 1e9))
            enclosure.agrees("Linear.delta", line.delta, delta(line), CLOSED_FORM)
            floor = arb(line.sensitivity) * arb(line.a)
            enclosure.agrees("Linear.floor", line.floor, floor, CLOSED_FORM)
            _inverse_brackets(enclosure, "Linear", line, psi, (line.floor * 1.25, line.floor + 1.0, line.floor + 90.0))
            _refuses(enclosure, "Linear.inverse at the floor", lambda line=line: line.inverse(line.floor))  # type: ignore[misc]
            _refuses(enclosure, "Linear.inverse below it", lambda line=line: line.inverse([9.0, line.floor / 2]))  # type: ignore[misc]
        for epsilon, failure, sensitivity in TUNINGS:
            line = Linear.tightest_at(epsilon=epsilon, delta=failure, sensitivity=sensitivity)
            odds, level, d = odds_of(failure), arb(epsilon) / halving, arb(sensitivity)
            slope = ((odds * odds + odds * level).sqrt() - odds) / d
            enclosure.agrees(f"a* at ε = {epsilon}, δ = {failure}", line.a, slope, CLOSED_FORM)
            enclosure.agrees(f"b* at ε = {epsilon}, δ = {failure}", line.b, odds / (2 * slope), CLOSED_FORM)
            enclosure.agrees("its Δ", line.sensitivity, d, 0.0)


@certificate(
    {"B08": supports, "B13": supports, "B15": supports, "B16": supports},
    rejects={
        "the curve of ρ/2": {"psi": lambda t, f: mixture_psi(t, Mixture(f.rho / 2, f.delta, f.sensitivity))},
        "one-sided δ: 2δ for δ": {"psi": lambda t, f: mixture_psi(t, Mixture(f.rho, f.delta / 2, f.sensitivity))},
        "ρ* = t*/w": {"ratio": lambda w: w},
        "the principal branch W_0": {"branch": 0},
    },
)
def mixture_law(
    enclosure: Enclosure,
    psi: Callable[[Ball, Any], Ball] = mixture_psi,
    ratio: Callable[[Ball], Ball] = lambda w: w - 1,
    branch: int = -1,
) -> None:
    """Mixture: value, inverse and the tightest ρ, each to 1e-12."""
    with ctx.workprec(PRECISION):
        for boundary in (Mixture(3.25, 1e-6, 1.5), Mixture(700.0, 0.75, 0.01), Mixture(1e-4, 1e-250, 40.0)):
            _values(enclosure, "Mixture", boundary, psi, (1e-7, 0.02, 3.0, 4000.0, 1e12))
            _inverse_brackets(enclosure, "Mixture", boundary, psi, (1e-4, 0.3, 5.0, 1e4))
        for epsilon, failure, sensitivity in TUNINGS:
            boundary = Mixture.tightest_at(epsilon=epsilon, delta=failure, sensitivity=sensitivity)
            w = -(-(-2 * odds_of(failure) - 1).exp()).lambertw(branch)
            level = arb(epsilon)
            time = (arb(sensitivity) * (w.sqrt() + (w + 2 * level).sqrt()) / (2 * level)) ** 2
            enclosure.agrees(f"ρ* at ε = {epsilon}, δ = {failure}", boundary.rho, time / ratio(w), CLOSED_FORM)
            enclosure.agrees("its δ", boundary.delta, arb(failure), 0.0)
            enclosure.agrees("its Δ", boundary.sensitivity, arb(sensitivity), 0.0)


def half_normal_excess(psi: Ball, t: Ball, boundary: Any) -> Ball:
    """log of 2√(ρ/(t+ρ))e^{U²/2}Φ(U)·δ at the path where the loss is ψ: zero on the curve, increasing in ψ."""
    d, rho = arb(boundary.sensitivity), arb(boundary.rho)
    u = (psi * t / d - d / 2) / (t + rho).sqrt()
    return u * u / 2 + (2 * cdf_ball(u)).log() - odds_of(boundary.delta) - (1 + t / rho).log() / 2


def half_normal_best_ratio(quantile: Ball) -> Ball:
    """u = U(U + φ(U)/Φ(U)): t/ρ where the half-normal curve over √t is least."""
    return quantile * (quantile + density_ball(quantile) / cdf_ball(quantile))


@certificate(
    {"B08": supports, "B13": supports, "B16": supports},
    rejects={
        "half-normal without the factor 2": {"excess": lambda psi, t, f: half_normal_excess(psi, t, f) - arb(2).log()},
        "the two-sided mixture": {
            "excess": lambda psi, t, f: (
                half_normal_excess(psi, t, f)
                - (
                    2 * cdf_ball((psi * t / arb(f.sensitivity) - arb(f.sensitivity) / 2) / (t + arb(f.rho)).sqrt())
                ).log()
            )
        },
        "the ratio U² of the two-sided mixture": {"best_ratio": lambda quantile: quantile * quantile},
    },
)
def half_normal_law(
    enclosure: Enclosure,
    excess: Callable[[Ball, Ball, Any], Ball] = half_normal_excess,
    best_ratio: Callable[[Ball], Ball] = half_normal_best_ratio,
) -> None:
    """HalfNormalMixture: the value solves 2√(ρ/(t+ρ))e^{U²/2}Φ(U) = 1/δ, its inverse and tightest ρ, each to 1e-12."""
    low, high = 1 - arb(CLOSED_FORM), 1 + arb(CLOSED_FORM)
    with ctx.workprec(PRECISION):
        for boundary in (
            HalfNormalMixture(3.25, 1e-6, 1.5),
            HalfNormalMixture(700.0, 0.75, 0.01),
            HalfNormalMixture(1e-4, 1e-250, 40.0),
        ):
            times = (1e-7, 0.02, 3.0, 4000.0, 1e12)
            for t, value in zip(times, boundary(list(times)), strict=True):
                _same(enclosure, "one time or many", float(value), boundary(t))
                enclosure.less(f"ψ({t}) is not too large", excess(arb(float(value)) * low, arb(t), boundary), 0)
                enclosure.less(f"ψ({t}) is not too small", 0, excess(arb(float(value)) * high, arb(t), boundary))
            for level in (1e-4, 0.3, 5.0, 1e4):
                time = arb(boundary.inverse(level))
                enclosure.less(f"ψ⁻¹({level}) is not too small", 0, excess(arb(level), time * high, boundary))
                enclosure.less(f"ψ⁻¹({level}) is not too large", excess(arb(level), time * low, boundary), 0)
        for epsilon, failure, sensitivity in TUNINGS:
            boundary = HalfNormalMixture.tightest_at(epsilon=epsilon, delta=failure, sensitivity=sensitivity)
            quantile = _half_normal_stationary(odds_of(failure), best_ratio)
            u, level = best_ratio(quantile), arb(epsilon)
            m = quantile * ((1 + u) / u).sqrt()
            time = (arb(sensitivity) * (m + (m * m + 2 * level).sqrt()) / (2 * level)) ** 2
            enclosure.agrees(f"ρ* at ε = {epsilon}, δ = {failure}", boundary.rho, time / u, CLOSED_FORM)
            enclosure.agrees("its δ", boundary.delta, arb(failure), 0.0)
            enclosure.agrees("its Δ", boundary.sensitivity, arb(sensitivity), 0.0)


def _half_normal_stationary(odds: Ball, best_ratio: Callable[[Ball], Ball]) -> Ball:
    """The U with U²/2 + log 2Φ(U) = ℓ + log(1+u(U))/2, by bisection with certain signs."""
    low, high = arb("1e-6"), arb(64)
    for _ in range(90):
        middle = ((low + high) / 2).mid()
        excess = middle * middle / 2 + (2 * cdf_ball(middle)).log() - odds - (1 + best_ratio(middle)).log() / 2
        low, high = (low, middle) if excess > 0 else (middle, high)
    return low.union(high)


def _values(
    enclosure: Enclosure, name: str, boundary: Any, psi: Callable[[Ball, Any], Ball], times: tuple[float, ...]
) -> None:
    for t, value in zip(times, boundary(np.array(times)), strict=True):
        enclosure.agrees(f"{name}: ψ({t})", float(value), psi(arb(t), boundary), CLOSED_FORM)
        _same(enclosure, "one time or many", float(value), boundary(t))


def _inverse_brackets(
    enclosure: Enclosure, name: str, boundary: Any, psi: Callable[[Ball, Any], Ball], levels: tuple[float, ...]
) -> None:
    for level, time in zip(levels, boundary.inverse(np.array(levels)), strict=True):
        t = arb(float(time))
        enclosure.less(
            f"{name}: ψ⁻¹({level:.6g}) is not too small", psi(t * (1 + arb(CLOSED_FORM)), boundary), arb(level)
        )
        enclosure.less(
            f"{name}: ψ⁻¹({level:.6g}) is not too large", arb(level), psi(t * (1 - arb(CLOSED_FORM)), boundary)
        )
        _same(enclosure, "one level or many", float(time), boundary.inverse(level))


def _same(enclosure: Enclosure, name: str, many: float, one: object) -> None:
    if not isinstance(one, float):
        raise Refuted(f"{name}: {one!r} is not a float")
    enclosure.agrees(name, one, arb(many), 1e-14)


def _refuses(enclosure: Enclosure, name: str, call: Callable[[], object]) -> None:
    try:
        answer = call()
    except ValueError as refusal:
        enclosure.checked(name, f"refused: {refusal}")
        return
    raise Refuted(f"{name}: answered {answer!r}")
