"""Counts of events: exact binomial p-values and Clopper–Pearson limits."""

from __future__ import annotations

import math
from typing import Literal

from scipy.special import betainc, betaincinv

Side = Literal["two-sided", "greater", "less"]


def binomial(count: int, total: int, probability: float, side: Side = "two-sided") -> float:
    """The p-value of `count` events in `total` when each has the probability, or at most (at least) it.

    "greater" refutes "at most" by P(X ≥ count), "less" refutes "at least" by P(X ≤ count), "two-sided" doubles the
    smaller. Exact tails at any level; a probability of 0 or 1 is refuted by one exception.
    """
    _counts(count, total)
    if not 0 <= probability <= 1:
        raise ValueError(f"probability is {probability!r}: it must lie in [0, 1]")
    # P(X ≥ k) is an incomplete beta integral; both tails from their own, so that either keeps its digits.
    upper = 1.0 if count == 0 else float(betainc(count, total - count + 1, probability))
    lower = 1.0 if count == total else float(betainc(total - count, count + 1, 1 - probability))
    if side == "greater":
        return upper
    if side == "less":
        return lower
    return min(1.0, 2 * min(lower, upper))


def clopper_pearson(count: int, total: int, alpha: float) -> tuple[float, float]:
    """Limits that contain the probability of the event except with probability alpha, whatever it is."""
    _counts(count, total)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha!r}: it must lie strictly between 0 and 1")
    low = 0.0 if count == 0 else float(betaincinv(count, total - count + 1, alpha / 2))
    high = 1.0 if count == total else 1 - float(betaincinv(total - count, count + 1, alpha / 2))
    return low, high


def _counts(count: int, total: int) -> None:
    if not 0 <= count <= total or total == 0:
        raise ValueError(f"count is {count!r}: it must lie between 0 and total = {total!r}, and total must be positive")


def half_width(count: int, alpha: float) -> float:
    """How far a share of so many is from its probability, but for α (Hoeffding); a distribution function, too (DKW)."""
    return math.sqrt(math.log(2 / alpha) / (2 * max(count, 1)))
