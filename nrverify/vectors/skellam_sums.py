"""Skellam probabilities as balls: Bessel functions, their ratios and sums over the integers with bounded remainders.

r_ν = I_{ν+1}(x)/I_ν(x) lies between 0 and x/(2(ν+1)), term by term in the power series, and is 1/(2(ν+1)/x + r_{ν+1}).
Run downwards from a ball that contains r at a high order, this encloses every ratio and shrinks the ball.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx

from nrverify.vectors.ball import Ball, ball


def ratio(order: int, x: Ball) -> Ball:
    """I_{order+1}(x)/I_order(x)."""
    steps = 32
    while True:
        found = _highest(order, x, steps)
        for i in range(steps - 1, -1, -1):
            found = 1 / (2 * (order + i + 1) / x + found)
        if found.rel_accuracy_bits() >= min(ctx.prec, x.rel_accuracy_bits()) - 16:
            return found
        steps *= 2


def log_ratio(order: int, difference: int, x: Ball) -> Ball:
    """log I_order(x)/I_{order+difference}(x)."""
    return -sum((ratio(order + i, x).log() for i in range(difference)), arb(0))


def mass(k: int, variance: Fraction) -> Ball:
    """P(X = k) = e^(−μ) I_|k|(μ), μ the variance."""
    mu = ball(variance)
    return (-mu).exp() * mu.bessel_i(abs(k))


def bridge_mass(j: int, before: Fraction, after: Fraction, given: int) -> Ball:
    """P(X_s = j | X_t = given), from the variances of X_s and of X_t − X_s."""
    if after == 0:
        return arb(1) if j == given else arb(0)
    share = ball(before).bessel_i(abs(j)) * ball(after).bessel_i(abs(given - j))
    return share / ball(before + after).bessel_i(abs(given))


def at_least(k: int, variance: Fraction) -> Ball:
    """P(X ≥ k)."""
    if k <= 0:
        return 1 - at_least(1 - k, variance)
    return mass(k, variance) * _outward([(k, ball(variance))])


def bridge_at_least(k: int, before: Fraction, after: Fraction, given: int) -> Ball:
    """P(X_s ≥ k | X_t = given)."""
    if after == 0:
        return arb(1) if given >= k else arb(0)
    first = max(k, given, 0)
    inner = sum((bridge_mass(j, before, after, given) for j in range(k, first)), arb(0))
    outer = _outward([(first, ball(before)), (first - given, ball(after))])
    return inner + bridge_mass(first, before, after, given) * outer


def _outward(factors: Sequence[tuple[int, Ball]]) -> Ball:
    """Σ_{i ≥ 0} Π I_{order+i}(x)/I_order(x), over the factors (order, x): 1 + q_0(1 + q_1(1 + …)), q_i = Π r_{order+i}.

    From `steps` on the q_i fall, so that what is left out there lies between 1 and 1/(1 − q).
    """
    steps = 64
    while True:
        ratios = [_highest(order, x, steps) for order, x in factors]
        largest = _product(ratios).upper()
        if largest < 0.5:
            total = arb(1).union(1 / (1 - largest))
            for i in range(steps - 1, -1, -1):
                ratios = [1 / (2 * (order + i + 1) / x + r) for (order, x), r in zip(factors, ratios, strict=True)]
                total = 1 + _product(ratios) * total
            if total.rel_accuracy_bits() >= ctx.prec - 16:
                return total
        steps *= 2


def _highest(order: int, x: Ball, steps: int) -> Ball:
    """A ball that contains r_{order+steps}."""
    return arb(0).union((x / (2 * (order + steps + 1))).upper())


def _product(balls: Sequence[Ball]) -> Ball:
    total = arb(1)
    for one in balls:
        total = total * one
    return total
