"""Subjects that say and answer anything: described or refused in one sentence, and audited to a verdict."""

import pytest

import nrverify
from nrverify.subjects.describe import describe
from nrverify.subjects.description import MECHANISMS
from nrverify.subjects.errors import SubjectFailed
from tests.fuzz.fuzzing import MANY, concluded, corpus, fresh, one_sentence
from tests.support.strange_subjects import NUMBERS, OUTPUTS, anything, nested, subject_of

ANSWERS = (*OUTPUTS, *NUMBERS, 1e200, -1e200, nested(40), nested(2000))
CLAIMS = ((1.0, 0.0), (0.0, 0.0), (1e-300, 0.999), (1e308, 0.5))


def described(said):
    found, words = None, "described"
    try:
        found = describe(said)
    except SubjectFailed as failure:
        words = str(failure)
    assert one_sentence(words), said
    return found


def judged(said, answer, share, **options):
    """The audit of such a subject ends in a verdict, and says it."""
    try:
        report = nrverify.audit(subject_of(said, answer, share), samples=150, budget=5, timeout=30, **options)
    except ValueError as mistake:  # an option that is not for this subject
        report, words = None, str(mistake)
    assert concluded(report) if report is not None else options and one_sentence(words), said


@pytest.mark.parametrize("said", corpus("subjects"))
def test_subjects_that_once_failed(said):
    said = {"mechanism": "brownian", "methods": ["sample", "run", "epsilon", "time"], **said}
    report = nrverify.audit(subject_of(said), samples=100, budget=10)
    assert report.verdict == "errored"
    assert one_sentence(report.message)


@pytest.mark.slow
def test_any_attributes_are_a_description_or_one_sentence():
    rng = fresh()
    kept = sum(described(anything(rng)) is not None for _ in range(MANY))
    assert kept > MANY // 10  # and not only refusals


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_whatever_a_subject_says_and_answers_its_audit_ends_in_a_verdict(mechanism):
    rng = fresh(mechanism)
    done, wanted = 0, MANY // (1000 if "threshold" in mechanism else 500 if mechanism != "any" else 100)
    while done < wanted:
        said = anything(rng, mechanism)
        answer, share = rng.choice(ANSWERS), rng.choice([0, 0, 0.01, 0.1, 0.5, 1])
        options = {"numerics": "exact"} if rng.random() < 0.2 else {}
        if rng.random() < (0.2 if mechanism == "any" else 0.02):
            options["claim"] = rng.choice(CLAIMS)
        if described(said) is None:
            continue
        judged(said, answer, share, **options)
        done += 1
