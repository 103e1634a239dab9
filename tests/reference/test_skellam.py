"""Skellam noise against the Skellam law: X_t ~ Skell(rate·t, rate·t), increments independent of what came before."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from nrverify import SkellamNoiseReduction, simulate, transcripts
from nrverify.reference.schedules import first_above

RATE, TIMES, SESSIONS = 0.5, [6.0, 2.0, 1.0], 60_000


def pmf(mean):
    return stats.skellam(mean, mean).pmf


@pytest.fixture(scope="module")
def noise():
    value = np.array([5, -1000])
    releases = simulate("skellam", value, TIMES, SESSIONS, seed=31, rate=RATE)
    assert releases.dtype == np.int64
    return releases - value


def test_each_release_is_skellam_in_every_coordinate(noise, law):
    for n, t in enumerate(TIMES):
        for j in range(2):
            assert law.counts(noise[:, n, j], pmf(RATE * t), np.arange(-2, 3))
    assert not law.counts(noise[:, 0, 0], pmf(RATE * 6.6), np.arange(-2, 3))


def test_increments_are_skellam_and_independent_of_the_less_noisy_release(noise, law):
    for n, (t, s) in enumerate(pairwise(TIMES)):
        less, jump = noise[:, n + 1, 0], noise[:, n, 0] - noise[:, n + 1, 0]
        for event in (less == 0, less > 0, less < 0):
            assert law.counts(jump[event], pmf(RATE * (t - s)), np.arange(-1, 2))


def test_coordinates_are_independent(noise, law):
    assert law.counts(noise[:, 1, 0] + noise[:, 1, 1], pmf(2 * RATE * TIMES[1]), np.arange(-3, 4))


def test_a_session_follows_the_same_law_as_the_simulation(law):
    rng = np.random.default_rng(3)
    seen = np.empty((3000, 2), dtype=np.int64)
    for row in seen:
        m = SkellamNoiseReduction(-4, rate=2.0, rng=rng)
        row[:] = m.release(1.0), m.release(0.25)
    seen += 4
    assert law.counts(seen[:, 0], pmf(2.0), np.arange(-2, 3))
    assert law.counts(seen[:, 1], pmf(0.5), np.arange(-1, 2))
    assert law.counts(seen[:, 0] - seen[:, 1], pmf(1.5), np.arange(-2, 3))


def test_a_stopped_session_is_float_with_nan_after_the_stop_and_exact_before(law):
    run = transcripts("skellam", 0, [2.0, 1.0], SESSIONS, seed=7, stop=first_above(0.0))
    stopped = run.stops == 1
    assert run.releases.dtype == np.float64
    assert np.isnan(run.releases[stopped, 1]).all()
    assert np.isnan(run.times[stopped, 1]).all()
    assert (run.releases[~stopped] == np.round(run.releases[~stopped])).all()
    assert law.frequency(stopped.sum(), SESSIONS, float(stats.skellam(2, 2).sf(-1)))


@pytest.mark.parametrize("value", [0.5, [1, 2.5], float("nan"), float("inf"), 2**60, -(2**63), "3", True, [[1]]])
def test_a_value_that_is_not_an_integer_is_refused(value):
    with pytest.raises(ValueError, match=r"value .*: it must be"):
        SkellamNoiseReduction(value)
    with pytest.raises(ValueError, match=r"value .*: it must be"):
        simulate("skellam", value, [1.0], 2, seed=0)


def test_whole_numbers_of_any_type_are_integers():
    for value in (3, np.int32(3), 3.0, np.array(3)):
        release = SkellamNoiseReduction(value, rng=1).release(2.0)
        assert type(release) is int
    assert SkellamNoiseReduction(np.array([3, 4], dtype=np.int8), rng=1).release(2.0).dtype == np.int64


def test_a_rate_that_is_not_positive_or_a_count_beyond_exact_integers_is_refused():
    for rate in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"rate .*: it must be"):
            SkellamNoiseReduction(0, rate=rate)
    m = SkellamNoiseReduction(0, rng=1)
    with pytest.raises(ValueError, match="smaller time"):
        m.release(1e300)
    assert isinstance(m.release(1e9), int)
