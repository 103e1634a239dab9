"""A grid with weights spends exactly δ, has the least expected bound, and says what is wrong with its weights."""

import numpy as np
import pytest

from nrverify.laws.boundary import Grid
from nrverify.laws.boundary.weighted_looks import slopes_of_crossing
from nrverify.laws.crossing import crossing_probability

TIMES = [100.0, 250.0, 700.0, 2000.0]
WEIGHTS = [0.1, 0.6, 0.2, 0.1]
DELTA = 1e-6


def expected_bound(grid):
    return float(np.dot(WEIGHTS, grid(TIMES)))


@pytest.fixture(scope="module")
def weighted():
    return Grid(TIMES, DELTA, 2.0, weights=WEIGHTS)


def probability(heights):
    """Of a crossing at the looks, from heights in deviations: the exact recursion."""
    curve = dict(zip(TIMES, np.array(heights) * np.sqrt(TIMES), strict=True))
    return crossing_probability(lambda t: np.vectorize(curve.get)(t), times=TIMES).probability


def test_it_is_crossed_with_probability_delta(weighted):
    assert weighted.crossing_probability() == pytest.approx(DELTA, rel=1e-10)


def test_the_expected_bound_lies_between_one_look_and_the_grid_without_weights(weighted):
    one_look = sum(w * Grid([t], DELTA, 2.0)(t) for t, w in zip(TIMES, WEIGHTS, strict=True))
    assert one_look < expected_bound(weighted) < 0.99 * expected_bound(Grid(TIMES, DELTA, 2.0))


def test_no_trade_between_two_looks_lowers_the_expected_bound(weighted):
    """At the optimum the slopes of the crossing probability are in the ratio of w/√t; slopes by differences of P."""
    looks, heights = weighted.heights
    steps = 1e-5 * np.eye(len(looks))
    slopes = np.array([(probability(heights + h) - probability(heights - h)) / 2e-5 for h in steps])
    ratios = slopes / (np.array(WEIGHTS) / np.sqrt(looks))
    assert ratios.max() / ratios.min() == pytest.approx(1.0, abs=2e-3)


def test_slopes_are_those_of_the_crossing_probability():
    heights = np.array([4.8, 5.0, 4.9, 5.1])
    by_differences = [(probability(heights + h) - probability(heights - h)) / 2e-5 for h in 1e-5 * np.eye(len(heights))]
    assert slopes_of_crossing(np.array(TIMES), heights) == pytest.approx(by_differences, rel=1e-6)


def test_the_order_and_the_scale_of_looks_and_weights_do_not_matter(weighted):
    other = Grid(TIMES[::-1], DELTA, 2.0, weights=[10 * w for w in WEIGHTS[::-1]])
    assert other(250.0) == pytest.approx(weighted(250.0), rel=1e-9)


def test_a_grid_without_weights_is_as_before():
    grid = Grid(TIMES, DELTA, 2.0)
    assert grid.weights is None
    assert grid(250.0) == 2.0 / 250**0.5 * (1.0 / 250**0.5 + grid.quantile)
    assert "weights" not in repr(grid)


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1.0], "one for each of the 4 looks"), ([1, 1, 0, 1], "positive and finite"), ([1, 1, -1, 1], "-1.0")],
)
def test_wrong_weights_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        Grid(TIMES, DELTA, 2.0, weights=weights)
