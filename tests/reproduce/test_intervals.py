"""Intervals: their ranks from tables, their coverage by the binomial law, their behaviour at infinity."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from nrverify.reproduce import intervals


def test_the_median_of_100_lies_between_the_40th_and_the_61st():
    """The classical table of nonparametric intervals for the median."""
    found = intervals.median(np.arange(1.0, 101.0))
    assert (found.value, found.low, found.high) == (50.0, 40.0, 61.0)


@pytest.mark.parametrize("q", [0.05, 0.25, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("count", [20, 137, 1000])
def test_quantile_intervals_cover_with_at_least_their_level_and_are_not_wastefully_wide(q, count):
    found = intervals.quantile(np.arange(1.0, count + 1.0), q)
    low = 0 if math.isinf(found.low) else int(found.low)
    high = count + 1 if math.isinf(found.high) else int(found.high)
    assert binom.cdf(low - 1, count, q) <= 0.025 < binom.cdf(low, count, q)
    assert binom.sf(high - 1, count, q) <= 0.025 < binom.sf(high - 2, count, q)


def test_runs_that_never_stop_count_as_infinite():
    found = intervals.median(np.array([1.0] * 30 + [math.inf] * 70))
    assert found.value == math.inf
    assert intervals.difference(found, intervals.median(np.ones(100))).low == math.inf
    both = intervals.difference(found, found)
    assert math.isnan(both.value)
    assert (both.low, both.high) == (-math.inf, math.inf)


def test_tail_weight_of_an_exponential_and_a_normal_sample():
    levels = (np.arange(200_000) + 0.5) / 200_000
    assert intervals.tail_weight(-np.log1p(-levels)).value == pytest.approx(math.log(50) / math.log(5), rel=1e-3)
    from scipy.special import ndtri

    assert intervals.tail_weight(ndtri(levels)).value == pytest.approx(2.3263 / 1.2816, rel=1e-3)


def test_differences_and_ratios_take_the_worst_ends():
    first, second = intervals.Interval(3.0, 2.0, 4.0), intervals.Interval(1.0, 0.5, 2.0)
    assert intervals.difference(first, second) == (2.0, 0.0, 3.5)
    assert intervals.ratio(first, second) == (3.0, 1.0, 8.0)
    assert intervals.ratio(first, intervals.Interval(1.0, 0.0, 2.0)).high == math.inf


def test_means_use_students_quantile():
    found = intervals.mean(np.array([1.0, 2.0, 3.0, 4.0]))
    assert found.high - found.value == pytest.approx(3.182446 * math.sqrt(5 / 3) / 2, rel=1e-6)


def test_several_intervals_share_the_error():
    assert intervals.each_of(4) == pytest.approx(0.9875)
