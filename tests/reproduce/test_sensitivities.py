"""Sensitivities bound what replacing a record does, on random neighbours and on the worst ones known."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from nrverify.reproduce import sensitivities
from nrverify.reproduce.logistic import minimise
from nrverify.reproduce.settings import REGULARISATION


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_the_printed_values_are_those_of_the_paper():
    assert sensitivities.logistic(10_000, 38).l2 == pytest.approx(0.004, rel=1e-14)
    assert sensitivities.logistic(10_000, 38).l1 == pytest.approx(0.004 * math.sqrt(38), rel=1e-14)
    assert (sensitivities.gram(77).l2, sensitivities.gram(77).l1) == (2.0, 154.0)
    assert (sensitivities.cross(77).l2, sensitivities.cross(77).l1) == (2.0, 2 * math.sqrt(77))
    assert sensitivities.pair(77).l2 == pytest.approx(math.sqrt(8), rel=1e-14)


def test_replacing_a_record_moves_the_logistic_minimiser_by_less_than_the_sharper_bound():
    """Neighbours from random to the worst known: all records alike, an odd one turned away from them on either side."""
    rng = np.random.default_rng(1)
    largest = 0.0
    for spread in (0.0, 0.05, 0.3, 1.0) * 10:
        n, d = int(rng.integers(2, 500)), int(rng.integers(2, 5))
        mean, aside = np.eye(d)[:2]
        signed = unit(np.tile(mean, (n, 1)) + spread * rng.normal(size=(n, d)))
        away = rng.uniform(0.2, 0.8)
        signed[0] = -away * mean + math.sqrt(1 - away**2) * aside
        replaced = signed.copy()
        replaced[0] = -away * mean - math.sqrt(1 - away**2) * aside
        weights = np.full(n, 1 / n)
        moved = np.linalg.norm(minimise(signed, weights) - minimise(replaced, weights))
        bound = sensitivities.sharper_logistic(n, d)
        assert moved < bound.l2 < sensitivities.logistic(n, d).l2
        largest = max(largest, float(moved / bound.l2))
    assert largest > 0.93  # near enough to be able to fail: 0.93 times the constant would not do


def test_no_two_gradients_at_a_possible_minimiser_differ_by_more_than_the_constant():
    """The largest difference, found by a search over ‖β‖ and both angles that shares nothing with the certificate."""
    radius = sensitivities.sharper_logistic_radius()

    def negative(point):
        first, second = (1 / (1 + math.exp(-point[2] * math.cos(angle))) for angle in point[:2])
        return -math.sqrt(first**2 + second**2 - 2 * first * second * math.cos(point[0] + point[1]))

    starts = np.random.default_rng(2).uniform([0, 0, 0], [math.pi, math.pi, radius], (40, 3))
    bounds = [(0, math.pi), (0, math.pi), (0, radius)]
    largest = max(-minimize(negative, start, bounds=bounds, method="L-BFGS-B").fun for start in starts)
    assert 1.3275 < largest < sensitivities.LOGISTIC_CONSTANT


@pytest.mark.parametrize("d", [1, 2, 3, 8, 77])
def test_replacing_a_record_moves_the_ridge_statistics_by_at_most_the_sharper_bound(d):
    rng = np.random.default_rng(3)
    bound, printed = sensitivities.sharper_pair(d), sensitivities.pair(d)
    for _ in range(300):
        x, other = unit(rng.normal(size=(2, d))) * rng.random((2, 1)) ** 0.1
        if rng.random() < 0.5:
            other = -0.5 * x + rng.random() * other
            other /= max(1.0, float(np.linalg.norm(other)))
        y, other_y = np.sign(rng.normal(size=2)) * rng.random(2) ** 0.1
        change = np.concatenate([(np.outer(x, x) - np.outer(other, other)).ravel(), y * x - other_y * other])
        assert np.linalg.norm(change) <= bound.l2
        assert np.abs(change).sum() <= bound.l1
    assert bound.l2 < printed.l2
    assert bound.l1 < printed.l1


def test_the_sharper_l2_bound_of_the_pair_is_attained_at_inner_product_one_half():
    x, other = np.array([1.0, 0.0]), np.array([0.5, math.sqrt(0.75)])
    change = np.concatenate([(np.outer(x, x) - np.outer(other, other)).ravel(), x + other])
    assert np.linalg.norm(change) == pytest.approx(sensitivities.sharper_pair(2).l2, rel=1e-14)


def test_minimisers_lie_in_their_balls():
    rng = np.random.default_rng(4)
    for _ in range(40):
        n, d = int(rng.integers(1, 30)), int(rng.integers(1, 6))
        x = unit(rng.normal(size=(n, d)) + 3 * rng.normal(size=d))
        y = np.sign(rng.normal(size=n) + 0.5) * rng.random(n) ** 0.2
        logistic = np.linalg.norm(minimise(x, np.full(n, 1 / n)))
        ridge = np.linalg.norm(np.linalg.solve(x.T @ x + n * REGULARISATION * np.eye(d), x.T @ y))
        assert logistic <= sensitivities.sharper_logistic_radius() < sensitivities.logistic_radius()
        assert ridge <= sensitivities.sharper_ridge_radius() < sensitivities.ridge_radius()
    assert sensitivities.sharper_logistic_radius() == pytest.approx(2.3599, abs=5e-5)
