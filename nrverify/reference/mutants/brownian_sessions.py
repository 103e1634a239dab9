"""Faulty Brownian mechanisms whose sessions are not independent, or lose what they must keep."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import lfilter

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.noise import Array, Brownian, Rows, Session, Shape, transcripts


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


class CarriedOver(Brownian):
    """Half of a batch's first normals is what the batch before left in its buffer."""

    open = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self._left: dict[int, Array] = {}

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        z = self.normals(shape, rng)
        before = self._left.get(shape[1], rng.standard_normal(shape[1]))
        z[0] = 0.5 * before + math.sqrt(0.75) * z[0]
        self._left[shape[1]] = z[-1].copy()
        return math.sqrt(t) * z


class EveryTwentieth(Brownian):
    """First noises have correlation one half with those twenty sessions before, out of a ring of buffers."""

    carried = 0.5

    def __init__(self) -> None:
        self._ring: dict[int, list[Array]] = {}

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        ring = self._ring.setdefault(shape[1], [])
        z = self.normals(shape, rng)
        for row in z:
            if len(ring) == 20:
                row[:] = self.carried * ring.pop(0) + math.sqrt(1 - self.carried**2) * row
            ring.append(row)
        return math.sqrt(t) * z


class RareSessions(Brownian):
    """One session in two thousand has a tenth of the noise: a debugging switch that was never taken out."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        noise = super().sample(value, schedule, sessions, seed) - value
        rare = np.random.default_rng([seed, 1]).random((sessions, 1, 1)) < 1 / 2000
        return np.asarray(value + np.where(rare, 0.1, 1.0) * noise)


class ErrorSwallowed(Brownian):
    """A worker that fails leaves NaN in place of its session, one in two thousand; the error is swallowed."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        releases = super().sample(value, schedule, sessions, seed)
        releases[np.random.default_rng([seed, 1]).random(sessions) < 1 / 2000] = np.nan
        return releases


class MirroredBatch(Brownian):
    """The second half of a batch is the first with the opposite noise, from its end, to reduce variance."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        half = super().sample(value, schedule, (sessions + 1) // 2, seed)
        return np.concatenate([half, (2 * value - half)[::-1]])[:sessions]


class SmallCache(Brownian):
    """The noise of sessions is kept in a cache of 16; a session pushed out of it begins again."""

    sample = None  # type: ignore[assignment]
    size = 16

    def __init__(self) -> None:
        self._cache: OrderedDict[int, Rows] = OrderedDict()
        self._opened = 0

    def open(self, value: Array, seed: int) -> Any:
        self._opened += 1
        return _Cached(self, self._opened, np.array(value), self.stream(seed))

    def find(self, key: int, new: Callable[[], Rows]) -> Rows:
        """What is kept for a session, or this in its place."""
        kept = self._cache.pop(key, None) or new()
        self._cache[key] = kept
        while len(self._cache) > self.size:
            self._cache.popitem(last=False)
        return kept


class _Cached:
    def __init__(self, subject: SmallCache, key: int, value: Array, rng: np.random.Generator) -> None:
        self._find = partial(subject.find, key, partial(Rows, Brownian(), value, 1, rng))

    def release(self, at: float) -> Any:
        return self._find().release(at)[0]


class ThirdTimeFresh(Brownian):
    """A release is kept for one repetition: the same time asked for a third time is answered with fresh noise."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return _Asked(super().start(value, t, shape, rng), 1)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return _Asked(super().onward(value, state.noise, t, s, rng), 1)

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        if state.times < 2:
            return _Asked(state.noise, state.times + 1)
        return self.start(value, t, state.noise.shape, rng)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state.noise)


class _Asked(NamedTuple):
    """The noise, and how often its time was asked for."""

    noise: Array
    times: int


SESSIONS = (
    *mutants(
        "leak",
        (
            ("brownian-shared-by-sessions", SharedBySessions),
            ("brownian-state-on-subject", StateOnSubject),
            ("brownian-antithetic", Antithetic),
            ("brownian-mirrored-batch", MirroredBatch),
            ("brownian-correlated-sessions", CorrelatedSessions),
            ("brownian-carried-over", CarriedOver),
            ("brownian-every-twentieth", EveryTwentieth),
            ("brownian-rare-sessions", RareSessions),
            ("brownian-small-cache", SmallCache),
            ("brownian-third-time-fresh", ThirdTimeFresh),
        ),
    ),
    *mutants("inaccuracy", (("brownian-error-swallowed", ErrorSwallowed),)),
)
