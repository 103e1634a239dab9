"""Utilities of a release, for private stopping: functions that travel to the worker process and are evaluated there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Utility = Callable[[Any], float]
"""A function of one release: an array of shape (d,), or a number where d = 1."""


@dataclass(frozen=True)
class Levels:
    """One of few utilities, by where the first coordinate of a release lies between the cuts.

    Few utilities mean few exact laws: one for each way the releases can fall.
    """

    cuts: tuple[float, ...]
    levels: tuple[float, ...]

    def __call__(self, release: Any) -> float:
        """levels[i] when exactly i cuts are below the first coordinate."""
        first = float(np.asarray(release, dtype=np.float64).ravel()[0])
        return self.levels[sum(first > cut for cut in self.cuts)]

    def of(self, releases: NDArray[np.float64]) -> NDArray[np.float64]:
        """The utility of every release of an array (…, d)."""
        which = (releases[..., :1] > np.array(self.cuts)).sum(axis=-1)
        return np.asarray(np.array(self.levels)[which])
