"""Faults that an audit overlooks unless it asks for them: rare ones, and at some values, seeds or dimensions only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.correct.epsilon import EpsilonBrownian
from nrverify.reference.mutants.correct.noise import (
    Array,
    Brownian,
    Rows,
    Session,
    Shape,
    Skellam,
    WalkLaplace,
)
from nrverify.reference.mutants.correct.stopping import Floats, PrivateStopping, Utility
from nrverify.reference.mutants.correct.threshold import AboveThreshold, Integers

RARELY = 0.01
"""A share of sessions: a bound on correlations alone needs ten thousand of them, equality a hundred."""


class RareSharedCoordinates(Brownian):
    """In one session of a hundred the second coordinate has the noise of the first, as if its draw had been cached."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        shared = rng.random(shape[0]) < RARELY
        return _Shared(super().start(value, t, shape, rng), shared)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return _Shared(super().onward(value, state.noise, t, s, rng), state.shared)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state.copied(1))


class _Shared:
    """Noise (sessions, d), and the sessions in which a coordinate has that of the first."""

    def __init__(self, noise: Array, shared: Array) -> None:
        self.noise = noise
        self.shared = shared

    def copied(self, coordinate: int) -> Array:
        if self.noise.shape[-1] <= coordinate:
            return self.noise
        shown = np.array(self.noise)
        shown[self.shared, coordinate] = shown[self.shared, 0]
        return shown


class ValueOnSubject(Brownian):
    """The value is kept on the subject: a session releases that of the session opened last, with noise of its own."""

    sample = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self._value: Array = np.zeros(1)

    def open(self, value: Array, seed: int) -> Any:
        self._value = np.array(value, dtype=float)
        return _OfLast(self, Rows(self, np.zeros_like(self._value), 1, self.stream(seed)))

    def latest(self, noise: Array) -> Array:
        """Noise added to the value of the session opened last."""
        return np.asarray(self._value + noise)


class _OfLast:
    def __init__(self, subject: ValueOnSubject, rows: Rows) -> None:
        self._subject = subject
        self._rows = rows

    def release(self, at: float) -> Any:
        return self._subject.latest(self._rows.release(at)[0])


class MiddlingValues(Brownian):
    """Values from 40 to 290 in size take a path on which the noise has half the deviation it must have."""

    def publish(self, value: Array, state: Any) -> Array:
        middling = (np.abs(value) > 40) & (np.abs(value) < 290)
        return np.asarray(value + np.where(middling, 0.5, 1.0) * state)


class SeedPlusCoordinate(Brownian):
    """Each coordinate has a generator of its own, seeded by seed + coordinate: neighbouring seeds share them."""

    def open(self, value: Array, seed: int) -> Any:
        return Session(Rows(_ByCoordinate(seed, value.size), value, 1, self.stream(seed)))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        rows = Rows(_ByCoordinate(seed, value.size), value, sessions, self.stream(seed))
        return np.stack([rows.release(at) for at in schedule], axis=1)


class _ByCoordinate(Brownian):
    def __init__(self, seed: int, d: int) -> None:
        self._streams = [np.random.default_rng(seed + j) for j in range(d)]

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.stack([stream.standard_normal(shape[0]) for stream in self._streams], axis=1)


class OneCoordinateSmall(Brownian):
    """The last of several coordinates has 3 % too little deviation: a constant of its own."""

    def publish(self, value: Array, state: Any) -> Array:
        scales = np.ones(value.size)
        if value.size > 1:
            scales[-1] = 0.97
        return np.asarray(value + scales * state)


class PolarInTwoDimensions(Brownian):
    """In two dimensions a polar method is used, with the radius of an exponential and not of its root."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        if shape[-1] != 2:
            return super().normals(shape, rng)
        radius, angle = rng.exponential(size=shape[0]), 2 * math.pi * rng.random(shape[0])
        return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


class LastIsFirst(Brownian):
    """In one session of a hundred releases after the third are those of the first again, from a cache."""

    # Nothing leaks: the transcript is made of the right path and of a coin that knows nothing of the value.

    def open(self, value: Array, seed: int) -> Any:
        return _Cached(super().open(value, seed), np.random.default_rng([seed, 1]).random() < RARELY)

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        releases = super().sample(value, schedule, sessions, seed)
        cached = np.random.default_rng([seed, 1]).random(sessions) < RARELY
        releases[cached, 3:] = releases[cached, :1]
        return releases


class _Cached:
    def __init__(self, session: Any, cached: bool) -> None:
        self._session = session
        self._cached = cached
        self._released: list[Any] = []

    def release(self, at: float) -> Any:
        self._released.append(self._session.release(at))
        return self._released[0] if self._cached and len(self._released) > 3 else self._released[-1]


class CoinsTwoApart(WalkLaplace):
    """Coordinates an even number apart share the coin that decides whether they stay."""

    def coins(self, shape: Shape, rng: np.random.Generator) -> Array:
        coins = rng.random((shape[0], 2))
        return coins[:, np.arange(shape[1]) % 2]


class RareSharedCounts(Skellam):
    """In one session of a hundred all coordinates have the counts of the first."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        counts = super().start(value, t, shape, rng)
        shared = rng.random(shape[0]) < RARELY
        return _Counts(counts, shared)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return _Counts(super().onward(value, state.counts, t, s, rng), state.shared)

    def publish(self, value: Array, state: Any) -> Array:
        noise = np.array(state.counts[0] - state.counts[1])
        noise[state.shared] = noise[state.shared][:, :1]
        return np.asarray(value + noise)


class _Counts:
    def __init__(self, counts: Array, shared: Array) -> None:
        self.counts = counts
        self.shared = shared


class EqualSizesTwoApart(EpsilonBrownian):
    """The third coordinate has the noise of the first with the opposite sign; its times are not told."""

    def publish(self, value: Array, state: Any) -> Array:
        shown = np.array(state)
        shown[..., 2:] = -shown[..., : max(shown.shape[-1] - 2, 0)]
        return np.asarray(value + shown)


class StoppingFewStreams(PrivateStopping):
    """The seed of a run is cut to 16 bits."""

    def run(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seed: int,
    ) -> tuple[Any, list[int]]:
        return super().run(value, schedule, utility, threshold, utility_sensitivity, seed & 0xFFFF)


class StoppingSharedCoordinates(PrivateStopping):
    """In one run of a hundred all coordinates have the noise of the first."""

    def releases(self, value: Floats, schedule: Sequence[float], rng: np.random.Generator) -> Floats:
        releases = super().releases(value, schedule, rng)
        return value + (releases - value)[:, :1] if rng.random() < RARELY else releases


class MirroredRuns(AboveThreshold):
    """The second half of a batch has the noise of the first with the opposite sign, to reduce variance."""

    run = None  # type: ignore[assignment]

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return _mirrored(super().threshold_noise(scales, (runs + 1) // 2, rng), runs)

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return _mirrored(super().query_noise(scales, (runs + 1) // 2, rng), runs)


def _mirrored(noise: Floats, runs: int) -> Floats:
    return np.concatenate([noise, -noise], axis=1)[:, :runs]


class RunsOfFewStreams(AboveThreshold):
    """Single runs only, whose seed is cut to 16 bits."""

    run_many = None  # type: ignore[assignment]

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        return super().answers(utilities, epsilons, threshold, sensitivity, runs, seed & 0xFFFF)


class SnappedFinely(Brownian):
    """Releases are snapped, with the noise in them, to 2^-40 of its deviation, as a known library does."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, shape, rng), t

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return super().onward(value, state[0], t, s, rng), s

    def publish(self, value: Array, state: Any) -> Array:
        noise, t = state
        grid = 2.0 ** (math.ceil(0.5 * math.log2(t)) - 40)
        return np.asarray(grid * np.rint((value + noise) / grid))


class RepeatedHardlyMoves:
    """The whole path from one covariance matrix, whose factor moves a repeated time by 1e-7 of the noise."""

    mechanism = "brownian"

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts."""
        covariance = np.minimum.outer(schedule, schedule)
        factor = np.linalg.cholesky(covariance + 1e-14 * np.diag(schedule))
        z = np.random.default_rng(seed).standard_normal((sessions, len(schedule), value.size))
        return np.asarray(value + np.einsum("kl,nld->nkd", factor, z))


class SpawnedCoordinates(SeedPlusCoordinate):
    """Each coordinate has a generator of its own, spawned from the seed."""

    def open(self, value: Array, seed: int) -> Any:
        return Session(Rows(_Spawned(seed, value.size), value, 1, self.stream(seed)))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        rows = Rows(_Spawned(seed, value.size), value, sessions, self.stream(seed))
        return np.stack([rows.release(at) for at in schedule], axis=1)


class _Spawned(_ByCoordinate):
    def __init__(self, seed: int, d: int) -> None:
        self._streams = [np.random.default_rng(part) for part in np.random.SeedSequence(seed).spawn(d)]


class RunsOf32Bits(AboveThreshold):
    """Single runs only, whose seed is cut to 32 bits, as that of many generators is."""

    run_many = None  # type: ignore[assignment]

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        return super().answers(utilities, epsilons, threshold, sensitivity, runs, seed & 0xFFFFFFFF)


class StoppingOf32Bits(PrivateStopping):
    """The seed of a run is cut to 32 bits."""

    def run(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seed: int,
    ) -> tuple[Any, list[int]]:
        return super().run(value, schedule, utility, threshold, utility_sensitivity, seed & 0xFFFFFFFF)


class ShuffledRuns(AboveThreshold):
    """A batch is drawn at once and shown in a random order."""

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> Integers:
        rounds = super().run_many(utilities, epsilons, threshold, sensitivity, runs, seed)
        return np.asarray(np.random.default_rng([seed, 1]).permutation(rounds))


_LEAKING = mutants(
    "leak",
    (
        ("brownian-rare-shared-coordinates", RareSharedCoordinates),
        ("brownian-value-on-subject", ValueOnSubject),
        ("brownian-middling-values", MiddlingValues),
        ("brownian-seed-plus-coordinate", SeedPlusCoordinate),
        ("brownian-one-coordinate-small", OneCoordinateSmall),
        ("brownian-polar-in-two-dimensions", PolarInTwoDimensions),
        ("laplace-coins-two-apart", CoinsTwoApart),
        ("skellam-rare-shared-coordinates", RareSharedCounts),
        ("epsilon-brownian-equal-sizes-two-apart", EqualSizesTwoApart),
        ("stopping-few-streams", StoppingFewStreams),
        ("stopping-rare-shared-coordinates", StoppingSharedCoordinates),
        ("threshold-mirrored-runs", MirroredRuns),
        ("threshold-runs-of-few-streams", RunsOfFewStreams),
    ),
)
OVERLOOKED = (*_LEAKING, *mutants("inaccuracy", (("brownian-last-is-first", LastIsFirst),)))

RELATIVES = benign(
    (
        ("brownian-snapped-finely", SnappedFinely),
        ("brownian-repeated-hardly-moves", RepeatedHardlyMoves),
        ("brownian-spawned-coordinates", SpawnedCoordinates),
        ("threshold-runs-of-32-bits", RunsOf32Bits),
        ("threshold-shuffled-runs", ShuffledRuns),
        ("stopping-of-32-bits", StoppingOf32Bits),
    )
)
