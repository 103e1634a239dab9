"""`stopping.protocol` tells what is shown after the stop, numbers that are none, and releases drawn again."""

from dataclasses import replace

import numpy as np

from nrverify.auditing.core.faults.halting import SHOWS_MORE
from nrverify.auditing.core.faults.noise import NOT_A_NUMBER, REPEATED_TIME_REDRAWN
from nrverify.auditing.core.results import CheckVerdict
from nrverify.auditing.private_stopping.protocol import StoppingProtocol

from .batches import stopped


def concluded(*batches):
    check = StoppingProtocol()
    for batch in batches:
        part = check.empty_copy()
        part.observe(batch)
        check.merge(part)
    return check.conclude(1e-6)


def test_right_runs_are_spared():
    result = concluded(stopped(runs=500))
    assert (result.verdict, result.samples, result.finding) == (CheckVerdict.CONSISTENT, 500, None)


def test_what_is_shown_after_the_stop_is_counted():
    runs = stopped(runs=500)
    result = concluded(replace(runs, after_halt=("bits [1, 0]", "bits [0, 1, 1]")))
    assert result.verdict is CheckVerdict.REFUTED
    assert result.finding.fault is SHOWS_MORE
    assert (result.finding.estimate.observed, result.finding.estimate.count) == (2, 500)
    assert result.finding.texts["example"] == "bits [1, 0]"


def test_a_release_that_is_nan_is_not_a_number():
    runs = stopped(runs=500)
    releases = runs.releases.copy()
    releases[7, 0] = np.nan
    assert concluded(replace(runs, releases=releases)).finding.fault is NOT_A_NUMBER


def test_another_release_at_the_same_time_is_redrawn_noise():
    runs = stopped(runs=500)
    releases = runs.releases.copy()
    releases[:, 3] += 1.0
    result = concluded(replace(runs, releases=releases))
    assert result.finding.fault is REPEATED_TIME_REDRAWN
    assert result.finding.estimate.observed == int((runs.bins >= 3).sum())


def test_the_first_fault_met_is_the_one_named():
    runs = stopped(runs=50)
    releases = np.where(runs.present[:, :, None], np.inf, np.nan)
    result = concluded(replace(runs, releases=releases), replace(runs, after_halt=("bits [1, 0]",)))
    assert result.finding.fault is NOT_A_NUMBER
    assert result.finding.estimate.count == 100
