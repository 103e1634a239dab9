"""Sentences that must know the family: the probability of staying, the unit of a variance, where bets see more."""

import pytest

from nrverify.auditing.core.faults.noise import WRONG_SCALE, WRONG_STAY_PROBABILITY
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.explain.explanation import explained
from nrverify.auditing.registry import declarations_for
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.describe import describe


def said(mechanism, id, measure, fault, observed=0.5):
    finding = Finding("what was seen", Estimate(measure, 1.0, observed, None, 700), fault)
    result = CheckResult(id, "law", CheckVerdict.REFUTED, statistic=30.0, alpha=6e-8, finding=finding)
    subject = describe({"mechanism": mechanism, "methods": ["sample"]})
    return explained((result,), declarations_for(mechanism), subject, None, 1e-6, "again")[0]


@pytest.mark.parametrize(
    ("mechanism", "weight"), [("laplace", "it is (s/t)², not s/t"), ("discrete-laplace", "it is c(p_s)/c(p_t) with")]
)
def test_the_probability_of_staying_is_that_of_the_family(mechanism, weight):
    """Of discrete Laplace noise (s/t)² is the mistake itself."""
    cause = said(mechanism, "law.transcript", Measure.EVENTS, WRONG_STAY_PROBABILITY).explanation.cause
    assert f"a wrong probability of staying, or no ties at all ({weight}" in cause


def test_another_fault_says_nothing_of_staying():
    assert "staying" not in said("laplace", "law.release", Measure.VARIANCE, WRONG_SCALE).message


def test_the_variance_of_normal_noise_is_its_own():
    found = said("brownian", "law.release", Measure.VARIANCE, WRONG_SCALE)
    assert found.observed == "what was seen: variance 0.5 of the claimed, over 700 innovations"


@pytest.mark.parametrize("mechanism", ["laplace", "skellam", "discrete-gaussian"])
def test_the_variance_of_scores_is_not_said_to_be_that_of_other_noise(mechanism):
    """Laplace noise of scale 0.98 has 0.960 of the variance claimed, and its normal scores have the variance 0.972.

    Nor does a simple ratio of scores come from a simple factor in the code.
    """
    found = said(mechanism, "law.release", Measure.VARIANCE, WRONG_SCALE)
    assert found.observed == "what was seen: variance 0.5 of its 700 normal scores"
    assert found.expected == "what was seen: variance 1 (of its normal scores)"
    assert WRONG_SCALE.cause in found.explanation.cause
