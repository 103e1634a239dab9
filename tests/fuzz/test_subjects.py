"""Subjects that say and answer anything: described or refused in one sentence, and audited to a verdict."""

import math

import numpy as np
import pytest

import nrverify
from nrverify.subjects.describe import describe
from nrverify.subjects.description import MECHANISMS
from nrverify.subjects.errors import SubjectFailed
from tests.fuzz.fuzzing import MANY, corpus, fresh, one_sentence

NUMBERS = (
    *(0, 1, -1, 2, 0.5, 1e-6, 3.0, 10**30, 10**400, 1e-300, 1e300, 1e-320, 1e308, math.nan, math.inf, -math.inf, -0.0),
    *(
        1e-50,
        1e50,
        1e-12,
        1e12,
        700,
        True,
        None,
        "",
        "1",
        "brownian",
        b"1",
        [],
        {},
        object,
        1j,
        "\x1b[2J",
        "x" * 10_000,
    ),
)
PAIRS = ("range", "interval", "dimensions")


def anything(rng):
    """Attributes of a subject, most of them awkward."""
    found = {"mechanism": rng.choice(MECHANISMS), "methods": ["sample", "run", "epsilon", "time", "time_of"]}
    for name in ("knob", "sensitivity", "delta", "rate", "process", "name", "version", *PAIRS):
        if rng.random() < 0.5:
            value = rng.choice(NUMBERS)
            if name in PAIRS and rng.random() < 0.8:
                value = [rng.choice(NUMBERS) for _ in range(rng.choice([0, 1, 2, 2, 2, 3]))]
            found[name] = rng.choice(["time", "epsilon"]) if name == "knob" and rng.random() < 0.7 else value
    return found


def described(attributes):
    found, words = None, "described"
    try:
        found = describe(attributes)
    except SubjectFailed as failure:
        words = str(failure)
    assert one_sentence(words), attributes
    return found


class Any:
    """A subject that answers as it is told to."""

    mechanism = "brownian"

    def __init__(self, attributes, answer):
        vars(self).update(attributes)
        self._answer = answer

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = np.array(schedule) if getattr(self, "knob", "time") == "time" else 1 / np.array(schedule)
        noise = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(times)[:, None]
        return value + noise if self._answer is None else np.where(noise > 0.3, self._answer, value + noise)

    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        return [0] * len(utilities) if self._answer is None else [self._answer]

    def epsilon(self, time):
        return 1 / time if self._answer is None else self._answer

    def time(self, epsilon):
        return 1 / epsilon if self._answer is None else self._answer


@pytest.mark.parametrize("attributes", corpus("subjects"))
def test_subjects_that_once_failed(attributes):
    report = nrverify.audit(Any(attributes, None), samples=100, budget=10)
    assert report.verdict == "errored"
    assert one_sentence(report.message)


@pytest.mark.slow
def test_any_attributes_are_a_description_or_one_sentence():
    rng = fresh()
    kept = sum(described(anything(rng)) is not None for _ in range(MANY))
    assert kept > MANY // 200  # and not only refusals


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_whatever_a_subject_says_and_answers_its_audit_ends_in_a_verdict():
    rng = fresh()
    answers = (None, None, math.nan, math.inf, 0.0, -1.0, 1e200, 1e308, 1e-308, 5e-324)
    done = 0
    while done < MANY // 200:
        attributes = anything(rng)
        if described(attributes) is None:
            continue
        attributes.pop("methods")
        report = nrverify.audit(Any(attributes, rng.choice(answers)), samples=150, budget=5, timeout=30)
        assert report.exit_code in (0, 1, 3, 4), attributes
        done += 1
