"""Where a fault is seen: told where some places are wrong and others right, and not where they cannot be told apart."""

import numpy as np
import pytest

import nrverify
from nrverify.auditing.core.finding import Place
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.explain.text import place_text
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.diagnosis.fault_location import Places
from nrverify.laws.brownian import Brownian
from nrverify.subjects.policies import Fixed
from tests.auditing import subjects

SCHEDULES = ((8.0, 4.0, 0.3), (30.0, 29.0, 20.0), (5.0, 2.0, 0.02))


def seen(factor_at, schedules=SCHEDULES, sessions=400):
    """Places after cases with each schedule, dimension and method, the deviation of innovations multiplied."""
    rng = np.random.default_rng(21)
    places = Places()
    for number, schedule in enumerate(schedules):
        for d in (1, 3):
            for method in ("sample", "open"):
                noise = np.zeros((sessions, len(schedule), d))
                before = None
                for place, time in enumerate(schedule):
                    ratio = time / before if before else 0.0
                    deviation = np.sqrt(time * (1 - ratio)) * factor_at(d, method, place + 1, time, ratio)
                    last = noise[:, place - 1] if before else 0.0
                    noise[:, place] = ratio * last + deviation * rng.standard_normal((sessions, d))
                    before = time
                times = np.tile(schedule, (sessions, 1))
                found = innovations(Brownian(), noise, times, np.abs(noise), rng, integer=False)
                case = Case(f"{number} {d} {method}", (0.0,) * d, Fixed(schedule), method)
                part = Places()
                part.observe(Batch(case, noise, times, times, found))
                places.merge(part)
    return None if places.place is None else place_text(places.place)


@pytest.mark.parametrize(
    ("factor_at", "words"),
    [
        (lambda d, method, place, time, ratio: 0.8 if d == 3 else 1.0, "in dimension 3"),
        (lambda d, method, place, time, ratio: 1.2 if method == "open" else 1.0, "through open()"),
        (lambda d, method, place, time, ratio: 1.2 if method == "sample" else 1.0, "through sample()"),
        (lambda d, method, place, time, ratio: 0.8 if place == 1 else 1.0, "at the first release"),
        (lambda d, method, place, time, ratio: 0.8 if place > 1 else 1.0, "from release 2 on"),
        (lambda d, method, place, time, ratio: 0.8 if place == 2 else 1.0, "at release 2"),
        (lambda d, method, place, time, ratio: 0.8 if time < 1 else 1.0, "at times below 1"),
        (lambda d, method, place, time, ratio: 0.8 if time >= 10 else 1.0, "at times from 10 on"),
        (lambda d, method, place, time, ratio: 0.8, None),
        (lambda d, method, place, time, ratio: 1.0, None),
    ],
)
def test_it_is_said_where_a_fault_is_seen(factor_at, words):
    assert seen(factor_at) == words


def test_nothing_is_said_where_a_case_says_otherwise_or_one_alone_is_wrong():
    assert seen(lambda d, method, place, time, ratio: 0.7 if (d, method) == (3, "open") else 1.0) is None
    assert seen(lambda d, method, place, time, ratio: 0.1 if time == 20.0 and d == 1 else 1.0) is None


def test_nothing_is_said_of_few_sessions():
    assert seen(lambda d, method, place, time, ratio: 0.5 if d == 3 else 1.0, sessions=5) is None


class SampleShort(subjects.Right):
    """Nine tenths of the variance through sample(), and right through open()."""

    def sample(self, value, schedule, sessions, seed):
        return value + np.sqrt(0.9) * (super().sample(value, schedule, sessions, seed) - value)


def test_an_audit_says_it():
    # The first refutation comes before the two methods are told apart.
    report = nrverify.audit(SampleShort(), samples=8_000, keep_going=True)
    assert report.verdict == "refuted"
    law = next(check for check in report.checks if check.id in ("law.release", "law.transcript") and check.explanation)
    assert law.finding.where == Place("method", (0.0,), (1.0,))
    assert "Seen only through sample()." in law.explanation.seen
