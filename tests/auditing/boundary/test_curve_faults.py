"""The mistake in a boundary is told from what would make it right; curves from the paper's formulas, written out."""

import math

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.core.boundary_faults import UNDONE, undone
from nrverify.auditing.core.faults import curve

TIMES = np.geomspace(1e-9, 1e9, 2000)
DELTA = 1e-6


def linear(t, delta=DELTA, sensitivity=1.0, drift=1.0, slope=0.4, log=math.log, root=1.0):
    level = log(1 / delta)
    noise = root * (slope * t + level / (2 * slope))
    return (0.5 * drift * sensitivity**2 + sensitivity * noise) / t


def mixture(t, delta=DELTA, sensitivity=1.0, drift=1.0, rho=0.1, root=1.0):
    noise = root * np.sqrt(2 * (t + rho) * (math.log(1 / delta) + 0.5 * np.log1p(t / rho)))
    return (0.5 * drift * sensitivity**2 + sensitivity * noise) / t


@pytest.mark.parametrize("boundary", [linear, mixture])
@pytest.mark.parametrize(
    ("fault", "mistake"),
    [
        (curve.DELTA_DOUBLED, {"delta": 2 * DELTA}),
        (curve.DELTA_ROOTED, {"delta": math.sqrt(DELTA)}),
        (curve.DRIFT_MISSING, {"drift": 0.0}),
        (curve.ROOT_HALVED, {"root": math.sqrt(0.5)}),
        (curve.DECIMAL_LOGARITHM, {"root": math.sqrt(1 / math.log(10))}),
    ],
    ids=str,
)
def test_a_mistake_is_named_by_what_undoes_it(boundary, fault, mistake):
    found = undone(TIMES, boundary(TIMES, **mistake), 1.0, DELTA)
    if boundary is mixture and fault is curve.DELTA_DOUBLED:
        assert found is None  # it is crossed on one side with δ: no mistake
        return
    # Half the square of a line halves the product of slope and intercept: e^(−ab), the root of δ.
    same = boundary is linear and fault is curve.ROOT_HALVED
    assert found is not None
    assert found.fault is (curve.DELTA_ROOTED if same else fault)


@pytest.mark.parametrize("boundary", [linear, mixture])
def test_mistakes_about_the_sensitivity_are_told_apart(boundary):
    ignored = undone(9 * TIMES, boundary(9 * TIMES), 3.0, DELTA)
    rooted = undone(9 * TIMES, boundary(9 * TIMES, sensitivity=math.sqrt(3)), 3.0, DELTA)
    not_squared = undone(9 * TIMES, boundary(9 * TIMES, sensitivity=3.0, drift=1 / 3), 3.0, DELTA)
    assert ignored.fault is rooted.fault is curve.SENSITIVITY_IGNORED
    assert (ignored.numbers["own_sensitivity"], rooted.numbers["own_sensitivity"]) == (1.0, math.sqrt(3))
    assert not_squared.fault is curve.DRIFT_NOT_SQUARED
    # What is crossed without the mistake: δ by a line, half of it by a mixture.
    expected = 1.0 if boundary is linear else 0.5
    assert [found.numbers["part"] for found in (ignored, rooted, not_squared)] == pytest.approx(
        [expected] * 3, rel=0.04
    )


@pytest.mark.parametrize("delta", [1.01 * DELTA, 1.03 * DELTA, 1.5 * DELTA])
def test_a_line_for_another_delta_is_not_said_to_be_one_for_twice_delta(delta):
    assert undone(TIMES, linear(TIMES, delta=delta), 1.0, DELTA) is None


def test_a_forgotten_sensitivity_on_few_epsilons_is_not_taken_for_another_mistake():
    """What is crossed between two ε's is part of δ: no mistake is found by chance."""
    times = (0.5 + math.log(1e6)) / (np.geomspace(1.0, 4.0, 200) - 0.5)
    assert undone(times, np.geomspace(1.0, 4.0, 200), 3.0, 1e-6) is None


def test_every_mistake_has_a_clause_that_its_numbers_fill():
    numbers = {"part": 0.987, "own_sensitivity": 3.0}
    clauses = {fault.id: clause.format(**numbers) for fault, clause in UNDONE.items()}
    assert clauses["drift-missing"] == "with the drift Δ²/2t added it would be 0.987 δ"
    assert clauses["boundary-sensitivity"] == "for the sensitivity 3 it would be 0.987 δ"
    assert len(set(clauses.values())) == len(clauses) == 9


def test_a_time_taken_for_a_deviation_and_the_quantile_of_a_single_look_are_named():
    deviation = undone(TIMES, linear(TIMES**2), 1.0, DELTA)
    single = undone(TIMES, 0.5 / TIMES + 4.7534 / np.sqrt(TIMES), 1.0, DELTA)
    assert deviation.fault is curve.TIME_AS_DEVIATION
    assert single.fault is curve.SINGLE_LOOK


@pytest.mark.parametrize(
    "curve",
    [
        linear(TIMES),
        mixture(TIMES),
        1.3 * linear(TIMES),
        linear(TIMES, delta=3.3 * DELTA),
        np.minimum(linear(TIMES), mixture(TIMES)),
        linear(TIMES)[::-1],
    ],
)
def test_nothing_is_named_for_a_right_curve_or_for_a_mistake_that_is_not_known(curve):
    assert undone(TIMES, curve, 1.0, DELTA) is None


def test_too_few_or_unusable_values_name_nothing():
    assert undone(TIMES[:5], linear(TIMES[:5]), 1.0, DELTA) is None
    assert undone(TIMES, np.full(TIMES.size, np.inf), 1.0, DELTA) is None
    assert undone(TIMES, np.where(TIMES < 1, 1e300, 1e-300), 1.0, DELTA) is None
    assert undone(1e6 * TIMES, np.where(TIMES < 1, np.inf, 3 / np.sqrt(TIMES)), 1e3, DELTA) is None


class WithoutDrift:
    """A line of which the drift of the loss is left out."""

    mechanism = "boundary"
    sensitivity = 2.0
    delta = DELTA

    def epsilon(self, time):
        return float(linear(time, sensitivity=2.0, drift=0.0))


class SingleLook:
    """An ε-knob that takes each look for the only one."""

    mechanism = "brownian"
    knob = "epsilon"
    sensitivity = 1.0
    delta = 1e-4

    def time_of(self, epsilon):
        z = 3.7190165
        return 1 / (math.sqrt(z * z + 2 * epsilon) - z) ** 2 * 1.0001

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = np.array([self.time_of(epsilon) for epsilon in schedule])
        steps = np.sqrt(np.maximum(np.diff(times[::-1], prepend=0.0), 0.0))
        walk = np.cumsum(rng.standard_normal((sessions, len(times), len(value))) * steps[:, None], axis=1)
        return np.asarray(value, dtype=float) + walk[:, ::-1]


@pytest.mark.parametrize(
    ("subject", "check", "fault", "cause"),
    [
        (WithoutDrift, "boundary.crossing", "drift-missing", "the term Δ²/2t of the loss is left out"),
        (SingleLook, "privacy.epsilon", "single-look-quantile", "the quantile of a single look"),
    ],
)
def test_the_report_says_so(subject, check, fault, cause):
    report = audit(subject(), samples=2_000)
    found = next(result for result in report.checks if result.id == check)
    assert f"Likely cause: {cause}" in found.message
    assert (found.finding.fault.id, found.effect) == (fault, "leak")
