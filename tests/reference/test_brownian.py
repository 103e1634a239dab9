"""The Brownian mechanism against normal laws: B_t ~ N(0, t), Cov(B_s, B_t) = min(s, t), independent increments."""

import numpy as np
import pytest
from scipy import stats

from nrverify import BrownianMechanism, simulate, transcripts
from nrverify.reference.schedules import by_sign, by_size, first_above, nearly_equal

TIMES = [9.0, 4.0, 3.9, 0.5, 0.01]
SESSIONS = 120_000


@pytest.fixture(scope="module")
def noise():
    value = np.array([1.0, -300.0, 2.5])
    return simulate("brownian", value, TIMES, SESSIONS, seed=11) - value


def test_each_release_is_normal_with_variance_t_in_every_coordinate(noise, law):
    for n, t in enumerate(TIMES):
        for j in range(3):
            assert law.fits(noise[:, n, j], stats.norm(0, t**0.5).cdf)


def test_covariance_of_two_releases_is_the_smaller_time(noise, law):
    for a, t in enumerate(TIMES):
        for b, s in enumerate(TIMES[a + 1 :], a + 1):
            assert law.fits(noise[:, a, 0] + noise[:, b, 0], stats.norm(0, (t + 3 * s) ** 0.5).cdf)
            assert law.fits(noise[:, a, 1] - noise[:, b, 1], stats.norm(0, (t - s) ** 0.5).cdf)


def test_increments_of_a_whole_path_are_jointly_independent(noise, law):
    steps = np.diff(np.array([0.0, *reversed(TIMES)]))
    increments = np.diff(noise[:, ::-1, 0], prepend=0.0, axis=1) / np.sqrt(steps)
    assert law.fits((increments**2).sum(axis=1), stats.chi2(len(TIMES)).cdf)
    assert law.fits(increments.sum(axis=1) / len(TIMES) ** 0.5, stats.norm.cdf)


def test_coordinates_are_independent(noise, law):
    for n, t in enumerate(TIMES):
        assert law.fits(noise[:, n].sum(axis=1), stats.norm(0, (3 * t) ** 0.5).cdf)
        assert law.fits(noise[:, n, 0] - noise[:, n, 2], stats.norm(0, (2 * t) ** 0.5).cdf)


def test_these_tests_reject_fresh_noise_and_a_variance_wrong_by_a_tenth(law):
    rng = np.random.default_rng(5)
    fresh = rng.standard_normal((SESSIONS, 2)) * np.sqrt([4.0, 1.0])
    assert not law.fits(fresh[:, 0] + fresh[:, 1], stats.norm(0, 7**0.5).cdf)
    assert not law.fits(fresh[:, 0], stats.norm(0, (4 * 1.1) ** 0.5).cdf)


def test_a_session_follows_the_same_law_as_the_simulation(law):
    rng = np.random.default_rng(3)
    seen = np.empty((3000, 2))
    for row in seen:
        m = BrownianMechanism(7.0, rng=rng)
        row[:] = m.release(2.0), m.release(0.5)
    seen -= 7.0
    assert law.fits(seen[:, 0], stats.norm(0, 2**0.5).cdf)
    assert law.fits(seen[:, 1], stats.norm(0, 0.5**0.5).cdf)
    assert law.fits(seen[:, 0] + seen[:, 1], stats.norm(0, 3.5**0.5).cdf)


@pytest.mark.parametrize("schedule", [by_sign(4.0, 0.9, 0.2), by_size(4.0)])
def test_under_an_adaptive_schedule_every_bridge_step_is_standard_normal(schedule, law):
    run = transcripts("brownian", 0.5, schedule, SESSIONS, seed=2, releases=4)
    w, t = run.releases[:, :, 0] - 0.5, run.times
    assert len(np.unique(t[:, 3])) > 2
    mean, variance = t[:, 1:] / t[:, :-1] * w[:, :-1], t[:, 1:] * (t[:, :-1] - t[:, 1:]) / t[:, :-1]
    z = np.column_stack([w[:, 0] / np.sqrt(t[:, 0]), (w[:, 1:] - mean) / np.sqrt(variance)])
    for n in range(4):
        assert law.fits(z[:, n], stats.norm.cdf)
    assert law.fits((z**2).sum(axis=1), stats.chi2(4).cdf)


def test_the_bridge_steps_of_sessions_still_running_are_standard_normal_whoever_has_stopped(law):
    run = transcripts("brownian", 0.5, by_sign(4.0, 0.9, 0.2), SESSIONS, seed=2, releases=4, stop=first_above(1.0))
    for n in range(1, 4):
        reached = ~np.isnan(run.times[:, n])
        assert 10_000 < reached.sum() < SESSIONS * 0.8
        w, t = run.releases[reached, :, 0] - 0.5, run.times[reached]
        mean = t[:, n] / t[:, n - 1] * w[:, n - 1]
        assert law.fits((w[:, n] - mean) / np.sqrt(t[:, n] * (1 - t[:, n] / t[:, n - 1])), stats.norm.cdf)


def test_a_stop_at_a_level_has_the_normal_orthant_probability(law):
    # P(B_4 < 0, B_1 >= 0) with correlation 1/2: 1/4 - arcsin(1/2)/2π = 1/6.
    run = transcripts("brownian", 0.0, [4.0, 1.0], SESSIONS, seed=8, stop=first_above(0.0))
    assert law.frequency((run.stops == 1).sum(), SESSIONS, 1 / 2)
    assert law.frequency((run.stops == 2).sum(), SESSIONS, 1 / 6)
    assert law.frequency((run.stops == 0).sum(), SESSIONS, 1 / 3)


def test_neighbouring_floating_point_times_give_finite_and_nearly_equal_noise():
    noise = simulate("brownian", 0.0, nearly_equal(1.0, 4), 2000, seed=1)[:, :, 0]
    assert np.isfinite(noise).all()
    # The increments have standard deviation 1.05e-8; eight of them are passed with probability below 1e-11 in all.
    assert np.abs(np.diff(noise, axis=1)).max() < 8 * 1.06e-8
    assert np.abs(np.diff(noise, axis=1)).max() > 0
