"""Random reals known as well as needed: functions of infinite strings of fair bits, enclosed in Arb balls.

`ball(p)` encloses the real from the first p digits of each string it depends on; the balls of larger p are smaller, and
all of them contain the one real number the strings determine. It is to be called where the working precision of Arb is
above p, in `Refinement.decide`. Balls stay enclosures at any working precision, so that a thread that changes it
concurrently costs time but no correctness.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

from flint import arb, fmpq

from nrverify.reference.exact.bits import Digits

Ball = Any
"""flint.arb, whose package has no type information."""

GUARD = 32
"""Working bits beyond those of the digits, so that rounding in Arb adds little to what is unknown of the digits."""


class Real(Protocol):
    """A real number that can be enclosed to any precision."""

    def ball(self, precision: int) -> Ball: ...


Rational = Any
"""flint.fmpq, ten times as fast as fractions.Fraction."""


def rational(x: float) -> Rational:
    """The rational number that the double x is."""
    return fmpq(*x.as_integer_ratio())


def uniform(digits: Digits, precision: int) -> Ball:
    """[k, k + 1] / 2^p, k the first p digits: (2k + 1)/2^{p+1} ± 1/2^{p+1}."""
    unit, around = _half_a_digit(precision)
    return unit * (2 * digits.first(precision) + 1) + around


@lru_cache(maxsize=32)
def _half_a_digit(precision: int) -> tuple[Ball, Ball]:
    """2^{-p-1}, and the ball of this radius around 0."""
    unit = arb((1, -precision - 1))
    return unit, arb(0, unit)


class Exponential:
    """−mean·log U, exponential with a rational mean."""

    def __init__(self, digits: Digits, mean: Rational) -> None:
        self._digits = digits
        self._factor = -mean

    def ball(self, precision: int) -> Ball:
        return uniform(self._digits, precision).log() * self._factor


class Normal:
    """√(−2v·log U)·cos 2πV, normal with mean 0 and the rational variance v (Box and Muller)."""

    def __init__(self, radius: Digits, angle: Digits, variance: Rational) -> None:
        self._radius = radius
        self._angle = angle
        self._factor = -2 * variance

    def ball(self, precision: int) -> Ball:
        square = uniform(self._radius, precision).log() * self._factor
        return square.sqrt() * (2 * uniform(self._angle, precision)).cos_pi()


class Recursion:
    """x_n = ratio_n·x_{n−1} + draw_n from x_0 = 0, with rational ratios.

    Evaluated in a loop, since a session may be longer than Python's stack, and each step once at each precision.
    """

    def __init__(self, draw: Real) -> None:
        self._steps: list[tuple[Rational, Real]] = [(fmpq(0), draw)]
        self._precision = 0
        self._done = 0
        self._ball: Ball = arb(0)

    def extend(self, ratio: Rational, draw: Real) -> None:
        """One more step."""
        self._steps.append((ratio, draw))

    def ball(self, precision: int) -> Ball:
        if precision > self._precision:
            self._precision, self._done, self._ball = precision, 0, arb(0)
        while self._done < len(self._steps):
            ratio, draw = self._steps[self._done]
            self._ball = self._ball * ratio + draw.ball(self._precision)
            self._done += 1
        return self._ball
