"""Kolmogorov–Smirnov by DKWM, and the bets on normal scores."""

import math

import numpy as np
import pytest
from scipy.stats import kstwo

from nrverify.statistics.uniformity import (
    dependence,
    detectable_distance,
    kolmogorov,
    normal_scores,
    scale_and_shape,
)


def test_distance_is_the_largest_gap_on_either_side_of_a_step():
    # F_n jumps to 1/2 at 0.1 and to 1 at 0.2: the largest gap is 1 − 0.2 just after the second step.
    assert kolmogorov(np.array([0.2, 0.1])).distance == pytest.approx(0.8)
    # Before the only step F_n = 0 while u = 0.9.
    assert kolmogorov(np.array([0.9])).distance == pytest.approx(0.9)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100, 1000])
def test_bound_is_at_least_the_exact_tail_and_close_to_it_where_it_is_small(n):
    for x in (0.4, 0.8, 1.2, 2.0, 2.8):
        distance = x / math.sqrt(n)
        if distance >= 1:
            continue
        bound = min(1.0, 2 * math.exp(-2 * n * distance**2))
        exact = float(kstwo.sf(distance, n))
        assert exact <= bound * (1 + 1e-9)
        if n >= 1000 and x >= 2:
            assert exact > 0.8 * bound


def test_p_value_is_the_bound_at_the_distance_of_the_sample():
    u = np.array([0.05, 0.1, 0.2, 0.3, 0.35, 0.4])
    # After the last point F_n = 1 and u = 0.4.
    assert kolmogorov(u).p_value == pytest.approx(2 * math.exp(-2 * 6 * 0.6**2))


def test_false_alarms_stay_below_their_level():
    # 2,000 replications at level 0.05: more than 160 alarms have probability below 1e-6, e^{−2000 kl(0.08, 0.05)}.
    rng = np.random.default_rng(1)
    ks = shapes = 0
    for _ in range(2_000):
        u = rng.random(200)
        ks += kolmogorov(u).p_value <= 0.05
        shapes += scale_and_shape(u) <= 0.05
    assert ks <= 160
    assert shapes <= 160


def test_a_distance_said_to_be_detectable_is_detected():
    # Uniform on [0, 1 − d] has distance d from uniform; a miss has probability at most 1e-9.
    n, level = 4_000, 1e-8
    d = detectable_distance(n, level, 1e-9)
    u = (1 - d) * np.random.default_rng(2).random(n)
    assert kolmogorov(u).p_value <= level


@pytest.mark.parametrize("factor", [1.05, 0.95])
def test_a_scale_wrong_by_five_per_cent_is_seen_at_one_in_a_hundred_million(factor):
    # The log likelihood ratio has mean 0.0024·60,000 = 146 and standard deviation 18: 20 below has probability < 1e-10.
    from scipy.special import ndtr

    z = np.random.default_rng(3).standard_normal(60_000)
    assert scale_and_shape(ndtr(factor * z)) < 1e-8


def test_a_regression_on_the_past_is_seen_and_none_is_not():
    # 20,000 pairs with slope 0.1: expected log wealth 100 ± 14; without, wealth 1e8 has probability at most 1e-8.
    rng = np.random.default_rng(4)
    past, fresh = rng.standard_normal((2, 20_000))
    assert dependence(fresh, past) > 1e-8
    assert dependence(0.1 * past + fresh, past) < 1e-8


def test_scores_are_symmetric_at_the_ends():
    low, high = normal_scores(np.array([0.0, 1.0]))
    assert low == -high
    assert 8 < high < 8.3


@pytest.mark.parametrize("levels", [[], [np.nan], [0.5, 1.1], [-0.1]])
def test_levels_outside_the_unit_interval_are_refused(levels):
    with pytest.raises(ValueError, match="levels must be"):
        kolmogorov(np.array(levels))
