"""Faulty Brownian mechanisms whose recursion is right and whose randomness is not: streams, shapes, number formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.signal import lfilter

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.right_noise import Array, Brownian, Rows, Session, Shape, transcripts


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


class SharedBySessions(Brownian):
    """The normals of each step are kept on the subject and used again by every later session."""

    def __init__(self) -> None:
        self._kept = np.random.default_rng(20220607).standard_normal((64, 64))

    def open(self, value: Array, seed: int) -> Any:
        return Session(Rows(_FromTable(self._kept), value, 1, self.stream(seed)))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return transcripts(_FromTable(self._kept), value, schedule, sessions, self.stream(seed))


class _FromTable(Brownian):
    """Takes its normals from the rows of a table, in order."""

    def __init__(self, table: Array) -> None:
        self._table = table
        self._next = 0

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        row = self._table[self._next % len(self._table)]
        self._next += 1
        return np.tile(np.resize(row, shape[1]), (shape[0], 1))


class FewSeeds(Brownian):
    """Only six bits of the seed reach the generator, so there are 64 different sessions."""

    def open(self, value: Array, seed: int) -> Any:
        return super().open(value, seed % 64)

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        different = np.concatenate([super(FewSeeds, self).sample(value, schedule, 1, k) for k in range(64)])
        return different[(seed + np.arange(sessions)) % 64]


class FewBatches(Brownian):
    """Batches are seeded with ten bits of the seed, so there are 1,024 different ones; single sessions are right."""

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return super().sample(value, schedule, sessions, seed % 2**10)


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


class StateOnSubject(Brownian):
    """The path is kept on the subject instead of the session, so a second open session reads and moves the first's."""

    sample = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self._current: Rows | None = None

    def open(self, value: Array, seed: int) -> Any:
        self._current = Rows(self, value, 1, self.stream(seed))
        return self

    def release(self, at: float) -> Any:
        """The release of whichever session was opened last."""
        assert self._current is not None
        return self._current.release(at)[0]


class HeavyTails(Brownian):
    """Normals are replaced by Student's t with five degrees of freedom, scaled to variance 1."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return math.sqrt(0.6) * rng.standard_t(5, shape)


class Clipped(Brownian):
    """Normals are clipped at 3 standard deviations against outliers."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.clip(super().normals(shape, rng), -3.0, 3.0)


class UniformSum(Brownian):
    """Normals are approximated by the sum of twelve uniforms."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.random((12, *shape)).sum(axis=0) - 6.0)


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


class Antithetic(Brownian):
    """Every second session gets the noise of the one before with the opposite sign, to reduce variance."""

    def open(self, value: Array, seed: int) -> Any:
        session = super().open(value, seed // 2)
        return session if seed % 2 == 0 else _Mirrored(session, value)

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        half = super().sample(value, schedule, (sessions + 1) // 2, seed)
        return np.stack([half, 2 * value - half], axis=1).reshape(-1, *half.shape[1:])[:sessions]


class _Mirrored:
    def __init__(self, session: Any, value: Array) -> None:
        self._session = session
        self._value = np.array(value)

    def release(self, at: float) -> Any:
        return 2 * self._value - self._session.release(at)


class CorrelatedSessions(Brownian):
    """A fifth of each session's first noise is carried over from the session before, out of a recycled buffer."""

    carried = 0.2

    def __init__(self) -> None:
        self._last: dict[int, Array] = {}

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        fresh = math.sqrt(1 - self.carried**2)
        before = self._last.get(shape[1])
        if before is None:
            before = rng.standard_normal(shape[1])
        z, _ = lfilter([fresh], [1.0, -self.carried], self.normals(shape, rng), axis=0, zi=self.carried * before[None])
        self._last[shape[1]] = z[-1]
        return math.sqrt(t) * z


RANDOMNESS = (
    *mutants(
        "leak",
        (
            ("brownian-shared-by-coordinates", SharedByCoordinates),
            ("brownian-correlated-coordinates", CorrelatedCoordinates),
            ("brownian-last-coordinate-copied", LastCoordinateCopied),
            ("brownian-shared-by-sessions", SharedBySessions),
            ("brownian-few-seeds", FewSeeds),
            ("brownian-few-batches", FewBatches),
            ("brownian-noise-pool", NoisePool),
            ("brownian-seed-ignored", SeedIgnored),
            ("brownian-seed-from-value", SeedFromValue),
            ("brownian-state-on-subject", StateOnSubject),
            ("brownian-heavy-tails", HeavyTails),
            ("brownian-clipped", Clipped),
            ("brownian-uniform-sum", UniformSum),
            ("brownian-depends-on-value", DependsOnValue),
            ("brownian-wrong-at-zero", WrongAtZero),
            ("brownian-single-precision", SinglePrecision),
            ("brownian-integer-noise", IntegerNoise),
            ("brownian-antithetic", Antithetic),
            ("brownian-correlated-sessions", CorrelatedSessions),
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
