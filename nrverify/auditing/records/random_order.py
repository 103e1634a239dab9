"""The order in which records are used: a fair coin says from which side the next unused one is taken.

With fixed numbers of records a side the labels of a file are no fair coins; tossed labels are, as long as the tossing
ends, whatever the next toss would be, as soon as one side has no record left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Portion:
    """Records to be used next: which of either side, and how the coin shuffled them together."""

    neighbour: slice
    value: slice
    label: NDArray[np.bool_] | None
    """True where the value's next record was taken; None once a side is used up and there is no coin to toss."""

    @property
    def sides(self) -> tuple[slice, slice]:
        """The neighbour's (label 0) and the value's (label 1)."""
        return self.neighbour, self.value


class Unused:
    """The records of a file that have not been used yet."""

    out_of_time = False
    """Reading takes no time worth a limit."""

    def __init__(self, neighbour: int, value: int, samples: int, rng: np.random.Generator) -> None:
        self._have = (neighbour, value)
        self._used = [0, 0]
        self._samples = samples
        self._rng = rng

    @property
    def drawn(self) -> int:
        """How many records were used."""
        return sum(self._used)

    @property
    def left(self) -> int:
        """How many may still be used."""
        return min(self._samples, sum(self._have)) - self.drawn

    def take(self, most: int) -> Portion:
        """Up to `most` records more."""
        most = min(most, self.left)
        unused = [have - used for have, used in zip(self._have, self._used, strict=True)]
        label = None
        if all(unused):
            label = self._rng.random(most) < 0.5
            empty = (np.cumsum(~label) == unused[0]) | (np.cumsum(label) == unused[1])
            label = label[: int(np.argmax(empty)) + 1] if empty.any() else label
            counts = [int((~label).sum()), int(label.sum())]
        else:
            counts = [min(most, side) for side in unused]
        rows = [slice(used, used + count) for used, count in zip(self._used, counts, strict=True)]
        self._used = [row.stop for row in rows]
        return Portion(rows[0], rows[1], label)
