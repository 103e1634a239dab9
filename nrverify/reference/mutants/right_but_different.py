"""Mechanisms that keep their privacy claim with another law than the one claimed: none of them may be told it leaks.

Thresholds: with threshold noise aΔ/ε and query noise bΔ/ε, Laplace or exponential, ε holds if 1/a + 2/b ≤ 1. Elsewhere
the claimed release is made, and then changed without another look at the value: noise is added, or it is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign
from nrverify.reference.mutants.correct.epsilon import EpsilonBrownian, EpsilonLaplace
from nrverify.reference.mutants.correct.noise import Array, Brownian, LazyLaplace, Shape, Skellam
from nrverify.reference.mutants.correct.threshold import AboveThreshold, Floats, ReducedAboveThreshold

LYU = 1 + 2 ** (2 / 3)
"""The threshold scale of the split ε₁ : ε₂ = 1 : 2^(2/3) of Lyu, Su and Li."""


class OtherScales(AboveThreshold):
    """Noises aΔ/ε and bΔ/ε with 1/a + 2/b ≤ 1."""

    a, b = 2.0, 4.0

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return self.a * sensitivity / epsilons

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return self.b * sensitivity / epsilons


class LyuSplit(OtherScales):
    """The split of Lyu, Su and Li: a = 1 + 2^(2/3), b = 2/(1 − 1/a)."""

    a, b = LYU, 2 / (1 - 1 / LYU)


class MoreOnThreshold(OtherScales):
    """a = 4, b = 8/3."""

    a, b = 4.0, 8 / 3


class MostOnThreshold(OtherScales):
    """a = 8, b = 16/7."""

    a, b = 8.0, 16 / 7


class MoreOnQueries(OtherScales):
    """a = 3/2, b = 6."""

    a, b = 1.5, 6.0


class EqualScales(OtherScales):
    """a = b = 3."""

    a, b = 3.0, 3.0


class BothDoubled(OtherScales):
    """a = 4, b = 8: twice the noise it needs."""

    a, b = 4.0, 8.0


class QueriesDoubled(OtherScales):
    """a = 2, b = 8."""

    b = 8.0


class ThresholdDoubled(OtherScales):
    """a = 4, b = 4."""

    a = 4.0


class ExponentialNoise(OtherScales):
    """Exponential noises of means 2Δ/ε and 4Δ/ε, both added."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.outer(scales, rng.standard_exponential(runs))

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.asarray(scales[:, None] * rng.standard_exponential((scales.size, runs)))


class ExponentialLyu(ExponentialNoise):
    """Exponential noises by the split of Lyu, Su and Li."""

    a, b = LYU, 2 / (1 - 1 / LYU)


class ExponentialWider(ExponentialNoise):
    """Exponential noises of means 3Δ/ε and 6Δ/ε."""

    a, b = 3.0, 6.0


class ExponentialEqual(ExponentialNoise):
    """Exponential noises of means 3Δ/ε."""

    a, b = 3.0, 3.0


class UniformOnQueries(AboveThreshold):
    """Uniform noise of three query scales is added to every noisy query."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        noise = super().query_noise(scales, runs, rng)
        return noise + 1.5 * scales[:, None] * rng.uniform(-1, 1, noise.shape)


class NormalOnQueries(AboveThreshold):
    """Normal noise of a query scale is added to every noisy query."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        noise = super().query_noise(scales, runs, rng)
        return noise + scales[:, None] * rng.standard_normal(noise.shape)


class NormalOnThreshold(AboveThreshold):
    """Normal noise of two threshold scales, drawn once, is added to the noisy threshold."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        noise = super().threshold_noise(scales, runs, rng)
        return noise + 2 * np.outer(scales, rng.standard_normal(runs))


class ThresholdLowered(AboveThreshold):
    """The threshold is lowered by a query scale, for fewer misses."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return super().threshold_noise(scales, runs, rng) - 2 * scales[:, None]


class AnswersBelow(AboveThreshold):
    """It halts at the first utility below the threshold."""

    def crossings(self, queries: Floats, thresholds: Floats) -> NDArray[np.bool_]:
        return queries <= thresholds


class ReducedFirstEpsilon(ReducedAboveThreshold):
    """All noise is that of the first ε, which is the smallest."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().threshold_scales(np.full_like(epsilons, epsilons[0]), sensitivity)

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().query_scales(np.full_like(epsilons, epsilons[0]), sensitivity)


class ReducedQueriesNever(ReducedAboveThreshold):
    """The query noise stays that of the first ε."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().query_scales(np.full_like(epsilons, epsilons[0]), sensitivity)


class ReducedDoubled(ReducedAboveThreshold):
    """Query noise of twice the scale."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return 2 * super().query_scales(epsilons, sensitivity)


class SnappedLaplace(LazyLaplace):
    """Each release is clamped to ±10⁹ and snapped to a grid of 1/2, after the noise was added."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.round(np.clip(super().publish(value, state), -1e9, 1e9) * 2) / 2)


class LaplaceWider(LazyLaplace):
    """Noise of one and a half times the scale."""

    def time_at(self, at: float, d: int) -> float:
        return 1.5 * at


class LaplaceNeverReduced(LazyLaplace):
    """The first release is given again whatever is asked for later."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return state


class BrownianDoubled(Brownian):
    """Noise of twice the variance."""

    def time_at(self, at: float, d: int) -> float:
        return 2 * at


class BrownianHardlyMore(Brownian):
    """Noise of a tenth more variance."""

    def time_at(self, at: float, d: int) -> float:
        return 1.1 * at


class BrownianNeverReduced(Brownian):
    """The first release is given again whatever is asked for later."""

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return state


class BrownianRounded(Brownian):
    """Each release is rounded to two decimals, after the noise was added."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.round(super().publish(value, state), 2))


class BrownianExtra(Brownian):
    """A normal number of variance 1, drawn once, is added to all releases of a session."""

    def start(self, value: Array, t: float, shape: Shape, rng: np.random.Generator) -> Any:
        return super().start(value, t, shape, rng), rng.standard_normal(shape)

    def onward(self, value: Array, state: Any, t: float, s: float, rng: np.random.Generator) -> Any:
        return super().onward(value, state[0], t, s, rng), state[1]

    def publish(self, value: Array, state: Any) -> Array:
        return super().publish(value, state[0] + state[1])


class SkellamDoubled(Skellam):
    """Noise of twice the rate."""

    def time_at(self, at: float, d: int) -> float:
        return 2 * at


class EpsilonLaplaceWider(EpsilonLaplace):
    """It says Δ/ε, and uses one and a half times as much."""

    def time_at(self, at: float, d: int) -> float:
        return 1.5 * super().time_at(at, d)

    def time_of(self, epsilon: float) -> float:
        """The scale it needs."""
        return self.sensitivity / epsilon


class EpsilonLaplaceSnapped(EpsilonLaplace):
    """Each release is snapped to a grid of 1/8, after the noise was added."""

    def publish(self, value: Array, state: Any) -> Array:
        return np.asarray(np.round(super().publish(value, state) * 8) / 8)


class EpsilonBrownianWider(EpsilonBrownian):
    """It says the time of the boundary, and uses a quarter more."""

    def time_at(self, at: float, d: int) -> float:
        return 1.25 * super().time_at(at, d)

    def time_of(self, epsilon: float) -> float:
        """The time it needs."""
        return super().time_at(epsilon, 1)


DIFFERENT = benign(
    (
        ("different-threshold-lyu", LyuSplit),
        ("different-threshold-four", MoreOnThreshold),
        ("different-threshold-eight", MostOnThreshold),
        ("different-threshold-queries", MoreOnQueries),
        ("different-threshold-equal", EqualScales),
        ("different-threshold-both-doubled", BothDoubled),
        ("different-threshold-queries-doubled", QueriesDoubled),
        ("different-threshold-threshold-doubled", ThresholdDoubled),
        ("different-threshold-exponential", ExponentialNoise),
        ("different-threshold-exponential-lyu", ExponentialLyu),
        ("different-threshold-exponential-wider", ExponentialWider),
        ("different-threshold-exponential-equal", ExponentialEqual),
        ("different-threshold-uniform-on-queries", UniformOnQueries),
        ("different-threshold-normal-on-queries", NormalOnQueries),
        ("different-threshold-normal-on-threshold", NormalOnThreshold),
        ("different-threshold-lowered", ThresholdLowered),
        ("different-threshold-below", AnswersBelow),
        ("different-reduced-first-epsilon", ReducedFirstEpsilon),
        ("different-reduced-queries-never", ReducedQueriesNever),
        ("different-reduced-doubled", ReducedDoubled),
        ("different-laplace-snapped", SnappedLaplace),
        ("different-laplace-wider", LaplaceWider),
        ("different-laplace-never-reduced", LaplaceNeverReduced),
        ("different-brownian-doubled", BrownianDoubled),
        ("different-brownian-hardly-more", BrownianHardlyMore),
        ("different-brownian-never-reduced", BrownianNeverReduced),
        ("different-brownian-rounded", BrownianRounded),
        ("different-brownian-extra", BrownianExtra),
        ("different-skellam-doubled", SkellamDoubled),
        ("different-epsilon-laplace-wider", EpsilonLaplaceWider),
        ("different-epsilon-laplace-snapped", EpsilonLaplaceSnapped),
        ("different-epsilon-brownian-wider", EpsilonBrownianWider),
    )
)
"""Right but different: an audit may refute their law, and must not tell them they leak."""
