"""Faulty Laplace mechanisms: scales, coins and paths of the process that mostly stays where it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.noise import (
    Array,
    LazyLaplace,
    NoiseReduction,
    PoissonLaplace,
    Shape,
    WalkLaplace,
)
from nrverify.reference.reverse_steps import LAPLACE


class ArrivalRate(PoissonLaplace):
    """Arrivals come with intensity 1/t instead of 2/t."""

    def next_arrival(self, arrival: Array, rng: np.random.Generator) -> Array:
        return np.asarray(arrival / (1.0 - rng.random(arrival.shape)))


class MissingStartingJump(PoissonLaplace):
    """The path starts at 0 instead of Lap(η), as the printed recipe has it."""

    eta = 1e-2

    def starting_noise(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.zeros(shape)


class OneArrivalProcess(PoissonLaplace):
    """All coordinates jump at the arrivals of one Poisson process."""

    def next_arrival(self, arrival: Array, rng: np.random.Generator) -> Array:
        return np.repeat(super().next_arrival(arrival[:, :1], rng), arrival.shape[1], axis=1)


class KeepLinear(WalkLaplace):
    """The walk stays with probability s/t instead of (s/t)²."""

    def keep_probability(self, s: float, t: float) -> float:
        return s / t


class TiesTooOften(WalkLaplace):
    """The walk stays with probability (s/t)^1.5, an average of two formulas that disagreed."""

    def keep_probability(self, s: float, t: float) -> float:
        return math.pow(s / t, 1.5)


class JumpsClipped(WalkLaplace):
    """Laplace numbers are clipped at 10 scales against outliers."""

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.clip(super().first(t, shape, rng), -10 * t, 10 * t)

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.clip(super().jumps(s, t, shape, rng), -10 * t, 10 * t)


class OneCoin(WalkLaplace):
    """One coin decides for all coordinates whether they stay."""

    def coins(self, shape: Shape, rng: np.random.Generator) -> Array:
        return np.repeat(super().coins((shape[0], 1), rng), shape[1], axis=1)


class JumpScaleSmallEnd(WalkLaplace):
    """Jumps have the scale of the smaller time."""

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(scale=s, size=shape))


class JumpScaleMiddle(WalkLaplace):
    """Jumps have the scale √(st) in the middle of the step."""

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(scale=math.sqrt(s * t), size=shape))


class JumpScaleTenth(WalkLaplace):
    """Jumps are a tenth too large."""

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(scale=1.1 * t, size=shape))


class NeverTied(WalkLaplace):
    """The walk always jumps, by Laplace noise of the missing variance."""

    def keep_probability(self, s: float, t: float) -> float:
        return 0.0

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(scale=math.sqrt(t * t - s * s), size=shape))


class ScaleForDeviation(WalkLaplace):
    """The time is taken for the standard deviation: scales are too small by √2."""

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return super().first(t / math.sqrt(2), shape, rng)

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return np.asarray(rng.laplace(scale=t / math.sqrt(2), size=shape))


class TimeForVariance(LazyLaplace):
    """The time is taken for the variance, as in the Brownian mechanism: the scale is √(t/2)."""

    def time_at(self, at: float, d: int) -> float:
        return math.sqrt(at / 2) if at > 0 else at


class Gaussian(NoiseReduction):
    """The noise is Gaussian with the right variance 2t² at every time."""

    mechanism = "laplace"

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return math.sqrt(2) * t * rng.standard_normal(shape)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        ratio = (s / t) ** 2
        return ratio * state + math.sqrt(2 * (1 - ratio)) * s * rng.standard_normal(state.shape)


class FreshLaplace(LazyLaplace):
    """Every release gets fresh noise instead of the path that is already there."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return self.start(value, s, state.shape, rng)

    def again(self, value: Array, state: Any, t: float, rng: np.random.Generator) -> Any:
        return self.start(value, t, state.shape, rng)


class ForwardCoinBackwards(LazyLaplace):
    """Going backwards it stays with the forward probability (s/t)², whatever the noise is, and else draws Lap(s)."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        stays = rng.random(state.shape) < (s / t) ** 2
        return np.where(stays, state, self.start(value, s, state.shape, rng))


class CoinForgetsTheNoise(LazyLaplace):
    """The kernel's coin is s/t, without the factor that falls with the size of the noise."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        moved = np.array(LAPLACE.onward(state, t, s, rng))
        stays = rng.random(state.shape) < s / t
        tied = moved == state
        # Those that should move but hit the kernel's own atom are drawn again until they do.
        while (again := tied & ~stays).any():
            moved[again] = LAPLACE.onward(state[again], t, s, rng)
            tied = moved == state
        return np.where(stays, state, moved)


class SharedNoise(LazyLaplace):
    """One path is drawn for a session and used for all coordinates."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, (shape[0], 1), rng)

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(value + state)


class LogOfZero(WalkLaplace):
    """Exponentials are −log U of 16-bit uniforms, which now and then are 0."""

    def first(self, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        uniforms = rng.integers(2**16, size=shape) / 2**16
        with np.errstate(divide="ignore"):
            sizes = -t * np.log(uniforms)
        return np.copysign(sizes, rng.random(shape) - 0.5)

    def jumps(self, s: float, t: float, shape: Shape, rng: np.random.Generator) -> Array:
        return self.first(t, shape, rng)

    def sample(self, value: Array, schedule: Sequence[float], sessions: int, seed: int) -> Array:
        # An infinite jump that is not taken is 0·∞.
        with np.errstate(invalid="ignore"):
            return super().sample(value, schedule, sessions, seed)


class ThreePercentSmallLaplace(LazyLaplace):
    """All scales are 3 % too small."""

    def time_at(self, at: float, d: int) -> float:
        return 0.97 * at


class RescaledPath(LazyLaplace):
    """The first noise is shrunk in proportion to the time instead of walking down the path."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return (s / t) * state


MUTANTS = mutants(
    "leak",
    (
        ("laplace-arrival-rate", ArrivalRate),
        ("laplace-missing-starting-jump", MissingStartingJump),
        ("laplace-one-arrival-process", OneArrivalProcess),
        ("laplace-keep-linear", KeepLinear),
        ("laplace-ties-too-often", TiesTooOften),
        ("laplace-jumps-clipped", JumpsClipped),
        ("laplace-one-coin", OneCoin),
        ("laplace-jump-scale-small-end", JumpScaleSmallEnd),
        ("laplace-jump-scale-middle", JumpScaleMiddle),
        ("laplace-never-tied", NeverTied),
        ("laplace-scale-for-deviation", ScaleForDeviation),
        ("laplace-time-for-variance", TimeForVariance),
        ("laplace-gaussian", Gaussian),
        ("laplace-fresh-noise", FreshLaplace),
        ("laplace-forward-coin-backwards", ForwardCoinBackwards),
        ("laplace-coin-forgets-the-noise", CoinForgetsTheNoise),
        ("laplace-shared-noise", SharedNoise),
        ("laplace-log-of-zero", LogOfZero),
        ("laplace-three-percent-small", ThreePercentSmallLaplace),
        ("laplace-rescaled-path", RescaledPath),
        ("laplace-jump-scale-tenth", JumpScaleTenth),
    ),
)
