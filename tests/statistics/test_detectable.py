"""What a bet detects half of the time: by simulation, and by the likelihood that it needs."""

import numpy as np
import pytest

from nrverify.statistics.detectable import (
    detectable_correlation,
    detectable_count,
    detectable_odds,
    detectable_probability,
    detectable_slope,
    detectable_variance,
)
from nrverify.statistics.labels import LabelBets
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, TieWealth

NEEDED = 20.0


def test_a_variance_of_that_size_wins_half_of_the_time():
    rng, count = np.random.default_rng(1), 3000
    size = detectable_variance(count, NEEDED)
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
    size = detectable_slope(energy, NEEDED)
    crosses = size * energy + np.sqrt(energy) * rng.standard_normal(400)
    assert np.mean([MeanWealth(cross, energy).log_e >= NEEDED for cross in crosses]) == pytest.approx(0.5, abs=0.1)
    # At least the likelihood of the effect itself is needed: energy·size²/2.
    assert energy * size**2 / 2 > NEEDED


@pytest.mark.parametrize("probability", [0.5, 0.05])
def test_a_probability_of_that_size_wins_half_of_the_time(probability):
    rng, count = np.random.default_rng(3), 3000
    size = detectable_probability(count, probability, NEEDED)
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


@pytest.mark.parametrize(("claim", "delta"), [(0.5, 0.0), (2.0, 0.0), (1.0, 1e-3)])
def test_an_attacker_of_that_epsilon_is_refuted_half_of_the_time(claim, delta):
    """200 runs of 2000 sessions: a share of one half has a standard error of 0.035."""
    rng, count = np.random.default_rng(5), 2000
    bets = LabelBets(3, delta, 0.5)
    size = detectable_odds(bets, count, claim, NEEDED)
    won = 0
    guess = np.zeros((3, 4))
    guess[0] = size * np.array([1.0, 1.0, -1.0, -1.0])
    right = 1 / (1 + np.exp(-size))
    for _ in range(200):
        played = bets.empty_copy()
        up = rng.binomial(count, 0.5)
        first, second = rng.binomial(up, right), rng.binomial(count - up, right)
        seen = np.array([first, up - first, second, count - up - second], dtype=float)
        played.bet(guess, np.full(4, claim), np.array([True, False, False, True]), seen)
        won += played.log_e >= NEEDED
    assert size > claim
    assert won / 200 == pytest.approx(0.5, abs=0.13)


def test_a_correlation_needs_the_likelihood_that_it_has():
    """−½ log(1 − ρ²) a pair is the divergence of two correlated normal numbers from independent ones."""
    found = detectable_correlation(1000, 20.0, 3.0)
    assert -0.5 * 1000 * np.log1p(-(found**2)) == pytest.approx(20.0 + 3.0 + 1.0)
    assert detectable_correlation(0, 20.0, 0.0) == 1.0
