"""What is asked of a subject, said before anything runs, is what the report then holds."""

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.check_ids import asked_of, check_ids
from nrverify.reference.mutants import BENIGN, MUTANTS
from nrverify.subjects.errors import SubjectFailed
from tests.auditing import subjects

SUBJECTS = {entry.name: entry.subject for entry in (*MUTANTS, *BENIGN)}
NAMES = (
    *("brownian-plain-numbers", "laplace-poisson-arrivals", "skellam-thinning", "epsilon-brownian"),
    *("epsilon-laplace-norm", "laplace-keep-linear"),
)


def named(mechanism):
    return next(subject for subject in SUBJECTS.values() if asked_mechanism(subject) == mechanism)


def asked_mechanism(subject):
    return getattr(subject if isinstance(subject, type) else subject(), "mechanism", None)


@pytest.mark.parametrize("name", NAMES)
def test_a_report_holds_every_check_that_is_asked_and_judges_no_other(name):
    subject = SUBJECTS[name]
    asked = set(asked_of(subject, 60.0))
    report = audit(subject, samples=400)
    assert asked <= {check.id for check in report.checks}
    assert {check.id for check in report.checks if check.verdict not in ("not-covered", "advice")} <= asked


@pytest.mark.parametrize("mechanism", ["above-threshold", "boundary", "private-stopping"])
def test_so_does_one_of_another_mechanism(mechanism):
    subject = named(mechanism)
    report = audit(subject, samples=400)
    assert {check.id for check in report.checks if check.verdict != "advice"} == set(check_ids(mechanism, "time"))


def test_so_does_one_of_records(tmp_path):
    right, schedule = subjects.Right(), [4.0, 2.0, 1.0]
    sides = [right.sample(np.array([value]), schedule, 1500, seed) for value, seed in ((0.0, 1), (1.0, 2))]
    arrays = {"value": [0.0], "neighbour": [1.0], "schedule": schedule}
    np.savez(tmp_path / "r.npz", mechanism="brownian", releases=sides[0], releases_neighbour=sides[1], **arrays)
    address = f"records:{tmp_path}/r.npz"
    asked = asked_of(address, 60.0)
    assert asked == check_ids("brownian", "time")
    report = audit(address)
    assert report.verdict == "consistent"
    assert set(asked) <= {check.id for check in report.checks}


def test_a_class_that_says_its_mechanism_is_not_called():
    class NotCalled(subjects.Right):
        def __init__(self):
            raise AssertionError

    assert asked_of(NotCalled, 60.0) == check_ids("brownian", "time")


def test_one_that_does_not_is_described_in_a_process_of_its_own():
    assert asked_of(lambda: subjects.Right(), 60.0) == check_ids("brownian", "time")
    with pytest.raises(SubjectFailed, match="longer than"):
        asked_of(lambda: __import__("time").sleep(60), 0.2)
    with pytest.raises(SubjectFailed, match="it must be one of"):
        asked_of(object, 60.0)
