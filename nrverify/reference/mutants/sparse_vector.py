"""Sparse-vector mechanisms with other scales, noise and several positives: faulty ones, and unusual right ones.

Those of the literature carry the numbers of Lyu, Su and Li, "Understanding the sparse vector technique" (2017), whose
third and fifth variants print numbers, or no noise at all, beside the bits that are judged here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.correct.threshold import AboveThreshold, Floats, Integers

SPLIT = 1 + 2 ** (2 / 3)
"""ε over the share of the threshold in the best division between threshold and queries, for one positive."""


class SparseVector(AboveThreshold):
    """Three positives; noise Lap(2Δ/ε) of the threshold, drawn once, and Lap(12Δ/ε) of the queries."""

    scales: tuple[float, float] = (2.0, 12.0)
    noise = "laplace"
    positives = 3
    used: tuple[float, float] | None = None
    """The scales that are used, where they are not those declared."""
    most_ones: int | None = None
    """After how many ones it halts, where it is not as declared."""

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return (self.used or self.scales)[0] * sensitivity / epsilons

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        return (self.used or self.scales)[1] * sensitivity / epsilons

    def drawn(self, scale: float, size: int | tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Noise of the kind declared."""
        if self.noise == "gaussian":
            return np.asarray(rng.normal(0.0, scale, size))
        return np.asarray(
            rng.exponential(scale, size) if self.noise == "exponential" else rng.laplace(0.0, scale, size)
        )

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.broadcast_to(self.drawn(float(scales[0]), runs, rng), (scales.size, runs))

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return self.drawn(float(scales[0]), (scales.size, runs), rng)

    def printed(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        """The ones that are printed, (runs, rounds)."""
        ones = self.answers(utilities, epsilons, threshold, sensitivity, runs, seed).T
        return np.asarray(ones & (ones.cumsum(axis=1) <= (self.most_ones or self.positives)))

    def run(
        self, utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float, seed: int
    ) -> list[int]:
        """The bits of one run up to and including the last 1 it may print, or of all rounds."""
        ones = self.printed(np.array(utilities), np.array(epsilons), threshold, sensitivity, 1, seed)[0]
        where = np.flatnonzero(ones)
        length = int(where[self.positives - 1]) + 1 if where.size >= self.positives else ones.size
        return [int(bit) for bit in ones[:length]]

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> Integers:
        """The rounds of the ones of each run, (runs, c), 0 where there are no more; (runs,) for one positive."""
        ones = self.printed(np.array(utilities), np.array(epsilons), threshold, sensitivity, runs, seed)
        rounds = np.zeros((runs, self.positives), np.int64)
        rows, columns = np.nonzero(ones)
        rounds[rows, ones.cumsum(axis=1)[rows, columns] - 1] = columns + 1
        return rounds[:, 0] if self.positives == 1 else rounds


class ScalesNotUsed(SparseVector):
    """Query noise Lap(12Δ/ε) is declared, and the usual Lap(4Δ/ε) is used."""

    used = (2.0, 4.0)


class BudgetNotDivided(SparseVector):
    """Scales for three positives are declared, and noise for one is used in both places."""

    scales, used = (3.0, 9.0), (1.0, 3.0)


class RedrawnAfterPositive(SparseVector):
    """The threshold noise is drawn again after every 1, as Dwork and Roth do (variant 2 of the survey)."""

    scales = (6.0, 12.0)

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        rng = np.random.default_rng(seed)
        a, b = (
            float(scale[0])
            for scale in (self.threshold_scales(epsilons, sensitivity), self.query_scales(epsilons, sensitivity))
        )
        zeta, found = self.drawn(a, runs, rng), np.zeros((utilities.size, runs), dtype=bool)
        for n, utility in enumerate(utilities):
            found[n] = utility + self.drawn(b, runs, rng) >= threshold + zeta
            zeta = np.where(found[n], self.drawn(a, runs, rng), zeta)
        return found


class ExponentialRedrawn(SparseVector):
    """Exponential threshold noise is drawn again in every round."""

    scales, noise, positives = (2.0, 4.0), "exponential", 1

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return self.drawn(float(scales[0]), (scales.size, runs), rng)


class ExponentialSubtracted(SparseVector):
    """Exponential noise is subtracted from the threshold where it must be added."""

    scales, noise, positives = (2.0, 4.0), "exponential", 1

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return -super().threshold_noise(scales, runs, rng)


class HaltsAtFirst(SparseVector):
    """It halts at the first 1 although three are declared."""

    run = None  # type: ignore[assignment]
    most_ones = 1


class Variant3(SparseVector):
    """Query noise Lap(2cΔ/ε), half of what c positives need (variant 3 of the survey, without its numbers)."""

    scales = (2.0, 6.0)


class Variant4(SparseVector):
    """Query noise Lap(4Δ/3ε) whatever the number of positives (variant 4 of the survey)."""

    scales = (4.0, 4 / 3)


class Variant5(SparseVector):
    """The queries get no noise (variant 5 of the survey, stopped after three positives)."""

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        return np.zeros((scales.size, runs))


class Variant6(SparseVector):
    """Query noise Lap(2Δ/ε), and no halt after any number of positives (variant 6 of the survey)."""

    scales = (2.0, 2.0)
    run_many = None  # type: ignore[assignment]

    def run(
        self, utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float, seed: int
    ) -> list[int]:
        bits = self.answers(np.array(utilities), np.array(epsilons), threshold, sensitivity, 1, seed)[:, 0]
        return [int(bit) for bit in bits]


class UsualScalesForThree(SparseVector):
    """Three positives with the scales 2Δ/ε and 4Δ/ε of one."""

    scales = (2.0, 4.0)


class GaussianTooSmall(SparseVector):
    """Gaussian noise of the usual scales, for which δ = 1e-6 is too small."""

    scales, noise, positives, delta = (2.0, 4.0), "gaussian", 1, 1e-6


class Variant1(SparseVector):
    """Three positives, threshold noise drawn once, query noise Lap(4cΔ/ε) (variant 1 of the survey)."""


class BestSplit(SparseVector):
    """ε is divided between threshold and queries as 1 : 2^(2/3), which is best for one positive."""

    scales, positives = (SPLIT, SPLIT * 2 ** (1 / 3)), 1


class MonotoneQueries(SparseVector):
    """Query noise Lap(2cΔ/ε), which is enough for monotone queries."""

    scales, monotone = (2.0, 6.0), True


class ExponentialNoise(SparseVector):
    """Exponential noise of the usual scales on both sides."""

    scales, noise, positives = (2.0, 4.0), "exponential", 1


class GaussianNoise(SparseVector):
    """Gaussian noise, wide enough for δ = 1e-6 over 40 rounds."""

    scales, noise, positives, delta = (8.0, 16.0), "gaussian", 1, 1e-6


MUTANTS = (
    *mutants(
        "leak",
        (
            ("sparse-scales-not-used", ScalesNotUsed),
            ("sparse-budget-not-divided", BudgetNotDivided),
            ("sparse-exponential-redrawn", ExponentialRedrawn),
            ("sparse-variant-3", Variant3),
            ("sparse-variant-4", Variant4),
            ("sparse-variant-5", Variant5),
            ("sparse-variant-6", Variant6),
            ("sparse-usual-scales-for-three", UsualScalesForThree),
            ("sparse-gaussian-too-small", GaussianTooSmall),
        ),
    ),
    *mutants(
        "inaccuracy",
        (
            ("sparse-redrawn-after-positive", RedrawnAfterPositive),
            ("sparse-exponential-subtracted", ExponentialSubtracted),
            ("sparse-halts-at-first", HaltsAtFirst),
        ),
    ),
)
BENIGN = benign(
    (
        ("sparse-variant-1", Variant1),
        ("sparse-best-split", BestSplit),
        ("sparse-monotone", MonotoneQueries),
        ("sparse-exponential", ExponentialNoise),
        ("sparse-gaussian", GaussianNoise),
    )
)
