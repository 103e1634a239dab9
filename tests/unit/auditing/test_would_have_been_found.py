"""Where no violation was shown, the report says what would have been found: by sampling, and of a size worth saying."""

import pytest

from nrverify.auditing.core.faults.noise import WRONG_SHAPE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.explain.explanation import explained
from nrverify.auditing.explain.text import worth_saying
from nrverify.auditing.noise_reduction.epsilon.known_times import of_own_times
from nrverify.auditing.registry import declarations_for
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.describe import describe

SUBJECT = describe({"mechanism": "laplace", "knob": "epsilon", "sensitivity": 1.0, "methods": ["sample"]})
SEEN = Finding("variance", Estimate(Measure.VARIANCE, 1.0, 1.3, None, 700), WRONG_SHAPE)
LAW = CheckResult("law.release", "law", CheckVerdict.REFUTED, statistic=30.0, alpha=6e-8, finding=SEEN)
ATTACKER = Size("ε of an attacker, where 2 is claimed,", 2.9, "ε")
CURVE = Size("crossing probability of the curve", 1e-6, "δ")


def effect_beside(id, size, alpha):
    privacy = CheckResult(id, "privacy", CheckVerdict.CONSISTENT, alpha=alpha, sizes=(size,))
    return explained((LAW, privacy), declarations_for("laplace"), SUBJECT, None, 1e-6, "again")[0].explanation.effect


def test_what_a_sampled_check_would_have_found_is_said():
    effect = effect_beside("privacy.ex-post", ATTACKER, 6e-8)
    assert "no violation of the privacy claim was shown; would have been found: ε of an attacker" in effect


def test_what_was_calculated_from_another_law_is_not_said():
    """The curve is right; that says nothing of releases that do not follow it."""
    assert "would have been found" not in effect_beside("boundary.crossing", CURVE, None)


def test_a_size_beyond_all_measure_is_not_said():
    assert "would have been found" not in effect_beside("privacy.epsilon", Size("shortfall", 42000.0, "%"), 6e-8)


@pytest.mark.parametrize(
    ("size", "worth"),
    [
        (Size("variance", 0.05, "relative"), True),
        (Size("variance", 11.0, "relative"), False),
        (Size("shortfall", 440.0, "%"), True),
        (Size("shortfall", 7.9e6, "%"), False),
        (Size("different streams", 1e6, "streams"), True),
    ],
)
def test_sizes_worth_saying(size, worth):
    assert worth_saying(size) == worth


def test_a_claim_that_follows_from_the_times_told_ends_with_the_law():
    kept = CheckResult("privacy.epsilon", "privacy", CheckVerdict.CONSISTENT, alpha=6e-8, sizes=(CURVE,))
    (law, after), unknown = of_own_times([LAW, kept], told=True), of_own_times([LAW, kept], told=False)
    assert (law, after.verdict, after.sizes) == (LAW, CheckVerdict.INCONCLUSIVE, ())
    assert after.message == (
        "law.release is refuted: what follows from the times told (time_of) says nothing of what is released"
    )
    assert unknown == [LAW, kept]
    assert of_own_times([kept], told=True) == [kept]
