"""The Rosenblatt transform: a transcript turned into independent uniform levels through the bridge of its process.

Each release has a known law given the past, whatever the (adaptive) times; its level under that law is uniform. A row
that ends at a stopping time is completed with fresh uniforms, and then all rows together are independent uniforms.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


class Distribution(Protocol):
    """What a law must know to be transformed."""

    def cdf(self, x: ArrayLike) -> Any:
        """P(X ≤ x)."""

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""


class Bridged(Protocol):
    """A process told backwards: where it starts, and how it goes on to a less noisy time s < t."""

    def marginal(self, t: ArrayLike) -> Distribution:
        """The law of X_t."""

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> Distribution:
        """The law of X_s given X_t = given."""


def levels(law: Distribution, x: ArrayLike, rng: np.random.Generator) -> Floats:
    """P(X < x) + V·P(X = x) with V uniform: uniform when x has the law, atoms or not."""
    below = np.asarray(law.cdf_left(x), dtype=np.float64)
    jump = np.asarray(law.cdf(x)) - below
    return np.clip(below + rng.random(below.shape) * jump, 0.0, 1.0)


def rosenblatt(process: Bridged, noise: Floats, times: Floats, rng: np.random.Generator) -> Floats:
    """Levels of noise (sessions, n, d) seen at times (sessions, n); independent uniforms if the process is right.

    After a stop, where times are NaN, and at a time asked again, which brings nothing new, the level is a fresh
    uniform.
    """
    transformed = rng.random(noise.shape)
    transformed[:, 0] = levels(process.marginal(times[:, :1]), noise[:, 0], rng)
    for n in range(1, noise.shape[1]):
        moved = np.flatnonzero(times[:, n] < times[:, n - 1])
        if moved.size:
            law = process.bridge(times[moved, n, None], times[moved, n - 1, None], noise[moved, n - 1])
            transformed[moved, n] = levels(law, noise[moved, n], rng)
    return transformed
