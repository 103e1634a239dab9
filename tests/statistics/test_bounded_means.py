"""Chernoff–Hoeffding bounds and bets on bounded means."""

import math
from itertools import product

import numpy as np
import pytest

from nrverify.statistics.bounded_means import BoundedMeanWealth, hoeffding
from nrverify.statistics.multiplicity import p_value
from nrverify.statistics.proportions import binomial


@pytest.mark.parametrize("count", range(11))
def test_hoeffding_bounds_the_exact_binomial_tail(count):
    claimed = 0.3
    for side in ("greater", "less"):
        assert hoeffding(count / 10, 10, claimed, side) >= binomial(count, 10, claimed, side) - 1e-15


def test_hoeffding_is_the_chernoff_exponent():
    kl = 0.5 * math.log(0.5 / 0.2) + 0.5 * math.log(0.5 / 0.8)
    assert hoeffding(0.5, 40, 0.2, "greater") == pytest.approx(math.exp(-40 * kl))
    assert hoeffding(0.5, 40, 0.2) == pytest.approx(2 * math.exp(-40 * kl))
    assert hoeffding(0.5, 40, 0.2, "less") == 1.0
    assert hoeffding(1.0, 40, 0.5, "greater") == pytest.approx(2.0**-40)


@pytest.mark.parametrize(
    ("mean", "low", "high"), [(0.25, 0.0, 1.0), (0.0, -1.0, 1.0), (9.0, 0.0, 120.0), (-1.0, -5.4, 2.0)]
)
def test_wealth_has_mean_one_under_the_claimed_mean(mean, low, high):
    # The two-point law on {low, high} with that mean, all sequences of length 6 weighted by their probability.
    p = (mean - low) / (high - low)
    expected = 0.0
    for outcome in product((0, 1), repeat=6):
        wealth = BoundedMeanWealth(mean, low, high)
        wealth.bet(np.where(np.array(outcome) == 1, high, low).astype(float))
        expected += math.exp(wealth.log_e) * p ** sum(outcome) * (1 - p) ** (6 - sum(outcome))
    assert expected == pytest.approx(1.0, rel=1e-12)


def test_one_sided_bets_do_not_gain_on_the_other_side():
    x = np.full(1_000, 0.9)
    greater, less = BoundedMeanWealth(0.5, side="greater"), BoundedMeanWealth(0.5, side="less")
    greater.bet(x)
    less.bet(x)
    assert p_value(greater.log_e) < 1e-30
    assert p_value(less.log_e) == 1.0


def test_batches_add_up():
    x = np.random.default_rng(0).random(100)
    whole, parts = BoundedMeanWealth(0.4), BoundedMeanWealth(0.4)
    whole.bet(x)
    parts.bet(x[:30])
    parts.bet(x[30:])
    assert parts.log_e == pytest.approx(whole.log_e)
    assert parts.observed == pytest.approx(x.mean())
    found = parts.estimate()
    assert (found.expected, found.observed, found.count) == (0.4, pytest.approx(x.mean()), 100)


def test_a_variable_outside_its_bounds_voids_the_bet():
    with pytest.raises(ValueError, match="they must lie"):
        BoundedMeanWealth(0.5).bet(np.array([0.2, 1.1]))
    with pytest.raises(ValueError, match="they must lie"):
        BoundedMeanWealth(0.5).bet(np.array([np.nan]))


@pytest.mark.parametrize("mean", [0.0, 1.0, float("nan")])
def test_a_mean_at_or_beyond_the_bounds_is_refused(mean):
    with pytest.raises(ValueError, match="mean"):
        BoundedMeanWealth(mean)


@pytest.mark.parametrize("arguments", [(1.2, 5, 0.5), (0.5, 5, float("nan")), (0.5, 0, 0.5)])
def test_hoeffding_refuses_what_is_not_a_mean_of_unit_variables(arguments):
    with pytest.raises(ValueError, match="must"):
        hoeffding(*arguments)
