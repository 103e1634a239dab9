"""Is the mean of bounded variables what is claimed? Chernoff–Hoeffding bounds and bets, valid for every sample size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.proportions import Side
from nrverify.statistics.wealth import log_average

Floats = NDArray[np.float64]

STAKES: Floats = 0.004 * np.power(1.45, np.arange(15, dtype=np.float64))
"""Parts of the largest stake that cannot go broke: from 0.4 % to 73 %."""


def hoeffding(mean: float, count: int, claimed: float, side: Side = "two-sided") -> float:
    """e^{−n kl(mean, claimed)} for the mean of n independent variables in [0, 1] (Hoeffding's first inequality).

    kl(p, q) = p log(p/q) + (1−p) log((1−p)/(1−q)). "greater" refutes "at most claimed", "less" refutes "at least
    claimed", "two-sided" doubles.
    """
    for name, number in (("mean", mean), ("claimed", claimed)):
        if not 0 <= number <= 1:
            raise ValueError(f"{name} is {number!r}: it must lie in [0, 1]; rescale the variables")
    if count < 1:
        raise ValueError(f"count is {count!r}: it must be positive")
    if (side == "greater" and mean <= claimed) or (side == "less" and mean >= claimed):
        return 1.0
    exponent = float(rel_entr(mean, claimed) + rel_entr(1 - mean, 1 - claimed))
    return min(1.0, (2 if side == "two-sided" else 1) * math.exp(-count * exponent))


class BoundedMeanWealth:
    """Bets that variables in [low, high] with conditional mean m given the past have another: Π (1 + λ(X − m)).

    λ runs over parts of −1/(high − m) and of 1/(m − low), beyond which a factor could be negative; "greater" bets
    against "at most m" with λ > 0 alone, "less" against "at least m".
    """

    def __init__(self, mean: float, low: float = 0.0, high: float = 1.0, side: Side = "two-sided") -> None:
        if not low < mean < high:
            raise ValueError(f"mean is {mean!r}: it must lie strictly between low = {low!r} and high = {high!r}")
        self.mean, self.low, self.high = mean, low, high
        up, down = STAKES / (mean - low), -STAKES / (high - mean)
        self.stakes: Floats = {"greater": up, "less": down, "two-sided": np.concatenate([down, up])}[side]
        self.log_wealth = np.zeros(self.stakes.size)
        self.count = 0
        self.total = 0.0

    def bet(self, x: Floats) -> None:
        """Takes in variables; one outside [low, high] is a ValueError, for the bet would be void."""
        if not np.all((x >= self.low) & (x <= self.high)):
            raise ValueError(f"variables are from {x.min()} to {x.max()}: they must lie in [{self.low}, {self.high}]")
        self.count += x.size
        self.total += float(x.sum())
        distance = x - self.mean
        self.log_wealth += [float(np.log1p(stake * distance).sum()) for stake in self.stakes]

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    @property
    def observed(self) -> float:
        """The mean observed."""
        return self.total / self.count if self.count else float("nan")

    def estimate(self) -> Estimate:
        """The mean observed beside the one claimed."""
        return Estimate(Measure.MEAN, self.mean, self.observed, None, self.count)
