"""The outputs of a threshold mechanism as numbered bins: which rounds printed a 1.

For one positive, bin n − 1 is a halt in round n and the last bin is never. For c positives, outputs with more ones
come first, those with equally many in colexicographic order of their rounds, Σ C(r_i − 1, i); the last is no 1 at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.threshold.whole_output import all_outputs, output_count

Bins = NDArray[np.int64]


@dataclass(frozen=True)
class Outputs:
    """All outputs of so many rounds with at most so many ones."""

    rounds: int
    positives: int

    @property
    def size(self) -> int:
        """How many there are."""
        return output_count(self.rounds, self.positives)

    @cached_property
    def _binomials(self) -> Bins:
        """C(n, k) for n up to the rounds and k up to the most ones."""
        most = min(self.positives, self.rounds)
        return np.array([[math.comb(n, k) for k in range(most + 1)] for n in range(self.rounds + 1)], dtype=np.int64)

    @cached_property
    def _first(self) -> Bins:
        """The first bin of the outputs with k ones, for each k."""
        counts = self._binomials[self.rounds]
        return np.asarray(counts[::-1].cumsum()[::-1] - counts, dtype=np.int64)

    def bins(self, ones: Bins) -> Bins:
        """The bins of runs with ones in these rounds, (runs, c), from 1, in rising order and then 0."""
        shown = ones[:, : self.rounds]
        how_many = (shown > 0).sum(axis=1)
        place = np.arange(1, shown.shape[1] + 1)
        ranks = np.where(shown > 0, self._binomials[np.maximum(shown - 1, 0), place], 0)
        return np.asarray(self._first[how_many] + ranks.sum(axis=1), dtype=np.int64)

    @cached_property
    def order(self) -> Bins:
        """The bin of each output in the order of `laws.threshold.whole_output.all_outputs`."""
        return self.bins(ones_of(all_outputs(self.rounds, self.positives), min(self.positives, self.rounds)))

    @cached_property
    def bits(self) -> NDArray[np.bool_]:
        """The bits (bins, rounds) of each bin; those after the halt are 0."""
        found = np.zeros((self.size, self.rounds), dtype=bool)
        found[self.order] = all_outputs(self.rounds, self.positives)
        return found

    def words(self, bin: int) -> str:
        """A bin, in words."""
        rounds = (np.flatnonzero(self.bits[bin]) + 1).tolist()
        if not rounds:
            return "no 1"
        return f"{'a 1 in round' if len(rounds) == 1 else 'ones in rounds'} {', '.join(map(str, rounds))}"


@lru_cache(maxsize=256)
def outputs(rounds: int, positives: int) -> Outputs:
    """The outputs, numbered once."""
    return Outputs(rounds, positives)


def ones_of(bits: NDArray[np.bool_], positives: int) -> Bins:
    """The rounds (runs, c) of the first c ones of each row of bits, from 1, and 0 where there are no more."""
    count = bits.cumsum(axis=1)
    found = np.zeros((len(bits), positives), dtype=np.int64)
    rows, columns = np.nonzero(bits & (count <= positives))
    found[rows, count[rows, columns] - 1] = columns + 1
    return found


def bits_of(ones: Bins, rounds: int) -> list[list[int]]:
    """What each run prints that has ones in these rounds, (runs, c): up to the c-th 1, or all rounds."""
    printed = []
    for row in ones.tolist():
        length = row[-1] or rounds
        printed.append([int(n in row) for n in range(1, length + 1)])
    return printed
