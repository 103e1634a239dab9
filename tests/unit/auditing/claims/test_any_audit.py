"""Audits of mechanisms whose law is not known: right ones are consistent, wrong ones refuted, with an event in words.

Each refutes a right mechanism with probability at most 1e-6; seeds are fixed.
"""

import pytest

import nrverify
from tests.unit.auditing.claims import subjects


def audited(name, samples=6000, **more):
    report = nrverify.audit(getattr(subjects, name), samples=samples, **more)
    return report, {check.id: check for check in report.checks}


@pytest.mark.parametrize("name", ["Laplace", "RandomizedResponse", "BothLooksCharged", "Interactive", "Sum"])
def test_a_right_mechanism_is_consistent(name):
    report, checks = audited(name)
    assert (report.verdict, report.law, report.privacy) == ("consistent", "not-covered", "consistent")
    assert "other neighbours are not covered" in checks["privacy.other-neighbours"].message
    assert "measured: ε at least" in checks["privacy.measured"].message


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("LaplaceTooSmall", "the output is"),
        ("TruthTooOften", "the output is '"),
        ("NoneTooOften", "the output is None"),
        ("InteractiveTooLittle", "of the output is"),
        ("SumTooLittle", "the output is"),
    ],
)
def test_a_wrong_one_is_refuted_with_an_event_that_anyone_can_check(name, event):
    report, checks = audited(name, samples=20_000)
    claim = checks["privacy.claim"]
    assert (report.verdict, report.privacy) == ("refuted", "refuted")
    assert event in claim.observed
    assert claim.finding.numbers["share"] > claim.finding.numbers["other_share"]
    assert claim.finding.fault.id == "claim-violated"
    assert claim.effect == "leak"


def test_the_measured_epsilon_lies_above_the_claim_and_below_the_true_one():
    _, checks = audited("LaplaceTooSmall", samples=20_000)
    numbers = checks["privacy.claim"].finding.numbers
    assert numbers["expected"] == 1.0
    assert 1.0 < numbers["observed"] < 2.0


def test_an_ex_post_claim_that_forgets_the_first_look_is_refuted():
    """About 8,000 runs are needed at this level: twice as many and more are allowed."""
    report, checks = audited("FirstLookFree", samples=60_000)
    assert checks["privacy.claim"].verdict == "refuted"
    assert "the ε charged is at most" in checks["privacy.claim"].observed
    assert report.exit_code == 1


def test_a_price_that_is_not_of_the_output_is_refuted():
    _, checks = audited("PriceOfState", samples=1000)
    assert checks["protocol.outputs"].verdict == "refuted"
    assert checks["protocol.outputs"].finding.fault.id == "price-of-state"


def test_noise_that_comes_again_is_refuted_as_few_streams():
    _, checks = audited("FewStreams", samples=3000)
    assert checks["randomness.streams"].verdict == "refuted"
    assert checks["randomness.streams"].finding.fault.id == "few-streams"
    assert checks["randomness.streams"].effect == "leak"
    assert checks["randomness.streams"].finding.numbers["loss"] == float("inf")


def test_streams_are_not_covered_where_outputs_are_not_continuous():
    _, checks = audited("RandomizedResponse", samples=2000)
    assert checks["randomness.streams"].verdict == "not-covered"


def test_more_jobs_change_nothing():
    alone, _ = audited("NoneTooOften", samples=4000)
    together, _ = audited("NoneTooOften", samples=4000, jobs=2)
    assert [c.e_value for c in alone.checks] == [c.e_value for c in together.checks]
    assert [c.observed for c in alone.checks] == [c.observed for c in together.checks]
