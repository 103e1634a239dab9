"""Right sparse-vector mechanisms of any scales, noise and number of positives, in the pieces that mutants get wrong.

All rounds of all runs are drawn at once, as arrays (rounds, runs); a run prints the bits up to its last 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.correct_threshold import AboveThreshold, Floats, Integers


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
