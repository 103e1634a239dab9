"""Releases on a declared grid: the ideal ones behind them have the ideal law, whatever the grid; wrong rounding shows.

Right rounding fails a test with probability at most 1e-6; seeds are fixed.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import kstest

from nrverify.auditing.core.transforms.ideal_paths import ideal_releases, on_grid, told_apart
from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.checks.granularity import Granularity
from nrverify.auditing.noise_reduction.checks.last_bits import LastBits
from nrverify.auditing.noise_reduction.checks.lattice import Lattice
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import AT_THE_GRID, Case, cases_for
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import ALPHA, batch, brownian, fault, labelled, laplace, seen

TIMES = (4.0, 2.0, 1.0, 0.5)
VALUE = 0.3701234
GRIDS = [2.0**-40, 2.0**-20, 1e-3, 0.05, 0.3, 1.0]
PROCESSES = {"brownian": (Brownian(), brownian), "laplace": (Laplace(), laplace)}


def rounded(noise, grid, rounding=np.rint):
    return grid * rounding((VALUE + noise) / grid)


def scores(name, releases, grid, times=TIMES, seed=0):
    """The innovations of the ideal releases behind rounded ones."""
    process, _ = PROCESSES[name]
    rng = np.random.default_rng(seed)
    asked = np.tile(times, (len(releases), 1))
    ideal = ideal_releases(process, np.array([VALUE]), releases, asked, grid, rng)
    return innovations(process, ideal - VALUE, asked, np.abs(ideal) + VALUE, rng, integer=False)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", PROCESSES)
def test_behind_rightly_rounded_releases_are_ideal_ones(name, grid):
    _, draw = PROCESSES[name]
    noise = draw(np.random.default_rng(1), times=TIMES, sessions=3000)
    found = scores(name, rounded(noise, grid), grid)
    for at in range(len(TIMES)):
        z = found.z[:, at, 0]
        assert kstest(z[np.isfinite(z)], "norm").pvalue > 1e-7
    z = found.filled[:, :, 0]
    correlation = (z[:, 1:] * z[:, :-1]).sum() / math.sqrt((z[:, 1:] ** 2).sum() * (z[:, :-1] ** 2).sum())
    assert abs(correlation) < -ndtri(1e-7) / math.sqrt(z[:, 1:].size)
    if name == "laplace":
        for at in range(1, len(TIMES)):
            stays = (TIMES[at] / TIMES[at - 1]) ** 2
            error = math.sqrt(stays * (1 - stays) / 3000)
            assert abs(found.tied[:, at].mean() - stays) < -ndtri(1e-7) * error


@pytest.mark.parametrize("name", PROCESSES)
def test_truncation_in_place_of_rounding_shows(name):
    noise = PROCESSES[name][1](np.random.default_rng(1), times=TIMES, sessions=3000)
    found = scores(name, rounded(noise, 0.3, np.floor), 0.3)
    assert kstest(found.z[:, -1, 0][found.present[:, -1, 0]], "norm").pvalue < 1e-9


def test_the_grid_is_not_taken_for_noise():
    """Scored as if they were not rounded, releases on a grid of half a deviation are plainly not the ideal ones."""
    noise = rounded(brownian(np.random.default_rng(1), times=TIMES, sessions=3000), 0.3) - VALUE
    asked = np.tile(TIMES, (3000, 1))
    plain = innovations(Brownian(), noise, asked, np.abs(noise), np.random.default_rng(0), integer=False)
    assert kstest(plain.z[:, -1, 0], "norm").pvalue < 1e-9


def test_a_repeated_time_keeps_its_release_and_a_stopped_session_ends():
    times = np.array([[4.0, 4.0, 1.0], [4.0, 4.0, np.nan]])
    releases = np.array([[0.3, 0.3, -0.3], [0.6, 0.6, np.nan]])[:, :, None]
    found = ideal_releases(Brownian(), np.zeros(1), releases, times, 0.3, np.random.default_rng(0))
    assert (found[:, 0] == found[:, 1]).all()
    assert np.isnan(found[1, 2])
    assert np.isfinite(found[0]).all()


def test_steps_that_are_lost_in_the_grid_are_left_out():
    times = np.array([[1.0, 0.999999, 0.5, 0.5, 0.1]])
    assert told_apart(Brownian(), times, 0.5).tolist() == [0, 2, 3, 4]
    assert told_apart(Brownian(), times, 1e-6).tolist() == [0, 1, 2, 3, 4]
    assert told_apart(Laplace(), times, 0.5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("grid", [0.01, 0.1, 2.0**-20, 1 / 3])
def test_multiples_of_a_decimal_grid_are_on_it_though_no_double_is(grid):
    k = np.arange(-5000, 5000).astype(float)
    assert on_grid(grid * k, grid).all()
    assert not on_grid(grid * (k + 0.25), grid).any()
    assert on_grid(np.array([np.nan]), grid).all()


def raw(releases, value=VALUE):
    case = Case("a case", (value,), Fixed(TIMES), "sample")
    asked = np.tile(TIMES, (len(releases), 1))
    return Batch(case, releases, asked, asked, None)


def test_one_release_off_the_grid_refutes():
    releases = rounded(brownian(np.random.default_rng(2), times=TIMES, sessions=200), 0.01)
    assert fault(seen(Granularity(0.01), raw(releases))) is None
    releases[7, 1, 0] += 0.003
    check = seen(Granularity(0.01), raw(releases))
    assert fault(check) == "off-grid"
    assert check.off == 1


def test_noise_that_is_rounded_before_it_is_added_is_off_the_grid():
    noise = brownian(np.random.default_rng(2), times=TIMES, sessions=20)
    assert fault(seen(Granularity(0.01), raw(VALUE + 0.01 * np.rint(noise / 0.01) + 0.001))) == "off-grid"


@pytest.mark.parametrize(("actual", "found"), [(1, None), (2, "rounded"), (10, "rounded"), (1024, "rounded")])
@pytest.mark.parametrize("grid", [2.0**-40, 2.0**-20, 1e-4])
def test_coarser_grids_than_the_one_claimed_are_refuted(grid, actual, found):
    noise = brownian(np.random.default_rng(3), times=TIMES, sessions=600)
    check = seen(Lattice(grid), raw(rounded(noise, actual * grid)))
    assert fault(check) == found


@pytest.mark.parametrize(("many", "found"), [(1, None), (2, "rounded"), (3, "rounded"), (10, "rounded")])
@pytest.mark.parametrize("name", PROCESSES)
def test_a_coarser_grid_is_seen_where_noise_is_wide_though_some_is_as_narrow_as_the_grid(name, many, found):
    """Noise at the last time is narrower than the grid: it lies on every multiple, and says nothing."""
    process, draw = PROCESSES[name]
    times = (400.0, 40.0, 2.0, 0.04)
    releases = rounded(draw(np.random.default_rng(3), times=times, sessions=200), many * 0.25)
    check = seen(Lattice(0.25), batch(releases - VALUE, times, process, VALUE))
    assert fault(check) == found


def test_a_value_on_the_grid_is_released_by_right_rounding_and_not_taken_for_a_value_in_the_clear():
    noise = brownian(np.random.default_rng(3), times=TIMES, sessions=600)
    releases = 0.5 * np.rint((3.0 + noise) / 0.5)
    assert (releases == 3.0).any()
    assert fault(seen(Lattice(0.5), raw(releases, 3.0))) is None


@pytest.mark.parametrize("grid", [0.3, 1.0])
def test_label_odds_on_a_coarse_grid_are_those_of_the_filter(grid):
    """Not attacked in 4000 transcripts; with the loss of the rounded last release the odds are off by up to 0.3."""

    def right(rng, sessions):
        return brownian(rng, times=TIMES, sessions=sessions)

    check = LastBits(Brownian(), "brownian", granularity=grid)
    for seed in range(4):
        drawn = labelled(np.random.default_rng(seed), right, TIMES, shift=0.7, sessions=1000)
        check = seen(
            check,
            type(drawn)(drawn.pair, grid * np.rint(drawn.releases / grid), drawn.asked, drawn.times, drawn.label),
            method="observe_labelled",
        )
    assert check.log_e < math.log(1 / ALPHA)
    assert not check.attacked


def on_a_grid(mechanism, grid, **said):
    return Description(mechanism, methods=("sample",), granularity=grid, **said)


@pytest.mark.parametrize(("mechanism", "grid", "lowest"), [("brownian", 4.0, 0.25), ("laplace", 4.0, 0.5)])
def test_noise_below_an_eighth_of_the_grid_is_not_asked_for(mechanism, grid, lowest):
    """The filter has no nodes for it: on a grid of a thousand right releases were refuted."""
    knob = knob_of(on_a_grid(mechanism, grid))
    assert (knob.low, knob.high) == (lowest, 1000.0)
    assert knob_of(on_a_grid(mechanism, 2.0**-20)).low == 0.01


def test_a_grid_on_which_no_noise_would_show_is_refused():
    with pytest.raises(
        SubjectFailed, match=r"granularity is 1000\.0: it must be below 8 times the noise, which is 31\.6"
    ):
        knob_of(on_a_grid("brownian", 1000.0))


@pytest.mark.parametrize("grid", [2.0**-40, 0.05, 0.25, 3.0])
def test_a_value_in_the_middle_of_cells_is_asked_with_noise_of_the_size_of_the_grid(grid):
    """Rounding the value and the noise apart, each to the grid, shifts releases by up to half a cell there."""
    said = on_a_grid("brownian", grid)
    (case,) = [one for one in cases_for(said, knob_of(said), (1,), None) if one.name == AT_THE_GRID]
    assert case.rule.schedule[-1] == grid * grid
    assert abs(case.value[0] / grid - np.rint(case.value[0] / grid)) > 0.25


def test_a_subject_that_says_its_range_is_asked_at_the_grid_within_it_only():
    inside, outside = (on_a_grid("brownian", grid, range=(1.0, 100.0)) for grid in (2.0, 0.5))
    assert any(case.name == AT_THE_GRID for case in cases_for(inside, knob_of(inside), (1,), None))
    assert not any(case.name == AT_THE_GRID for case in cases_for(outside, knob_of(outside), (1,), None))


@pytest.mark.parametrize("process", [Laplace(), Brownian()])
def test_times_that_rise_as_some_subjects_say_are_no_error(process):
    """No release is judged given a less noisy one; equal releases of two times are moved each within its cell."""
    rng = np.random.default_rng(5)
    releases = np.zeros((50, 2, 1))
    times = np.broadcast_to([1.0, 700.0], (50, 2))
    found = ideal_releases(process, np.zeros(1), releases, times, 1e-6, rng)
    assert np.all(np.abs(found) <= 0.5e-6)
    assert told_apart(process, times, 1e3).tolist() == [0, 1]
