"""Slips in the formula of the bridge are named by the powers of the times that they multiply its variance by."""

from itertools import pairwise

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.diagnosis.moments import Moments
from nrverify.auditing.noise_reduction.diagnosis.second_moments import diagnosed
from nrverify.auditing.noise_reduction.diagnosis.step_factor import step_factor


def schedules(rng, number=12, length=5):
    """Falling times spread over decades."""
    return [np.sort(10 ** rng.uniform(-2, 3, size=length))[::-1] for _ in range(number)]


def moments_of(deviation, rng, sessions=40):
    """Sums of products of noise whose bridge has this deviation of the step from t to s."""
    found = Moments()
    for times in schedules(rng):
        noise = [np.sqrt(times[0]) * rng.standard_normal(sessions)]
        for t, s in pairwise(times):
            noise.append(s / t * noise[-1] + deviation(s, t) * rng.standard_normal(sessions))
        path = np.stack(noise, axis=1)
        found.add("sample", tuple(times.tolist()), sessions, path.T @ path)
    return found


@pytest.mark.parametrize(
    ("deviation", "words"),
    [
        (lambda s, t: np.sqrt(s * (t - s)) / t, "a division by t outside the square root?"),
        (lambda s, t: np.sqrt(s * (t - s)), "no division by t?"),
        (lambda s, t: np.sqrt((t - s) / t), "a factor s left out?"),
        (lambda s, t: (s * (t - s) / t) ** 0.25, "a square root taken twice?"),
        (lambda s, t: np.sqrt(s**3 * (t - s)) / t, " · t^−"),
    ],
)
def test_a_slip_gets_one_true_cause(deviation, words):
    suspect = diagnosed(moments_of(deviation, np.random.default_rng(1)), lambda times: times, True)
    assert [fault.id for fault in suspect.faults] == ["step-variance-factor"]
    said = suspect.words["step-variance-factor"]
    assert words in said


def test_a_slip_that_has_a_name_of_its_own_keeps_it():
    suspect = diagnosed(moments_of(lambda s, t: np.sqrt(t - s), np.random.default_rng(2)), lambda times: times, True)
    assert [fault.id for fault in suspect.faults] == ["step-of-difference"]


def test_the_right_bridge_has_no_factor():
    assert (
        diagnosed(moments_of(lambda s, t: np.sqrt(s * (t - s) / t), np.random.default_rng(3)), lambda x: x, True)
        is None
    )


def test_powers_and_errors_are_those_of_the_regression():
    rng = np.random.default_rng(4)
    steps = []
    for t, s in (times[:2] for times in schedules(rng, number=200)):
        ratio = s**-0.5 * t**1.5 * rng.chisquare(50) / 50
        steps.append((t, s, 50, ratio))
    found = step_factor(steps)
    assert found.powers == (-0.5, 1.5, 0.0)
    t, s, _, _ = np.array(steps).T
    design = np.column_stack([np.log(s), np.log(t)])
    # Every logarithm varies by 2/50: the least squares have these errors.
    expected = np.sqrt(2 / 50 * np.diag(np.linalg.inv(design.T @ design)))
    assert found.errors == pytest.approx([*expected.tolist(), 0.0], rel=1e-6)
    assert found.estimates == pytest.approx(found.powers, abs=5 * max(expected))


def test_few_steps_tell_no_powers():
    assert step_factor([(2.0, 1.0, 100, 3.0)] * 5) is None
