"""Boundaries for known looks, priced where runs stop."""

import numpy as np
import pytest
from scipy.stats import norm

from nrverify.reproduce.known_looks import priced

TIMES = np.geomspace(1000.0, 100.0, 6)


@pytest.fixture(scope="module")
def rows():
    runs = np.array([3] * 60 + [4] * 30 + [2] * 10)
    return {row.boundary: row for row in priced(TIMES, runs, runs)}


def test_no_boundary_is_below_a_single_look_and_weights_gain_most(rows):
    means = {name: row.mean for name, row in rows.items()}
    assert min(means, key=means.get) == "a single look"
    assert means["… with weights"] < means["calibrated to the looks"] < means["mixture"]
    assert rows["a single look"].over_single_look == 1.0


def test_a_single_look_is_the_quantile_of_its_loss(rows):
    """L ~ N(1/2t, 1/t) exceeds the bound with probability δ at each of the looks."""
    times = TIMES[[3] * 60 + [4] * 30 + [2] * 10]
    bound = norm.isf(1e-6, loc=1 / (2 * times), scale=1 / np.sqrt(times))
    assert rows["a single look"].mean == pytest.approx(bound.mean(), rel=1e-9)


def test_weights_for_the_wrong_looks_cost_more_than_none(rows):
    runs = np.array([3] * 60 + [4] * 30 + [2] * 10)
    wrong = {row.boundary: row.mean for row in priced(TIMES, np.zeros(100, dtype=int), runs)}
    assert wrong["… with weights"] > wrong["calibrated to the looks"]
