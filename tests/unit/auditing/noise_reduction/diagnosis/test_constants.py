"""A constant is named where the variance is the same at all values and whatever went before, and only there."""

from itertools import pairwise

import numpy as np
import pytest

from nrverify.auditing.core.faults.noise import WRONG_SCALE
from nrverify.auditing.core.faults.recursion import ALL_SCALED, FIRST_SCALED, STEPS_SCALED
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.noise_reduction.diagnosis.constants import without_constant
from nrverify.auditing.noise_reduction.diagnosis.fault_location import Places
from nrverify.statistics.estimate import Estimate, Measure
from tests.unit.auditing.noise_reduction.batches import TIMES, batch

FINDING = Finding("variance", Estimate(Measure.VARIANCE, 1.0, 1.2, None, 3000), WRONG_SCALE)
REFUTED = CheckResult("law.release", "law", CheckVerdict.REFUTED, finding=FINDING)


def drawn(rng, first=1.0, step=1.0, after_positive=1.0, sessions=500):
    """Brownian noise by the bridge, the first release and the steps with these standard deviations over the right."""
    noise = [first * np.sqrt(TIMES[0]) * rng.standard_normal((sessions, 1))]
    for t, s in pairwise(TIMES):
        wide = np.where(noise[-1] > 0, after_positive, 1.0) * step
        noise.append(noise[-1] * s / t + wide * np.sqrt(s * (t - s) / t) * rng.standard_normal((sessions, 1)))
    return np.stack(noise, axis=1)


def places(seed, of_value, **fault):
    """What was seen at three sizes of values, the first release wider at each of them by a factor."""
    found, rng = Places(), np.random.default_rng(seed)
    for value, factor in zip((0.5, 20.0, 3000.0), of_value, strict=True):
        found.observe(batch(drawn(rng, **({"first": factor} | fault)), value=value, name=f"{value}"))
    return found


def suspected(fault, normal=True):
    return Suspect((fault,), {fault.id: 1.2}, 1.0, 30.0, normal, False)


@pytest.mark.parametrize("fault", [FIRST_SCALED, ALL_SCALED])
def test_a_variance_that_grows_with_the_value_is_no_constant(fault):
    results, suspect = without_constant([REFUTED], suspected(fault), places(1, (1.0, 1.2, 1.4)))
    assert suspect is None
    assert results[0].finding.fault.id == "depends-on-value"


def test_steps_that_are_wider_after_positive_noise_have_no_constant():
    results, suspect = without_constant([REFUTED], suspected(STEPS_SCALED), places(2, (1, 1, 1), after_positive=1.4))
    assert suspect is None
    assert results[0].finding.fault.id == "wrong-bridge-variance"


@pytest.mark.parametrize(
    ("fault", "drawn_with"),
    [
        (FIRST_SCALED, {"first": 1.2}),
        (STEPS_SCALED, {"step": 1.3}),
        (STEPS_SCALED, {"step": 0.5}),
        (ALL_SCALED, {"first": 0.8, "step": 0.8}),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_constant_stays_named(fault, drawn_with, seed):
    """But with probability 3e-3 each; the seeds are fixed."""
    found = places(seed, (1.0, 1.0, 1.0), **drawn_with)
    assert without_constant([REFUTED], suspected(fault), found) == ([REFUTED], suspected(fault))


def test_noise_that_is_not_normal_is_not_judged_by_its_squares():
    found = places(1, (1.0, 1.2, 1.4))
    assert without_constant([REFUTED], suspected(ALL_SCALED, normal=False), found)[1] is not None
