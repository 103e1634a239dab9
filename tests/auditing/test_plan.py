"""The power plan: what it foresees is what a run then reports, and it samples nothing."""

import json
import re

import pytest
from click.testing import CliRunner

from nrverify.auditing.audit import audit
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.plan.plan import plan
from nrverify.cli import cli
from nrverify.reference.mutants import BENIGN
from nrverify.subjects.adapter import Adapter

RIGHT = {entry.name: entry.subject for entry in BENIGN}
NUMBER = r"\d+\.?\d*(?:e[+-]?\d+)?"

TOLERANCE = 0.1
"""Half-widths go like the root of a count. Counts of adaptive sessions are random and differ by up to 10 % among 400 of
them, which is 5 % in a half-width; values and times are drawn anew, which moved sizes by up to 7 %."""


class Untouchable:
    """A subject that cannot be sampled: every call of it fails."""

    mechanism = "brownian"
    dimensions = (1,)

    def open(self, value, seed):
        raise AssertionError("sampled")

    def sample(self, value, schedule, sessions, seed):
        raise AssertionError("sampled")


def planned(subject, samples):
    return plan(Adapter(subject()).description, Settings(samples=samples))


def figures(words):
    """The numbers in what a check would catch."""
    return [float(number) for number in re.findall(NUMBER, words or "")]


def numbers(sizes):
    """How large the smallest faults are that would be found."""
    return [size.value for size in sizes]


def agree(foreseen, reported):
    return len(foreseen) == len(reported) and all(
        abs(a - b) <= TOLERANCE * b for a, b in zip(foreseen, reported, strict=True)
    )


@pytest.mark.parametrize(
    "name",
    [
        *("brownian-bridge", "laplace-walk", "epsilon-brownian", "epsilon-laplace"),
        *("threshold", "reduced-threshold-run-many-only", "stopping"),
    ],
)
def test_what_is_foreseen_is_what_a_run_reports(name):
    samples = 3000
    report = {check.id: check for check in audit(RIGHT[name], samples=samples, seed=1).checks}
    found = [check for check in planned(RIGHT[name], samples).checks if not check.id.startswith("boundary.")]
    assert found
    for check in found:
        reported = report[check.id]
        if check.id in ("randomness.streams", "lattice", "numerics.last-bits"):
            # How many requests the sessions fall into, which grids the numbers suggest, and how well the releases alone
            # tell values apart, is not known beforehand.
            assert figures(check.detectable) == []
            continue
        if reported.verdict == "advice":
            # It found something, and says what instead of what it would have found.
            assert reported.detectable is None
            assert reported.message
            continue
        # Of quantities that are as hard to see as one another either may be named.
        assert bool(check.detectable) == bool(reported.detectable)
        assert agree(numbers(check.sizes), numbers(reported.sizes)), (check, reported.sizes)
        assert check.alpha == reported.alpha
    judged = {id: check.verdict == "consistent" for id, check in report.items()}
    assert all(check.enough == judged[check.id] for check in found if judged[check.id])


def test_a_plan_for_another_budget_does_not_agree():
    half = {check.id: check for check in planned(RIGHT["brownian-bridge"], 1500).checks}
    for check in planned(RIGHT["brownian-bridge"], 3000).checks:
        if "variance" in (check.detectable or ""):
            assert not agree(figures(half[check.id].detectable), figures(check.detectable))


def test_a_budget_four_times_as_large_sees_half_as_much():
    small, large = (
        {check.id: figures(check.detectable) for check in planned(RIGHT["laplace-walk"], samples).checks}
        for samples in (50_000, 200_000)
    )
    for id in ("law.release", "law.transcript", "ties", "loss.stopping"):
        # Two digits of either number are shown.
        assert small[id][0] / large[id][0] == pytest.approx(2, rel=0.1)


def test_every_check_of_a_run_is_planned_or_said_not_to_be_covered():
    for name in ("brownian-bridge", "epsilon-brownian", "skellam-thinning"):
        found = planned(RIGHT[name], 2000)
        named = {check.id for check in found.checks} | {result.id for result in found.not_covered}
        assert {"law.release", "law.transcript", "privacy.ex-post", "loss.stopping", "ties.repeated-time"} <= named


def test_nothing_is_sampled():
    found = planned(Untouchable, 10_000)
    assert {"law.release", "law.transcript"} <= {check.id for check in found.checks}
    assert all(check.enough for check in found.checks if check.id in ("law.release", "law.transcript"))


def test_too_small_a_budget_is_said_to_be_too_small():
    found = {check.id: check for check in planned(RIGHT["threshold"], 500).checks}
    assert not found["threshold.law"].enough
    assert not found["privacy.ex-post"].enough
    assert found["threshold.protocol"].enough
    assert planned(RIGHT["brownian-bridge"], 1).checks


def test_a_boundary_is_judged_whatever_the_budget_by_a_thousandth_of_delta():
    found = {check.id: check for check in planned(RIGHT["boundary-linear"], 1).checks}
    (size,) = found["boundary.crossing"].sizes
    assert (size.value, size.unit) == (pytest.approx(1.001e-6, rel=1e-12), "δ")
    assert "boundary.inverse" in found
    assert "boundary.inverse" not in {check.id for check in planned(RIGHT["boundary-whole-drift"], 1).checks}


def test_one_check_alone_gets_the_samples_it_would_get():
    settings = Settings(samples=4000, only=("privacy.ex-post",))
    found = plan(Adapter(RIGHT["threshold"]()).description, settings)
    assert [check.id for check in found.checks] == ["privacy.ex-post"]
    assert found.checks[0].samples == pytest.approx(4000, rel=0.02)


def run(*arguments):
    return CliRunner().invoke(cli, ["audit", *arguments])


HERE = "python:nrverify.reference.mutants.correct.threshold:AboveThreshold"


def test_the_command_prints_the_plan_and_exits_0():
    result = run(HERE, "--plan")
    assert result.exit_code == 0
    assert "Nothing was sampled" in " ".join(result.output.split())
    assert "threshold.law" in result.output


def test_the_plan_as_data_is_one_document_on_standard_output():
    result = run(HERE, "--plan", "--json", "-", "--samples", "5000", "--check", "threshold.law")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["schema"] == "nrverify/plan/1"
    assert [check["id"] for check in document["checks"]] == ["threshold.law"]
    assert document["samples"] == 5000


SECOND_START = """
import pathlib

started = pathlib.Path(__file__).with_suffix(".started")
if not started.exists():
    started.touch()
    raise RuntimeError("the first start fails")


class Subject:
    mechanism = "brownian"
    dimensions = (1,)

    def sample(self, value, schedule, sessions, seed):
        pathlib.Path(__file__).with_suffix(".sampled").touch()
        raise AssertionError("sampled")
"""


def test_a_subject_that_fails_at_its_first_start_is_not_audited_at_its_second(tmp_path):
    file = tmp_path / "subject.py"
    file.write_text(SECOND_START)
    result = run(f"python:{file}:Subject", "--plan")
    assert result.exit_code == 3
    assert "the first start fails" in result.output
    assert not file.with_suffix(".sampled").exists()
    assert run(f"python:{file}:Subject", "--plan").exit_code == 0
    assert not file.with_suffix(".sampled").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["records:x.npz", "--plan"], 2, "nothing to plan"),
        ([HERE, "--plan", "--html", "x.html"], 2, "--plan writes --json alone"),
        ([HERE, "--plan", "--alpha", "2"], 2, "alpha is 2.0"),
        (["nowhere", "--plan"], 2, "not the address of a subject"),
        (["python:no.such.module:X", "--plan"], 3, "could not be run"),
    ],
)
def test_what_cannot_be_planned_says_why(arguments, code, words):
    result = run(*arguments)
    assert result.exit_code == code
    assert words in " ".join(result.output.split())
