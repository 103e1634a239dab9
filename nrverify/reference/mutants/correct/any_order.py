"""Right subjects whose times may be asked for in any order, cut into the pieces that mutants get wrong.

Each release is drawn given the nearest ones on both sides in time, or read from a path that is drawn as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.mutants.correct.discrete import DiscreteLaplace
from nrverify.reference.mutants.correct.noise import Array, PoissonLaplace, Session, Shape
from nrverify.reference.reverse_steps import LAPLACE

Times = list[float]


class AnyOrder:
    """What all of them share: how a session is opened, how many are sampled, and which releases are neighbours."""

    any_order = True

    def open(self, value: Array, seed: int) -> Any:
        """One session."""
        return Session(Looks(self, value, 1, np.random.default_rng(seed)))  # type: ignore[arg-type]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts, shape (sessions, releases, d), in the order of the schedule."""
        looks = Looks(self, value, sessions, np.random.default_rng(seed))
        return np.stack([looks.release(at) for at in schedule], axis=1)

    def neighbours(self, asked: Times, at: float) -> tuple[float | None, float | None]:
        """The nearest times asked for before, below and above."""
        lower, upper = [t for t in asked if t < at], [t for t in asked if t > at]
        return max(lower, default=None), min(upper, default=None)

    def again(self, state: Array, t: float, asked: Times, rng: np.random.Generator) -> Array:
        """The state when a time is asked for once more: the same."""
        return state

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        """The state at the first time, for noise of that shape (sessions, d)."""
        raise NotImplementedError

    def down(self, above: Array, high: float, s: float, rng: np.random.Generator) -> Array:
        """The state at s below all times before, given that at the smallest of them."""
        raise NotImplementedError

    def up(self, below: Array, low: float, s: float, rng: np.random.Generator) -> Array:
        """The state at s above all times before, given that at the largest of them."""
        raise NotImplementedError

    def between(self, below: Array, above: Array, low: float, high: float, s: float, rng: np.random.Generator) -> Array:
        """The state at s given those at its neighbours."""
        raise NotImplementedError

    def publish(self, value: Array, state: Array) -> Array:
        """The releases, of shape (sessions, d)."""
        return np.asarray(value + state)


class Looks:
    """Sessions of one subject side by side, one a row, all asked for the same times in the same order."""

    def __init__(self, subject: AnyOrder, value: Array, sessions: int, rng: np.random.Generator) -> None:
        self._subject = subject
        self._value = np.array(value)
        self._shape = (sessions, self._value.size)
        self._rng = rng
        self._states: dict[float, Array] = {}
        self._asked: Times = []

    def release(self, at: float) -> Array:
        """f(x) + noise at this time in every row."""
        if not (at > 0 and math.isfinite(at)):
            raise ValueError(f"the time {at!r} must be positive and finite")
        if at in self._states:
            self._states[at] = self._subject.again(self._states[at], at, self._asked, self._rng)
        else:
            self._states[at] = self._drawn(at)
        self._asked.append(at)
        return self._subject.publish(self._value, self._states[at])

    def _drawn(self, at: float) -> Array:
        low, high = self._subject.neighbours(self._asked, at)
        if low is not None and high is not None:
            return self._subject.between(self._states[low], self._states[high], low, high, at, self._rng)
        if low is not None:
            return self._subject.up(self._states[low], low, at, self._rng)
        if high is not None:
            return self._subject.down(self._states[high], high, at, self._rng)
        return self._subject.first(at, self._shape, self._rng)


class BrownianAnyOrder(AnyOrder):
    """Brownian noise, interpolated between the neighbours of a time; its state is the noise."""

    mechanism = "brownian"

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return math.sqrt(t) * rng.standard_normal(shape)

    def down(self, above: Array, high: float, s: float, rng: np.random.Generator) -> Array:
        return np.asarray(s / high * above + math.sqrt(s * (high - s) / high) * rng.standard_normal(above.shape))

    def up(self, below: Array, low: float, s: float, rng: np.random.Generator) -> Array:
        return np.asarray(below + math.sqrt(s - low) * rng.standard_normal(below.shape))

    def between(self, below: Array, above: Array, low: float, high: float, s: float, rng: np.random.Generator) -> Array:
        mean = below + self.share(low, high, s) * (above - below)
        return np.asarray(mean + self.deviation(low, high, s) * self.normals(below.shape, rng))

    def share(self, low: float, high: float, s: float) -> float:
        """Of the way from the less noisy neighbour to the noisier one."""
        return (s - low) / (high - low)

    def deviation(self, low: float, high: float, s: float) -> float:
        """√((s−l)(u−s)/(u−l))."""
        return math.sqrt((s - low) * (high - s) / (high - low))

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        """Independent standard normals."""
        return np.asarray(rng.standard_normal(shape))


class LaplaceAnyOrder(AnyOrder):
    """Laplace noise given its neighbours: it equals the less noisy one, or is bridged from the noisier one past it."""

    mechanism = "laplace"

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return LAPLACE.start(t, shape, rng)

    def down(self, above: Array, high: float, s: float, rng: np.random.Generator) -> Array:
        return LAPLACE.onward(above, high, s, rng)

    def up(self, below: Array, low: float, s: float, rng: np.random.Generator) -> Array:
        moves = rng.random(below.shape) >= self.stays(low, s)
        return np.asarray(below + moves * LAPLACE.start(s, below.shape, rng))

    def stays(self, low: float, s: float) -> float:
        """The probability that the noise at s is still that at low."""
        return (low / s) ** 2

    def between(self, below: Array, above: Array, low: float, high: float, s: float, rng: np.random.Generator) -> Array:
        moved = rng.random(below.shape) >= self.stays_between(low, high, s)
        apart = above - below
        found = np.where(moved, below + LAPLACE.onward(apart, high, s, rng), below)
        # What is bridged onto the noisier neighbour is that neighbour, and not its sum of differences.
        found = np.where(found - below == apart, above, found)
        return np.where(apart == 0, below, found)

    def stays_between(self, low: float, high: float, s: float) -> float:
        """The probability of the less noisy neighbour, where it is not also the noisier one."""
        return self.stays(low, s) * (1 - (s / high) ** 2) / (1 - (low / high) ** 2)


class SkellamAnyOrder(AnyOrder):
    """Two Poisson counts: those between two times are shared out in proportion to time; its state is the counts."""

    mechanism = "skellam"
    rate = 1.0

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return rng.poisson(self.rate * t, (2, *shape))

    def down(self, above: Array, high: float, s: float, rng: np.random.Generator) -> Array:
        return np.asarray(rng.binomial(above, s / high))

    def up(self, below: Array, low: float, s: float, rng: np.random.Generator) -> Array:
        return np.asarray(below + rng.poisson(self.rate * (s - low), below.shape))

    def between(self, below: Array, above: Array, low: float, high: float, s: float, rng: np.random.Generator) -> Array:
        return np.asarray(below + rng.binomial(above - below, self.share(low, high, s)))

    def share(self, low: float, high: float, s: float) -> float:
        """Of the arrivals between the neighbours, those before s."""
        return (s - low) / (high - low)

    def publish(self, value: Array, state: Array) -> Array:
        return np.asarray(value + state[0] - state[1])


class DiscreteLaplaceAnyOrder(DiscreteLaplace):
    """Discrete Laplace noise drawn upwards from the smallest time of the schedule, and read in the order asked."""

    any_order = True

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        falling = sorted(set(schedule), reverse=True)
        path = super().sample(value, falling, sessions, seed)
        return np.asarray(path[:, [falling.index(at) for at in schedule]])


class ArrivalsAnyOrder(PoissonLaplace):
    """Laplace noise by Poisson arrivals: the whole path is drawn when a session opens, and read wherever asked."""

    any_order = True

    def open(self, value: Array, seed: int) -> Any:
        return _Path(self, np.array(value), 1, np.random.default_rng(seed))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        path = _Path(self, value, sessions, np.random.default_rng(seed))
        return np.stack([path.rows(at) for at in schedule], axis=1)


class _Path:
    def __init__(self, subject: ArrivalsAnyOrder, value: Array, sessions: int, rng: np.random.Generator) -> None:
        self._value = value
        self._subject = subject
        self._state = subject.start(value, subject.largest, (sessions, value.size), rng)

    def rows(self, at: float) -> Array:
        if not self._subject.eta <= at <= self._subject.largest:
            raise ValueError(f"the time {at!r} must be between {self._subject.eta} and {self._subject.largest}")
        state = self._subject.onward(self._value, self._state, self._subject.largest, at, np.random.default_rng(0))
        return self._subject.publish(self._value, state)

    def release(self, at: float) -> Any:
        return self.rows(at)[0]
