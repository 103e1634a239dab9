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
        self._scalar = value.ndim == 0
        self._dtype = value.dtype
        self._time = math.inf
        self._release: list[float | int] = []

    def release(self, t: float) -> Any:
        """The release at t, in the shape of the value. A refused time changes nothing."""
        t = next_time(t, self._time)
        if t < self._time:
            self._release = [coordinate.at(t) for coordinate in self._coordinates]
            self._time = t
        return self._release[0] if self._scalar else np.array(self._release, dtype=self._dtype)
