"""Labelled runs of one pair of data: what was drawn by a fair coin, kept to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.columns import MISSING, Columns, Floats, Keys, Path

Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Labelled:
    """Runs in the order of the coin: label 1 is the second of the pair. `charged` is the ε claimed for each output."""

    case: int
    """Of which pair, or pair and strategy."""
    columns: Columns
    label: Labels
    charged: Floats

    @property
    def size(self) -> int:
        """How many runs."""
        return self.columns.size

    def rows(self, start: int, stop: int) -> Labelled:
        """Those of some rows."""
        if start == 0 and stop >= self.size:
            return self
        rows = slice(start, min(stop, self.size))
        return Labelled(self.case, self.columns.rows(rows), self.label[rows], self.charged[rows])


@dataclass(frozen=True)
class Sample:
    """Runs as rows of all columns that were seen so far."""

    paths: tuple[Path, ...]
    keys: Keys
    values: Floats
    label: Labels
    charged: Floats

    @property
    def size(self) -> int:
        """How many runs."""
        return int(self.label.size)

    def head(self, size: int) -> Sample:
        """The first so many of them."""
        rows = slice(size)
        return Sample(self.paths, self.keys[rows], self.values[rows], self.label[rows], self.charged[rows])

    def tail(self, start: int) -> Sample:
        """Those from there on."""
        rows = slice(start, None)
        return Sample(self.paths, self.keys[rows], self.values[rows], self.label[rows], self.charged[rows])


def matrix(columns: Columns, paths: Sequence[Path]) -> tuple[Keys, Floats]:
    """The columns with these paths as (runs, columns); an entry that is missing has the key of nothing and is NaN."""
    keys = np.full((columns.size, len(paths)), MISSING, dtype=np.uint64)
    values = np.full((columns.size, len(paths)), np.nan)
    for place, path in enumerate(paths):
        if path in columns.keys:
            keys[:, place] = columns.keys[path]
            values[:, place] = columns.values[path]
    return keys, values


def together(parts: Sequence[Labelled]) -> Sample:
    """Parts that were drawn one after the other, as one sample."""
    paths = tuple(dict.fromkeys(path for part in parts for path in part.columns.keys))
    found = [matrix(part.columns, paths) for part in parts]
    return Sample(
        paths,
        np.concatenate([keys for keys, _ in found]),
        np.concatenate([values for _, values in found]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.charged for part in parts]),
    )
