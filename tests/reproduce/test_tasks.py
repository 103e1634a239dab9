"""Both tasks: minimisers, losses and what one record can do to a loss, against their definitions."""

import math

import numpy as np
import pytest

from nrverify.reproduce.data import synthetic
from nrverify.reproduce.data.kdd import Events
from nrverify.reproduce.logistic import logistic_task
from nrverify.reproduce.ridge import ridge_task
from nrverify.reproduce.settings import REGULARISATION
from nrverify.reproduce.task import into_ball, unit_rows

EVENTS = synthetic.events(800, np.random.default_rng(0))
TOPICS = synthetic.topics(800, np.random.default_rng(0))


def logistic_loss(beta):
    x = unit_rows(EVENTS.features)
    data = sum(math.log1p(math.exp(-y * float(row @ beta))) for row, y in zip(x, EVENTS.signs, strict=True)) / len(x)
    return data + 0.5 * REGULARISATION * float(beta @ beta)


def test_the_logistic_loss_is_the_mean_over_records_with_its_penalty():
    task = logistic_task(EVENTS, "ball")
    estimates = np.random.default_rng(1).normal(size=(3, 38))
    assert task.losses(estimates) == pytest.approx([logistic_loss(beta) for beta in estimates], rel=1e-12)


def test_the_logistic_minimiser_has_no_slope():
    task = logistic_task(EVENTS, "ball")
    step = 1e-5
    for direction in np.eye(38)[:6]:
        slope = (
            logistic_loss(task.minimiser + step * direction) - logistic_loss(task.minimiser - step * direction)
        ) / 2
        assert abs(slope / step) < 1e-8


def test_a_row_of_zeros_stays_and_equal_rows_are_merged_without_changing_the_loss():
    features = np.vstack([np.zeros((2, 38)), EVENTS.features[:50], EVENTS.features[:50]])
    signs = np.concatenate([[1.0, -1.0], EVENTS.signs[:50], EVENTS.signs[:50]])
    task = logistic_task(Events(features, signs, 102), "ball")
    beta = np.random.default_rng(2).normal(size=38)
    margins = unit_rows(features) @ beta * signs
    expected = np.mean(np.log1p(np.exp(-margins))) + 0.5 * REGULARISATION * beta @ beta
    assert len(task.signed) <= 51
    assert task.losses(beta[np.newaxis])[0] == pytest.approx(expected, rel=1e-12)


def ridge_parts():
    x = unit_rows(TOPICS.features)
    return x, np.minimum(np.log1p(TOPICS.popularity) / math.log1p(1e5), 1.0)


def test_the_ridge_loss_is_the_mean_over_records_with_its_penalty():
    task = ridge_task(TOPICS, 1e5, "ball", "plain")
    x, y = ridge_parts()
    for beta in np.random.default_rng(3).normal(size=(3, 77)):
        expected = 0.5 * np.mean((x @ beta - y) ** 2) + 0.5 * REGULARISATION * beta @ beta
        assert task.losses(beta[np.newaxis])[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("solver", ["plain", "repaired"])
def test_without_noise_the_ridge_estimate_is_the_minimiser(solver):
    task = ridge_task(TOPICS, 1e5, "ball", solver)
    x, y = ridge_parts()
    exact = np.linalg.solve(x.T @ x + len(y) * REGULARISATION * np.eye(77), x.T @ y)
    estimate = task.estimates([value[np.newaxis] for value in task.values])[0]
    assert estimate == pytest.approx(exact, abs=1e-9)
    assert task.best == pytest.approx(float(task.losses(exact[np.newaxis])[0]), rel=1e-12)


def test_the_repaired_solution_is_bounded_where_the_plain_one_is_not():
    shift = len(TOPICS.popularity) * REGULARISATION
    indefinite = np.diag(np.full(77, -shift * (1 + 1e-9))).reshape(1, -1)
    cross = np.full((1, 77), 0.01 * shift)
    plain, repaired = (ridge_task(TOPICS, 1e5, "ball", solver) for solver in ("plain", "repaired"))
    assert repaired.estimates([indefinite, cross])[0] == pytest.approx(np.full(77, 0.01), rel=1e-9)
    assert np.linalg.norm(plain.estimates([indefinite, cross])[0]) == pytest.approx(plain.radius, rel=1e-12)


def test_responses_are_cut_off_at_the_limit():
    task = ridge_task(TOPICS, 10.0, "ball", "plain")
    y = np.minimum(np.log1p(TOPICS.popularity) / math.log(11), 1.0)
    assert (y == 1).any()
    assert task.square == pytest.approx(float(y @ y), rel=1e-12)


def test_projection_keeps_what_is_inside_and_shortens_what_is_outside():
    moved = into_ball(np.array([[0.3, 0.4], [3.0, 4.0], [0.0, 0.0]]), 1.0)
    assert moved == pytest.approx(np.array([[0.3, 0.4], [0.6, 0.8], [0.0, 0.0]]), rel=1e-14)


@pytest.mark.parametrize("utility", ["ball", "own"])
def test_one_record_moves_the_loss_of_an_estimate_by_at_most_its_unit(utility):
    rng = np.random.default_rng(5)
    logistic, ridge = logistic_task(EVENTS, utility), ridge_task(TOPICS, 1e5, utility, "plain")
    for _ in range(200):
        beta = into_ball(rng.normal(size=(1, 77)) * rng.random() * 2, ridge.radius)
        x, other = unit_rows(rng.normal(size=(2, 77)) + rng.choice([-3, 3], (2, 1)) * beta)
        y, other_y = rng.random(2)
        change = abs((x @ beta[0] - y) ** 2 - (other @ beta[0] - other_y) ** 2) / 2 / ridge.rows
        assert change <= ridge.units(beta)[0]
        short = into_ball(beta[:, :38], logistic.radius)
        pair = unit_rows(rng.normal(size=(2, 38)) + rng.choice([-3, 3], (2, 1)) * short)
        gap = abs(float(np.diff(np.logaddexp(0, -(pair @ short[0])))[0])) / logistic.rows
        assert gap <= logistic.units(short)[0]


def test_the_unit_of_an_estimate_is_attained():
    logistic, ridge = logistic_task(EVENTS, "own"), ridge_task(TOPICS, 1e5, "own", "plain")
    beta = np.zeros((1, 77))
    beta[0, 0] = 2.0
    assert ridge.units(beta)[0] == pytest.approx((1 + 2) ** 2 / 2 / ridge.rows, rel=1e-14)
    gap = math.log1p(math.exp(2)) - math.log1p(math.exp(-2))
    assert logistic.units(beta[:, :38])[0] == pytest.approx(gap / logistic.rows, rel=1e-12)
