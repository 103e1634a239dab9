"""Benign noise-reduction subjects: unusual constructions, types and habits, and the right law all the same."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.mutants.catalogue import benign
from nrverify.reference.mutants.correct.epsilon import EpsilonBrownian, EpsilonLaplace, EpsilonSkellam
from nrverify.reference.mutants.correct.noise import (
    Array,
    Brownian,
    LazyLaplace,
    PoissonLaplace,
    Rows,
    Session,
    Shape,
    Skellam,
    WalkLaplace,
)


class ForwardPath:
    """The path is drawn forwards from the smallest time by independent increments and read backwards."""

    mechanism = "brownian"

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts."""
        increments = -np.diff(np.append(schedule, 0.0))[::-1]
        z = np.random.default_rng(seed).standard_normal((sessions, len(schedule), value.size))
        path = np.cumsum(np.sqrt(increments)[None, :, None] * z, axis=1)
        return np.asarray(value + path[:, ::-1])


class LongDouble(Brownian):
    """The recursion runs in extended precision and is rounded to doubles at the end."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return super().normals(shape, rng).astype(np.longdouble)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray((value + state).astype(np.float64))


class PlainNumbers(Brownian):
    """Interactive sessions only, which release a Python float for one coordinate and a list for more."""

    sample = None  # type: ignore[assignment]

    def open(self, value: Array, seed: int) -> Any:
        return _Plain(super().open(value, seed))


class _Plain:
    def __init__(self, session: Any) -> None:
        self._session = session

    def release(self, at: float) -> Any:
        numbers = self._session.release(at).tolist()
        return numbers[0] if len(numbers) == 1 else numbers


class SampleOnly(Brownian):
    """Batches on fixed schedules only, as nested lists; integer values are accepted."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Any:
        whole = value.astype(np.int64) if (value == np.round(value)).all() else value
        return super().sample(whole, schedule, sessions, seed).tolist()


class FreshEntropy(Brownian):
    """The seed is ignored and every session takes its randomness from the operating system."""

    def stream(self, seed: int) -> np.random.Generator:
        return np.random.default_rng()


class OneStream(Brownian):
    """All sessions draw in turn from one generator kept on the subject."""

    def __init__(self) -> None:
        self._stream = np.random.default_rng(1827)

    def stream(self, seed: int) -> np.random.Generator:
        return self._stream


class PythonRandom:
    """The noise comes from Python's own generator, one number at a time."""

    mechanism = "brownian"

    def open(self, value: Array, seed: int) -> Any:
        """One session."""
        return _PythonRandomSession(value.tolist(), random.Random(seed))


class _PythonRandomSession:
    def __init__(self, value: list[float], source: random.Random) -> None:
        self._value, self._source = value, source
        self._time, self._noise = math.inf, [0.0] * len(value)

    def release(self, at: float) -> list[float]:
        if not 0 < at <= self._time:
            raise ValueError(f"time must be positive and not increase, got {at!r} after {self._time!r}")
        if at < self._time:
            first = math.isinf(self._time)
            ratio, variance = (0.0, at) if first else (at / self._time, at * (self._time - at) / self._time)
            self._noise = [ratio * w + self._source.gauss(0, math.sqrt(variance)) for w in self._noise]
            self._time = at
        return [f + w for f, w in zip(self._value, self._noise, strict=True)]


class RefusesSmallTimes(Brownian):
    """Times below 0.1 are refused with a ValueError."""

    def time_at(self, at: float, d: int) -> float:
        if not at >= 0.1:
            raise ValueError(f"times below 0.1 are not offered, got {at!r}")
        return at


class Prints(Brownian):
    """It writes a line to standard output for every batch and session."""

    def stream(self, seed: int) -> np.random.Generator:
        print(f"noise for seed {seed}")
        return super().stream(seed)


class RecomputesRepeats(Brownian):
    """A repeated time is computed again from the last release, f + (y − f), so the answer moves by rounding."""

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return (value + state) - value


class LegacyGenerator(Brownian):
    """The noise comes from NumPy's legacy RandomState."""

    def open(self, value: Array, seed: int) -> Any:
        return Session(Rows(_Legacy(seed), value, 1, self.stream(seed)))

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        return Brownian.sample(_Legacy(seed), value, schedule, sessions, seed)


class _Legacy(Brownian):
    def __init__(self, seed: int) -> None:
        self._state = np.random.RandomState([seed % 2**32, seed // 2**32])

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(self._state.normal(size=shape))


class BoxMuller(Brownian):
    """Normals come from uniforms by Box and Muller's formula."""

    def normals(self, shape: Shape, rng: np.random.Generator) -> Array:
        radius = np.sqrt(-2 * np.log1p(-rng.random(shape)))
        return np.asarray(radius * np.cos(2 * np.pi * rng.random(shape)))


class TwoBridges(Brownian):
    """Every step goes down in two bridges through the geometric mean of its times."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        middle = math.sqrt(s * t)
        if not s < middle < t:
            return super().onward(value, state, t, s, rng)
        return super().onward(value, super().onward(value, state, t, middle, rng), middle, s, rng)


class DifferenceOfExponentials(WalkLaplace):
    """Laplace noise is the difference of two exponentials."""

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(t * (rng.standard_exponential(shape) - rng.standard_exponential(shape)))

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return self.first(t, shape, rng)


class PoissonIncrements:
    """Skellam noise as two Poisson paths drawn forwards by increments and read backwards."""

    mechanism = "skellam"
    rate = 0.5

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        """Whole transcripts."""
        means = self.rate * -np.diff(np.append(schedule, 0.0))[::-1]
        counts = np.random.default_rng(seed).poisson(means[:, None], (2, sessions, len(schedule), value.size))
        return np.asarray(value + np.cumsum(counts[0] - counts[1], axis=1)[:, ::-1])


class EpsilonWithTimes(EpsilonBrownian):
    """Asked for an ε behind a linear boundary; it says which time it uses."""

    def time_of(self, epsilon: float) -> float:
        """The time behind an ε."""
        return self.time_at(epsilon, 1)


class WastefulEpsilon(EpsilonBrownian):
    """Asked for an ε, it uses twice the noise the boundary needs."""

    def time_at(self, at: float, d: int) -> float:
        return 2 * super().time_at(at, d)


NOISE_REDUCTION = benign(
    (
        ("brownian-bridge", Brownian),
        ("brownian-forward-path", ForwardPath),
        ("brownian-long-double", LongDouble),
        ("brownian-plain-numbers", PlainNumbers),
        ("brownian-sample-only", SampleOnly),
        ("brownian-fresh-entropy", FreshEntropy),
        ("brownian-one-stream", OneStream),
        ("brownian-python-random", PythonRandom),
        ("brownian-refuses-small-times", RefusesSmallTimes),
        ("brownian-prints", Prints),
        ("brownian-recomputes-repeats", RecomputesRepeats),
        ("brownian-legacy-generator", LegacyGenerator),
        ("brownian-box-muller", BoxMuller),
        ("brownian-two-bridges", TwoBridges),
        ("laplace-reverse-kernel", LazyLaplace),
        ("laplace-walk", WalkLaplace),
        ("laplace-poisson-arrivals", PoissonLaplace),
        ("laplace-difference-of-exponentials", DifferenceOfExponentials),
        ("skellam-thinning", Skellam),
        ("skellam-poisson-increments", PoissonIncrements),
        ("epsilon-brownian", EpsilonBrownian),
        ("epsilon-brownian-with-times", EpsilonWithTimes),
        ("epsilon-brownian-wasteful", WastefulEpsilon),
        ("epsilon-laplace", EpsilonLaplace),
        ("epsilon-skellam", EpsilonSkellam),
    )
)
