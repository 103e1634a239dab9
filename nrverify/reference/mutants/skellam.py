"""Faulty Skellam mechanisms: counts, their means and their thinning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.noise import Array, NoiseReduction, Shape, Skellam


class Asymmetric(Skellam):
    """The two Poisson processes have rates 1.1 and 0.9 instead of the same."""

    def means(self, t: float) -> tuple[float, float]:
        return 1.1 * t, 0.9 * t


class RoundedGaussian(NoiseReduction):
    """A Brownian path of the right variance 2t is rounded to integers."""

    mechanism = "skellam"
    rate = 1.0

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return math.sqrt(2 * t) * rng.standard_normal(shape)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return (s / t) * state + math.sqrt(2 * s * (t - s) / t) * rng.standard_normal(state.shape)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + np.rint(state).astype(np.int64))


class NormalAboveTwo(Skellam):
    """Steps with a mean count above 2 are rounded normals of the right variance, because Poisson numbers are slow."""

    open = None  # type: ignore[assignment]

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        rng = self.stream(seed)
        noise, path, last = np.zeros((sessions, value.size), dtype=np.int64), [], 0.0
        for t in reversed(schedule):
            noise = noise + self._step(t - last, noise.shape, rng)
            path.append(noise)
            last = t
        return np.asarray(value + np.stack(path[::-1], axis=1))

    def _step(self, span: float, shape: Shape, rng: np.random.Generator) -> Array:
        if span > 2:
            return np.rint(math.sqrt(2 * span) * rng.standard_normal(shape)).astype(np.int64)
        return rng.poisson(span, shape) - rng.poisson(span, shape)


class FreshSkellam(Skellam):
    """Every release gets fresh noise instead of thinning the counts that are already there."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape[1:], rng)


class RateDoubled(Skellam):
    """Both Poisson processes run at twice the rate."""

    def means(self, t: float) -> tuple[float, float]:
        return 2 * t, 2 * t


class TimeForVarianceSkellam(Skellam):
    """The time is taken for the variance: both processes run at half the rate."""

    def means(self, t: float) -> tuple[float, float]:
        return 0.5 * t, 0.5 * t


class ThinnedTwice(Skellam):
    """Arrivals are kept with probability (s/t)² instead of s/t."""

    def keep_probability(self, s: float, t: float) -> float:
        return (s / t) ** 2


class SharedCount(Skellam):
    """The second Poisson count is drawn once and used for all coordinates."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        counts = super().start(value, t, shape, rng)
        counts[1] = counts[1][:, :1]
        return counts

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        counts = super().onward(value, state, t, s, rng)
        counts[1] = counts[1][:, :1]
        return counts


class ThinnedDifference(Skellam):
    """The difference of the counts is thinned instead of the counts."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        counts = super().start(value, t, shape, rng)
        return _parts(counts[0] - counts[1])


class OneCountThinned(Skellam):
    """Only the first count is thinned; the second is drawn afresh for the new time."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        kept = rng.binomial(state[0], s / t)
        return np.stack([kept, rng.poisson(self.means(s)[1], kept.shape)])


class CountsInBytes(Skellam):
    """The counts are stored in one byte each and wrap around at 256."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, shape, rng) % 256


def _parts(difference: Array) -> Array:
    """The positive and the negative part: two counts with this difference."""
    return np.stack([np.maximum(difference, 0), np.maximum(-difference, 0)])


MUTANTS = (
    *mutants(
        "leak",
        (
            ("skellam-asymmetric", Asymmetric),
            ("skellam-rounded-gaussian", RoundedGaussian),
            ("skellam-normal-above-two", NormalAboveTwo),
            ("skellam-fresh-noise", FreshSkellam),
            ("skellam-time-for-variance", TimeForVarianceSkellam),
            ("skellam-thinned-twice", ThinnedTwice),
            ("skellam-shared-count", SharedCount),
            ("skellam-thinned-difference", ThinnedDifference),
            ("skellam-one-count-thinned", OneCountThinned),
            ("skellam-counts-in-bytes", CountsInBytes),
        ),
    ),
    *mutants("inaccuracy", (("skellam-rate-doubled", RateDoubled),)),
)
