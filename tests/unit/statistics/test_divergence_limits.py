"""Lower limits on divergences, beside those that normal and Laplace laws have."""

import numpy as np
import pytest
from scipy.special import ndtr

from nrverify.statistics import divergence_limits
from nrverify.statistics.divergence_limits import DivergenceLimits

EPSILONS = (0.0, 0.5, 1.0, 2.0)
ALPHA = 1e-6


def normal_divergence(epsilon, mu):
    return ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)


def bets(mu, runs, rng, sign=1.0):
    """Normal numbers about ±μ/2; the best guess, and one that is wrong."""
    limits = DivergenceLimits(EPSILONS, 2)
    for size in np.diff(np.linspace(0, runs, 11).astype(int)):
        label = rng.random(size) < 0.5
        x = rng.standard_normal(size) + mu * (label - 0.5)
        limits.bet(np.stack([sign * mu * x, -sign * mu * x]), label)
    return limits


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_limits_approach_the_divergence_from_below(mu):
    found = dict(bets(mu, 40_000, np.random.default_rng(1)).lower(ALPHA))
    for epsilon in EPSILONS:
        assert found[epsilon] <= normal_divergence(epsilon, mu)
    assert found[0.0] == pytest.approx(normal_divergence(0.0, mu), abs=0.05)
    assert found[1.0] == pytest.approx(normal_divergence(1.0, mu), abs=0.06)


def test_guesses_the_wrong_way_round_prove_nothing():
    limits = DivergenceLimits(EPSILONS, 1)
    rng = np.random.default_rng(2)
    label = rng.random(5000) < 0.5
    limits.bet(-2.0 * (rng.standard_normal((1, 5000)) + 2 * label - 1), label)
    assert all(limit == 0 for _, limit in limits.lower(ALPHA))


def test_a_label_that_is_known_has_divergence_one_nearly():
    limits = DivergenceLimits(EPSILONS, 1)
    label = np.random.default_rng(3).random(2000) < 0.5
    limits.bet(np.where(label, 20.0, -20.0)[None], label)
    assert all(0.75 < limit <= 1 for _, limit in limits.lower(ALPHA))


def too_high(limits, seed, told):
    """Whether a limit ever exceeds the divergence of outputs that tell the label with a probability, else nothing."""
    rng, above = np.random.default_rng(seed), False
    for _ in range(8):
        label = rng.random(50) < 0.5
        odds = np.where(rng.random(50) < told, np.where(label, 20.0, -20.0), 0.0)
        limits.bet(odds[None], label)
        above |= limits.lower(0.05)[0][1] > told
    return above


def test_limits_are_seldom_too_high_at_any_look():
    """At α = 0.05 each: two limits, so that 40 of 400 are expected at most, and 60 with probability below 0.001."""
    assert sum(too_high(DivergenceLimits((1.0,), 1), seed, 0.2) for seed in range(400)) <= 60


def test_limits_that_pay_half_the_price_are_too_high(monkeypatch):
    monkeypatch.setattr(divergence_limits, "PRICE", 0.5 * divergence_limits.PRICE)
    assert sum(too_high(DivergenceLimits((1.0,), 1), seed, 0.2) for seed in range(400)) > 60
