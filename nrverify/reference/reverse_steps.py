"""How each process steps down from a time t to a less noisy s < t, given only what it was at t.

The Brownian step is the paper's recipe (appendix on simulating noise reduction mechanisms). For Laplace noise the
paper draws a whole path; the step here needs no path and no smallest time. Skellam noise is two Poisson counts, and
looking earlier keeps each arrival with probability s/t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import LARGEST_COUNT, Floats, Integers, next_time, positive

Times = float | Floats
"""One time for all, or a column of times, one row a session."""

State = npt.NDArray[Any]


@dataclass(frozen=True)
class Descent:
    """A process told backwards: its state at the first time, its state at s < t given that at t, and its noise.

    States end in the axes of the noise, so that a column of times of shape (sessions, 1) addresses sessions.
    """

    start: Callable[[Times, tuple[int, ...], np.random.Generator], State]
    onward: Callable[[State, Times, Times, np.random.Generator], State]
    noise: Callable[[State], State]


def _itself(state: State) -> State:
    return state


def _brownian_start(t: Times, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """B_t ~ N(0, t)."""
    z = np.asarray(rng.standard_normal(shape))
    z *= np.sqrt(t)
    return z


def _brownian_onward(w: State, t: Times, s: Times, rng: np.random.Generator) -> Floats:
    """B_s given B_t = w: normal with mean (s/t)w and variance s(t−s)/t."""
    z = np.asarray(rng.standard_normal(w.shape))
    z *= np.sqrt(s * ((t - s) / t))
    z += (s / t) * w
    return z


def _laplace_start(t: Times, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Z_t ~ Lap(t): an exponential of mean t with a fair sign."""
    e = np.asarray(rng.standard_exponential(shape))
    e *= t
    return np.copysign(e, np.asarray(rng.random(shape)) - 0.5)


def _laplace_onward(z: State, t: Times, s: Times, rng: np.random.Generator) -> Floats:
    """Z_s given Z_t = z, from one uniform U and one exponential E of mean 1.

    For z ≥ 0, with κ = 1/s − 1/t, κ₊ = 1/s + 1/t and a = (t−s)/2t:
        U < a:       Z_s = −E/κ₊
        a ≤ U < 2a:  Z_s = E/κ up to z, and from there on at the slower pace 1/κ₊, z + (E − zκ)/κ₊
        2a ≤ U:      Z_s = min(E/κ, z)
    Because exponentials have no memory this is the posterior of Z_s under the walk's forward step
    Z_t = Z_s + {0 with probability (s/t)², else Lap(t)}: the density ∝ exp(−|y|/s − |z−y|/t) falls at rate κ₊ left
    of 0, κ between 0 and z, κ₊ beyond z, with the masses a, (1−a)(1−e^{−zκ}), a e^{−zκ}, and (s/t) e^{−zκ} stay at z.
    """
    u = np.asarray(rng.random(z.shape))
    e = np.asarray(rng.standard_exponential(z.shape))
    # Multiplying by a truth value is twice as fast as selecting, and as exact: the factors are finite.
    # At the ends of the doubles a rate may overflow; what it multiplies is capped at |z| or at 0 in the next line.
    with np.errstate(over="ignore"):
        apart = (t - s) / t
        slow, fast = s / apart, s / (1 + s / t)
        size = np.abs(z)
        beyond = np.asarray(size / -slow)
        beyond += e
        np.maximum(beyond, 0.0, out=beyond)
        beyond *= fast
        beyond *= u < apart
        y = np.asarray(e * slow)
        np.minimum(y, size, out=y)
        y += beyond
        across = u < apart / 2
        y *= ~across
        e *= fast
        e *= across
        y -= e
        y *= np.copysign(1.0, z)
    return y


def _skellam_onward(counts: State, t: Times, s: Times, rng: np.random.Generator) -> Integers:
    """Given the arrivals of a Poisson process up to t, those up to s are kept independently with probability s/t."""
    return np.asarray(rng.binomial(counts, s / t), dtype=np.int64)


def _skellam_noise(counts: State) -> Integers:
    """X = P₁ − P₂, the first axis telling the two processes apart."""
    return np.asarray(counts[0] - counts[1])


BROWNIAN = Descent(_brownian_start, _brownian_onward, _itself)
LAPLACE = Descent(_laplace_start, _laplace_onward, _itself)


def skellam(rate: float) -> Descent:
    """X_t = P₁(t) − P₂(t), two independent Poisson processes of the same rate."""
    rate = positive("rate", rate)

    def start(t: Times, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
        mean = rate * np.asarray(t)
        if mean.max() > LARGEST_COUNT:
            raise ValueError(
                f"rate·time is {float(mean.max())!r}: it must be at most 2**53, where Skellam noise is exact; "
                "start at a smaller time"
            )
        return np.asarray(rng.poisson(mean, (2, *shape)), dtype=np.int64)

    return Descent(start, _skellam_onward, _skellam_noise)


class Path:
    """One path of noise, revealed backwards: each time asked for is at most the one before."""

    def __init__(self, descent: Descent, shape: tuple[int, ...], rng: np.random.Generator) -> None:
        self._descent = descent
        self._shape = shape
        self._rng = rng
        self._time = math.inf
        self._state: State = np.empty(0)

    @property
    def where(self) -> str:
        """The last time asked for, for a reader."""
        return "nothing released" if math.isinf(self._time) else f"last release at t = {self._time:.4g}"

    def at(self, t: float) -> State:
        """The noise at t; the same noise for the same time. A refused time changes nothing."""
        t = next_time(t, self._time)
        if t < self._time:
            if math.isinf(self._time):
                self._state = self._descent.start(t, self._shape, self._rng)
            else:
                self._state = self._descent.onward(self._state, self._time, t, self._rng)
            self._time = t
        return self._descent.noise(self._state)
