"""Discrete Laplace noise reduction, exact in integer arithmetic: the reverse step is a race of geometric draws.

P(X_t = j) = (1−p)/(1+p)·p^|j| with p = p_t = e^{−1/t}: the difference of two geometric variables. Its characteristic
function is therefore φ_p(θ) = (1−p)²/|1 − p·e^{iθ}|² = 1/(1 + c(p)(2 − 2cos θ)) with c(p) = p/(1−p)², because
|1 − p·e^{iθ}|² = (1−p)² + p(2 − 2cos θ). For s < t and ρ = c(p_s)/c(p_t) < 1 it follows that

    φ_{p_t}/φ_{p_s} = ρ + (1−ρ)·φ_{p_t}:

forward, X_t = X_s + (0 with probability ρ, else a fresh draw of X_t).
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from nrverify.reference.arguments import LARGEST_COUNT, integer_value
from nrverify.reference.exact.bits import Bits, Stream, Strings, source
from nrverify.reference.exact.coins import geometric
from nrverify.reference.exact.lazy_reals import Rational, rational
from nrverify.reference.exact.session import Session


class ExactDiscreteLaplace:
    """f(x) + X_t at non-increasing times t, X independent discrete Laplace processes: P(X_t = j) ∝ e^{−|j|/t}.

    value: an integer or 1-D array of integers. Releases are integers.
    bits: None for the operating system's cryptographic source. In tests an object with `getrandbits(k)`, such as
        random.Random(seed), or a numpy Generator; releases are a function of its bits: give each session its own.
    The loss of a session is that of its last release, (‖y − f(x')‖₁ − ‖y − f(x)‖₁)/t ≤ ‖f(x) − f(x')‖₁/t: no slack.
    """

    def __init__(self, value: npt.ArrayLike, bits: Bits | None = None) -> None:
        numbers = integer_value(value)
        stream = Stream(source(bits))
        self._session = Session([DiscreteLaplaceCoordinate(x, stream) for x in numbers.ravel().tolist()], numbers)

    def release(self, t: float) -> Any:
        """f(x) + X_t, integers in the shape of the value; ValueError if t increases, is not positive or above 2**53."""
        return self._session.release(t)


def first_noise(strings: Strings, t: Rational) -> int:
    """X_t: the difference of two geometric draws, P(G − G' = j) = Σ_i (1−p)²·p^{2i+|j|} = (1−p)/(1+p)·p^|j|."""
    return geometric(strings, 1 / t) - geometric(strings, 1 / t)


def race(x: int, t: Rational, s: Rational, strings: Strings) -> int:
    """X_s given X_t = x for s < t. In the frame where k = |x|, with G_u geometric, P(G_u ≥ m) = u^m:

    1. D = G_q − G_r with q = p_s/p_t and r = p_s·p_t; if D < k, it is X_s;
    2. else draw a second G_q, and G_w with w = p_t²; X_s = k + G_q if G_q ≤ G_w, and k if not.

    The rates −log q = 1/s − 1/t, −log r = 1/s + 1/t and −log w = 2/t are rational, and qw = r, qr = p_s².

    Proof. Let C = (1−p_s)/(1+p_s) and N = (1−p_t)/(1+p_t). By Bayes' rule and the forward step P(X_s = j | X_t = k) is
        A·r^|j| for j < 0,    A·q^j for 0 ≤ j < k,    A·q^k + C·ρ·q^k/N for j = k,    A·q^k·r^{j−k} for j > k
    with A = C(1−ρ) = (1−q)(1−r)/(1−qr), because 1 − ρ = (1−q)(1−r)/(1−p_s)².
    In 1, P(D = −m) = Σ_i (1−q)q^i·(1−r)r^{i+m} = A·r^m for m ≥ 0, and P(D = j) = A·q^j for j ≥ 0 likewise: right for
    all j < k. D ≥ k has probability A·q^k/(1−q). In 2 the second draw is m ≥ 1 and is kept with probability
    (1−q)q^m·w^m = (1−q)r^m: together A·q^k·r^m, right for j = k + m. The remaining mass falls on k, as it must, since
    both laws have total mass 1. ∎
    """
    sign, k = (1, x) if x >= 0 else (-1, -x)
    slow = 1 / s - 1 / t
    reached = geometric(strings, slow) - geometric(strings, 1 / s + 1 / t)
    if reached < k:
        return sign * reached
    beyond = geometric(strings, slow)
    return sign * (k + beyond) if beyond <= geometric(strings, 2 / t) else x


class DiscreteLaplaceCoordinate:
    """One coordinate: a discrete Laplace draw at the first time, then the race from each time to the next."""

    def __init__(self, value: int, strings: Strings) -> None:
        self._value = value
        self._strings = strings
        self._time: Rational = None
        self._noise = 0

    def at(self, time: float) -> int:
        """The release at a time that is at most the one before."""
        t = rational(time)
        if self._time is None:
            if time > LARGEST_COUNT:
                raise ValueError(
                    f"time is {time!r}: it must be at most 2**53, where noise fits 64-bit integers; "
                    "start at a smaller time"
                )
            self._noise = first_noise(self._strings, t)
        elif t < self._time:
            self._noise = race(self._noise, self._time, t, self._strings)
        self._time = t
        return self._value + self._noise
