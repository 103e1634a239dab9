"""Which doubles a sum or a product can give, against exact rational arithmetic and exhaustive search."""

import math
from fractions import Fraction

import numpy as np
import pytest

from nrverify.auditing.numerics.reachable import (
    pattern,
    reachable_by_product,
    reachable_by_sum,
    trailing_zeros,
    zero_bits,
)


def float16s():
    """All positive and negative finite half-precision numbers."""
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    return every[np.isfinite(every)]


@pytest.mark.parametrize("value", [1.0, 0.333, -2.5, 7.9])
def test_in_half_precision_the_test_agrees_with_a_search_over_every_number(value):
    """The lemma behind `reachable_by_sum`, in an arithmetic small enough to try every z; powers of two excepted."""
    every = float16s()
    v = np.float16(value)
    sums = {float(x) for x in (v + every)}
    targets = np.unique(every[(np.abs(every) > 1e-3) & (np.abs(every) < 60)])
    said = (v + (targets - v)) == targets
    found = np.array([float(y) in sums for y in targets])
    powers = np.frexp(np.abs(targets.astype(float)))[0] == 0.5
    assert (said == found)[~powers].all()
    assert 0 < said.sum() < said.size


def test_a_sum_always_reaches_what_it_gave():
    rng = np.random.default_rng(1)
    values = rng.choice([0.0, 1 / 3, -2 / 3, 5.0, 1e6], 20_000)
    releases = values + rng.standard_normal(20_000) * rng.choice([1e-3, 1.0, 1e3], 20_000)
    assert reachable_by_sum(values, releases).all()


def test_a_double_with_finer_bits_than_the_value_is_out_of_reach():
    y = 0.25 + 2.0**-54
    assert reachable_by_sum(0.0, y)
    assert not reachable_by_sum(1.0, y)
    assert 1.0 + (y - 1.0) != y


@pytest.mark.parametrize("release", [math.nan, math.inf, -math.inf, 0.0, 5e-324, 1e308])
def test_odd_releases_do_no_harm(release):
    with np.errstate(all="ignore"):
        assert reachable_by_sum(0.0, release) or math.isinf(release)
        assert zero_bits(1 / 3, release).shape == ()
        assert 0 <= pattern(1 / 3, release) < 108
        assert 0 <= trailing_zeros(release) <= 53


def test_a_product_reaches_what_it_gave_and_skips_some_doubles():
    rng = np.random.default_rng(2)
    scale, value = math.sqrt(4.5), 2 / 3
    own = value + scale * rng.standard_normal(5000)
    assert reachable_by_product(value, own, scale).all()
    other = rng.standard_normal(5000)
    assert 0.05 < 1 - reachable_by_product(0.0, other, scale).mean() < 0.6


def test_trailing_zeros_are_those_of_the_integer_mantissa():
    numbers = [1.0, 0.75, 1 / 3, 1 + 2.0**-52, 3.0 * 2**40, -0.1]
    for x, found in zip(numbers, trailing_zeros(numbers), strict=True):
        odd = Fraction(x).numerator
        while odd % 2 == 0:
            odd //= 2
        assert found == 53 - abs(odd).bit_length()


def test_the_class_of_zero_bits_knows_an_inexact_difference():
    assert zero_bits(1.0, 0.25 + 2.0**-54) == 0
    assert zero_bits(0.0, np.float64(np.float32(0.1))) == 5
    assert zero_bits(0.5, 0.75) == 5
