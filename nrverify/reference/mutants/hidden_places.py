"""Where a mechanism of any kind hides what it betrays: in rare outputs, far down a list, in a type, within a text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.reference.mutants.catalogue import benign, mutants
from nrverify.reference.mutants.textbook import LaplaceCount, Textbook

Floats = NDArray[np.float64]


class RareOutlier(Textbook):
    """Pure noise, but one run in 250 on the second data lies a thousand above."""

    share = 0.004

    def run_many(self, data: int, runs: int, seed: int) -> Floats:
        """Noise, and what a test of ranges of equal mass does not see."""
        rng = np.random.default_rng(seed)
        noise = rng.laplace(0, 1.0, runs)
        return np.where((data == 1) & (rng.random(runs) < self.share), self.betrayed(noise), noise)

    def betrayed(self, noise: Floats) -> Floats | float:
        """What is shown in the rare runs."""
        return 1000 + noise


class RareValue(RareOutlier):
    """Pure noise, but one run in 250 on the second data is always the same number, amid the others."""

    def betrayed(self, noise: Floats) -> Floats | float:
        """A number that noise would never give twice."""
        return 0.25


class LongNoise(Textbook):
    """A hundred numbers of noise, of which the sixtieth has the data added to it."""

    scale = 1.0
    place = 59

    def run_many(self, data: int, runs: int, seed: int) -> Floats:
        """Lists of a hundred numbers."""
        found = np.random.default_rng(seed).laplace(0, self.scale, (runs, 100))
        found[:, self.place] += data
        return found


class LongNoiseTooSmall(LongNoise):
    """A hundred numbers of noise, of which the sixtieth has the data added to it, with noise of the scale 0.6/ε."""

    scale = 0.6


class WrittenCount(LaplaceCount):
    """A noisy count in the middle of a sentence, to one digit after the point."""

    def run_many(self, data: int, runs: int, seed: int) -> Any:
        """Sentences."""
        return [f"there are {one:.1f} of them" for one in super().run_many(data, runs, seed)]


class WrittenCountTooClose(WrittenCount):
    """A count in the middle of a sentence, to one digit after the point, with noise of the scale 0.7/ε."""

    scale = 0.7


class Bits(Textbook):
    """RAPPOR: sixteen bits, of which that of the data is 1; each is told truly with probability e^½ε/(1 + e^½ε)."""

    epsilon: float | None = 2.0
    neighbours: Any = ((0, 3), (12, 7))
    told = 1.0

    def run_many(self, data: int, runs: int, seed: int) -> Any:
        """Texts of noughts and ones."""
        true = np.random.default_rng(seed).random((runs, 16)) < 1 / (1 + math.exp(-self.told))
        bits = np.where(true, np.arange(16) == data, np.arange(16) != data)
        return ["".join("01"[bit] for bit in row) for row in bits.astype(int).tolist()]


class BitsTooTrue(Bits):
    """RAPPOR whose bits are told truly with probability e^¾ε/(1 + e^¾ε): two of them differ, so that it loses 1.5 ε."""

    told = 1.5


class KindOfNumber(Textbook):
    """A one that is an integer or the same number as a float: equal in Python, and told apart by whoever reads JSON."""

    neighbours: Any = ((0, 1),)

    def run_many(self, data: int, runs: int, seed: int) -> Any:
        """1 or 1.0, by the data too often."""
        same = np.random.default_rng(seed).random(runs) < 0.85
        return [(1, 1.0)[data if one else 1 - data] for one in same.tolist()]


MUTANTS = mutants(
    "leak",
    (
        ("hidden-rare-outlier", RareOutlier),
        ("hidden-rare-value", RareValue),
        ("hidden-sixtieth-entry", LongNoiseTooSmall),
        ("hidden-written-count", WrittenCountTooClose),
        ("hidden-bits-in-text", BitsTooTrue),
        ("hidden-kind-of-number", KindOfNumber),
    ),
)
BENIGN = benign(
    (
        ("hidden-right-sixtieth-entry", LongNoise),
        ("hidden-right-written-count", WrittenCount),
        ("hidden-right-bits-in-text", Bits),
    )
)
