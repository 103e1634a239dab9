"""The Brownian mechanism, exact in finite precision."""

from __future__ import annotations

from nrverify.reference.exact.bits import Tape
from nrverify.reference.exact.lazy_reals import Normal, Rational, Recursion, rational
from nrverify.reference.exact.refinement import Refinement, rounding
from nrverify.reference.exact.rounded_reals import RoundedReals


class BrownianCoordinate:
    """One coordinate: a recursion with B_s = (s/t)·B_t + N(0, s(t−s)/t), whose coefficients are rational."""

    def __init__(self, value: float, granularity: float | None, tape: Tape, precision: int) -> None:
        self._tape = tape
        self._refinement = Refinement(precision)
        self._rounded = rounding(value, granularity)
        self._time: Rational = None
        self._noise: Recursion | None = None

    def at(self, time: float) -> float:
        """The release at a time that is at most the one before."""
        t = rational(time)
        if self._noise is None:
            self._noise = Recursion(self._normal(t))
        elif t < self._time:
            self._noise.extend(t / self._time, self._normal(t * (self._time - t) / self._time))
        self._time = t
        return self._rounded(self._refinement, self._noise.ball)

    def _normal(self, variance: Rational) -> Normal:
        return Normal(self._tape.string(), self._tape.string(), variance)


class ExactBrownian(RoundedReals):
    """f(x) + B_t at non-increasing times t, B a standard Brownian motion in d dimensions, correctly rounded.

    value: a float or 1-D array of floats, taken as the exact rationals they are; it need not be on the grid.
    granularity: g; a release is the multiple of g nearest to f(x) + B_t. None: the double nearest to it.
    bits: None for the operating system's cryptographic source. In tests an object with `getrandbits(k)`, such as
        random.Random(seed), or a numpy Generator; releases are a function of its bits: give each session its own.
    precision: digits of each random real read at first. It changes the speed, never a release.
    """

    coordinate = BrownianCoordinate
