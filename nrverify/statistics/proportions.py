"""Counts of events: exact binomial p-values and Clopper–Pearson limits."""

from __future__ import annotations

from typing import Literal

from scipy.stats import binom

Side = Literal["two-sided", "greater", "less"]


def binomial(count: int, total: int, probability: float, side: Side = "two-sided") -> float:
    """The p-value of `count` events in `total` when each has the probability, or at most (at least) it.

    "greater" refutes "at most" by P(X ≥ count), "less" refutes "at least" by P(X ≤ count), "two-sided" doubles the
    smaller. Exact tails at any level; a probability of 0 or 1 is refuted by one exception.
    """
    _counts(count, total)
    if not 0 <= probability <= 1:
        raise ValueError(f"probability = {probability!r} must lie in [0, 1]")
    upper = float(binom.sf(count - 1, total, probability))
    lower = float(binom.cdf(count, total, probability))
    if side == "greater":
        return upper
    if side == "less":
        return lower
    return min(1.0, 2 * min(lower, upper))


def clopper_pearson(count: int, total: int, alpha: float) -> tuple[float, float]:
    """Limits that contain the probability of the event except with probability alpha, whatever it is."""
    from statsmodels.stats.proportion import proportion_confint

    _counts(count, total)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha!r} must lie strictly between 0 and 1")
    low, high = proportion_confint(count, total, alpha=alpha, method="beta")
    return float(low), float(high)


def _counts(count: int, total: int) -> None:
    if not 0 <= count <= total or total == 0:
        raise ValueError(f"count = {count!r} must lie between 0 and total = {total!r}, and total must be positive")
