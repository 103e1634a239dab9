"""Every level is the bound at its time, by closed forms and by exact crossing probabilities."""

import math

import numpy as np
import pytest

from nrverify.laws.boundary import HalfNormalMixture
from nrverify.laws.crossing import crossing_probability
from nrverify.reproduce import schedule
from nrverify.reproduce.sensitivities import Sensitivity
from nrverify.reproduce.settings import FIRST_LEVEL, levels

ASKED = levels(0.15, 2.4, 4)
LEVEL = math.log(1e6)


def test_levels_double_and_hold_the_tuned_one():
    assert ASKED[::4] == pytest.approx([0.15, 0.3, 0.6, 1.2, 2.4], rel=1e-14)
    assert len(levels(0.15, 2.3, 4)) == len(ASKED) - 1


def test_linear_times_follow_the_closed_form_of_the_ledger():
    d2 = 0.004
    a = (math.sqrt(LEVEL**2 + 0.3 * LEVEL) - LEVEL) / d2
    b = LEVEL / (2 * a)
    expected = [d2 * (d2 / 2 + b) / (level - d2 * a) for level in ASKED]
    assert schedule.brownian_times(ASKED, d2) == pytest.approx(expected, rel=1e-9)
    assert 0.149194 < d2 * a < FIRST_LEVEL


def test_half_normal_times_have_their_level_as_bound():
    boundary = HalfNormalMixture.tightest_at(epsilon=0.3, delta=1e-6, sensitivity=2.0)
    times = schedule.brownian_times(ASKED, 2.0, "half-normal")
    assert [boundary(t) for t in times] == pytest.approx(ASKED, rel=1e-9)


def test_times_calibrated_to_the_looks_are_crossed_with_probability_delta_and_not_more():
    d2 = 3.0
    times = np.array(schedule.brownian_times(ASKED, d2, "grid"))
    bounds = dict(zip(times, ASKED, strict=True))
    found = crossing_probability(
        lambda t: np.array([bounds[x] * x / d2 - d2 / 2 for x in np.atleast_1d(t)]), times=times
    ).probability
    assert 0.9999e-6 < found <= 1e-6


def test_laplace_times_are_the_sensitivity_over_the_level():
    assert schedule.laplace_times((0.5, 2.0), 3.0) == (6.0, 1.5)


def test_laplace_times_with_delta_take_the_better_of_two_valid_bounds():
    many, one = Sensitivity(2.0, 154.0), Sensitivity(2.0, 2.0)
    count = len(ASKED)
    for level, t in zip(ASKED, schedule.laplace_times_with_delta(ASKED, many), strict=True):
        bound = 4 / (2 * t**2) + 2 / t * math.sqrt(2 * math.log(count * 1e6))
        assert bound == pytest.approx(level, rel=1e-10)
        assert t < 154 / level
    assert schedule.laplace_times_with_delta(ASKED, one) == schedule.laplace_times(ASKED, 2.0)


def test_the_delta_bound_for_laplace_noise_holds_with_room_in_simulation():
    """P(L > ε) at δ' = 0.01 over 100,000 draws of 30 coordinates: the bound allows 1,000 exceptions.

    With v spread evenly the exact probability is below 0.006, so more than 1,000 has probability below 1e-60.
    """
    d, x = 30, 0.4
    per_coordinate = x / math.sqrt(d)
    rng = np.random.default_rng(0)
    noise = rng.laplace(size=(100_000, d))
    loss = (np.abs(noise + per_coordinate) - np.abs(noise)).sum(axis=1)
    assert (loss > x * x / 2 + x * math.sqrt(2 * math.log(100))).mean() <= 0.01


@pytest.mark.parametrize(("split", "factor"), [("halves", 2.0), ("whole", 1.0)])
def test_split_statistics_get_their_share_of_epsilon(split, factor):
    d = 5
    gram, cross = schedule.ridge_schedules(ASKED, d, split, "laplace")
    assert gram == pytest.approx([factor * 2 * d / level for level in ASKED], rel=1e-14)
    assert cross == pytest.approx([factor * 2 * math.sqrt(d) / level for level in ASKED], rel=1e-14)


def test_the_joint_release_uses_one_schedule_for_the_pair():
    for process in ("brownian", "laplace"):
        gram, cross = schedule.ridge_schedules(ASKED, 5, "joint", process)
        assert gram == cross
    assert schedule.ridge_schedules(ASKED, 5, "joint", "brownian")[0] == schedule.brownian_times(ASKED, math.sqrt(8))


def test_halves_are_tuned_so_that_both_together_are_tight_at_the_tuned_level():
    level = math.log(2e6)
    expected = 4 / (2 * (math.sqrt(level + 0.15) - math.sqrt(level)) ** 2)
    gram, _ = schedule.ridge_schedules((0.3,), 5, "halves", "brownian")
    assert gram[0] == pytest.approx(expected, rel=1e-9)
