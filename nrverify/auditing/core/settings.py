"""The settings of an audit, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Error probability, sampling limits and seed of a run."""

    alpha: float = 1e-6
    samples: int = 200_000
    budget: float = 120.0
    timeout: float = 60.0
    seed: int = 0
    keep_going: bool = False
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha!r}: it must be between 0 and 1, such as 1e-6")
        if self.samples < 1:
            raise ValueError(f"samples is {self.samples!r}: it must be at least 1")
        for name, seconds in (("budget", self.budget), ("timeout", self.timeout)):
            if not (seconds > 0 and math.isfinite(seconds)):
                raise ValueError(f"{name} is {seconds!r}: it must be a positive, finite number of seconds")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed is {self.seed!r}: it must be a whole number from 0 to 2^63")
