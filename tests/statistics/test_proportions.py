"""Exact binomial p-values and limits, against exact sums of rationals and against statsmodels."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from nrverify.statistics.multiplicity import p_value, smallest_adjusted
from nrverify.statistics.proportions import binomial, clopper_pearson


def tail(count: int, total: int, probability: Fraction) -> float:
    """P(X ≥ count), an exact sum."""
    terms = (comb(total, k) * probability**k * (1 - probability) ** (total - k) for k in range(count, total + 1))
    return float(sum(terms))


@pytest.mark.parametrize(("count", "total"), [(0, 5), (3, 5), (5, 5), (40, 100), (99, 100)])
def test_tails_are_exact_sums(count, total):
    p = Fraction(3, 8)
    at_least, at_most = tail(count, total, p), 1 - tail(count + 1, total, p) if count < total else 1.0
    assert binomial(count, total, 0.375, "greater") == pytest.approx(at_least, rel=1e-12)
    assert binomial(count, total, 0.375, "less") == pytest.approx(at_most, rel=1e-9)
    assert binomial(count, total, 0.375) == pytest.approx(min(1.0, 2 * min(at_least, at_most)), rel=1e-9)


def test_tails_keep_their_digits_far_out():
    assert binomial(60, 60, 0.5, "greater") == pytest.approx(2.0**-60, rel=1e-12)
    assert binomial(0, 60, 0.5, "less") == pytest.approx(2.0**-60, rel=1e-12)


def test_an_impossible_event_is_refuted_once_it_happens():
    assert binomial(1, 1_000, 0.0) == 0.0
    assert binomial(0, 1_000, 0.0) == 1.0
    assert binomial(999, 1_000, 1.0) == 0.0
    assert binomial(1_000, 1_000, 1.0) == 1.0


@pytest.mark.parametrize(("count", "total"), [(0, 10), (1, 10), (5, 10), (10, 10), (123, 4567)])
@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_limits_agree_with_statsmodels(count, total, alpha):
    expected = proportion_confint(count, total, alpha=alpha, method="beta")
    assert clopper_pearson(count, total, alpha) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_limits_are_where_the_tails_reach_half_of_alpha():
    low, high = clopper_pearson(7, 20, 0.01)
    assert binomial(7, 20, low, "greater") == pytest.approx(0.005, rel=1e-9)
    assert binomial(7, 20, high, "less") == pytest.approx(0.005, rel=1e-9)


@pytest.mark.parametrize("arguments", [(-1, 5, 0.5), (6, 5, 0.5), (0, 0, 0.5), (1, 5, 1.5), (1, 5, float("nan"))])
def test_impossible_counts_and_probabilities_are_refused(arguments):
    with pytest.raises(ValueError, match="must lie"):
        binomial(*arguments)


@pytest.mark.parametrize("alpha", [0.0, 1.0, float("nan")])
def test_an_alpha_outside_the_unit_interval_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha"):
        clopper_pearson(1, 5, alpha)


@pytest.mark.parametrize("p_values", [[0.2], [0.01, 0.5, 0.9], [0.6, 0.7], [1e-12, 1e-3, 1.0, 0.04]])
def test_the_smallest_adjusted_agrees_with_holm_in_statsmodels(p_values):
    assert smallest_adjusted(p_values) == pytest.approx(np.min(multipletests(p_values, method="holm")[1]))


@pytest.mark.parametrize("p_values", [[], [1.2], [float("nan")]])
def test_numbers_that_are_no_p_values_are_refused(p_values):
    with pytest.raises(ValueError, match="p-values"):
        smallest_adjusted(p_values)


def test_a_p_value_from_bets_is_one_over_their_average():
    assert p_value(np.log(30.0), np.log(10.0)) == pytest.approx(1 / 20)
    assert p_value(np.log(0.5)) == 1.0
    assert p_value(np.inf, 0.0) == 0.0
