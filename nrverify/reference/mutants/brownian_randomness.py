"""Faulty Brownian mechanisms whose recursion is right and whose randomness is not: streams, shapes, number formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.noise import Array, Brownian, Shape, transcripts


class SharedByCoordinates(Brownian):
    """One normal is drawn for a session and broadcast to all coordinates."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.repeat(super().normals((shape[0], 1), rng), shape[1], axis=1)


class CorrelatedCoordinates(Brownian):
    """Coordinates are correlated by 0.1, because a tenth of the variance is drawn once for the whole vector."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        common = super().normals((shape[0], 1), rng)
        return math.sqrt(0.9) * super().normals(shape, rng) + math.sqrt(0.1) * common


class LastCoordinateCopied(Brownian):
    """An off-by-one in a loop over coordinates gives the last one the noise of its neighbour."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        z = super().normals(shape, rng)
        if shape[1] > 1:
            z[:, -1] = z[:, -2]
        return z


class FewSeeds(Brownian):
    """Only six bits of the seed reach the generator, so there are 64 different sessions."""

    def open(self, value: Array, seed: int) -> Any:
        return super().open(value, seed % 64)

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        different = np.concatenate([super(FewSeeds, self).sample(value, schedule, 1, k) for k in range(64)])
        return different[(seed + np.arange(sessions)) % 64]


class FewBatches(Brownian):
    """Batches are seeded with 16 bits of the seed, so there are 65,536 different ones; single sessions are right."""

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return super().sample(value, schedule, sessions, seed % 2**16)


class NoisePool(Brownian):
    """Noise is taken from a pool of 65,536 paths prepared in advance, so paths come again."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        chosen = np.random.default_rng(seed).integers(2**16, size=sessions)
        return value + _pool(tuple(schedule), value.size)[chosen]


@lru_cache(maxsize=4)
def _pool(schedule: tuple[float, ...], d: int) -> Array:
    return transcripts(Brownian(), np.zeros(d), schedule, 2**16, np.random.default_rng(16))


class SeedIgnored(Brownian):
    """The generator is seeded with a constant left over from debugging."""

    def stream(self, seed: int) -> np.random.Generator:
        return np.random.default_rng(42)


class SeedFromValue(Brownian):
    """The generator is seeded from the value, to make results repeatable, so a value always gets the same noise."""

    def open(self, value: Array, seed: int) -> Any:
        return super().open(value, _digest(value))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return np.repeat(super().sample(value, schedule, 1, _digest(value)), sessions, axis=0)


def _digest(value: Array) -> int:
    return int.from_bytes(np.ascontiguousarray(value).tobytes(), "little")


class HeavyTails(Brownian):
    """Normals are replaced by Student's t with five degrees of freedom, scaled to variance 1."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return math.sqrt(0.6) * rng.standard_t(5, shape)


class Clipped(Brownian):
    """Normals are clipped at 3 standard deviations against outliers."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.clip(super().normals(shape, rng), -3.0, 3.0)


class CutOff(Brownian):
    """Normals beyond 4 standard deviations are drawn again, against outliers."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        z = super().normals(shape, rng)
        while (far := np.abs(z) > 4.0).any():
            z[far] = rng.standard_normal(int(far.sum()))
        return z


class UniformSum(Brownian):
    """Normals are approximated by the sum of twelve uniforms."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random((12, *shape)).sum(axis=0) - 6.0)


class FewNoises(Brownian):
    """Normals are made from uniform numbers of 24 bits, as a generator of single-precision numbers gives them."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(ndtri((rng.integers(2**24, size=shape) + 0.5) / 2**24))


class DependsOnValue(Brownian):
    """The noise is scaled with the size of the value, its standard deviation by 1 + |f|/5000."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return (1 + np.abs(value) / 5000) * super().start(value, t, shape, rng)

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return (1 + np.abs(value) / 5000) * super().bridge_deviation(value, noise, t, s)


class WrongAtZero(Brownian):
    """At the value 0 exactly, a guard against dividing by it leaves the noise a twentieth of its variance short."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return np.where(value == 0, math.sqrt(0.95), 1.0) * super().start(value, t, shape, rng)

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        return np.where(value == 0, math.sqrt(0.95), 1.0) * super().bridge_deviation(value, noise, t, s)


class NonNegative(Brownian):
    """Releases below 0 are reflected, because a count cannot be negative."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.abs(value + state))


class SinglePrecision(Brownian):
    """Values and noise are kept in single precision."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return rng.standard_normal(shape, dtype=np.float32)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value.astype(np.float32) + np.asarray(state).astype(np.float32))


class IntegerIncrements(Brownian):
    """The change from one release to the next is cast to an integer."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return state + np.trunc(super().onward(value, state, t, s, rng) - state)


class IntegerNoise(Brownian):
    """The noise is cast to an integer before it is added, so the value's fractional part is released as it is."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + np.trunc(state))


class Rounded(Brownian):
    """Releases are rounded to three decimals."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.round(value + state, 3))


class FixedPoint(Brownian):
    """Releases are held in fixed point with 24 bits after the point."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.round((value + state) * 2.0**24) / 2.0**24)


RANDOMNESS = (
    *mutants(
        "leak",
        (
            ("brownian-shared-by-coordinates", SharedByCoordinates),
            ("brownian-correlated-coordinates", CorrelatedCoordinates),
            ("brownian-last-coordinate-copied", LastCoordinateCopied),
            ("brownian-few-seeds", FewSeeds),
            ("brownian-few-batches", FewBatches),
            ("brownian-noise-pool", NoisePool),
            ("brownian-seed-ignored", SeedIgnored),
            ("brownian-seed-from-value", SeedFromValue),
            ("brownian-heavy-tails", HeavyTails),
            ("brownian-clipped", Clipped),
            ("brownian-cut-off", CutOff),
            ("brownian-uniform-sum", UniformSum),
            ("brownian-few-noises", FewNoises),
            ("brownian-depends-on-value", DependsOnValue),
            ("brownian-wrong-at-zero", WrongAtZero),
            ("brownian-single-precision", SinglePrecision),
            ("brownian-integer-noise", IntegerNoise),
        ),
    ),
    *mutants(
        "inaccuracy",
        (
            ("brownian-non-negative", NonNegative),
            ("brownian-integer-increments", IntegerIncrements),
            ("brownian-rounded", Rounded),
            ("brownian-fixed-point", FixedPoint),
        ),
    ),
)
