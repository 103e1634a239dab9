"""What one session of an exact mechanism remembers: its time, and what it released there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nrverify.reference.arguments import next_time


class Coordinate(Protocol):
    """One coordinate of the value with its path of noise, asked at strictly decreasing times."""

    def at(self, t: float) -> float | int: ...


class Session:
    """Independent coordinates released together at non-increasing times; a time asked again is not computed again."""

    def __init__(self, coordinates: Sequence[Coordinate], value: npt.NDArray[Any]) -> None:
        self._coordinates = coordinates
        self._time = math.inf
        self._release = np.empty_like(value)

    def release(self, t: float) -> Any:
        """The release at t, in the shape of the value. A refused time changes nothing."""
        t = next_time(t, self._time)
        if t < self._time:
            numbers = [coordinate.at(t) for coordinate in self._coordinates]
            self._release = np.array(numbers, dtype=self._release.dtype).reshape(self._release.shape)
            self._time = t
        return self._release.item() if self._release.ndim == 0 else self._release.copy()
