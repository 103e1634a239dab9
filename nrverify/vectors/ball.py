"""Balls from exact inputs, and the roots of monotone functions as balls, certified by a change of sign."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

Ball = Any
"""An Arb ball (python-flint has no types)."""

_WIDENINGS = 2000  # by factors of 4: beyond the range of a double
_FEW_BITS = 96
"""Enough for an estimate better than a double, from which secants at full precision converge in a few steps."""


class Uncertain(Exception):
    """The balls are too wide to decide; a higher precision may."""


def ball(number: Fraction | int) -> Ball:
    """The rational number, enclosed."""
    exact = Fraction(number)
    return arb(fmpq(exact.numerator, exact.denominator))


def tail(x: Ball) -> Ball:
    """1 − Φ(x), real or complex, without a difference."""
    return (x / arb(2).sqrt()).erfc() / 2


def certainly(below: bool, not_below: bool) -> bool:
    """The truth of a comparison of balls, from its two certain answers."""
    if below == not_below:
        raise Uncertain("two balls overlap")
    return below


def ceiling(x: Ball) -> int:
    """⌈x⌉."""
    whole = (-((-x).floor())).unique_fmpz()
    if whole is None:
        raise Uncertain("a ball contains an integer")
    return int(whole)


def root(excess: Callable[[Ball], Ball], low: Ball, high: Ball, *, rising: bool) -> Ball:
    """The x > 0 where `excess` changes sign, for a function that does so once on (0, ∞), rising or falling, enclosed.

    The bracket is widened until the signs at its ends are certain; the secant method finds the root to nearly the
    working precision, nothing being assumed of it; the signs on both sides of the result are certain again.
    """
    before, after = (-1, 1) if rising else (1, -1)
    low, high = arb(low).mid(), arb(high).mid()
    for _ in range(_WIDENINGS):
        if not _certain_sign(excess(low), before):
            low = low / 4
        elif not _certain_sign(excess(high), after):
            high = high * 4
        else:
            break
    else:
        raise Uncertain("no bracket of the root")
    estimate = _refined(excess, low, high, rising)
    width = estimate * arb(2) ** (12 - ctx.prec)
    for _ in range(12):
        if _certain_sign(excess(estimate - width), before) and _certain_sign(excess(estimate + width), after):
            return arb(estimate, width.abs_upper())
        width = width * 256
    raise Uncertain("no change of sign around the root")


def _certain_sign(value: Ball, sign: int) -> bool:
    return bool(value * sign > 0)


def _refined(excess: Callable[[Ball], Ball], low: Ball, high: Ball, rising: bool) -> Ball:
    """An estimate of the root: by secants at few bits, which are cheap, then at all of them."""
    with ctx.workprec(min(_FEW_BITS, ctx.prec)):
        near = _secants(excess, low, high, low, high, rising)
    step = near * arb(2) ** (20 - _FEW_BITS)
    return _secants(excess, (near - step).mid(), near.mid(), low, high, rising)


def _secants(excess: Callable[[Ball], Ball], x0: Ball, x1: Ball, low: Ball, high: Ball, rising: bool) -> Ball:
    """Secant steps until they are down to rounding, by halves of the bracket in log x where they would leave it."""
    y0, y1 = excess(x0).mid(), excess(x1).mid()
    for _ in range(80):
        x2 = (x1 - y1 * (x1 - x0) / (y1 - y0)).mid()
        if not low < x2 < high:
            x2 = (low * high).sqrt().mid()
        moved = abs(x2 - x1)
        x0, y0, x1 = x1, y1, x2
        if moved <= x1 * arb(2) ** (10 - ctx.prec // 2):
            break
        y1 = excess(x1).mid()
        low, high = (low, x1) if (y1 > 0) == rising else (x1, high)
    return x1
