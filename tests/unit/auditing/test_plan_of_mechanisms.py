"""A plan draws its tasks from the mechanism of the audit, and never from the subject."""

import pytest
from click.testing import CliRunner

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.mechanisms import mechanism_of
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.plan.plan import _enough, _whole_run, plan
from nrverify.cli import cli
from nrverify.subjects.adapter import Adapter
from nrverify.subjects.errors import SubjectFailed


class Threshold:
    mechanism = "above-threshold"

    def run_many(self, *arguments):
        raise AssertionError("sampled")


class Boundary:
    mechanism = "boundary"
    sensitivity = 1.0
    delta = 1e-6

    def epsilon(self, time):
        raise AssertionError("asked")


def test_the_shares_of_a_whole_run_add_up_to_it():
    mechanism = mechanism_of(ClaimedLaw(Adapter(Threshold()).description), Settings())
    assert sum(task.weight for task in _whole_run(mechanism, 5000)) == pytest.approx(1)


SAMPLED_OF_THRESHOLDS = ("threshold.protocol", "threshold.law", "randomness.streams", "privacy.ex-post")


def test_a_threshold_is_planned_without_a_run_and_by_the_levels_of_its_audit():
    found = {check.id: check for check in plan(Adapter(Threshold()).description, Settings(samples=20_000)).checks}
    assert set(found) == {*SAMPLED_OF_THRESHOLDS, "privacy.epsilon"}
    assert all(found[id].alpha == pytest.approx(0.22e-6) for id in SAMPLED_OF_THRESHOLDS)
    assert found["threshold.law"].samples == pytest.approx(20_000, rel=0.01)
    assert found["threshold.law"].enough


def test_a_boundary_is_planned_from_its_declarations():
    found = plan(Adapter(Boundary()).description, Settings())
    assert [check.id for check in found.checks] == ["boundary.values", "boundary.monotone", "boundary.crossing"]
    assert all(check.sizes and check.enough and check.samples is None for check in found.checks)
    assert [result.id for result in found.not_covered] == ["boundary.inverse"]


def test_what_is_enough_is_the_word_of_the_check():
    assert _enough(CheckResult("a", "law", CheckVerdict.REFUTED))
    assert not _enough(CheckResult("a", "law", CheckVerdict.REFUTED, enough=False))
    assert not _enough(CheckResult("a", "law", CheckVerdict.INCONCLUSIVE))


def test_a_subject_that_cannot_be_started_ends_the_command_and_is_not_audited(monkeypatch):
    def fails(subject, timeout):
        raise SubjectFailed("it does not start")

    def audited(*arguments, **options):
        raise AssertionError("audited")

    monkeypatch.setattr("nrverify.subjects.reach.description_of", fails)
    monkeypatch.setattr("nrverify.auditing.audit.audit", audited)
    result = CliRunner().invoke(cli, ["audit", "python:somewhere:Subject", "--plan"])
    assert result.exit_code == 3
    assert "it does not start" in result.output
