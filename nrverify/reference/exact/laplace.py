"""Laplace noise reduction, exact in finite precision: the reverse step is a race with rational coins.

The process goes forward from s to t > s by X_t = X_s + (0 with probability (s/t)², else a fresh Lap(t)): with the
characteristic function φ_t(θ) = 1/(1 + t²θ²) of Lap(t), φ_t/φ_s = (s/t)² + (1 − (s/t)²)·φ_t.
"""

from __future__ import annotations

from typing import NamedTuple

from nrverify.reference.exact.bits import Tape
from nrverify.reference.exact.coins import coin
from nrverify.reference.exact.lazy_reals import Ball, Exponential, Rational, Recursion, rational
from nrverify.reference.exact.refinement import Refinement, rounding
from nrverify.reference.exact.rounded_reals import RoundedReals

ONE = rational(1.0)
"""The share of an added exponential: all of it."""


class Noise(NamedTuple):
    """X = sign·size, the size a positive real; where X stays, the same object."""

    sign: int
    size: Recursion

    def ball(self, precision: int) -> Ball:
        return self.sign * self.size.ball(precision)


def first_noise(tape: Tape, t: Rational) -> Noise:
    """X_t ~ Lap(t): an exponential of mean t with a fair sign."""
    sign = 1 - 2 * tape.string().first(1)
    return Noise(sign, Recursion(Exponential(tape.string(), t)))


def race(noise: Noise, t: Rational, s: Rational, tape: Tape, refinement: Refinement) -> Noise:
    """X_s given X_t for s < t. In the frame where z = |X_t|, with κ = 1/s − 1/t and κ₊ = 1/s + 1/t:

    1. with probability a = (t−s)/2t:  −E/κ₊;
    2. else, if E/κ < z:  E/κ;
    3. else, with probability 2s/(t+s):  z itself, the same real number;
    4. else:  z + E'/κ₊.                            (E, E' independent exponentials of mean 1)

    Proof that this is the law of X_s given X_t = z (the Laplace bridge). By Bayes' rule and the forward step, X_s = y
    has the density (1 − s²/t²)/2s · exp(−|y|/s − |z−y|/t + z/t) and X_s = z the weight
    (s/t)²·(e^{−z/s}/2s)/(e^{−z/t}/2t) = (s/t)·e^{−zκ}. The density decays at rate κ₊ below 0, at rate κ between 0 and z
    and at rate κ₊ beyond z. Since (1 − s²/t²)/2s = a·κ₊ = (1−a)·κ, its integrals there are
        a,    (1−a)(1 − e^{−zκ}),    a·e^{−zκ}.
    Step 1 has the first weight and law. Given that it is not taken, E/κ < z has probability 1 − e^{−zκ}, and E/κ is
    then exponential cut off at z: the second. There remains (1−a)·e^{−zκ}. Of it 3 takes 2s/(t+s) = (s/t)/(1−a),
    because 1 − a = (t+s)/2t: the weight of the atom; 4 takes the rest, a·e^{−zκ}, because 1 − a = s/t + a. ∎
    """
    slow, fast = s * t / (t - s), s * t / (t + s)
    if _toss(tape, (t - s) / (2 * t)):
        return Noise(-noise.sign, Recursion(Exponential(tape.string(), fast)))
    runner = Recursion(Exponential(tape.string(), slow))
    if refinement.less(runner, noise.size):
        return Noise(noise.sign, runner)
    if not _toss(tape, 2 * s / (t + s)):
        noise.size.extend(ONE, Exponential(tape.string(), fast))
    return noise


def _toss(tape: Tape, probability: Rational) -> bool:
    return coin(tape.string(), int(probability.p), int(probability.q))


class LaplaceCoordinate:
    """One coordinate: Lap(t) at the first time, then the race from each time to the next."""

    def __init__(self, value: float, granularity: float | None, tape: Tape, precision: int) -> None:
        self._tape = tape
        self._refinement = Refinement(precision)
        self._rounded = rounding(value, granularity)
        self._time: Rational = None
        self._noise: Noise | None = None

    def at(self, time: float) -> float:
        """The release at a time that is at most the one before."""
        t = rational(time)
        if self._noise is None:
            self._noise = first_noise(self._tape, t)
        elif t < self._time:
            self._noise = race(self._noise, self._time, t, self._tape, self._refinement)
        self._time = t
        return self._rounded(self._refinement, self._noise.ball)


class ExactLaplace(RoundedReals):
    """f(x) + X_t at non-increasing times t, X independent Laplace processes of scale t, correctly rounded.

    value: a float or 1-D array of floats, taken as the exact rationals they are; it need not be on the grid.
    granularity: g; a release is the multiple of g nearest to f(x) + X_t. None: the double nearest to it.
    bits: None for the operating system's cryptographic source. In tests an object with `getrandbits(k)`, such as
        random.Random(seed), or a numpy Generator; releases are a function of its bits: give each session its own.
    precision: digits of each random real read at first. It changes the speed, never a release.
    """

    coordinate = LaplaceCoordinate
