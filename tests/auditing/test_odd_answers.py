"""Subjects that answer or refuse in ways of their own: judged on what they answer, or told what is needed."""

import enum
from decimal import Decimal

import pytest

from nrverify import audit
from tests.auditing.subjects import Path


class Strict(Path):
    def sample(self, value, schedule, sessions, seed):
        if len(set(schedule)) < len(schedule):
            raise ValueError("times must decrease strictly")
        return super().sample(value, schedule, sessions, seed)


def test_a_subject_that_refuses_repeated_times_is_audited_without_them():
    report = audit(Strict(), samples=6_000)
    assert report.verdict == "consistent"
    verdicts = {check.id: check for check in report.checks}
    assert verdicts["ties.repeated-time"].verdict == "not-covered"
    assert "repeated times" in verdicts["protocol.range"].message


class Decimals(Path):
    def shown(self, value, noise, rng):
        return [[[Decimal(x) for x in row] for row in session] for session in (value + noise).tolist()]


def test_decimal_numbers_are_numbers():
    assert audit(Decimals(), samples=1_500).verdict == "consistent"


@pytest.mark.parametrize("answer", [None, "1.5", object()], ids=["nothing", "a text", "an object"])
def test_an_answer_that_is_no_number_is_an_error_and_not_a_release(answer):
    class Odd:
        mechanism = "brownian"

        def open(self, value, seed):
            return self

        def release(self, at):
            return answer

    report = audit(Odd(), samples=100)
    assert report.verdict == "errored"
    assert "release() returned" in report.message
    assert "one number is needed" in report.message


class Raising:
    """A boundary that knows only some times."""

    mechanism, sensitivity, delta = "boundary", 1.0, 1e-6

    def epsilon(self, time):
        if time < 0.01:
            raise ValueError("no table below 0.01")
        return 40.0 / time + 0.5


def test_a_boundary_that_raises_is_told_where_it_was_asked_and_what_to_say():
    report = audit(Raising())
    assert report.verdict == "errored"
    assert "no table below 0.01" in report.message
    assert "asked at 1e-09 to 1e+09" in report.message
    assert report.message.count("interval = (t_min, t_max)") == 1


class Named(str, enum.Enum):  # noqa: UP042 (str() of it is its name, of a StrEnum its value)
    BROWNIAN, TIME = "brownian", "time"


class Enumerated(Path):
    mechanism, knob = Named.BROWNIAN, Named.TIME


def test_a_member_of_an_enumeration_is_the_text_it_stands_for():
    report = audit(Enumerated(), samples=1_500)
    assert report.verdict == "consistent"
    assert (report.document()["subject"]["mechanism"], report.document()["subject"]["knob"]) == ("brownian", "time")
