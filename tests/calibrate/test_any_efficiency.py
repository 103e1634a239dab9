"""Runs needed by audits without the law: which cases are asked, and how they are counted."""

import math

import numpy as np
import pytest

from nrverify.calibrate import any_information as law
from nrverify.calibrate.any_efficiency import CASES, Needed, chosen, markdown


def test_cases_are_chosen_by_how_their_names_begin():
    assert chosen([]) == CASES
    assert [case.name for case in chosen(["noisy", "Laplace"])] == [case.name for case in CASES[:3]]
    assert chosen(["nothing"]) == ()


def test_the_table_has_medians_and_nine_of_ten_beside_the_limit_and_names_what_was_left_out():
    row = Needed(CASES[0], 0.05, (*map(float, range(100, 1000, 100)), math.inf), 250.0)
    assert (row.median, row.ninth) == (550, 900)
    assert Needed(CASES[0], 0.05, (*row.runs[:8], math.inf, math.inf), 250.0).ninth == math.inf
    assert Needed(CASES[0], 0.05, (1.0, 2.0, 3.0), 250.0).ninth == 3
    text = markdown([row])
    assert f"| {CASES[0].name} | 0.05 | 10 | 550 | 900 | 250 | 2.20 | nan |" in text
    assert f"Not measured in this run: {CASES[1].name}; " in text
    assert "Not measured" not in markdown([Needed(case, 0.05, (1.0,), 1.0) for case in CASES])


def test_a_stake_on_the_coin_gains_where_one_side_betrays_and_nothing_where_both_do():
    """Two outputs; the best stakes found again by a search over a grid of both."""
    zero, one, claim = np.array([0.09, 0.91]), np.array([0.42, 0.58]), np.ones(2)
    stakes, coins = np.meshgrid(np.linspace(0, 0.3, 601), np.linspace(-0.2, 0.2, 401), indexing="ij")
    won = 0.42 * np.log(1 + stakes - coins) + 0.58 * np.log(1 - coins)
    left = np.where(1 - stakes * np.e + coins > 0, 1 - stakes * np.e + coins, np.nan)
    won = 0.5 * (won + 0.09 * np.log(left) + 0.91 * np.log(1 + coins))
    assert law.growth((zero, one, claim)) == pytest.approx(np.nanmax(won), rel=1e-4)
    assert law.growth((zero, one, claim), coin=False) == pytest.approx(won[:, 200].max(), rel=1e-4)
    assert law.growth((zero, one, claim)) > 1.2 * law.growth((zero, one, claim), coin=False)
    both = (np.array([0.2, 0.8]), np.array([0.8, 0.2]), claim)
    assert law.growth(both) == pytest.approx(law.growth(both, coin=False), rel=1e-6)
