"""Right threshold subjects, cut into the pieces that mutants get wrong (Algorithm rat).

All rounds of all runs are drawn at once, as arrays (rounds, runs); a run prints the bits up to its first 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.reverse_steps import LAPLACE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CHUNK = 2**14
"""Runs drawn at once: memory does not grow with the runs."""


class ReducedAboveThreshold:
    """Halts at the first u_n + ξ_n ≥ τ + ζ_n; ζ_n the Laplace process at 2Δ/ε_n, ξ_n ~ Lap(4Δ/ε_n)."""

    mechanism = "reduced-above-threshold"

    def threshold_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        """2Δ/ε_n."""
        return 2 * sensitivity / epsilons

    def query_scales(self, epsilons: Floats, sensitivity: float) -> Floats:
        """4Δ/ε_n."""
        return 4 * sensitivity / epsilons

    def threshold_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        """ζ, walked down from the largest scale: the same noise as long as the scale is the same."""
        zeta = np.empty((scales.size, runs))
        zeta[0] = LAPLACE.start(float(scales[0]), (runs,), rng)
        for n in range(1, scales.size):
            t, s = float(scales[n - 1]), float(scales[n])
            zeta[n] = LAPLACE.onward(zeta[n - 1], t, s, rng) if s < t else zeta[n - 1]
        return zeta

    def query_noise(self, scales: Floats, runs: int, rng: np.random.Generator) -> Floats:
        """ξ, fresh for every round."""
        return np.asarray(rng.laplace(scale=scales[:, None], size=(scales.size, runs)))

    def crossings(self, queries: Floats, thresholds: Floats) -> NDArray[np.bool_]:
        """Whether each noisy utility is at least the noisy threshold."""
        return queries >= thresholds

    def answers(
        self, utilities: Floats, epsilons: Floats, threshold: float, sensitivity: float, runs: int, seed: int
    ) -> NDArray[np.bool_]:
        """Whether each round would print 1, halted or not: an array (rounds, runs)."""
        rng = np.random.default_rng(seed)
        zeta = self.threshold_noise(self.threshold_scales(epsilons, sensitivity), runs, rng)
        xi = self.query_noise(self.query_scales(epsilons, sensitivity), runs, rng)
        return self.crossings(utilities[:, None] + xi, threshold + zeta)

    def run(
        self, utilities: Sequence[float], epsilons: Sequence[float], threshold: float, sensitivity: float, seed: int
    ) -> list[int]:
        """The bits of one run up to and including the first 1, or all zeros."""
        bits = self.answers(np.array(utilities), np.array(epsilons), threshold, sensitivity, 1, seed)[:, 0]
        halted = int(bits.argmax()) + 1 if bits.any() else bits.size
        return [int(bit) for bit in bits[:halted]]

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> Integers:
        """The halting round of each run, from 1; 0 for never."""
        rounds = np.zeros(runs, np.int64)
        seeds = np.random.SeedSequence(seed).generate_state((runs + CHUNK - 1) // CHUNK, np.uint64)
        for chunk, first in enumerate(range(0, runs, CHUNK)):
            part = rounds[first : first + CHUNK]
            bits = self.answers(
                np.array(utilities), np.array(epsilons), threshold, sensitivity, part.size, int(seeds[chunk])
            )
            part[:] = np.where(bits.any(axis=0), bits.argmax(axis=0) + 1, 0)
        return rounds


class AboveThreshold(ReducedAboveThreshold):
    """The same at a constant ε, where the threshold's noise is drawn once."""

    mechanism = "above-threshold"
