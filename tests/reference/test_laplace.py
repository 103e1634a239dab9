"""Laplace noise by three constructions: Z_t ~ Lap(t), increments 0 with probability (s/t)² and else Lap(t)."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from nrverify import LaplaceNoiseReduction, PoissonLaplaceNoiseReduction, simulate, transcripts
from nrverify.reference.laplace_poisson import laplace_path
from nrverify.reference.reverse_steps import LAPLACE
from nrverify.reference.schedules import by_sign, nearly_equal

TIMES = [9.0, 4.0, 3.6, 0.5]
SESSIONS = 60_000
METHODS = ["walk", "poisson", "lazy"]


@pytest.fixture(scope="module", params=METHODS)
def noise(request):
    value = np.array([0.0, -128.0])
    return simulate("laplace", value, TIMES, SESSIONS, seed=21, method=request.param) - value


def test_each_release_is_laplace_with_scale_t_in_every_coordinate(noise, law):
    for n, t in enumerate(TIMES):
        for j in range(2):
            assert law.fits(noise[:, n, j], stats.laplace(0, t).cdf)


def test_ties_between_any_two_releases_have_probability_s_over_t_squared(noise, law):
    for a, t in enumerate(TIMES):
        for b, s in enumerate(TIMES[a + 1 :], a + 1):
            assert law.frequency((noise[:, a, 0] == noise[:, b, 0]).sum(), SESSIONS, (s / t) ** 2)


def test_given_the_increment_the_less_noisy_release_is_still_laplace(noise, law):
    for n, (t, s) in enumerate(pairwise(TIMES)):
        less, jump = noise[:, n + 1, 0], noise[:, n, 0] - noise[:, n + 1, 0]
        if s == TIMES[-1]:
            assert law.fits(jump[np.abs(jump) > 0], stats.laplace(0, t).cdf)
        for event in (jump == 0, jump > 0, jump < -t):
            assert event.sum() > 200
            assert law.fits(less[event], stats.laplace(0, s).cdf)


def test_two_jumps_of_one_path_are_independent(noise, law):
    first, second = noise[:, 2, 0] != noise[:, 3, 0], noise[:, 0, 0] != noise[:, 1, 0]
    both = (1 - (0.5 / 3.6) ** 2) * (1 - (4 / 9) ** 2)
    assert law.frequency((first & second).sum(), SESSIONS, both)


def test_coordinates_jump_independently_and_their_signs_agree_half_the_time(noise, law):
    stay = noise[:, 0] == noise[:, 1]
    assert law.frequency((stay[:, 0] & stay[:, 1]).sum(), SESSIONS, (4 / 9) ** 4)
    assert law.frequency((noise[:, 0, 0] * noise[:, 0, 1] > 0).sum(), SESSIONS, 0.5)
    # |X| + |Y| for independent Laplace noise of scale t is Gamma(2, t).
    assert law.fits(np.abs(noise[:, 3]).sum(axis=1), stats.gamma(2, scale=TIMES[3]).cdf)


@pytest.mark.parametrize("method", ["poisson", "lazy"])
def test_whole_transcripts_agree_with_the_walk(method, law):
    one = simulate("laplace", 0.0, TIMES, SESSIONS, seed=1, method="walk")[:, :, 0]
    other = simulate("laplace", 0.0, TIMES, SESSIONS, seed=2, method=method)[:, :, 0]
    for weights in ([1, 1, 1, 1], [1, -2, 0.5, 3], [0.1, 1, -1.5, 2]):
        assert law.same_law(one @ weights, other @ weights)
    assert law.same_law(np.abs(one).max(axis=1), np.abs(other).max(axis=1))


def test_one_coin_for_all_coordinates_a_missing_first_jump_and_a_scale_wrong_by_a_tenth_are_rejected(law):
    rng = np.random.default_rng(4)
    coin = rng.random(SESSIONS) < (4 / 9) ** 2
    assert not law.frequency((coin & coin).sum(), SESSIONS, (4 / 9) ** 4)
    with_all = simulate("laplace", 0.0, [2.0, 1.0], SESSIONS, seed=3, method="poisson")[:, :, 0]
    assert not law.fits(with_all[:, 0] - with_all[:, 1], stats.laplace(0, 2.0).cdf)
    assert not law.fits(with_all[:, 0], stats.laplace(0, 2.2).cdf)


@pytest.mark.parametrize(("z", "t", "s"), [(1.5, 2.0, 1.0), (-0.3, 2.0, 1.9), (6.0, 3.0, 0.4), (0.0, 1.0, 0.5)])
def test_the_step_down_from_a_given_release_has_the_law_bayes_gives(z, t, s, law):
    """Prior Lap(s), likelihood of Z_t = z: (s/t)² at z, else Lap(t) around y; the trapezium's error is below 1e-6."""
    y = LAPLACE.onward(np.full(SESSIONS, z), t, s, np.random.default_rng(6))
    atom = (s / t) ** 2 * stats.laplace(0, s).pdf(z) / stats.laplace(0, t).pdf(z)
    assert law.frequency((y == z).sum(), SESSIONS, atom)

    grid = np.union1d(np.linspace(-40 * s, 40 * s, 200_001), [0.0, z])
    density = stats.laplace(0, s).pdf(grid) * stats.laplace(z, t).pdf(grid)
    mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert law.fits(y[y != z], lambda x: np.interp(x, grid, mass / mass[-1]))
    wrong = stats.laplace(0, s).pdf(grid) * stats.laplace(z, t / 2).pdf(grid)
    wrong_mass = np.concatenate([[0.0], np.cumsum((wrong[1:] + wrong[:-1]) / 2 * np.diff(grid))])
    assert not law.fits(y[y != z], lambda x: np.interp(x, grid, wrong_mass / wrong_mass[-1]))


def test_an_adaptive_schedule_gives_each_branch_the_law_of_its_fixed_schedule(law):
    run = transcripts("laplace", 0.0, by_sign(4.0, 0.8, 0.3), 2 * SESSIONS, seed=5, releases=2)
    above = run.releases[:, 0, 0] > 0
    np.testing.assert_array_equal(run.times[:, 1], np.where(above, 4.0 * 0.8, 4.0 * 0.3))
    for branch, factor in ((above, 0.8), (~above, 0.3)):
        fixed = simulate("laplace", 0.0, [4.0, 4.0 * factor], 2 * SESSIONS, seed=6)[:, :, 0]
        same_side = fixed[(fixed[:, 0] > 0) == (factor == 0.8)]
        seen = run.releases[branch, :, 0]
        assert law.same_law(seen[:, 1], same_side[:, 1])
        assert law.same_law(seen[:, 0] - 2 * seen[:, 1], same_side[:, 0] - 2 * same_side[:, 1])
        # P(tie | the side of Z_t) = (s/t)², the coin of the walk being independent of Z_s, and so of its side.
        assert law.frequency((seen[:, 0] == seen[:, 1]).sum(), len(seen), factor**2)


@pytest.mark.parametrize("mechanism", ["lazy", "poisson"])
def test_a_session_follows_the_same_law_as_the_simulation(mechanism, law):
    rng = np.random.default_rng(9)
    seen = np.empty((3000, 2, 2))
    for row in seen:
        if mechanism == "lazy":
            m = LaplaceNoiseReduction([0.0, 0.0], rng=rng)
        else:
            m = PoissonLaplaceNoiseReduction([0.0, 0.0], eta=0.25, largest=5.0, rng=rng)
        row[0], row[1] = m.release(2.0), m.release(0.5)
    for j in range(2):
        assert law.fits(seen[:, 0, j], stats.laplace(0, 2.0).cdf)
        assert law.fits(seen[:, 1, j], stats.laplace(0, 0.5).cdf)
        assert law.frequency((seen[:, 0, j] == seen[:, 1, j]).sum(), 3000, 1 / 16)
    stay = seen[:, 0] == seen[:, 1]
    assert law.frequency((stay[:, 0] & stay[:, 1]).sum(), 3000, 1 / 256)


def test_arrivals_of_the_poisson_path_follow_intensity_two_over_t_from_its_beginning(law):
    """No arrival in (η, t] has probability (η/t)², one has 2 log(t/η) times as much, and Z_η ~ Lap(η)."""
    rng = np.random.default_rng(12)
    paths = [laplace_path(0.5, 1.0, rng) for _ in range(5000)]
    assert all(arrivals[0] == 0.5 and arrivals[-1] <= 1.0 for arrivals, _ in paths)
    assert law.fits(np.array([z[0] for _, z in paths]), stats.laplace(0, 0.5).cdf)
    for t in (0.6, 1.0):
        jumps = np.array([(arrivals <= t).sum() - 1 for arrivals, _ in paths])
        assert law.frequency((jumps == 0).sum(), 5000, (0.5 / t) ** 2)
        assert law.frequency((jumps == 1).sum(), 5000, (0.5 / t) ** 2 * 2 * np.log(t / 0.5))


@pytest.mark.parametrize("method", METHODS)
def test_extreme_schedules_give_finite_releases(method):
    for times in ([1e3, 1e-9], [1.0, *nearly_equal(0.9, 3)], [1e-300, 1e-306]):
        assert np.isfinite(simulate("laplace", 0.0, times, 500, seed=1, method=method)).all()
    assert np.isfinite(simulate("laplace", 0.0, [1e305, 1e305 * (1 - 1e-15), 1e-300], 500, seed=1, method="lazy")).all()
