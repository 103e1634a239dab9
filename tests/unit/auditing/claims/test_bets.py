"""Bets on the label win nothing on average where the claim holds, computed exactly, and win where it does not."""

import itertools
from copy import deepcopy

import numpy as np
import pytest

from nrverify.auditing.claims.bets import Bets, Point
from nrverify.auditing.claims.predictors import PREDICTORS, Guess


def wealth(bets):
    return np.concatenate([np.exp(part).ravel() for part in bets.log_wealth])


def expected_wealth(point, probabilities, odds, charged):
    """E of the wealth of every bet after one run: outputs i with probabilities P(i | b), guessed log odds, charges."""
    total = 0.0
    for index, label in itertools.product(range(len(odds)), (0, 1)):
        bets = Bets((point,))
        guess = Guess(np.full((len(PREDICTORS), 1), odds[index]), np.full((len(PREDICTORS), 1), 1e9))
        bets.bet(guess, np.array([charged[index]]), np.array([bool(label)]))
        total = total + 0.5 * probabilities[label][index] * wealth(bets)
    return total


@pytest.mark.parametrize("odds", [(3.0, -3.0, 0.0), (9.0, 1.5, -0.2), (-9.0, 9.0, 9.0)])
def test_a_tight_mechanism_gives_no_bet_more_than_it_staked(odds):
    """Randomized response with three answers at the largest ratio that ε = 1 allows, in both directions."""
    e = np.exp(1.0)
    one = np.array([e, 1.0, 1.0]) / (2 + e)
    zero = np.array([1.0, e, 1.0]) / (2 + e)
    assert np.all(expected_wealth(Point(1.0, 0.0, 1.0), (zero, one), odds, [1.0] * 3) <= 1 + 1e-12)


@pytest.mark.parametrize("odds", [(30.0, -3.0, 0.0, -30.0), (9.0, 1.5, -1.2, -5.0)])
def test_delta_pays_for_the_outputs_that_betray_everything(odds):
    """The worst (ε, δ) mechanism: δ betrays the data, the rest is randomized response; exact expectation."""
    delta, e = 0.05, np.exp(1.0)
    one = np.array([delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0])
    zero = one[::-1]
    assert np.all(expected_wealth(Point(1.0, delta, 1.0), (zero, one), odds, [1.0] * 4) <= 1 + 1e-12)


def test_a_charge_of_its_own_for_each_output_is_a_claim_like_one():
    """Two outputs whose losses are exactly what each is charged."""
    one, zero = np.array([0.5, 0.5]), np.array([0.5 * np.exp(-2.0), 1 - 0.5 * np.exp(-2.0)])
    charged = [2.0, float(np.log(zero[1] / one[1]))]
    found = expected_wealth(Point(None, 0.0, 0.1), (zero, one), (5.0, -5.0), charged)
    assert np.all(found <= 1 + 1e-12)


def test_bets_win_where_the_loss_exceeds_the_claim():
    e = np.exp(2.0)
    one, zero = np.array([e, 1.0]) / (1 + e), np.array([1.0, e]) / (1 + e)
    found = expected_wealth(Point(1.0, 0.0, 1.0), (zero, one), (2.0, -2.0), [1.0, 1.0])
    assert np.all(found > 1)


def test_without_a_guess_nothing_is_staked_and_nothing_paid():
    bets = Bets((Point(1.0, 0.1, 1.0), Point(2.0, 0.0, 2.0)))
    nothing = np.zeros((len(PREDICTORS), 8))
    bets.bet(Guess(nothing, nothing), np.ones(8), np.arange(8) < 4)
    assert bets.log_e == pytest.approx(0.0, abs=1e-12)


EVENT = np.array([0.09, 0.91]), np.array([0.42, 0.58])
"""An output and its absence under label 0 and label 1: the loss of the first is 1.54, of the second at most 0.45."""


def many_runs(bets, probabilities, runs, seed, coin=0.5):
    """Runs of a mechanism with two outputs, guessed by its true odds."""
    rng = np.random.default_rng(seed)
    label = rng.random(runs) < coin
    output = (rng.random(runs) < np.where(label, probabilities[1][1], probabilities[0][1])).astype(int)
    odds = np.log(probabilities[1] / probabilities[0])[output]
    guess = Guess(np.tile(odds, (len(PREDICTORS), 1)), np.full((len(PREDICTORS), runs), 1e9))
    bets.bet(guess, np.ones(runs), label)


def expected_factor(bets, probabilities, odds, coin=0.5):
    """E of what one further run multiplies every bet by: exact, over both labels and all outputs."""
    total = 0.0
    for index, label in itertools.product(range(len(odds)), (0, 1)):
        after = deepcopy(bets)
        guess = Guess(np.full((len(PREDICTORS), 1), odds[index]), np.full((len(PREDICTORS), 1), 1e9))
        after.bet(guess, np.ones(1), np.array([bool(label)]))
        chance = (coin if label else 1 - coin) * probabilities[label][index]
        total = total + chance * wealth(after) / wealth(bets)
    return total


@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_a_stake_on_the_coin_wins_nothing_from_a_fair_coin_and_something_from_another(delta):
    bets = Bets((Point(1.0, delta, 1.0),))
    many_runs(bets, EVENT, 300, seed=1)
    e = np.exp(1.0)
    one = np.array([delta + (1 - delta) * e / (1 + e), (1 - delta) / (1 + e)])
    zero = np.array([(1 - delta) / (1 + e), delta + (1 - delta) * e / (1 + e)])
    odds = (3.0, 0.5)
    assert np.all(expected_factor(bets, (zero, one), odds) <= 1 + 1e-12)
    nothing_else = (0.5, 0.5)
    assert np.max(expected_factor(bets, (zero, one), nothing_else, coin=0.1)) > 1
    assert np.max(expected_factor(bets, (zero, one), nothing_else)) <= 1 + 1e-12


def test_a_stake_on_the_coin_makes_bets_on_one_label_grow_faster():
    """Without it the best bet grows by the divergence from the claim of the labels at the event alone."""
    seen, share = 0.5 * (0.42 + 0.09), 0.42 / 0.51
    limit = np.e / (1 + np.e)
    without = seen * (share * np.log(share / limit) + (1 - share) * np.log((1 - share) / (1 - limit)))
    bets = Bets((Point(1.0, 0.0, 1.0),))
    for part in range(200):
        many_runs(bets, EVENT, 1000, seed=part)
    assert bets.best / bets.runs > 1.1 * without
