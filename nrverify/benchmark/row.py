"""What a benchmark says: a number, the number to reach, and whether it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One number to reach.

    `measured` is a ratio against the limit of the machine (reach at least the target) or seconds (at most the target);
    `seconds` is the median time of the work once, `peak_bytes` the most memory it held, None for another process.
    """

    name: str
    measured: float
    unit: Literal["ratio", "seconds"]
    target: float
    seconds: float
    peak_bytes: int | None

    @property
    def verdict(self) -> Literal["met", "missed"]:
        """A ratio is met from the target upwards, a time from the target downwards; NaN meets nothing."""
        met = self.measured >= self.target if self.unit == "ratio" else self.measured <= self.target
        return "met" if met else "missed"


@dataclass(frozen=True)
class Growth:
    """The cost of one sample when `samples` are drawn: nanoseconds, and the most bytes held, result included."""

    name: str
    samples: int
    nanoseconds: float
    peak_bytes: int
