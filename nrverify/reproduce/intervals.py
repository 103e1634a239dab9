"""Estimates with 95 % intervals: means, and functions of quantiles that need no assumption on the distribution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom, norm, t

from nrverify.reproduce.data.files import Floats

LEVEL = 0.95
"""As is usual for error bars; findings that need several intervals at once divide the error among them (each_of)."""


class Interval(NamedTuple):
    """An estimate between its confidence limits."""

    value: float
    low: float
    high: float


def quantile(sample: Floats, q: float, level: float = LEVEL) -> Interval:
    """The q-quantile between two order statistics, whose ranks are binomial quantiles.

    P(X₍ₗ₎ > ξ_q) ≤ P(Bin(m, q) < l) and likewise above: coverage is at least the level for every distribution, also
    with ties and with infinite values.
    """
    ordered = np.sort(sample)
    count = len(ordered)
    alpha = 1 - level
    lower = int(binom.ppf(alpha / 2, count, q))
    upper = int(binom.ppf(1 - alpha / 2, count, q)) + 1
    rank = max(1, int(np.ceil(count * q)))
    return Interval(
        float(ordered[rank - 1]),
        float(ordered[lower - 1]) if lower >= 1 else -np.inf,
        float(ordered[upper - 1]) if upper <= count else np.inf,
    )


def median(sample: Floats, level: float = LEVEL) -> Interval:
    """The median."""
    return quantile(sample, 0.5, level)


def mean(sample: Floats) -> Interval:
    """The mean ± Student's quantile times its standard error."""
    value = float(np.mean(sample))
    reach = float(t.ppf(0.5 + LEVEL / 2, len(sample) - 1) * np.std(sample, ddof=1) / np.sqrt(len(sample)))
    return Interval(value, value - reach, value + reach)


def difference_of_means(first: Floats, second: Floats) -> Interval:
    """mean(first) − mean(second) for independent samples (Welch)."""
    value = float(np.mean(first) - np.mean(second))
    shares = [float(np.var(sample, ddof=1)) / len(sample) for sample in (first, second)]
    reach = float(norm.ppf(0.5 + LEVEL / 2) * np.sqrt(sum(shares)))
    return Interval(value, value - reach, value + reach)


def difference(first: Interval, second: Interval) -> Interval:
    """first − second, where both hold at once; a limit is infinite where both ends are."""
    return Interval(
        first.value - second.value if np.isfinite(first.value) or np.isfinite(second.value) else np.nan,
        first.low - second.high if np.isfinite(first.low) or np.isfinite(second.high) else -np.inf,
        first.high - second.low if np.isfinite(first.high) or np.isfinite(second.low) else np.inf,
    )


def ratio(first: Interval, second: Interval) -> Interval:
    """first/second, both known to be non-negative and holding at once."""
    return Interval(
        first.value / second.value if second.value > 0 and np.isfinite(second.value) else np.nan,
        max(first.low, 0.0) / second.high if 0 < second.high < np.inf else 0.0,
        first.high / second.low if second.low > 0 else np.inf,
    )


def each_of(count: int) -> float:
    """The level at which `count` intervals hold at once with 95 % or more, however they depend (Bonferroni)."""
    return 1 - (1 - LEVEL) / count


def difference_of_medians(first: Floats, second: Floats) -> Interval:
    """median(first) − median(second)."""
    level = each_of(2)
    return difference(median(first, level), median(second, level))


def ratio_of_medians(first: Floats, second: Floats) -> Interval:
    """median(first)/median(second)."""
    level = each_of(2)
    return ratio(median(first, level), median(second, level))


def difference_of_ranges(first: Floats, second: Floats, low: float, high: float) -> Interval:
    """(q_high − q_low of first) − (q_high − q_low of second)."""
    level = each_of(4)
    ranges = [difference(quantile(s, high, level), quantile(s, low, level)) for s in (first, second)]
    return difference(*ranges)


def tail_weight(sample: Floats) -> Interval:
    """(q₉₉ − q₅₀)/(q₉₀ − q₅₀): 1.82 for a normal and log 50/log 5 = 2.43 for an exponential distribution."""
    level = each_of(3)
    centre, shoulder, tail = (quantile(sample, q, level) for q in (0.5, 0.9, 0.99))
    return ratio(difference(tail, centre), difference(shoulder, centre))
