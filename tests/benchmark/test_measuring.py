"""The benchmark's arithmetic: verdicts, ratios and memory. Nothing here is timed."""

import math

import numpy as np
import pytest

from nrverify.benchmark import Row, growth, measure


def row(measured, unit, target):
    return Row("a row", measured, unit, target, seconds=1.0, peak_bytes=None)


def test_a_ratio_is_met_from_the_target_upwards_and_a_time_downwards():
    assert row(0.6, "ratio", 0.6).verdict == "met"
    assert row(0.59, "ratio", 0.6).verdict == "missed"
    assert row(0.3, "seconds", 0.3).verdict == "met"
    assert row(0.31, "seconds", 0.3).verdict == "missed"
    assert row(math.nan, "ratio", 0.6).verdict == "missed"
    assert row(math.nan, "seconds", 0.6).verdict == "missed"
    assert row(6e6, "per second", 5e6).verdict == "met"
    assert row(4e6, "per second", 5e6).verdict == "missed"
    for unit in ("relative error", "bytes", "times"):
        assert row(1.0, unit, 1.0).verdict == "met"
        assert row(1.1, unit, 1.0).verdict == "missed"


def test_a_speed_ratio_is_the_limits_time_over_the_works(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(measure, "perf_counter", lambda: now[0])

    def takes(time):
        def work():
            now[0] += time

        return work

    ratio, time = measure.speed_ratio(takes(4.0), takes(1.0), repeats=3)
    assert (ratio, time) == (0.25, 4.0)
    assert measure.median_seconds(takes(2.0), repeats=3) == 2.0


def test_peak_memory_counts_arrays_that_were_held_and_released():
    assert measure.peak_bytes(lambda: None) < 10_000
    assert 8_000_000 <= measure.peak_bytes(lambda: np.ones(1_000_000)) < 8_100_000


def test_the_memory_of_a_simulation_is_that_of_a_batch_whatever_its_size():
    # Ten releases a session, and one number for where it stopped. A chunk has 2**14 sessions: a dozen arrays of it.
    for cost in growth(sizes=[10**5, 3 * 10**5], batch=10**5):
        assert cost.peak_bytes < 8 * 10**5 * 1.1 + 12 * 8 * 2**14
        assert cost.nanoseconds > 0


@pytest.mark.parametrize("row_name", ["threshold_law", "crossing_probability"])
def test_the_exact_calculations_measured_are_those_of_the_laws(row_name):
    from nrverify.benchmark import exact

    measured = getattr(exact, row_name)()
    assert measured.unit == "seconds"
    assert measured.peak_bytes is not None
    assert measured.measured == measured.seconds > 0
