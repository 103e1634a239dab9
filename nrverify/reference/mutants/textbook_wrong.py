"""Textbook mechanisms with the mistakes that are made of them: what `mechanism = "any"` must refute."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants import textbook
from nrverify.reference.mutants.catalogue import mutants

Floats = NDArray[np.float64]


class LaplaceTooSmall(textbook.LaplaceCount):
    """A count with Laplace noise of the scale 0.7/ε."""

    scale = 0.7


class LaplaceClipped(textbook.LaplaceCount):
    """A noisy count whose noise is clipped at ±3, so that the ends betray the count."""

    def run_many(self, data: int, runs: int, seed: int) -> Floats:
        """The count, with clipped noise."""
        return data + np.clip(np.random.default_rng(seed).laplace(0, self.scale, runs), -3, 3)


class GeometricOneSided(textbook.GeometricCount):
    """A count with one-sided geometric noise: never below the count."""

    def run_many(self, data: int, runs: int, seed: int) -> NDArray[np.int64]:
        """The count, and something more."""
        return data + np.random.default_rng(seed).geometric(1 - self.ratio, runs) - 1


class GaussianTooSmall(textbook.GaussianSum):
    """A sum with 0.7 times the deviation that (1, 0.01) needs."""

    deviation = 0.7 * textbook.GaussianSum.deviation


class TruthTooOften(textbook.RandomizedResponse):
    """Randomized response that tells the truth with probability 1 − e^−ε/2, as the two-coin recipe is misread."""

    truth = 1 - math.exp(-1) / 2


class NoisyMaxHalved(textbook.NoisyMax):
    """Report noisy max with noise of scale 1/ε where 2/ε is needed."""

    scale = 1.0


class NoisyMaxWithValue(textbook.NoisyMax):
    """Report noisy max that also shows the noisy maximum, with the noise it was chosen by."""

    def run_many(self, data: list[float], runs: int, seed: int) -> Any:
        """The place and the value of the largest."""
        scores = self._scores(data, runs, seed)
        places, values = scores.argmax(axis=1).tolist(), scores.max(axis=1).tolist()
        return [[place, value] for place, value in zip(places, values, strict=True)]

    neighbours: Any = (([0, 0, 0, 0, 0], [1, 1, 1, 1, 1]),)
    scale = 1.0


class ExponentialUnhalved(textbook.Exponential):
    """The exponential mechanism with e^{ε·score}: the factor 2 of its sensitivity is forgotten."""

    factor = 1.0


class PermuteAndFlipUnhalved(textbook.PermuteAndFlip):
    """Permute-and-flip with e^{ε(score − best)}: the factor 2 is forgotten."""

    factor = 1.0


class SparseVectorQueryNoiseHalved(textbook.SparseVector):
    """Sparse vector with query noise 2/ε where 4/ε is needed."""

    query_scale = 2.0


class SparseVectorNoQueryNoise(textbook.SparseVector):
    """Sparse vector without noise on the queries (Algorithm 5 of Lyu et al., after Stoddard et al.)."""

    query_scale = 0.0


class SparseVectorNoCutoff(textbook.SparseVector):
    """Sparse vector that answers every query and never stops (Algorithm 6, after Chen et al.)."""

    neighbours: Any = (([0] * 10 + [1] * 10, [1] * 10 + [0] * 10),)

    def run_many(self, data: list[float], runs: int, seed: int) -> list[Any]:
        """A bit for each query."""
        return list(self._above(data, runs, seed).astype(int).tolist())


class SparseVectorTenPositives(textbook.SparseVector):
    """Sparse vector that stops after ten positives with the noise for one (Algorithm 4, after Lee and Clifton)."""

    neighbours: Any = (([0] * 10 + [1] * 10, [1] * 10 + [0] * 10),)

    def run_many(self, data: list[float], runs: int, seed: int) -> list[Any]:
        """Bits up to the tenth 1."""
        above = self._above(data, runs, seed).astype(int)
        counts = above.cumsum(axis=1)
        return [row[: int(np.searchsorted(count, 10)) + 1].tolist() for row, count in zip(above, counts, strict=True)]


class SparseVectorShowsValue(textbook.SparseVector):
    """Sparse vector that shows the noisy answer which crossed the threshold (Algorithm 3, after Roth)."""

    neighbours: Any = (([0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 1, 0]),)

    def run_many(self, data: list[float], runs: int, seed: int) -> list[Any]:
        """0 for every query below, then the noisy answer."""
        rng = np.random.default_rng(seed)
        threshold = rng.laplace(0, self.threshold_scale, (runs, 1))
        answers = np.asarray(data) + rng.laplace(0, self.query_scale / 2, (runs, len(data)))
        above = answers >= threshold
        first = np.where(above.any(axis=1), above.argmax(axis=1), len(data)).tolist()
        rows = answers.tolist()
        return [[0] * place + row[place : place + 1] for place, row in zip(first, rows, strict=True)]


class HistogramWithoutThreshold(textbook.StableHistogram):
    """A histogram that shows every name of a person who is there."""

    threshold = 0.0


class GradientNotClipped(textbook.NoisyGradient):
    """A noisy gradient without clipping."""

    clip = 10.0


class AmplifiedTooMuch(textbook.SubsampledCount):
    """A subsampled count that claims ε = q·ε: amplification without the exponential."""

    epsilon = 0.6


class NotSubsampled(textbook.SubsampledCount):
    """A count that claims amplification by subsampling, and uses all records."""

    share = 1.0


class TestWithoutNoise(textbook.ProposeTestRelease):
    """Propose-test-release whose test has no noise."""

    __test__ = False
    neighbours: Any = (([5, 1], [6, 1]),)
    noise = 0.0


class LocalSensitivity(textbook.SmoothMedian):
    """A median with noise of its local sensitivity."""

    distances = 1


class FirstLookFree(textbook.TwoLooks):
    """Two looks, of which the first is not charged when there is a second."""

    both = 1.0


class FiftyStreams(textbook.LaplaceCount):
    """A noisy count whose generator has fifty states."""

    run_many = None  # type: ignore[assignment]

    def run(self, data: int, seed: int) -> float:
        """The count, with one of fifty noises."""
        return data + float(np.random.default_rng(seed % 50).laplace(0, self.scale))


class PriceOfTheLastRun(textbook.TwoLooks):
    """An ex-post price that is kept by the mechanism and not read from the output."""

    # Nothing leaks: the loss is at most 0.5, and the price is never below that.

    def spent(self, output: list[float]) -> float:
        """What the mechanism has used so far, which goes on growing."""
        self.used = getattr(self, "used", 0.5) + 0.001
        return self.used

    def run_many(self, data: int, runs: int, seed: int) -> list[list[float]]:
        """A rounded noisy value."""
        noise = np.random.default_rng(seed).laplace(0, 2.0, runs)
        return [[float(one)] for one in np.round(data + noise).tolist()]


_LEAKING = mutants(
    "leak",
    (
        ("textbook-laplace-too-small", LaplaceTooSmall),
        ("textbook-laplace-clipped", LaplaceClipped),
        ("textbook-geometric-one-sided", GeometricOneSided),
        ("textbook-gaussian-too-small", GaussianTooSmall),
        ("textbook-truth-too-often", TruthTooOften),
        ("textbook-noisy-max-halved", NoisyMaxHalved),
        ("textbook-noisy-max-with-value", NoisyMaxWithValue),
        ("textbook-exponential-unhalved", ExponentialUnhalved),
        ("textbook-permute-and-flip-unhalved", PermuteAndFlipUnhalved),
        ("textbook-sparse-vector-query-noise-halved", SparseVectorQueryNoiseHalved),
        ("textbook-sparse-vector-no-query-noise", SparseVectorNoQueryNoise),
        ("textbook-sparse-vector-no-cutoff", SparseVectorNoCutoff),
        ("textbook-sparse-vector-ten-positives", SparseVectorTenPositives),
        ("textbook-sparse-vector-shows-value", SparseVectorShowsValue),
        ("textbook-histogram-without-threshold", HistogramWithoutThreshold),
        ("textbook-gradient-not-clipped", GradientNotClipped),
        ("textbook-amplified-too-much", AmplifiedTooMuch),
        ("textbook-not-subsampled", NotSubsampled),
        ("textbook-test-without-noise", TestWithoutNoise),
        ("textbook-local-sensitivity", LocalSensitivity),
        ("textbook-first-look-free", FirstLookFree),
        ("textbook-fifty-streams", FiftyStreams),
    ),
)
MUTANTS = (*_LEAKING, *mutants("inaccuracy", (("textbook-price-of-the-last-run", PriceOfTheLastRun),)))
