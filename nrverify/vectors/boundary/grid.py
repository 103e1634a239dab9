"""Vectors of the boundary calibrated to a known grid of looks, and of its optimum."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from flint import ctx

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, root
from nrverify.vectors.boundary.crossing import looks
from nrverify.vectors.case import SUMMED, Flag, Function, case, real, reals
from nrverify.vectors.crossing_sums import grid


def quantile(times: Sequence[Fraction], delta: Fraction) -> Ball:
    """The z > 0 with P(W_t ≥ z√t at some look) = δ < 1/2; it depends on the ratios of the looks only."""
    least = min(times)
    return _quantile(tuple(sorted({time / least for time in times})), delta, ctx.prec)


@lru_cache(maxsize=64)
def _quantile(ratios: tuple[Fraction, ...], delta: Fraction, precision: int) -> Ball:
    # The precision is part of the key: balls of another one are not the same balls.
    times = [ball(ratio) for ratio in ratios]
    roots = [time.sqrt() for time in times]
    target = ball(delta).log()
    near = (-2 * target).sqrt()
    return root(lambda z: grid(times, [z * r for r in roots]).log() - target, near * 3 / 4, near * 5 / 4, rising=False)


def boundary(times: Sequence[Fraction], delta: Fraction, sensitivity: Fraction, time: Fraction) -> dict[str, Ball]:
    """ψ(t) = Δ²/2t + Δz/√t."""
    _check(times, delta, sensitivity=sensitivity, time=time)
    z, scaled = quantile(times, delta), ball(sensitivity) / ball(time).sqrt()
    return {"quantile": z, "epsilon": scaled * (scaled / 2 + z)}


def tightest(times: Sequence[Fraction], epsilon: Fraction, delta: Fraction, sensitivity: Fraction) -> dict[str, Ball]:
    """The smallest look t₁ of a grid in the ratios of `times` with ψ(t₁) = ε: √t₁ = Δ(z + √(z² + 2ε))/2ε."""
    _check(times, delta, sensitivity=sensitivity, epsilon=epsilon)
    z, e = quantile(times, delta), ball(epsilon)
    scaled = ball(sensitivity) * (z + (z * z + 2 * e).sqrt()) / (2 * e)
    return {"time": scaled * scaled}


def _check(times: Sequence[Fraction], delta: Fraction, **others: Fraction) -> None:
    domain.positive(**others)
    domain.probability(delta=delta)
    looks(times, times)


_INPUTS = {
    "times": reals("the times of the looks, in any order"),
    "delta": real("failure probability δ"),
    "sensitivity": real("Δ ≥ ‖f(x) − f(x')‖₂"),
}
_FLAGS = {
    "union-bound": Flag("z at δ/n for n looks", "more noise than needed: the looks share one path"),
    "one-look": Flag(
        "z at δ, as for a single look", "over several looks the loss exceeds the bound up to n times as often as δ"
    ),
    "two-sided": Flag("z at δ/2 as for a two-sided test", "more noise than needed: the loss is one-sided"),
    "repeated": Flag("a repeated look is counted twice", "more noise than needed"),
    "missing-mean": Flag("the term Δ²/2t, the mean of the loss, is left out", "the bound fails more often than δ"),
    "missing-sensitivity": Flag("the bound is not scaled by Δ", "for sensitivities above 1 the loss exceeds the bound"),
    "unchecked": Flag("the input is not checked", "a bound that is negative, infinite or NaN is claimed"),
}

BOUNDARY = Function(
    name="grid-boundary",
    statement="Boundary for a known grid of looks: ψ(t) = Δ²/(2t) + Δz/√t, where z solves P(W_u ≥ z√u for some look u) "
    "= δ, W standard Brownian motion. With one look z is the normal quantile at 1 − δ.",
    domain="one to three different times > 0, 0 < delta < 1, sensitivity > 0, time > 0",
    inputs={**_INPUTS, "time": real("t, the look at which ψ is asked")},
    outputs={"quantile": "z", "epsilon": "ψ(t)"},
    flags=_FLAGS,
    evaluate=boundary,
    digits=32,
    roundings=SUMMED,
    cases=(
        case(1, "one look: the Gaussian mechanism", "two-sided missing-mean", times=["1"], delta="1e-6",
             sensitivity="1", time="1"),
        case(2, "one look, another sensitivity", "two-sided missing-mean missing-sensitivity", times=["100"],
             delta="0.01", sensitivity="4", time="100"),
        case(3, "one look, δ = 10⁻³⁰⁰", "two-sided missing-mean", times=["7"], delta="1e-300", sensitivity="1",
             time="7"),
        case(4, "two looks", "union-bound one-look two-sided missing-mean", times=["1", "4"], delta="1e-6",
             sensitivity="1", time="4"),
        case(5, "two looks, one repeated, in disorder", "union-bound one-look two-sided repeated missing-mean",
             times=["4", "1", "4"], delta="0.05", sensitivity="1", time="1"),
        case(6, "three looks", "union-bound one-look two-sided missing-mean missing-sensitivity",
             times=["400", "200", "100"], delta="0.001", sensitivity="2", time="100"),
        case(7, "time 0", "unchecked", times=["1", "2"], delta="1e-6", sensitivity="1", time="0"),
        case(8, "a look at time 0", "unchecked", times=["0", "2"], delta="1e-6", sensitivity="1", time="2"),
        case(9, "no looks", "unchecked", times=[], delta="1e-6", sensitivity="1", time="2"),
        case(10, "δ = 1", "unchecked", times=["1"], delta="1", sensitivity="1", time="2"),
    ),
)  # fmt: skip

TIGHTEST = Function(
    name="grid-tightest",
    statement="The least noise on a grid of looks in the ratios of `times`: the smallest look t₁ with "
    "Δ²/(2t₁) + Δz/√t₁ = ε, √t₁ = Δ(z + √(z² + 2ε))/(2ε), z as in grid-boundary. With one look, the least variance of "
    "a Gaussian release whose loss exceeds ε with probability δ.",
    domain="one to three different times > 0, epsilon > 0, 0 < delta < 1, sensitivity > 0",
    inputs={"times": _INPUTS["times"], "epsilon": real("the ε of the smallest look"), "delta": _INPUTS["delta"],
            "sensitivity": _INPUTS["sensitivity"]},
    outputs={"time": "t₁"},
    flags={name: flag for name, flag in _FLAGS.items() if name not in ("repeated", "missing-mean")},
    evaluate=tightest,
    digits=32,
    roundings=SUMMED,
    cases=(
        case(1, "one look", "two-sided", times=["1"], epsilon="1", delta="1e-6", sensitivity="1"),
        case(2, "one look, another sensitivity", "two-sided missing-sensitivity", times=["3"], epsilon="0.3",
             delta="1e-5", sensitivity="2.5"),
        case(3, "two looks", "union-bound one-look two-sided", times=["1", "2"], epsilon="0.3", delta="1e-6",
             sensitivity="1"),
        case(4, "ε = 0", "unchecked", times=["1"], epsilon="0", delta="1e-6", sensitivity="1"),
        case(5, "sensitivity 0", "unchecked", times=["1"], epsilon="1", delta="1e-6", sensitivity="0"),
    ),
)  # fmt: skip
