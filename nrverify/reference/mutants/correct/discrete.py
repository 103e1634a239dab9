"""Right subjects with discrete noise, cut into the pieces that mutants get wrong.

Discrete Laplace noise is the difference of two geometric numbers; in growing time it stays with weight c(p_s)/c(p_t),
c(p) = p/(1 − p)², and else moves by a fresh draw, so whole transcripts are drawn from the least noisy release up.
Discrete Gaussian noise is drawn from discrete Laplace noise by rejection.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]


class DiscreteLaplace:
    """Integer noise of scale t, whole transcripts at once."""

    mechanism = "discrete-laplace"

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Shape (sessions, releases, d)."""
        rng = np.random.default_rng(seed)
        noise, path, last = np.zeros((sessions, value.size), dtype=np.int64), [], 0.0
        for t in reversed(schedule):
            if t > last:
                moves = rng.random(noise.shape) >= self.stays(last, t)
                noise = noise + np.where(moves, self.draw(t, noise.shape, rng), 0)
            path.append(noise)
            last = t
        return np.asarray(value + np.stack(path[::-1], axis=1))

    def stays(self, s: float, t: float) -> float:
        """The weight with which noise at s is still there at t > s; none at the first step."""
        return _ratio(s) / _ratio(t) if s > 0 else 0.0

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        """Discrete Laplace numbers of scale t."""
        return geometric(t, shape, rng) - geometric(t, shape, rng)


class EpsilonDiscreteLaplace(DiscreteLaplace):
    """The same asked for by ε, at the scale Δ/ε: every look costs at most its ε, for certain."""

    knob = "epsilon"
    sensitivity = 1

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Shape (sessions, releases, d)."""
        return super().sample(value, [self.sensitivity / epsilon for epsilon in schedule], sessions, seed)


class DiscreteGaussian:
    """Integer noise P(X = j) ∝ e^{−j²/2t}, one release."""

    mechanism = "discrete-gaussian"

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Shape (sessions, 1, d)."""
        rng = np.random.default_rng(seed)
        return np.asarray(value + self.draw(schedule[0], (sessions, 1, value.size), rng))

    def draw(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        """Discrete Gaussian numbers: of those of discrete Laplace noise, some are kept."""
        whole = math.floor(math.sqrt(t)) + 1
        found = np.empty(0, dtype=np.int64)
        wanted = math.prod(shape)
        while found.size < wanted:
            tried = geometric(whole, (2 * wanted + 16,), rng) - geometric(whole, (2 * wanted + 16,), rng)
            kept = rng.random(tried.size) < self.kept(tried, t, whole)
            found = np.concatenate([found, tried[kept]])
        return found[:wanted].reshape(shape)

    def kept(self, tried: Array, t: float, whole: int) -> Array:
        """The probability with which each is kept."""
        return np.asarray(np.exp(-((np.abs(tried) - t / whole) ** 2) / (2 * t)))


def geometric(t: float, shape: Shape, rng: np.random.Generator) -> Array:
    """P(G = j) ∝ e^{−j/t} for j ≥ 0: an exponential number of mean t, rounded down."""
    return np.floor(rng.exponential(t, shape)).astype(np.int64)


def _ratio(t: float) -> float:
    p = math.exp(-1 / t)
    return p / math.expm1(-1 / t) ** 2
