"""What a bet detects half of the time: by simulation, and by the likelihood that it needs."""

import numpy as np
import pytest

from nrverify.statistics.detectable import (
    MARGIN,
    detectable_count,
    detectable_probability,
    detectable_slope,
    detectable_variance,
)
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, TieWealth

NEEDED = 20.0


def test_a_variance_of_that_size_wins_half_of_the_time():
    rng, count = np.random.default_rng(1), 3000
    size = detectable_variance(count, NEEDED) / MARGIN
    won = [
        min(ScaleWealth(count, ratio * rng.chisquare(count)).log_e for ratio in (1 + size, 1 - size)) >= NEEDED
        for _ in range(400)
    ]
    both = [
        np.mean([ScaleWealth(count, ratio * rng.chisquare(count)).log_e >= NEEDED for _ in range(400)])
        for ratio in (1 + size, 1 - size)
    ]
    # The harder direction is the one stated: 0.5 with a standard error of 0.025.
    assert min(both) == pytest.approx(0.5, abs=0.1)
    assert np.mean(won) < 0.6


def test_a_slope_of_that_size_wins_half_of_the_time():
    rng, energy = np.random.default_rng(2), 3000.0
    size = detectable_slope(energy, NEEDED) / MARGIN
    crosses = size * energy + np.sqrt(energy) * rng.standard_normal(400)
    assert np.mean([MeanWealth(cross, energy).log_e >= NEEDED for cross in crosses]) == pytest.approx(0.5, abs=0.1)
    # At least the likelihood of the effect itself is needed: energy·size²/2.
    assert energy * size**2 / 2 > NEEDED


@pytest.mark.parametrize("probability", [0.5, 0.05])
def test_a_probability_of_that_size_wins_half_of_the_time(probability):
    rng, count = np.random.default_rng(3), 3000
    size = detectable_probability(count, probability, NEEDED) / MARGIN
    shares = []
    for sign in (1, -1):
        if probability + sign * size <= 0:
            continue
        won = 0
        for _ in range(200):
            bet = TieWealth()
            bet.bet(rng.random(count) < probability + sign * size, probability)
            won += bet.log_e >= NEEDED
        shares.append(won / 200)
    assert min(shares) == pytest.approx(0.5, abs=0.13)


def test_so_many_rare_events_happen_half_of_the_time():
    mean = detectable_count(3)
    assert np.mean(np.random.default_rng(4).poisson(mean, 100_000) >= 3) == pytest.approx(0.5, abs=0.01)


def test_too_few_numbers_detect_nothing():
    assert detectable_variance(1, NEEDED) == np.inf
    assert detectable_slope(0.0, NEEDED) == np.inf
    assert detectable_probability(0, 0.5, NEEDED) == np.inf
