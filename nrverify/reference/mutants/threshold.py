"""Faulty threshold mechanisms: which noise is drawn, at which scale, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import mutants
from nrverify.reference.mutants.correct.threshold import AboveThreshold, Floats, Integers, ReducedAboveThreshold


class QueryNoiseHalved(AboveThreshold):
    """The query noise is Lap(2Δ/ε), that of the threshold, instead of Lap(4Δ/ε)."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return 2 * sensitivity / epsilons


class QueryNoiseQuartered(AboveThreshold):
    """The query noise is Lap(Δ/ε), as for a single counting query."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return sensitivity / epsilons


class ThresholdNoiseHalved(AboveThreshold):
    """The threshold noise is Lap(Δ/ε) instead of Lap(2Δ/ε)."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return sensitivity / epsilons


class ScalesSwapped(AboveThreshold):
    """The scales of threshold and query noise are exchanged."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return 4 * sensitivity / epsilons

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return 2 * sensitivity / epsilons


class ThresholdRedrawn(AboveThreshold):
    """The threshold noise is drawn again in every round."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.laplace(scale=scales[:, None], size=(scales.size, runs)))


class NoThresholdNoise(AboveThreshold):
    """The threshold gets no noise."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.zeros((scales.size, runs))


class ThresholdsReused(AboveThreshold):
    """A batch draws the noise of a hundred thresholds and uses them in turn; all rounds of a run keep theirs."""

    # Nothing leaks: N runs of a batch, all of the same data, lose at most ε/2 for the threshold and ε/2 for each halt,
    # where Nε is claimed.
    run = None  # type: ignore[assignment]

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        few = super().threshold_noise(scales, min(runs, 100), rng)
        return few[:, np.arange(runs) % few.shape[1]]


class NoQueryNoise(AboveThreshold):
    """The queries get no noise; only the threshold is noisy."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.zeros((scales.size, runs))


class QueryNoiseOnce(AboveThreshold):
    """The query noise is drawn once and used in every round."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.outer(scales, rng.laplace(size=runs))


class OneNoiseForBoth(AboveThreshold):
    """Threshold and first query take their noise from two generators with the same seed: one is twice the other."""

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        rng = np.random.default_rng(seed)
        zeta = self.threshold_noise(self.threshold_scales(epsilons, sensitivity), runs, rng)
        xi = self.query_noise(self.query_scales(epsilons, sensitivity), runs, rng)
        xi[0] = 2 * zeta[0]
        return self.crossings(utilities[:, None] + xi, threshold + zeta)


class GaussianQueryNoise(AboveThreshold):
    """The query noise is Gaussian of the right variance."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return math.sqrt(2) * scales[:, None] * rng.standard_normal((scales.size, runs))


class ContinuesAfterHalting(AboveThreshold):
    """It goes on answering after the first 1."""

    run_many = None  # type: ignore[assignment]

    def run(
        self, utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float, seed: int
    ) -> list[int]:
        bits = self.answers(np.array(utilities), np.array(epsilons), threshold, sensitivity, 1, seed)[:, 0]
        return [int(bit) for bit in bits]


class SensitivityIgnored(AboveThreshold):
    """The sensitivity of the utilities is taken to be 1, whatever it is."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().threshold_scales(epsilons, 1.0)

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().query_scales(epsilons, 1.0)


class HaltsLate(AboveThreshold):
    """The answer is printed one round late: an off-by-one between queries and answers."""

    def crossings(self, queries: Floats, thresholds: Floats) -> NDArray[np.bool_]:
        crossed = super().crossings(queries, thresholds)
        return np.concatenate([np.zeros_like(crossed[:1]), crossed[:-1]])


class RoundsFromZero(AboveThreshold):
    """Batches count rounds from 0, so halting at once looks like never halting."""

    run = None  # type: ignore[assignment]

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
        return np.maximum(rounds - 1, 0)


class FewBatches(AboveThreshold):
    """Batches are seeded with 16 bits, so there are 65,536 different ones."""

    run = None  # type: ignore[assignment]

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        return super().answers(utilities, epsilons, threshold, sensitivity, runs, seed % 2**16)


class StaleEpsilon(ReducedAboveThreshold):
    """The query noise keeps the scale of the first ε."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return np.full(epsilons.size, 4 * sensitivity / epsilons[0])


class LastEpsilon(ReducedAboveThreshold):
    """The query noise of every round has the scale of the last ε, known in advance from the schedule."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return np.full(epsilons.size, 4 * sensitivity / epsilons[-1])


class ThresholdNeverReduced(ReducedAboveThreshold):
    """The threshold noise keeps the scale of the first ε."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return np.full(epsilons.size, 2 * sensitivity / epsilons[0])


class RedrawnAtNewScale(ReducedAboveThreshold):
    """The threshold noise is drawn again whenever ε changes instead of being reduced."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        zeta = rng.laplace(scale=scales[:, None], size=(scales.size, runs))
        for n in range(1, scales.size):
            if scales[n] == scales[n - 1]:
                zeta[n] = zeta[n - 1]
        return zeta


class RescaledThreshold(ReducedAboveThreshold):
    """The threshold noise is shrunk in proportion to its scale instead of walked down."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.outer(scales, rng.laplace(size=runs))


class ReducedQueryNoiseHalved(ReducedAboveThreshold):
    """The query noise is Lap(2Δ/ε_n) instead of Lap(4Δ/ε_n)."""

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return 2 * sensitivity / epsilons


class ReducedNoThresholdNoise(ReducedAboveThreshold):
    """The threshold gets no noise."""

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.zeros((scales.size, runs))


class ReducedSensitivityIgnored(ReducedAboveThreshold):
    """The sensitivity of the utilities is taken to be 1, whatever it is."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().threshold_scales(epsilons, 1.0)

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return super().query_scales(epsilons, 1.0)


MUTANTS = (
    *mutants(
        "leak",
        (
            ("threshold-query-noise-halved", QueryNoiseHalved),
            ("threshold-query-noise-quartered", QueryNoiseQuartered),
            ("threshold-noise-halved", ThresholdNoiseHalved),
            ("threshold-scales-swapped", ScalesSwapped),
            ("threshold-redrawn", ThresholdRedrawn),
            ("threshold-no-noise", NoThresholdNoise),
            ("threshold-no-query-noise", NoQueryNoise),
            ("threshold-query-noise-once", QueryNoiseOnce),
            ("threshold-one-noise-for-both", OneNoiseForBoth),
            ("threshold-gaussian-query-noise", GaussianQueryNoise),
            ("threshold-few-batches", FewBatches),
            ("threshold-continues-after-halting", ContinuesAfterHalting),
            ("threshold-sensitivity-ignored", SensitivityIgnored),
            ("reduced-threshold-last-epsilon", LastEpsilon),
            ("reduced-threshold-redrawn-at-new-scale", RedrawnAtNewScale),
            ("reduced-threshold-query-noise-halved", ReducedQueryNoiseHalved),
            ("reduced-threshold-no-noise", ReducedNoThresholdNoise),
            ("reduced-threshold-sensitivity-ignored", ReducedSensitivityIgnored),
        ),
    ),
    *mutants(
        "inaccuracy",
        (
            ("threshold-reused", ThresholdsReused),
            ("threshold-halts-late", HaltsLate),
            ("threshold-rounds-from-zero", RoundsFromZero),
            ("reduced-threshold-stale-epsilon", StaleEpsilon),
            ("reduced-threshold-never-reduced", ThresholdNeverReduced),
            ("reduced-threshold-rescaled", RescaledThreshold),
        ),
    ),
)
