"""A product of bets by key has mean one for right scores, is the same in any order, and wins where errors cancel."""

import numpy as np
import pytest

from nrverify.statistics.scales_by_key import ParameterWealth, ScalesByKey
from nrverify.statistics.wealth import EFFECT_SIZES, ScaleWealth

KEYS = (0.37, 1.9, 2.5)


def filled(*parts, keys=KEYS):
    bets = ScalesByKey(keys)
    for key, z in parts:
        bets.add(key, z.size, float(z @ z))
    return bets


def test_the_wealth_is_the_product_over_keys_of_a_share_of_each_bet():
    rng = np.random.default_rng(1)
    parts = [(key, rng.standard_normal(20)) for key in KEYS[:2]]
    alone = [ScaleWealth(z.size, float(z @ z)).log_e for _, z in parts]
    expected = np.prod([2 / 3 + np.exp(log_e) / 3 for log_e in alone])
    assert np.exp(filled(*parts).log_e) == pytest.approx(expected, rel=1e-12)


def test_right_scores_leave_the_mean_wealth_at_one_though_the_next_key_depends_on_the_last_score():
    """Of so many runs of six scores: five standard errors are passed by chance less than once in a million."""
    rng, runs = np.random.default_rng(2), 800
    wealth = []
    for _ in range(runs):
        bets, key = ScalesByKey(KEYS), KEYS[0]
        for z in rng.standard_normal(6):
            bets.add(key, 1, float(z * z))
            key = KEYS[1] if abs(z) > 1 else KEYS[2]
        wealth.append(np.exp(bets.log_e))
    error = np.std(wealth) / runs**0.5
    assert abs(np.mean(wealth) - 1.0) < 5 * error
    assert error < 0.1


def test_parts_merged_in_any_order_give_the_same_wealth_and_other_keys_are_no_bet():
    rng = np.random.default_rng(3)
    parts = [(key, rng.standard_normal(30)) for key in (*KEYS, 7.0)]
    whole, merged = filled(*parts), filled(keys=KEYS)
    for part in reversed(parts):
        other = merged.empty_copy()
        other.add(part[0], part[1].size, float(part[1] @ part[1]))
        merged.merge(other)
    assert merged.log_e == pytest.approx(whole.log_e, rel=1e-12)
    assert whole.log_e == pytest.approx(filled(*parts[:3]).log_e, rel=1e-12)


def test_errors_that_cancel_are_seen_and_the_key_that_shows_them_most_is_named():
    wide, narrow = np.full(800, 1.2), np.full(800, np.sqrt(2 - 1.44))
    bets = filled((1.9, wide), (2.5, narrow))
    pooled = ScaleWealth(1600, float(wide @ wide + narrow @ narrow))
    assert pooled.log_e < 0 < 20 < bets.log_e
    assert bets.leading == 2.5
    assert bets.estimate().observed == pytest.approx(0.56)


def test_no_keys_are_refused():
    with pytest.raises(ValueError, match="keys is empty"):
        ScalesByKey(())


def test_a_parameter_is_bet_on_by_its_likelihood_and_told_by_its_scores():
    bets = ParameterWealth()
    bets.bet(np.where(EFFECT_SIZES > 0, 3.0, -np.inf), 4, 6.0)
    assert bets.log_e == pytest.approx(3.0 - np.log(2))
    assert bets.estimate().observed == 1.5
    assert bets.empty_copy().log_e == 0.0
