"""Stops and their prices: the three checks against what they are defined to do, and against the exact law."""

import numpy as np
import pytest
from scipy.stats import chisquare

from nrverify.laws.threshold import halting_law, worst_loss
from nrverify.reproduce.stopping import prices, stops
from nrverify.reproduce.trials import TrialLosses

LEVELS = np.array([0.2, 0.3, 0.5, 1.0, 2.0])


def outcome(losses, unit=1e-9):
    losses = np.array(losses, dtype=float)
    return TrialLosses(LEVELS, losses, np.full_like(losses, unit), 0.5)


def test_public_stops_are_at_the_first_loss_at_or_below_the_target():
    ended = stops(outcome([[0.9, 0.5, 0.1, 0.9, 0.1], [0.9, 0.8, 0.7, 0.6, 0.51], [0.1] * 5]), "public", 0, "a")
    assert ended.spent.tolist() == [0.3, np.inf, 0.2]
    assert ended.losses.tolist() == [0.5, 0.51, 0.1]
    assert ended.finished.tolist() == [True, False, True]


@pytest.mark.parametrize(("check", "spent"), [("above", 0.5 + 0.5), ("reduced", 2 * 0.5)])
def test_a_private_check_without_noise_to_speak_of_stops_where_the_public_one_does(check, spent):
    ended = stops(outcome([[0.9, 0.6, 0.4, 0.3, 0.2]] * 50), check, 0, "a")
    assert ended.spent.tolist() == [spent] * 50


def test_sharper_prices_are_the_bound_of_the_laws():
    for count in range(1, 6):
        expected = LEVELS[count - 1] + worst_loss(LEVELS[:count])
        assert prices(LEVELS, "reduced", "sharper")[count - 1] == pytest.approx(expected, rel=1e-14)
        constant = LEVELS[count - 1] + worst_loss([0.5] * count)
        assert prices(LEVELS, "above", "sharper")[count - 1] == pytest.approx(constant, rel=1e-14)
    assert prices(LEVELS, "reduced").tolist() == (2 * LEVELS).tolist()
    assert prices(LEVELS, "above").tolist() == (LEVELS + 0.5).tolist()


@pytest.mark.parametrize("check", ["above", "reduced"])
def test_private_checks_halt_by_the_exact_law_of_the_threshold_mechanism(check):
    """40,000 runs against the exact law, chi-square with a false alarm of 1e-6; fixed seed."""
    losses, unit = np.array([0.56, 0.53, 0.5, 0.47, 0.44]), 0.01
    levels = LEVELS if check == "reduced" else np.full(5, 0.5)
    ended = stops(outcome(np.tile(losses, (40_000, 1)), unit), check, 3, "law")
    paid = prices(LEVELS, check)
    observed = [int((ended.spent == price).sum()) for price in paid] + [int((~ended.finished).sum())]
    law = np.exp(halting_law(utilities=-losses, epsilons=levels, threshold=-0.5, sensitivity=unit))
    assert chisquare(observed, law * 40_000).pvalue > 1e-6


def test_another_name_or_seed_draws_other_noise():
    runs = outcome(np.full((200, 5), 0.5), 0.1)
    first = stops(runs, "reduced", 0, "a").spent
    assert first.tolist() == stops(runs, "reduced", 0, "a").spent.tolist()
    assert first.tolist() != stops(runs, "reduced", 1, "a").spent.tolist()
    assert first.tolist() != stops(runs, "reduced", 0, "b").spent.tolist()
