"""Right noise-reduction subjects, cut into the pieces that mutants get wrong (Definitions bm and lnr).

One piece of code drives both `open` (a single row) and `sample` (many rows): whatever is wrong is wrong in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.reverse_steps import LAPLACE

Array = NDArray[Any]
Floats = NDArray[np.float64]
Shape = tuple[int, ...]


class NoiseReduction:
    """What all of them share: how a session is opened, and how many are sampled."""

    def stream(self, seed: int) -> np.random.Generator:
        """The generator of a session, or of a batch of them."""
        return np.random.default_rng(seed)

    def open(self, value: Array, seed: int) -> Any:
        """One session."""
        return Session(Rows(self, value, 1, self.stream(seed)))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts, shape (sessions, releases, d)."""
        return transcripts(self, value, schedule, sessions, self.stream(seed))

    def time_at(self, at: float, d: int) -> float:
        """The time behind a request; for the knob "time" the request itself."""
        return at

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        """The state at the first time, for noise of that shape (sessions, d)."""
        raise NotImplementedError

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        """The state at s < t given that at t."""
        raise NotImplementedError

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        """The state when the same time is asked for once more: the same."""
        return state

    def publish(self, value: Array, state: Any) -> Array:
        """The releases, f(x) + noise, of shape (sessions, d)."""
        return np.asarray(value + state)


class Rows:
    """Sessions of one subject side by side, one a row, all asked for the same times."""

    def __init__(self, subject: NoiseReduction, value: Array, sessions: int, rng: np.random.Generator) -> None:
        self._subject = subject
        self._value = np.array(value)
        self._shape = (sessions, self._value.size)
        self._rng = rng
        self._time = math.inf
        self._state: Any = None

    def release(self, at: float) -> Array:
        """f(x) + noise at this request in every row; ValueError when it asks for more noise than the last one."""
        t = self._subject.time_at(at, self._value.size)
        if not (0 < t <= self._time and math.isfinite(t)):
            raise ValueError(f"{at!r} asks for the time {t!r} after {self._time!r}: times are positive and never rise")
        if math.isinf(self._time):
            self._state = self._subject.start(self._value, t, self._shape, self._rng)
        elif t < self._time:
            self._state = self._subject.onward(self._value, self._state, self._time, t, self._rng)
        else:
            self._state = self._subject.again(self._value, self._state, t, self._rng)
        self._time = t
        return self._subject.publish(self._value, self._state)


class Session:
    """One session: a single row."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def release(self, at: float) -> Any:
        """The release, in the shape of the value."""
        return self._rows.release(at)[0]


def transcripts(
    subject: NoiseReduction, value: Array, schedule: Sequence[float], sessions: int, rng: np.random.Generator
) -> Array:
    """Releases (sessions, releases, d) of that many sessions on one schedule."""
    rows = Rows(subject, value, sessions, rng)
    return np.stack([rows.release(at) for at in schedule], axis=1)


class Brownian(NoiseReduction):
    """f(x) + B_t by the bridge recursion; its state is the noise."""

    mechanism = "brownian"

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        """Independent standard normals."""
        return np.asarray(rng.standard_normal(shape))

    def start_deviation(self, t: float) -> float:
        """√t."""
        return math.sqrt(t)

    def bridge_mean(self, value: Array, noise: Array, t: float, s: float) -> Array:
        """(s/t)·noise."""
        return np.asarray((s / t) * noise)

    def bridge_deviation(self, value: Array, noise: Array, t: float, s: float) -> Any:
        """√(s(t−s)/t), a number or an array like the noise."""
        return math.sqrt(s * (t - s) / t)

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        """B_t ~ N(0, t)."""
        return self.start_deviation(t) * self.normals(shape, rng)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        """B_s given B_t: normal with mean (s/t)B_t and variance s(t−s)/t."""
        deviation = self.bridge_deviation(value, state, t, s)
        return self.bridge_mean(value, state, t, s) + deviation * self.normals(state.shape, rng)


class LazyLaplace(NoiseReduction):
    """f(x) + Z_t, each release drawn from the reverse kernel given the last; its state is the noise."""

    mechanism = "laplace"

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        """Z_t ~ Lap(t)."""
        return LAPLACE.start(t, shape, rng)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        """Z_s given Z_t."""
        return LAPLACE.onward(state, t, s, rng)


class WalkLaplace:
    """f(x) + Z_t on a fixed schedule, run forwards: Z_t = Z_s + {0 with probability (s/t)², else Lap(t)}."""

    mechanism = "laplace"

    def keep_probability(self, s: float, t: float) -> float:
        """(s/t)²."""
        return (s / t) ** 2

    def coins(self, shape: Shape, rng: np.random.Generator) -> Array:
        """Uniforms that decide who stays."""
        return np.asarray(rng.random(shape))

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        """The noise at the smallest time, Lap(t)."""
        return np.asarray(rng.laplace(scale=t, size=shape))

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        """Lap(t), for those who do not stay."""
        return np.asarray(rng.laplace(scale=t, size=shape))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts, shape (sessions, releases, d)."""
        rng, shape = np.random.default_rng(seed), (sessions, value.size)
        s = schedule[-1]
        noise = self.first(s, shape, rng)
        path = [noise]
        for t in reversed(schedule[:-1]):
            if t > s:
                moves = self.coins(shape, rng) >= self.keep_probability(s, t)
                noise = noise + moves * self.jumps(s, t, shape, rng)
                s = t
            path.append(noise)
        return np.asarray(value + np.stack(path[::-1], axis=1))


class PoissonLaplace(NoiseReduction):
    """f(x) + Z_t by Poisson arrivals (Equation lap_proc): the whole path from η up to 4000 is drawn at the start."""

    mechanism = "laplace"
    eta = 1e-3
    largest = 4000.0

    def next_arrival(self, arrival: Array, rng: np.random.Generator) -> Array:
        """𝒯ₙ = 𝒯ₙ₋₁ U^{−1/2}: intensity 2/t."""
        return np.asarray(arrival / np.sqrt(1.0 - rng.random(arrival.shape)))

    def starting_noise(self, shape: Shape, rng: np.random.Generator) -> Array:
        """Z_η ~ Lap(η)."""
        return np.asarray(rng.laplace(scale=self.eta, size=shape))

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        """The arrivals up to the first time and Z after each: two arrays (arrivals, sessions, d)."""
        if not self.eta <= t <= self.largest:
            raise ValueError(f"time must be between {self.eta} and {self.largest}, got {t!r}")
        arrival = np.full(shape, self.eta)
        noise = self.starting_noise(shape, rng)
        arrivals, path = [arrival], [noise]
        while (arrival := self.next_arrival(arrival, rng)).min() <= t:
            # A row whose next arrival is beyond t is never read there again: its path is complete.
            noise = noise + rng.laplace(scale=arrival)
            arrivals.append(arrival)
            path.append(noise)
        return self._read(np.stack(arrivals), np.stack(path), t)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        """The same path, read earlier."""
        if s < self.eta:
            raise ValueError(f"time must be at least {self.eta}, got {s!r}")
        return self._read(state[0], state[1], s)

    def publish(self, value: Array, state: Any) -> Array:
        """f(x) + Z_t."""
        return np.asarray(value + state[2])

    def _read(self, arrivals: Array, path: Array, t: float) -> tuple[Array, Array, Array]:
        last = (arrivals <= t).sum(axis=0) - 1
        return arrivals, path, np.take_along_axis(path, last[np.newaxis], axis=0)[0]


class Skellam(NoiseReduction):
    """f(x) + P₁(t) − P₂(t), looked at earlier by thinning both counts; its state is the counts (2, sessions, d)."""

    mechanism = "skellam"
    rate = 1.0

    def means(self, t: float) -> tuple[float, float]:
        """The means of the two counts."""
        return self.rate * t, self.rate * t

    def keep_probability(self, s: float, t: float) -> float:
        """An arrival before t came before s with probability s/t."""
        return s / t

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        """Two independent Poisson counts."""
        return np.stack([rng.poisson(mean, shape) for mean in self.means(t)])

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        """Both counts thinned."""
        return rng.binomial(state, self.keep_probability(s, t))

    def publish(self, value: Array, state: Any) -> Array:
        """f(x) + P₁ − P₂."""
        return np.asarray(value + state[0] - state[1])
