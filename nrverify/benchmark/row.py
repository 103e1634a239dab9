"""What a benchmark says: a number, the number to reach, and whether it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["ratio", "seconds", "relative error", "bytes", "per second", "times", "microseconds"]

AT_LEAST = ("ratio", "per second")
"""Units of which more is better; of the others less is."""


@dataclass(frozen=True)
class Row:
    """One number to reach.

    `measured` is a ratio against the limit of the machine or a speed (reach at least the target), or seconds, bytes,
    a relative error, microseconds or a number of times (at most the target); `seconds` is the median time of the work,
    `peak_bytes` the most memory it held, None where it was not measured.
    """

    name: str
    measured: float
    unit: Unit
    target: float
    seconds: float | None
    peak_bytes: int | None

    @property
    def at_least(self) -> bool:
        """Whether more is better."""
        return self.unit in AT_LEAST

    @property
    def verdict(self) -> Literal["met", "missed"]:
        """Met at the target and on its better side; NaN meets nothing."""
        met = self.measured >= self.target if self.at_least else self.measured <= self.target
        return "met" if met else "missed"


@dataclass(frozen=True)
class Growth:
    """The cost of one sample when `samples` are drawn: nanoseconds, and the most bytes held."""

    name: str
    samples: int
    nanoseconds: float
    peak_bytes: int
