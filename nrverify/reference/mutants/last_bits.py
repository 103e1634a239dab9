"""Subjects that claim their last bits to be safe: noise added in floating-point arithmetic, and what does it right."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.exact import ExactBrownian, ExactLaplace
from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.correct.noise import Array, Brownian, LazyLaplace, Shape, WalkLaplace

GRID = 2.0**-20
"""Of right subjects on a grid: far below the noise, and far above the last bits."""


class PlainBridge(Brownian):
    """The noise is added in double precision, and its last bits are claimed to be safe."""

    numerics = "exact"


class BridgeOnRelease(Brownian):
    """The bridge recurses on the release in double precision, and its last bits are claimed to be safe."""

    numerics = "exact"

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return value + super().start(value, t, shape, rng)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        mean = value + (state - value) * (s / t)
        return mean + math.sqrt(s * (t - s) / t) * self.normals(state.shape, rng)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(state)


class FourNormals(PlainBridge):
    """Four normals are added up for each, which is meant to protect the last bits and does not."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.standard_normal((4, *shape)).sum(axis=0) / 2)


class ShortUniforms(PlainBridge):
    """Box and Muller's formula on uniforms of 31 bits, and the last bits are claimed to be safe."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        u, w = (rng.integers(0, 2**31, (2, *shape)) + 1.0) / 2.0**31
        return np.asarray(np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * w))


class FinerThanDoubles(PlainBridge):
    """Releases are rounded to multiples of 2^-55, a grid that is finer than the last bits: nothing is hidden."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.rint((value + state) * 2.0**55) * 2.0**-55)


class RoundedBefore(Brownian):
    """The noise is rounded to the grid before it is added, and not the release."""

    granularity = GRID
    numerics = "exact"

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + GRID * np.rint(state / GRID))


class Truncated(Brownian):
    """Releases are cut off to a grid of 0.1 and not rounded, which shifts them by half a cell."""

    granularity = 0.1

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(0.1 * np.floor((value + state) / 0.1))


class SeldomRounded(Brownian):
    """One release in a thousand is not rounded to the grid."""

    granularity = GRID

    def publish(self, value: Array, state: Any) -> Array:
        release = value + state
        return np.asarray(np.where(np.abs(state) * 1e3 % 1 < 1e-3, release, GRID * np.rint(release / GRID)))


class LargeNoiseUnrounded(Brownian):
    """Noise beyond 64 does not fit the integers that count cells of the grid, and is added as it is."""

    granularity = GRID

    def publish(self, value: Array, state: Any) -> Array:
        release = value + state
        return np.asarray(np.where(np.abs(state) > 64.0, release, GRID * np.rint(release / GRID)))


class PlainLaplace(WalkLaplace):
    """Laplace noise by the logarithm of a 53-bit uniform, and the last bits are claimed to be safe."""

    numerics = "exact"


class PlainLaplaceKernel(LazyLaplace):
    """Laplace noise from the reverse kernel in double precision, and the last bits are claimed to be safe."""

    numerics = "exact"


class RoundedAfter(Brownian):
    """Noise in double precision, and releases rounded to a grid of 2^-20 after it is added, as it says."""

    granularity = GRID
    numerics = "exact"

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(GRID * np.rint((value + state) / GRID))


class CoarselyRounded(Brownian):
    """Releases rounded to a grid of 0.1, as it says."""

    granularity = 0.1

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(0.1 * np.rint((value + state) / 0.1))


class FinelyRounded(Brownian):
    """Releases rounded to a grid of 2^-40, without a word."""

    numerics = "exact"

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.rint((value + state) * 2.0**40) * 2.0**-40)


class RoundedLaplace(LazyLaplace):
    """Laplace noise in double precision, and releases rounded to a grid of 2^-20, as it says."""

    granularity = GRID
    numerics = "exact"

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(GRID * np.rint((value + state) / GRID))


class Exact:
    """The Brownian mechanism in exact arithmetic, correctly rounded to doubles."""

    mechanism = "brownian"
    numerics = "exact"
    dimensions = (1,)
    sampler: type[Any] = ExactBrownian

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts."""
        source = random.Random(seed)
        found = []
        for _ in range(sessions):
            session = self.sampler(np.asarray(value, dtype=float), bits=random.Random(source.getrandbits(128)))
            found.append([session.release(t) for t in schedule])
        return np.array(found)


class ExactlyLaplace(Exact):
    """The Laplace mechanism in exact arithmetic, correctly rounded to doubles."""

    mechanism = "laplace"
    sampler = ExactLaplace


MUTANTS = (
    *mutants(
        "leak",
        (
            ("last-bits-bridge", PlainBridge),
            ("last-bits-bridge-on-release", BridgeOnRelease),
            ("last-bits-four-normals", FourNormals),
            ("last-bits-short-uniforms", ShortUniforms),
            ("last-bits-grid-too-fine", FinerThanDoubles),
            ("last-bits-laplace", PlainLaplace),
            ("last-bits-laplace-kernel", PlainLaplaceKernel),
            ("grid-noise-rounded-before", RoundedBefore),
            ("grid-seldom-rounded", SeldomRounded),
            ("grid-large-noise-unrounded", LargeNoiseUnrounded),
        ),
    ),
    *mutants("inaccuracy", (("grid-truncated", Truncated),)),
)

RIGHT = benign(
    (
        ("grid-rounded-after", RoundedAfter),
        ("grid-coarse", CoarselyRounded),
        ("grid-laplace-rounded-after", RoundedLaplace),
        ("grid-fine-undeclared", FinelyRounded),
        ("exact-brownian", Exact),
        ("exact-laplace", ExactlyLaplace),
    )
)
