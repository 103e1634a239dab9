"""Trials: losses follow the law of the noise, and depend on names and seeds alone."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from nrverify.reproduce import trials
from nrverify.reproduce.data import synthetic
from nrverify.reproduce.logistic import logistic_task
from nrverify.reproduce.settings import REGULARISATION
from nrverify.reproduce.trials import TrialPlan

TASK = logistic_task(synthetic.events(300, np.random.default_rng(0)), "own", radius=1e6)


def plan(process, times, count=400, name="x"):
    return TrialPlan(name, TASK, process, tuple(1.0 / t for t in times), (tuple(times),), count)


@pytest.mark.parametrize(("process", "variance"), [("brownian", lambda t: t), ("laplace", lambda t: 2 * t * t)])
def test_the_noise_of_a_release_has_the_variance_of_its_time(process, variance):
    """Δ of the own utility is ‖β‖/n, which gives ‖β* + noise‖² back: its mean is ‖β*‖² + d·variance.

    Within six standard errors of 400 runs (computed for normal noise, doubled for Laplace): false alarm below 1e-8.
    """
    times = (9.0, 4.0, 1.0)
    outcome = trials.run([plan(process, times)], 1)["x"]
    squares = (outcome.units * TASK.rows) ** 2
    for look, t in enumerate(times):
        expected = float(TASK.minimiser @ TASK.minimiser) + 38 * variance(t)
        spread = 2 * math.sqrt(2 * 38) * variance(t) + 4 * math.sqrt(variance(t)) * 2.1
        assert abs(squares[:, look].mean() - expected) < 6 * spread / math.sqrt(400)


def test_without_noise_to_speak_of_the_loss_is_the_least_one():
    outcome = trials.run([plan("brownian", (1e-20,), 5)], 1)["x"]
    assert outcome.losses == pytest.approx(TASK.best, rel=1e-9)


def test_the_loss_of_a_release_has_its_penalty():
    outcome = trials.run([plan("brownian", (1e6,), 200)], 1)["x"]
    penalty = 0.5 * REGULARISATION * (outcome.units * TASK.rows) ** 2
    assert (outcome.losses > penalty).all()


def test_outcomes_do_not_depend_on_other_plans_or_on_the_executor(monkeypatch):
    monkeypatch.setattr(trials, "_NUMBERS_IN_CHUNK", 38 * 3 * 30)
    plans = [plan("brownian", (9.0, 4.0, 1.0), 100, "a"), plan("laplace", (9.0, 4.0, 1.0), 100, "b")]
    alone = trials.run(plans[1:], 7)["b"]
    with ThreadPoolExecutor(3) as pool:
        together = trials.run(plans, 7, pool)["b"]
    assert np.array_equal(alone.losses, together.losses)
    assert not np.array_equal(alone.losses, trials.run(plans[1:], 8)["b"].losses)
    assert not np.array_equal(alone.losses, trials.run([replace(plans[1], name="c")], 7)["c"].losses)


def test_progress_counts_every_chunk(monkeypatch):
    monkeypatch.setattr(trials, "_NUMBERS_IN_CHUNK", 38 * 3 * 30)
    seen = []
    trials.run([plan("brownian", (9.0, 4.0, 1.0), 100)], 0, None, lambda *args: seen.append(args))
    assert seen == [(1, 4, "x"), (2, 4, "x"), (3, 4, "x"), (4, 4, "x")]
