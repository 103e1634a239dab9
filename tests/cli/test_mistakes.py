"""A mistake, or a number beyond all measure, is answered in words or judged: never as an internal error."""

import math

import numpy as np
import pytest
from click.testing import CliRunner

import nrverify
from nrverify.cli import cli


class Brownian:
    """A right subject, whatever it says of itself."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = [1 / at if getattr(self, "knob", "time") == "epsilon" else at for at in schedule]
        spans = np.diff(np.concatenate([[0.0], times[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]


def saying(**attributes):
    """The right subject, saying something else of itself."""
    return type("Saying", (Brownian,), attributes)


def boundary(epsilon, **attributes):
    """A boundary with these values and attributes."""
    usual = {"mechanism": "boundary", "sensitivity": 1.0, "delta": 1e-6, "epsilon": lambda self, t: epsilon(t)}
    return type("Boundary", (), usual | attributes)


def linear(t):
    """A boundary: one quantile at every time."""
    return 0.5 / t + 5.3 / math.sqrt(t)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--seed", "²", "seed is '²': it must be an integer from 0 to 2^63 − 1"),
        ("--seed", "٣", "seed is "),
        ("--seed", "9" * 5000, "seed is "),
        ("--seed", str(2**63), "seed is "),
        ("--seed", "-1", "seed is "),
        ("--timeout", "1e10", "timeout is 10000000000.0: it must be at most 1e+06 seconds"),
        ("--timeout", "1e300", "at most 1e+06 seconds"),
        ("--timeout", "nan", "timeout is nan"),
        ("--samples", str(10**400), "at least 1 and at most 1e+10"),
        ("--samples", "9" * 5000, "--samples"),
        ("--samples", "²", "'²' is not an integer."),
        ("--jobs", str(10**9), "'1000000000' is not an integer from 1 to 1024."),
    ],
)
def test_an_option_out_of_range_is_a_usage_error_that_says_what_is_allowed(option, value, words):
    found = CliRunner().invoke(cli, ["audit", "python:nowhere:Nothing", option, value])
    assert found.exit_code == 2, found.output
    assert words in found.output
    assert len(found.output) < 2000


@pytest.mark.parametrize("command", ["verify", "calibrate", "reproduce"])
@pytest.mark.parametrize("value", ["²", "9" * 5000, "-1", "1e3", ""])
def test_a_seed_that_is_none_is_a_usage_error_that_says_what_is_allowed(command, value):
    found = CliRunner().invoke(cli, [command, "--seed", value])
    assert found.exit_code == 2
    assert f"{value!r:.60} is not an integer from 0 to 4294967295." in found.output
    assert len(found.output) < 500


@pytest.mark.parametrize("arguments", [("--rows", "10000000000000"), ("--trials", "1" + "0" * 30)])
def test_more_trials_or_records_than_memory_holds_are_a_usage_error(arguments):
    found = CliRunner().invoke(cli, ["reproduce", *arguments])
    assert found.exit_code == 2
    assert "is not an integer from" in found.output


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (saying(range=(1e-300, 1e300)), "an end of attribute range is 1e-300: it must be between 1e-50 and 1e+50"),
        (saying(range=(1e100, 1e200)), "range is 1e+100"),
        (saying(knob="epsilon", sensitivity=1e-300, delta=1e-6), "sensitivity is 1e-300: it must be between"),
        (saying(knob="epsilon", sensitivity=1e300, delta=1e-6), "sensitivity is 1e+300: it must be between"),
        (saying(knob="epsilon", sensitivity=1.0, delta=1e-6, range=(0, 1e-300)), "range is 1e-300"),
        (saying(knob="epsilon", sensitivity=1.0, delta=1e-6, range=(1, 1e5)), "must be between 1e-12 and 700"),
        (saying(knob="epsilon", sensitivity=1.0, delta=1e-6, time_of=lambda s, e: 1e300), "time_of(0.2) is 1e+300"),
        (saying(mechanism="skellam", rate=1e300), "rate is 1e+300: it must be between 1e-12 and 1e+12"),
        (boundary(linear, sensitivity=1e300), "sensitivity is 1e+300"),
        (boundary(linear, sensitivity=1e-300), "sensitivity is 1e-300"),
        (boundary(linear, process="skellam", rate=1e300), "rate is 1e+300"),
        (boundary(linear, process="skellam", rate=1e-300), "rate is 1e-300"),
        (boundary(linear, interval=(1e-300, 1e300)), "interval is (1e-300, 1e+300): an end must have t/Δ² between"),
    ],
)
def test_attributes_beyond_all_measure_are_named_with_their_value_and_what_is_allowed(subject, words):
    report = nrverify.audit(subject, samples=100, budget=20)
    assert report.verdict == "errored"
    assert words in report.message


@pytest.mark.parametrize(
    ("subject", "verdict"),
    [
        (boundary(lambda t: 1e300), "consistent"),  # it claims nothing
        (boundary(lambda t: 1e308 * t), "consistent"),  # nor does this
        (boundary(lambda t: 1e-300), "refuted"),
        (boundary(lambda t: 1e-300 if t > 1 else 1e300), "refuted"),
        (boundary(lambda t: 1e300 if t > 1 else 1.0), "refuted"),
        (boundary(linear, process="skellam", rate=1e12), "consistent"),
        (saying(sample=lambda *asked: np.full((asked[3], len(asked[2]), len(asked[1])), 1e200)), "refuted"),
        (saying(knob="epsilon", sensitivity=1e50, delta=1e-6, time_of=lambda s, e: 1 / e), "refuted"),
        (saying(knob="epsilon", sensitivity=1e-50, delta=1e-6, time_of=lambda s, e: 1 / e), "inconclusive"),
        (saying(knob="epsilon", sensitivity=1e9, delta=1e-6, range=(1e-12, 1e-11)), "inconclusive"),
    ],
)
def test_absurd_answers_are_judged(subject, verdict):
    report = nrverify.audit(subject, samples=200, budget=20)
    assert report.verdict == verdict


@pytest.mark.parametrize("value", [math.nan, 0.0, -1.0])
def test_a_boundary_without_a_value_where_only_its_crossing_is_integrated_is_refuted(value):
    """The fourth call on is that of the quadrature, for these times are not those of any scan."""
    calls = []

    def epsilon(t):
        calls.append(t)
        return value if len(calls) > 7000 else 0.5 / t + 5.5 / math.sqrt(t) + 1e-3 * math.sin(40 * math.log(t))

    report = nrverify.audit(boundary(epsilon, interval=(0.01, 100.0)), budget=60)
    assert report.verdict == "refuted"


def test_a_boundary_over_thirty_decades_ends():
    report = nrverify.audit(boundary(linear, interval=(1e-15, 1e15)), budget=20)
    assert report.verdict == "refuted"  # one quantile at every time: passed sooner or later
    crossing = next(check for check in report.checks if check.id == "boundary.crossing")
    assert 1e-6 < crossing.statistic <= 1


def test_a_session_of_more_releases_than_memory_holds_is_not_tried_whole():
    def sample(self, value, schedule, sessions, seed):
        if len(schedule) > 1000:
            raise RuntimeError("so many releases need not be tried")
        return Brownian.sample(self, value, schedule, sessions, seed)

    report = nrverify.audit(saying(most_releases=10**18, dimensions=(1,), sample=sample), samples=200, budget=20)
    assert report.verdict == "inconclusive"  # with so few samples
