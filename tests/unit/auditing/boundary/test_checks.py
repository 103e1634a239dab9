"""Each check of a boundary by itself: refuted by the curve it exists for, with its fault, and spared by a right one."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

from nrverify.auditing.boundary.brownian_enclosure import CrossingEnclosure, brownian_enclosure
from nrverify.auditing.boundary.claim import BoundaryClaim
from nrverify.auditing.boundary.crossing import BoundaryCrossing
from nrverify.auditing.boundary.inverse import BoundaryInverse
from nrverify.auditing.boundary.monotone import BoundaryMonotone
from nrverify.auditing.boundary.queries import Asker, ImproperValue
from nrverify.auditing.boundary.values import BoundaryValues
from nrverify.auditing.core.boundary_faults import undone
from nrverify.auditing.explain.text import worded
from tests.unit.auditing.boundary.host import CurveHost, drawer

TIMES = np.geomspace(1e-9, 1e9, 400)
DELTA = 1e-6
CLAIM = BoundaryClaim(DELTA, 1.0, (1e-9, 1e9), declared=False)


def line(t, delta=DELTA, slope=0.2, drift=1.0):
    """ψ = a + (b + ½)/t is crossed with probability e^{−2ab}: here δ, with a·b = ½log(1/δ)."""
    return slope + (0.5 * math.log(1 / delta) / slope + 0.5 * drift) / t


def line_inverse(epsilon, slope=0.2):
    return (0.5 * math.log(1 / DELTA) / slope + 0.5) / (epsilon - slope)


def fault(result):
    return result.finding.fault.id


# Values


def test_one_improper_value_refutes_and_none_does_not():
    wrong = BoundaryValues().conclude(10, ImproperValue(12.5, -3.0))
    assert (wrong.verdict, wrong.kind, fault(wrong)) == ("refuted", "protocol", "boundary-value")
    assert worded(wrong, BoundaryValues.declaration).observed == "ε(12.5) = -3.0"
    right = BoundaryValues().conclude(10, None)
    assert (right.verdict, right.finding) == ("consistent", None)
    assert worded(right, BoundaryValues.declaration).detectable == "a single improper value among 10 times"


@pytest.mark.parametrize("value", [math.nan, 0.0, -1.0])
def test_the_asker_passes_no_improper_value_on(value):
    asker = Asker(drawer(CurveHost(lambda t: value if t > 2 else 1.0)))
    assert asker.epsilon([1.0, 2.0]).tolist() == [1.0, 1.0]
    with pytest.raises(ImproperValue) as found:
        asker.epsilon([1.0, 3.0])
    assert found.value.time == 3.0


# Monotonicity


@pytest.mark.parametrize(
    ("rise", "process", "verdict"),
    [
        (0.0, "brownian", "consistent"),
        (5e-10, "brownian", "consistent"),
        (5e-7, "brownian", "advice"),
        (2e-6, "brownian", "refuted"),
        (0.5, "brownian", "refuted"),
        (0.5, "skellam", "advice"),
    ],
)
def test_a_rise_is_refuted_from_a_millionth_on(rise, process, verdict):
    times, epsilon = np.array([1.0, 2.0, 3.0, 4.0]), np.array([4.0, 2.0, 2.0 * (1 + rise), 1.0])
    result = BoundaryMonotone().conclude(times, epsilon, process)
    assert result.verdict == verdict
    if verdict == "refuted":
        numbers = result.finding.estimate.numbers
        assert fault(result) == "boundary-rises"
        assert (numbers["before"], numbers["after"], numbers["epsilon_before"]) == (2.0, 3.0, 2.0)
        observed = worded(result, BoundaryMonotone.declaration).observed
        assert observed == f"ε(2) = 2 but ε(3) = {2 * (1 + rise):.10g}"
    else:
        assert result.finding.fault is None


def test_an_infinite_value_after_a_finite_one_rises_and_before_it_does_not():
    times = np.array([1.0, 2.0, 3.0])
    assert BoundaryMonotone().conclude(times, np.array([math.inf, 2.0, 1.0]), "brownian").verdict == "consistent"
    assert BoundaryMonotone().conclude(times, np.array([2.0, math.inf, 1.0]), "brownian").verdict == "refuted"


def test_neighbouring_times_are_told_apart_in_the_sentence():
    times = np.array([1.0, np.nextafter(1.0, 2.0)])
    result = worded(BoundaryMonotone().conclude(times, np.array([1.0, 2.0]), "brownian"), BoundaryMonotone.declaration)
    assert result.observed == "ε(1) = 1 but ε(1.0000000000000002) = 2"


# Crossing


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.5e-6, 0.6e-6, "consistent"),
        (1.0005e-6, 1.0009e-6, "consistent"),
        (0.9e-6, 1.1e-6, "inconclusive"),
        (1.0011e-6, 1.1e-6, "refuted"),
    ],
)
def test_the_verdict_rests_on_the_whole_enclosure(low, high, verdict):
    result = BoundaryCrossing().conclude(CrossingEnclosure(low, high, 3.0), CLAIM, 100)
    assert (result.verdict, result.kind, result.decisive) == (verdict, "privacy", True)
    assert result.statistic == pytest.approx(0.5 * (low + high))
    said = worded(result, BoundaryCrossing.declaration)
    assert "δ = 1e-06 over all t > 0" in said.expected
    assert said.detectable == "crossing probability of the curve through 100 times above 1.001e-06"
    if verdict == "refuted":
        assert fault(result) == "boundary-crossed"
        assert said.observed == "between 1.0011e-06 and 1.1e-06 (1.0011 δ), most easily near t = 3"


def crossing(psi):
    asker = Asker(drawer(CurveHost(psi)))
    scan = TIMES, asker.epsilon(TIMES)
    found = brownian_enclosure(asker, 1.0, scan)
    return BoundaryCrossing().conclude(found, CLAIM, asker.calls, undone(*scan, 1.0, DELTA))


def test_a_line_is_crossed_with_the_probability_of_its_closed_form():
    result = crossing(line)
    numbers = result.finding.estimate.numbers
    assert result.verdict == "consistent"
    assert numbers["low"] * (1 - 1e-9) <= DELTA <= numbers["high"] * (1 + 1e-9)
    assert numbers["high"] < numbers["low"] * (1 + 1e-3)


@pytest.mark.parametrize(
    ("psi", "expected"),
    [
        (lambda t: line(t, delta=2 * DELTA), "delta-doubled"),
        (lambda t: line(t, drift=0.0), "drift-missing"),
        (lambda t: 0.5 / t - float(ndtri(DELTA)) / math.sqrt(t), "single-look-quantile"),
    ],
    ids=["2δ", "no drift", "single look"],
)
def test_a_curve_that_is_crossed_too_often_is_refuted_with_its_mistake(psi, expected):
    result = crossing(psi)
    assert (result.verdict, fault(result), result.effect) == ("refuted", expected, "leak")


def test_the_mistake_is_said_beside_the_probability():
    result = worded(crossing(lambda t: line(t, drift=0.0)), BoundaryCrossing.declaration)
    assert result.observed.endswith("; with the drift Δ²/2t added it would be 1 δ")
    part = result.finding.numbers["part"]
    assert part == pytest.approx(1.0, abs=1e-3)


# Inverse


def inverted(inverse, psi=line):
    asker = Asker(drawer(CurveHost(psi, inverse)))
    return BoundaryInverse().conclude(asker, TIMES, asker.epsilon(TIMES))


@pytest.mark.parametrize(
    ("short", "verdict", "said"), [(0.0, "consistent", False), (5e-7, "consistent", True), (3e-6, "refuted", False)]
)
def test_an_inverse_that_falls_short_by_more_than_a_millionth_is_refuted(short, verdict, said):
    result = inverted(lambda epsilon: line_inverse(epsilon) * (1 - short))
    assert (result.verdict, result.kind) == (verdict, "privacy")
    assert ("round it up" in (result.message or "")) == said
    if verdict == "refuted":
        estimate = result.finding.estimate
        assert fault(result) == "inverse-too-small"
        # ψ falls by no more than the share by which the time is short, and at ε far above the slope by that.
        assert estimate.observed / estimate.expected - 1 == pytest.approx(short, rel=0.01)


@pytest.mark.parametrize("answer", [0.0, math.inf, math.nan, -1.0])
def test_an_inverse_without_noise_or_without_a_number_is_refuted(answer):
    result = inverted(lambda epsilon: answer)
    assert (result.verdict, fault(result)) == ("refuted", "inverse-too-small")
    assert worded(result, BoundaryInverse.declaration).observed.endswith(f" = {answer!r}")


def test_an_inverse_that_wastes_noise_is_consistent_and_said():
    result = inverted(lambda epsilon: 1.2 * line_inverse(epsilon))
    assert result.verdict == "consistent"
    assert "would do" in result.message


def test_a_boundary_that_hardly_varies_has_no_inverse_to_judge():
    result = inverted(lambda epsilon: 1.0, psi=lambda t: 1.0)
    assert result.verdict == "not-covered"
    assert "hardly varies" in result.message


def test_a_boundary_that_is_infinite_everywhere_has_no_inverse_to_ask_for():
    """Found by fuzzing: the smallest of no numbers was an internal error."""
    host = CurveHost(lambda time: np.inf, lambda epsilon: 1.0)
    times = np.geomspace(0.1, 10.0, 20)
    result = BoundaryInverse().conclude(Asker(drawer(host)), times, np.full(20, np.inf))
    assert result.verdict == "not-covered"
    assert "infinite" in result.message


def test_no_mistake_explains_a_boundary_that_claims_a_pure_guarantee():
    """Found by fuzzing: δ = 0 was divided by."""
    times = np.geomspace(0.1, 10.0, 60)
    assert undone(times, 1 / times, 1.0, 0.0) is None
