"""The simulation's contract: shapes, determinism, schedules, stopping rules and refusals."""

import math

import numpy as np
import pytest

from nrverify import simulate, transcripts
from nrverify.reference.schedules import by_sign, first_above, first_within
from nrverify.reference.simulate import CHUNK

EVERY = [("brownian", None), ("laplace", "walk"), ("laplace", "poisson"), ("laplace", "lazy"), ("skellam", None)]
MECHANISMS = ["brownian", "laplace", "skellam"]


@pytest.mark.parametrize(("mechanism", "method"), EVERY)
def test_the_array_is_sessions_by_releases_by_coordinates(mechanism, method):
    for value, d in ((3, 1), ([1, 2, 3], 3), (np.arange(20), 20)):
        releases = simulate(mechanism, value, [4.0, 2.0, 2.0, 1.0], 7, 0, method=method)
        assert releases.shape == (7, 4, d)
        assert releases.dtype == (np.int64 if mechanism == "skellam" else np.float64)


@pytest.mark.parametrize(("mechanism", "method"), EVERY)
def test_equal_consecutive_times_give_exactly_equal_releases(mechanism, method):
    releases = simulate(mechanism, [1, 2], [4.0, 4.0, 1.0, 1.0, 1.0], 500, 3, method=method)
    np.testing.assert_array_equal(releases[:, 0], releases[:, 1])
    np.testing.assert_array_equal(releases[:, 2], releases[:, 3])
    np.testing.assert_array_equal(releases[:, 2], releases[:, 4])
    assert (releases[:, 1] != releases[:, 2]).any()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_adaptive_schedule_may_ask_the_same_time_again(mechanism):
    def schedule(releases):
        return np.where(releases[:, :, 0].sum(axis=1) > 0, 2.0, 1.0) if releases.shape[1] == 1 else stay(releases)

    def stay(releases):
        return 2.0 if releases.shape[1] == 0 else np.where(releases[:, 0, 0] > 0, 2.0, 1.0)

    run = transcripts(mechanism, [0, 0], schedule, 400, 5, releases=3)
    kept = run.releases[:, 0, 0] > 0
    assert 0 < kept.sum() < 400
    np.testing.assert_array_equal(run.releases[kept, 0], run.releases[kept, 1])
    np.testing.assert_array_equal(run.releases[:, 1], run.releases[:, 2])


@pytest.mark.parametrize(("mechanism", "method"), EVERY)
def test_arguments_alone_decide_the_result(mechanism, method):
    def run(sessions, seed):
        return simulate(mechanism, [0, 0, 0, 0], [50.0, 20.0], sessions, seed, method=method)

    chunk = CHUNK // 4
    two_chunks = run(2 * chunk, 1)
    np.testing.assert_array_equal(two_chunks, run(2 * chunk, 1))
    np.testing.assert_array_equal(two_chunks[:chunk], run(chunk, 1))
    assert (two_chunks[:chunk] != two_chunks[chunk:]).any()
    assert (run(50, 1) != run(50, 2)).any()


def test_the_value_is_left_alone_and_shifts_the_releases():
    value = np.array([1.0, 2.0])
    shifted = simulate("brownian", value, [4.0, 1.0], 100, 1)
    np.testing.assert_array_equal(shifted, value + simulate("brownian", [0.0, 0.0], [4.0, 1.0], 100, 1))
    np.testing.assert_array_equal(value, [1.0, 2.0])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_schedule_sees_only_running_sessions_and_cannot_write_to_them(mechanism):
    shown = []

    def schedule(releases):
        shown.append(releases.shape)
        assert not np.isnan(releases).any()
        with pytest.raises(ValueError, match="read-only"):
            releases[...] = 0
        return 8.0 * 0.5 ** releases.shape[1]

    run = transcripts(mechanism, [0, 0], schedule, 300, 4, releases=3, stop=first_above(0.5))
    running = [300, int((run.stops != 1).sum()), int(((run.stops != 1) & (run.stops != 2)).sum())]
    assert shown == [(running[0], 0, 2), (running[1], 1, 2), (running[2], 2, 2)]
    assert 0 < running[2] < running[1] < 300


@pytest.mark.parametrize("schedule", [[8.0, 4.0, 2.0], by_sign(8.0, 0.9, 0.5)])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_after_a_stop_releases_and_times_are_nan_and_the_rule_held_where_it_stopped(mechanism, schedule):
    releases = 3 if callable(schedule) else None
    run = transcripts(mechanism, [0, 0], schedule, 500, 4, releases=releases, stop=first_within(2.0))
    assert set(run.stops.tolist()) == {0, 1, 2, 3}
    for seen, times, stop in zip(run.releases, run.times, run.stops, strict=True):
        made = stop or 3
        inside = np.linalg.norm(seen[:made], axis=-1) <= 2.0
        assert inside.tolist() == [False] * (made - 1) + [stop > 0]
        assert np.isnan(seen[made:]).all()
        assert np.isnan(times[made:]).all()
        assert (np.diff(times[:made]) <= 0).all()


def test_a_run_that_everyone_stops_at_once_ends_there():
    run = transcripts("brownian", 0.0, lambda seen: 1.0, 10, 0, releases=5, stop=lambda seen: True)
    assert (run.stops == 1).all()
    assert np.isnan(run.releases[:, 1:]).all()


def test_a_fixed_schedule_reports_its_times_for_every_session():
    run = transcripts("laplace", 0.0, [3.0, 1.0], 4, 0)
    np.testing.assert_array_equal(run.times, [[3.0, 1.0]] * 4)
    np.testing.assert_array_equal(run.stops, [0] * 4)


@pytest.mark.parametrize(
    "schedule",
    [[], [[1.0]], 1.0, [1.0, 2.0], [0.0], [-1.0], [math.nan], [math.inf, 1.0], [1.0, math.nan], ["a"], None],
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_schedule_that_is_not_one_is_refused(mechanism, schedule):
    with pytest.raises(ValueError, match=r"(schedule|time) .*: it must"):
        simulate(mechanism, 0, schedule, 10, 0)


@pytest.mark.parametrize("times", [-1.0, 0.0, math.nan, math.inf, [1.0, 1.0], np.ones((10, 1))])
def test_a_function_that_gives_no_valid_times_is_refused(times):
    with pytest.raises(ValueError, match="a schedule must give"):
        simulate("brownian", 0.0, lambda seen: times, 10, 0, releases=2)


def test_a_function_that_increases_the_time_is_refused():
    with pytest.raises(ValueError, match=r"got 2.0 after 1.0"):
        simulate("laplace", 0.0, lambda seen: 1.0 + seen.shape[1], 10, 0, releases=2)


@pytest.mark.parametrize("answer", [1, [True], np.zeros(10), None])
def test_a_stopping_rule_that_does_not_answer_is_refused(answer):
    for schedule, releases in (([1.0], None), (lambda seen: 1.0, 1)):
        with pytest.raises(ValueError, match="a stopping rule must"):
            simulate("brownian", 0.0, schedule, 10, 0, releases=releases, stop=lambda seen: answer)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mechanism": "gauss"}, r"mechanism .*: it must be one of"),
        ({"sessions": 0}, r"sessions .*: it must be"),
        ({"sessions": 2.5}, r"sessions .*: it must be"),
        ({"seed": -1}, r"seed .*: it must be"),
        ({"seed": 1.5}, r"seed .*: it must be"),
        ({"seed": None}, r"seed .*: it must be"),
        ({"method": "walk"}, "for brownian noise .* it must be bridge"),
        ({"mechanism": "laplace", "method": "fast"}, "walk or poisson or lazy"),
        ({"rate": 2.0}, "rate belongs to skellam"),
        ({"mechanism": "skellam", "rate": -1.0}, r"rate .*: it must be"),
        ({"releases": 3}, "2 releases"),
        ({"schedule": by_sign(1.0, 0.5, 0.5)}, "needs releases="),
        ({"schedule": by_sign(1.0, 0.5, 0.5), "releases": 0}, r"releases .*: it must be"),
        ({"mechanism": "laplace", "schedule": by_sign(1.0, 0.5, 0.5), "releases": 2, "method": "walk"}, "be lazy"),
        ({"value": [[1.0]]}, r"value .*: it must be"),
    ],
)
def test_bad_arguments_are_refused_with_the_reason(arguments, message):
    usual = {"mechanism": "brownian", "value": 0.0, "schedule": [2.0, 1.0], "sessions": 5, "seed": 0}
    with pytest.raises(ValueError, match=message):
        simulate(**(usual | arguments))
