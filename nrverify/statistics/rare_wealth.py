"""The bet that a share of cases does for certain what has a known, small probability."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.wealth import log_average, sum_log

Floats = NDArray[np.float64]

SHARES: Floats = np.array([0.001, 0.01, 0.1, 0.5])
"""Shares of the cases bet on: from what a default budget can see, in factors between which little is lost."""


@dataclass
class RareWealth(Additive):
    """Bets that a share q of events of probability at most p happens for certain: Σ log(1 − q + q·A/p)."""

    log_wealth: Floats = field(default_factory=lambda: np.zeros(SHARES.size))
    count: int = 0
    happened: int = 0
    foreseen: float = 0.0

    def bet(self, happened: NDArray[np.bool_], probability: Floats) -> None:
        """Takes in events whose probability given the past is at most this."""
        self.count += happened.size
        self.happened += int(happened.sum())
        self.foreseen += float(probability.sum())
        gains = happened / np.maximum(probability, 1e-300)
        self.log_wealth += sum_log(1 - SHARES[:, None] + SHARES[:, None] * gains.ravel())

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def reached(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.log_e >= -np.log(alpha))

    def estimate(self) -> Estimate:
        """How many happened, and how many were expected at most."""
        return Estimate(Measure.COUNT, self.foreseen, float(self.happened), None, self.count)
