"""Threshold mechanisms as libraries ship them: any scales, noise and number of positives, and their faults."""

import numpy as np


class Sparse:
    """The sparse vector technique: threshold noise drawn once, c positives, as it declares."""

    mechanism = "above-threshold"
    scales = (2.0, 4.0)
    noise = "laplace"
    positives = 1
    used = None
    """Scales that are used where they differ from those declared."""
    redrawn = None
    """"rounds" or "ones": when the threshold's noise is drawn again."""
    halts_after = None

    def draw(self, rng, scale, size):
        if self.noise == "gaussian":
            return rng.normal(0.0, scale, size)
        return rng.exponential(scale, size) if self.noise == "exponential" else rng.laplace(0.0, scale, size)

    def bits(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        rng, unit = np.random.default_rng(seed), sensitivity / epsilons[0]
        a, b = (scale * unit for scale in self.used or self.scales)
        noisy = np.array(utilities) + self.draw(rng, b, (runs, len(utilities)))
        level = self.draw(rng, a, runs)
        found = np.zeros(noisy.shape, dtype=bool)
        for n in range(noisy.shape[1]):
            found[:, n] = noisy[:, n] >= threshold + level
            again = {None: False, "rounds": True, "ones": found[:, n]}[self.redrawn]
            level = np.where(again, self.draw(rng, a, runs), level)
        return found & (found.cumsum(axis=1) <= (self.halts_after or self.positives))

    def run_many(self, utilities, epsilons, threshold, sensitivity, runs, seed):
        bits = self.bits(utilities, epsilons, threshold, sensitivity, runs, seed)
        rounds = np.zeros((runs, self.positives), dtype=int)
        rows, columns = np.nonzero(bits)
        rounds[rows, bits.cumsum(axis=1)[rows, columns] - 1] = columns + 1
        return rounds[:, 0] if self.positives == 1 else rounds

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        bits = self.bits(utilities, epsilons, threshold, sensitivity, 1, seed)[0]
        ones = np.flatnonzero(bits)
        length = ones[self.positives - 1] + 1 if ones.size >= self.positives else bits.size
        return bits[:length].astype(int).tolist()


def declared(**said):
    """A subject class that declares so."""
    return type("Declared", (Sparse,), said)
