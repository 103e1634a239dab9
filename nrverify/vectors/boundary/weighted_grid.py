"""Vectors of the boundary for two known looks with weights: heights of their own, and least expected bound at δ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from nrverify.vectors import domain
from nrverify.vectors.ball import Ball, ball, root, tail
from nrverify.vectors.case import SOLVED, Flag, Function, Invalid, case, real, reals
from nrverify.vectors.crossing_sums import grid

LOOKS = 2
"""Of two looks the best heights solve two equations, one inside the other."""


def weighted(
    times: Sequence[Fraction], weights: Sequence[Fraction], delta: Fraction, sensitivity: Fraction, time: Fraction
) -> dict[str, Ball]:
    """z at both looks, and ψ at one of them."""
    domain.positive(sensitivity=sensitivity, **{"every time": min(times), "every weight": min(weights)})
    domain.probability(delta=delta)
    domain.same_length(times=times, weights=weights)
    if len(set(times)) != LOOKS or len(times) != LOOKS or time not in times:
        raise Invalid("vectors with weights have two different looks, and ask for ψ at one of them")
    (first, w1), (second, w2) = sorted(zip(times, weights, strict=True))
    heights = _heights(second / first, w2 / w1, delta, ctx.prec)
    scaled = ball(sensitivity) / ball(time).sqrt()
    epsilon = scaled * (scaled / 2 + heights[0 if time == first else 1])
    return {"earlier": heights[0], "later": heights[1], "epsilon": epsilon}


@lru_cache(maxsize=64)
def _heights(ratio: Fraction, weight: Fraction, delta: Fraction, precision: int) -> tuple[Ball, Ball]:
    """In units of the first time, and of its weight."""
    times, target = [ball(1), ball(ratio)], ball(delta).log()
    correlation = 1 / times[1].sqrt()
    spread = (1 - correlation * correlation).sqrt()
    near = (-2 * target).sqrt()

    def later(earlier: Ball) -> Ball:
        """The second height at which P is δ, given the first."""

        def passed(z: Ball) -> Ball:
            return grid(times, [earlier, z * times[1].sqrt()]).log() - target

        return root(passed, near / 2, near * 2, rising=False)

    def excess(earlier: Ball) -> Ball:
        """How much faster P falls with the first height than with the second, over their shares in the bound."""
        if not tail(earlier) < ball(delta):
            return ball(1)
        second = later(earlier)
        # −∂P/∂z_i is the normal density at z_i times the probability of staying below the other height.
        own = -earlier * earlier / 2 + tail((correlation * earlier - second) / spread).log()
        other = -second * second / 2 + tail((correlation * second - earlier) / spread).log()
        return own - (other - ball(weight).log() - arb(correlation).log())

    first = root(excess, near * 3 / 4, near * 5 / 4, rising=False)
    return first, later(first)


GRID = Function(
    name="grid-weighted",
    statement="Boundary for two known looks t₁ < t₂ that say how likely the stop is at each: ψ(t_i) = Δ²/(2t_i) + "
    "Δz_i/√t_i with P(W_u ≥ z_u√u at u = t₁ or t₂) = δ, W standard Brownian motion, and the z's for which "
    "w₁ψ(t₁) + w₂ψ(t₂) is least. There the slopes of P in z₁ and z₂ are in the ratio of w₁/√t₁ and w₂/√t₂.",
    domain="two different times > 0, a weight > 0 for each, 0 < delta < 1/2, sensitivity > 0, time one of the two",
    inputs={
        "times": reals("the times of the looks, in any order"),
        "weights": reals("how likely the stop is at each look, in the order of the times; only their ratio matters"),
        "delta": real("failure probability δ"),
        "sensitivity": real("Δ ≥ ‖f(x) − f(x')‖₂"),
        "time": real("t, the look at which ψ is asked"),
    },
    outputs={"earlier": "z at the smaller time", "later": "z at the larger time", "epsilon": "ψ(t)"},
    flags={
        "equal-heights": Flag("the same z at both looks", "more noise than needed where the stop is expected"),
        "weights-of-psi": Flag(
            "w₁z₁ + w₂z₂ is made least, without the roots of the times", "the noise is not the least that is possible"
        ),
        "order": Flag("weights are given to looks by growing time", "the wrong look gets the lower bound"),
        "union-bound": Flag("Q(z₁) + Q(z₂) = δ", "more noise than needed: the looks share one path"),
        "missing-mean": Flag("the term Δ²/2t, the mean of the loss, is left out", "the bound fails more often than δ"),
        "missing-sensitivity": Flag(
            "the bound is not scaled by Δ", "for sensitivities above 1 the loss exceeds the bound"
        ),
        "unchecked": Flag("the input is not checked", "a bound that is negative, infinite or NaN is claimed"),
    },
    evaluate=weighted,
    digits=32,
    roundings=SOLVED,
    cases=(
        case(1, "equal weights", "equal-heights weights-of-psi union-bound missing-mean", times=["1", "4"],
             weights=["1", "1"], delta="1e-6", sensitivity="1", time="4"),
        case(2, "looks in disorder, the stop late", "equal-heights weights-of-psi order union-bound missing-mean "
             "missing-sensitivity", times=["200", "100"], weights=["0.2", "0.8"], delta="0.001", sensitivity="2",
             time="100"),
        case(3, "a large δ", "equal-heights weights-of-psi union-bound missing-mean", times=["1", "2"],
             weights=["5", "1"], delta="0.05", sensitivity="1", time="1"),
        case(4, "a weight of 0", "unchecked", times=["1", "2"], weights=["0", "1"], delta="0.01", sensitivity="1",
             time="1"),
        case(5, "a weight is missing", "unchecked", times=["1", "2"], weights=["1"], delta="0.01", sensitivity="1",
             time="1"),
    ),
)  # fmt: skip
