"""Sums by keys that are not known in advance, of which no more than a fixed number are kept."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
K = TypeVar("K", bound=Hashable)


class CappedSums(Generic[K]):
    """Arrays added up by key; keys beyond the first `most` are left out.

    Merging is not that of `Tally`: α is divided over a number of keys that is fixed in advance, so a key that comes
    when there are as many is dropped, however it comes.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.sums: dict[K, Floats] = {}

    def add(self, key: K, amount: Floats) -> None:
        """Adds to the sum of a key."""
        if key in self.sums:
            self.sums[key] = self.sums[key] + amount
        elif len(self.sums) < self.most:
            self.sums[key] = amount

    def empty_copy(self) -> CappedSums[K]:
        """The same without any key."""
        return CappedSums(self.most)

    def merge(self, other: CappedSums[K]) -> None:
        """Adds the sums of another, key by key in the order in which they came."""
        for key, amount in other.sums.items():
            self.add(key, amount)
