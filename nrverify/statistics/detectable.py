"""How large an effect must be for a bet to win with probability one half: the bet itself, asked at the median it sees.

A bet's e-value is a function of sums. With an effect of a given size, each of these sums has a known median; where the
e-value at the median reaches what is needed, it is reached with probability one half. (Later looks only add to that.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv

from nrverify.statistics.wealth import TIE_EFFECTS, MeanWealth, ScaleWealth, log_average

SMALLEST, LARGEST = 1e-6, 1e3
"""Between which an effect is sought: no budget sees less, and more is no matter of statistics."""
MARGIN = 1.03
"""By so much more than the median needs: sums are known from one run and tried in another."""
STEPS = 32
"""Halvings of the logarithm of that range: eight digits, more than are ever printed."""


@lru_cache(maxsize=4096)
def detectable_variance(count: int, needed: float) -> float:
    """The relative change of a variance, up or down, that so many squares show with log e ≥ needed half of the time."""
    if count < 2:
        return float("inf")
    # Twice a gamma law of half as many degrees: its median is that of the sum of squares.
    median = 2 * float(gammaincinv(0.5 * count, 0.5))

    def won(ratio: float) -> float:
        return ScaleWealth(count, ratio * median).log_e

    above = _least(lambda x: won(1 + x) >= needed)
    below = _least(lambda x: x < 1 and won(1 - x) >= needed, most=1.0)
    return max(above, below)


@lru_cache(maxsize=4096)
def detectable_slope(energy: float, needed: float) -> float:
    """The slope on a covariate whose squares add up to `energy`."""
    return _least(lambda x: MeanWealth(x * energy, energy).log_e >= needed) if energy > 0 else float("inf")


@lru_cache(maxsize=4096)
def detectable_probability(count: int, probability: float, needed: float) -> float:
    """The change of a probability, up or down, that so many events of it show."""
    if count < 1 or not 0 < probability < 1:
        return float("inf")
    # 1 − p + p e^θ, in logarithms: θ may be large.
    paid = count * np.logaddexp(np.log1p(-probability), np.log(probability) + TIE_EFFECTS)

    def won(share: float) -> bool:
        return log_average(TIE_EFFECTS * share * count - paid) >= needed

    up = _least(lambda x: won(probability + x), most=1 - probability)
    down = _least(lambda x: won(probability - x), most=probability)
    # A direction in which nothing is left to change tells nothing.
    return max((x for x, room in ((up, 1 - probability), (down, probability)) if x < room), default=1.0)


def detectable_count(enough: int) -> float:
    """The expected number of rare events with which so many happen half of the time."""
    return float(gammaincinv(enough, 0.5))


def _least(wins: Callable[[float], bool], most: float = LARGEST) -> float:
    """The smallest effect that wins, by bisection of its logarithm; the largest where none does."""
    low, high = np.log(SMALLEST), np.log(most)
    # Not exactly the median: the statement is to be kept in half of the runs or more.
    if not wins(most * (1 - 1e-9)):
        return most
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if wins(float(np.exp(middle))) else (middle, high)
    return min(MARGIN * float(np.exp(high)), most)
