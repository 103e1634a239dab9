"""Bins of a column: rare numbers that are unlike the others are not mixed with them."""

import numpy as np
import pytest

from nrverify.auditing.claims.bins import FEWEST_IN_TAIL, bins_of
from nrverify.auditing.claims.columns import columns_of


def coded(numbers):
    """The code of every number, in bins made of all."""
    columns = columns_of([float(one) for one in numbers])
    keys, values = columns.keys[()], columns.values[()]
    bins = bins_of(keys, values)
    codes = bins.codes(keys, values)
    assert codes.min() >= 0
    assert codes.max() < bins.count
    return bins, codes


@pytest.mark.parametrize("away", [1000.0, -40.0, 1e300, float("inf")])
def test_a_few_numbers_far_from_all_others_are_in_bins_of_their_own(away):
    noise = np.random.default_rng(1).laplace(0, 1, 20_000)
    rare = np.arange(20_000) % 2_500 == 7
    _, codes = coded(np.where(rare, away + noise, noise))
    assert not set(codes[rare].tolist()) & set(codes[~rare].tolist())


def test_a_number_that_comes_again_among_continuous_ones_has_a_bin():
    noise = np.random.default_rng(2).normal(0, 1, 20_000)
    rare = np.arange(20_000) % 1_000 == 5
    bins, codes = coded(np.where(rare, 0.125, noise))
    assert bins.repeated.size == 1
    assert not set(codes[rare].tolist()) & set(codes[~rare].tolist())


def test_ranges_halve_towards_the_ends_until_they_hold_few():
    numbers = np.random.default_rng(3).normal(0, 1, 64_000)
    bins, codes = coded(numbers)
    counts = np.bincount(codes, minlength=bins.count)[:-1]  # without that of no number
    # Both outermost ranges lie beyond the widest gap, or are the last halving: at most twice the fewest.
    assert counts[0] <= 4 * FEWEST_IN_TAIL
    assert counts[counts.size - 1] <= 4 * FEWEST_IN_TAIL
    assert counts.sum() == 64_000
    assert counts.max() == pytest.approx(2_000, abs=2)


def test_numbers_of_many_values_that_all_repeat_have_ranges_alone():
    counts = np.random.default_rng(4).poisson(4_000, 20_000)
    bins, _ = coded(counts)
    assert bins.ordered
    assert bins.repeated.size == 0
