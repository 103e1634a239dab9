"""The loss of shared, repeated, redrawn or missing noise, from what a check counted or measured."""

import math

import pytest

from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.fault_losses import price_of, with_losses
from nrverify.statistics.anytime import normal_half_width
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.describe import describe

TIME = describe({"mechanism": "brownian", "methods": ["sample"]})
LAPLACE = describe({"mechanism": "laplace", "methods": ["sample"]})
COUNTS = describe({"mechanism": "discrete-laplace", "methods": ["sample"]})
EPSILON = describe(
    {"mechanism": "brownian", "knob": "epsilon", "sensitivity": 1.0, "delta": 1e-2, "methods": ["sample"]}
)
CORRELATION = "correlation between coordinates"


def counted(seen, of, **numbers):
    return Estimate(Measure.COUNT, 0.0, float(seen), None, of, numbers)


def sloped(slope, error):
    return Estimate(Measure.SLOPE, 0.0, slope, error)


def drop(slope, error, alpha=1e-6):
    return abs(slope) - normal_half_width(error**-2, alpha)


@pytest.mark.parametrize(
    ("description", "fault", "quantity", "estimate", "loss"),
    [
        (TIME, of_noise.NO_NOISE, "releases", counted(10, 10), math.inf),
        (TIME, of_noise.VALUE_IN_CLEAR, "releases", counted(2, 1000), math.inf),
        (TIME, of_noise.SEED_IGNORED, "transcripts", counted(5, 50), math.inf),
        (TIME, of_noise.SHARED_COORDINATES, "the same number", counted(5, 50), math.inf),
        (LAPLACE, of_noise.ONE_NUMBER_AGAIN, "single noises", counted(4, 743), math.inf),
        (COUNTS, of_noise.ONE_NUMBER_AGAIN, "single noises", counted(4, 743), None),  # other values give it, too
        (EPSILON, of_noise.ONE_NUMBER_AGAIN, "single noises", counted(4, 743), None),  # it may be as seldom as δ
        (TIME, of_noise.SHARED_COORDINATES, CORRELATION, sloped(0.8, 0.01), 1 / (1 - drop(0.8, 0.01) ** 2)),
        (TIME, of_noise.SHARED_COORDINATES, CORRELATION, sloped(-0.8, 0.01), 1 / (1 - drop(0.8, 0.01) ** 2)),
        (TIME, of_noise.SHARED_COORDINATES, CORRELATION, sloped(0.05, 0.01), None),  # not above its limit
        (TIME, of_noise.SHARED_COORDINATES, "sizes of the noise", sloped(0.8, 0.01), None),
        (LAPLACE, of_noise.SHARED_SESSIONS, CORRELATION, sloped(0.6, 0.001), None),  # nothing is proved below 2
        (LAPLACE, of_noise.SHARED_SESSIONS, CORRELATION, sloped(1.0, 0.0), math.inf),
        (TIME, of_noise.REPEATED_TIME_REDRAWN, "repeats", counted(5, 5, change=1.4), 2.0),
        (TIME, of_noise.REPEATED_TIME_REDRAWN, "repeats", counted(5, 5, change=0.5), None),
        (TIME, of_noise.WRONG_SHAPE, "shape", sloped(0.8, 0.01), None),
        (EPSILON, of_noise.NO_NOISE, "releases", counted(1000, 1000), math.inf),
        (EPSILON, of_noise.VALUE_IN_CLEAR, "releases", counted(2, 1000), None),  # δ may allow it
        (EPSILON, of_noise.SHARED_COORDINATES, CORRELATION, sloped(0.8, 0.01), None),
    ],
)
def test_the_loss_of_a_fault(description, fault, quantity, estimate, loss):
    found = price_of(Finding(quantity, estimate, fault), description, 1e-6)
    if loss is None:
        assert found is None
    else:
        assert (found.effect, found.loss) == ("leak", pytest.approx(loss))
        assert found.words.endswith(": a leak")


def test_a_fault_that_is_hardly_told_from_another_is_not_priced():
    finding = Finding("releases", counted(10, 10), of_noise.NO_NOISE).of(of_noise.NO_NOISE, of_noise.ROUNDED)
    assert price_of(finding, TIME, 1e-6) is None


def refuted(id, finding):
    return CheckResult(id, "law", CheckVerdict.REFUTED, finding=finding)


HEAVY = Finding("shape", Estimate(Measure.ALTERNATIVE, 0.0, 30.0, alternatives=("student-5",)), of_noise.WRONG_SHAPE)
WIDER = Finding("variance", Estimate(Measure.VARIANCE, 1.0, 3.0, 0.1, 500), of_noise.WRONG_SCALE)
ON_GRID = Finding("numbers on a grid", counted(100, 100), of_noise.ROUNDED)


@pytest.mark.parametrize(
    ("others", "told"),
    [((), True), ((refuted("law.release", WIDER),), False), ((refuted("lattice", ON_GRID),), False)],
)
def test_a_shape_is_a_leak_only_where_nothing_else_of_the_law_is_wrong(others, told):
    """With more variance, or on a grid, noise of another shape may tell less than the noise claimed."""
    results = with_losses([refuted("law.transcript", HEAVY), *others], TIME, 1e-6)
    assert (results[0].finding.priced is not None) == told
