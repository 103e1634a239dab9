"""Audits of Brownian subjects: right ones are never refuted, wrong ones are, for the reason that is theirs.

A right subject is refuted with probability at most 1e-6 an audit; seeds are fixed.
"""

import json

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.core.faults import Effect
from tests.auditing import subjects


def refuted(report):
    return {check.id for check in report.checks if check.verdict == "refuted"}


@pytest.mark.parametrize(
    "subject", [subjects.Right, subjects.OnlySessions, subjects.ForwardPath, subjects.Picky], ids=lambda s: s.__name__
)
def test_a_right_subject_is_consistent_and_says_what_would_have_been_caught(subject):
    report = audit(subject(), samples=12_000)
    assert report.verdict == "consistent", refuted(report)
    assert report.exit_code == 0
    law = next(check for check in report.checks if check.id == "law.transcript")
    assert {size.quantity for size in law.sizes} == {
        "variance of every release given the past",
        "memory of the release before",
    }


@pytest.mark.parametrize(
    ("subject", "check", "fault", "most"),
    [
        (subjects.Fresh, "law.transcript", "all-releases-fresh", 200),
        (subjects.PullsToZero, "law.value", "pulled-to-zero", 200),
        (subjects.WideBridge, "law.transcript", "steps-scaled", 6_000),
        (subjects.Small, "law.transcript", "all-noise-scaled", 60_000),
        (subjects.AfterExtremes, "law.transcript", "after-unusual-release", 8_000),
        (subjects.Correlated, "independence.coordinates", "shared-between-coordinates", 12_000),
        (subjects.HeavyTails, "law.release", "wrong-shape", 8_000),
        (subjects.FewStreams, "randomness.streams", "seed-ignored", 2_000),
        (subjects.SinglePrecision, "lattice", "single-precision", 500),
        (subjects.WholeSteps, "lattice", "noise-rounded", 500),
        (subjects.WrongOnlyInSessions, "law.adaptive", "all-releases-fresh", 2_000),
        (subjects.NotANumber, "protocol.finite", "not-a-number", 200),
    ],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_a_wrong_subject_is_refuted_by_the_check_that_names_its_fault(subject, check, fault, most):
    report = audit(subject(), samples=most, keep_going=True)
    assert report.verdict == "refuted"
    assert report.exit_code == 1
    assert check in refuted(report)
    result = next(c for c in report.checks if c.id == check)
    assert result.finding.fault.id == fault
    assert "Likely cause:" in result.message
    assert "Effect:" in result.message
    assert "seed=0" in result.reproduce


@pytest.mark.parametrize("order", ["bridge, step by step", "walk, step by step", "walk, session by session"])
def test_few_batches_are_seen_though_no_two_ask_for_the_same_times(order):
    report = audit(subjects.FewBatches(order))
    assert refuted(report) == {"randomness.streams"}
    assert report.run["samples"] <= 60_000


def test_too_much_noise_is_said_to_harm_accuracy_only():
    # At its first refutation the constant is not known well enough to say so.
    report = audit(subjects.WideBridge(), samples=20_000, keep_going=True)
    law = next(check for check in report.checks if check.id == "law.release")
    assert law.effect is Effect.INACCURACY
    assert "only accuracy suffers" in law.explanation.effect


def test_an_audit_gives_the_same_report_for_the_same_seed():
    documents = []
    for _ in range(2):
        document = audit(subjects.Right(), samples=2_000, seed=5).document()
        for name in ("seconds", "subject_seconds"):
            document["run"].pop(name)
        documents.append(document)
    assert documents[0] == documents[1]


def test_a_tiny_budget_is_inconclusive_not_a_pass():
    report = audit(subjects.Right(), samples=300)
    assert (report.verdict, report.exit_code) == ("inconclusive", 4)


def test_a_subject_that_refuses_part_of_the_range_is_audited_on_the_rest():
    report = audit(subjects.Picky(), samples=3_000)
    refused = next(check for check in report.checks if check.id == "protocol.range")
    assert "not covered" in refused.message


def test_a_subject_that_refuses_everything_could_not_be_run():
    class Refuses(subjects.Right):
        def sample(self, value, schedule, sessions, seed):
            raise ValueError("no")

    report = audit(Refuses())
    assert (report.verdict, report.exit_code) == ("errored", 3)
    assert "refuses every request" in report.message


def test_a_subject_that_fails_after_the_smoke_stage_could_not_be_run_unless_it_was_refuted():
    class FailsLater(subjects.Right):
        calls = 0

        def sample(self, value, schedule, sessions, seed):
            self.calls += 1
            if self.calls > 40:
                raise RuntimeError("worn out")
            return super().sample(value, schedule, sessions, seed)

    assert audit(FailsLater()).exit_code == 3

    class WrongAndFails(FailsLater):
        def step(self, noise, t, s, rng):
            return self.first(noise.shape, s, rng)

    assert audit(WrongAndFails()).exit_code == 1


def test_the_report_has_every_field_and_is_strict_json():
    report = audit(subjects.Fresh())
    document = json.loads(report.to_json())
    assert document["schema"] == "nrverify/report/2"
    assert {"name", "version", "mechanism", "knob", "address"} <= set(document["subject"])
    assert {"seed", "alpha", "samples", "stopped", "versions", "seconds"} <= set(document["run"])
    wanted = (
        "id claims kind verdict samples statistic p_value e_value alpha detectable expected observed message reproduce "
        "fault numbers effect detectable_size explanation"
    )
    assert all(set(check) >= set(wanted.split()) for check in document["checks"])
    law = next(check for check in document["checks"] if check["id"] == "law.transcript")
    assert (law["fault"], law["form"]) == ("fresh-noise", "all-releases-fresh")
    assert {"quantity", "expected", "observed", "error"} <= set(law["numbers"])
    assert law["effect"] == "leak"
    assert all(check["kind"] == "privacy" for check in document["checks"] if check["id"] == "privacy.ex-post")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"alpha": 2.0}, "alpha is 2.0"), ({"samples": 0}, "samples is 0"), ({"budget": np.nan}, "budget is nan")],
)
def test_a_mistake_in_the_arguments_is_a_value_error_that_names_it(arguments, words):
    with pytest.raises(ValueError, match=words):
        audit(subjects.Right(), **arguments)
