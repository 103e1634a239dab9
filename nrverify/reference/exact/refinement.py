"""Decisions about lazy reals: compare and round with more and more digits until the answer is certain."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from flint import ctx, fmpq

from nrverify.reference.exact.lazy_reals import GUARD, Ball, Real, rational

Answer = TypeVar("Answer")

START = 128
"""Digits read at first: on a grid of 2^-20 of the noise about 100 are to spare, so that nearly no release needs more (a
second evaluation takes longer, which an observer might see), and Arb is hardly faster with fewer."""

MOST = 2**17
"""Digits after which the bits cannot be fair: doubles span 2^2200, and each digit beyond halves the chance of more."""


class Refinement:
    """How many digits one path works with: doubled when they do not decide, and never reduced."""

    def __init__(self, precision: int = START) -> None:
        self.precision = precision

    def decide(self, attempt: Callable[[int], Answer | None]) -> Answer:
        """The first answer of attempt(precision) that is not None.

        An attempt answers only what is true of every real in its balls, so that the answer does not depend on the
        precision at which it is given.
        """
        before = ctx.prec
        try:
            while self.precision <= MOST:
                ctx.prec = self.precision + GUARD
                answer = attempt(self.precision)
                if answer is not None:
                    return answer
                self.precision *= 2
        finally:
            ctx.prec = before
        raise RuntimeError(
            f"bits leave a rounding open after {MOST} digits: they must be fair and independent; check the source given"
        )

    def less(self, x: Real, y: Real) -> bool:
        """Whether x < y, for reals that are equal with probability 0."""
        return self.decide(lambda precision: _certainly_less(x.ball(precision), y.ball(precision)))


def _certainly_less(x: Ball, y: Ball) -> bool | None:
    if x < y:
        return True
    return False if x > y else None


Noise = Callable[[int], Ball]
"""The noise as a ball from so many digits."""

Rounding = Callable[[Refinement, Noise], float]
"""What is released of value + noise."""


def to_grid(value: float, granularity: float) -> Rounding:
    """The multiple of the granularity nearest to value + noise. Halves between two have probability 0.

    A multiple that is not a double (beyond 2^53 of them) is released as the double nearest to it.
    """
    grid, (numerator, denominator) = rational(granularity), granularity.as_integer_ratio()
    scale, offset = 1 / grid, rational(value) / grid + fmpq(1, 2)

    def rounded(refinement: Refinement, noise: Noise) -> float:
        k = refinement.decide(lambda precision: (noise(precision) * scale + offset).floor().unique_fmpz())
        return ratio_as_double(int(k) * numerator, denominator)

    return rounded


def to_double(value: float) -> Rounding:
    """The double nearest to value + noise: rounding is monotone, so that both ends of a ball must agree."""
    exact = rational(value)

    def attempt(ball: Ball) -> float | None:
        if not ball.is_finite():
            return None
        low, high = (_double(*end) for end in _ends(ball))
        return low if low == high else None

    return lambda refinement, noise: refinement.decide(lambda precision: attempt(noise(precision) + exact))


def rounding(value: float, granularity: float | None) -> Rounding:
    """To the grid, or without a granularity to doubles."""
    return to_double(value) if granularity is None else to_grid(value, granularity)


def _ends(ball: Ball) -> list[tuple[int, int]]:
    """Both ends of a ball as exact numbers m·2^e."""
    middle, exponent = (int(x) for x in ball.mid().man_exp())
    radius, other = (int(x) for x in ball.rad().man_exp())
    common = min(exponent, other)
    middle, radius = middle << (exponent - common), radius << (other - common)
    return [(middle - radius, common), (middle + radius, common)]


def _double(mantissa: int, exponent: int) -> float:
    """The double nearest to mantissa·2^exponent, 0 without a sign."""
    if exponent >= 0:
        return ratio_as_double(mantissa << exponent, 1)
    return ratio_as_double(mantissa, 1 << -exponent)


def ratio_as_double(numerator: int, denominator: int) -> float:
    """The double nearest to numerator/denominator; beyond the largest one infinity, as IEEE 754 rounds to nearest."""
    try:
        return numerator / denominator + 0.0
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
