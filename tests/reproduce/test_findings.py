"""Every finding says reproduced, not reproduced and undecided where the numbers say so."""

import math
from dataclasses import replace

import numpy as np
import pytest

from nrverify.reproduce import findings
from nrverify.reproduce.findings import Experiment
from nrverify.reproduce.intervals import Interval
from nrverify.reproduce.stopping import Stops

PLACE = Experiment("ridge", "stand-in")
RNG = np.random.default_rng(0)
LOW = RNG.normal(1.0, 0.05, 1000)
HIGH = RNG.normal(2.0, 0.4, 1000)
SAME = (LOW, LOW[::-1])
EXPONENTIAL_QUANTILES = -np.log1p(-(np.arange(1000) + 0.5) / 1000)


def ended(spent, losses=0.4):
    spent = np.asarray(spent)
    return Stops(spent, spent, np.full_like(spent, losses))


@pytest.mark.parametrize(
    ("interval", "above", "expected"),
    [
        (Interval(2.0, 1.0, 3.0), 0.0, "reproduced"),
        (Interval(2.0, 1.0, 3.0), 1.5, "undecided"),
        (Interval(2.0, 1.0, 3.0), 3.5, "not reproduced"),
        (Interval(math.nan, -math.inf, math.inf), 0.0, "undecided"),
        (Interval(2.0, 0.0, 3.0), 0.0, "undecided"),
    ],
)
def test_a_verdict_follows_from_the_interval(interval, above, expected):
    assert findings.verdict(interval, above) == expected


def two_samples(function):
    return lambda first, second: function(PLACE, first, second)


def gain(first, second):
    return findings.gain_at_tuned(PLACE, 0.3, first, second, useless=0.5)


@pytest.mark.parametrize(
    "measured",
    [
        gain,
        two_samples(findings.smaller_median),
        two_samples(findings.tighter),
        two_samples(findings.longer_tail),
        lambda first, second: findings.reduced_below_above(PLACE, ended(second), ended(first)),
        lambda first, second: findings.reduced_varies_more(PLACE, ended(first), ended(second)),
    ],
)
def test_a_comparison_flips_with_its_samples_and_is_undecided_between_equal_ones(measured):
    assert measured(LOW, HIGH).verdict == "reproduced"
    assert measured(HIGH, LOW).verdict == "not reproduced"
    assert measured(*SAME).verdict == "undecided"


def test_a_heavy_tail_is_found_in_a_pareto_sample_and_not_in_a_uniform_one():
    pareto = np.expm1(EXPONENTIAL_QUANTILES * 1.5) + 1
    uniform = np.linspace(0, 1, 1000)
    assert findings.heavy_tail(PLACE, pareto).verdict == "reproduced"
    assert findings.heavy_tail(PLACE, uniform).verdict == "not reproduced"
    assert findings.heavy_tail(PLACE, EXPONENTIAL_QUANTILES).verdict == "undecided"


def test_the_share_of_above_threshold_is_measured_against_one_half():
    assert findings.above_dominates(PLACE, ended(np.linspace(0.6, 0.8, 500))).verdict == "reproduced"
    assert findings.above_dominates(PLACE, ended(np.linspace(1.5, 3.0, 500))).verdict == "not reproduced"
    assert findings.above_dominates(PLACE, ended([0.9, 1.1] * 250)).verdict == "undecided"


def test_an_estimate_lies_in_its_interval_and_carries_the_kind_of_its_data():
    found = findings.smaller_median(PLACE, LOW, HIGH)
    assert found.low <= found.estimate <= found.high
    assert found.estimate == pytest.approx(np.median(HIGH) - np.median(LOW), abs=0.01)
    assert (found.task, found.data) == ("ridge", "stand-in")


def test_losses_that_are_both_worse_than_no_answer_are_noted():
    assert "neither is of use" in gain(LOW, HIGH).note
    assert gain(LOW / 10, HIGH).note == ""


def test_an_earlier_stop_at_a_worse_loss_is_noted():
    found = findings.reduced_below_above(PLACE, ended(HIGH, 0.41), ended(LOW, 0.43))
    assert "0.4300 against 0.4100" in found.note


def test_runs_that_never_stop_make_a_median_undecided_and_do_not_crash():
    never = replace(ended(HIGH), spent=np.full(1000, np.inf))
    assert findings.reduced_below_above(PLACE, never, never).verdict == "undecided"
    assert findings.reduced_varies_more(PLACE, never, ended(LOW)).verdict == "undecided"
