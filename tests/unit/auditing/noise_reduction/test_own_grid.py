"""Grids in units of the noise: one at each time, of no fixed list."""

import math

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.checks.lattice import Lattice
from nrverify.auditing.noise_reduction.checks.own_grid import common_divisor, own_grid
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.subjects.policies import Fixed
from tests.unit.auditing.noise_reduction.batches import fault, seen

VALUE, TIME = np.array([0.3701234]), 7.31
DEVIATION = math.sqrt(TIME)


def drawn(kind, share, rng, sessions=64):
    """First releases of one time, without rounding or on a grid of a share of the deviation."""
    noise, grid = DEVIATION * rng.standard_normal((sessions, 1)), share * DEVIATION
    match kind:
        case "plain":
            return VALUE + noise
        case "release":
            return grid * np.rint((VALUE + noise) / grid)
        case "noise":
            return VALUE + grid * np.rint(noise / grid)


def scaled(releases, kind):
    """The numbers of a kind in units of their noise, and their sizes."""
    numbers = releases if kind == "release" else releases - VALUE
    return numbers[:, 0] / DEVIATION, (np.abs(releases) + VALUE)[:, 0] / DEVIATION


@pytest.mark.parametrize("share", [0.5, 0.123, 1e-3, 2.0**-14])
@pytest.mark.parametrize("kind", ["release", "noise"])
def test_the_grid_is_found_to_its_last_digits(kind, share):
    found = own_grid(*scaled(drawn(kind, share, np.random.default_rng(1)), kind))
    assert found.grid == pytest.approx(share, rel=1e-9)
    assert found.hits == found.count >= 30  # sessions whose noise is rounded to 0 are left out
    assert found.log_p < -200


def test_noise_of_doubles_is_on_no_grid():
    rng = np.random.default_rng(2)
    for kind in ("release", "noise"):
        assert not any(own_grid(*scaled(drawn("plain", 1, rng), kind)) for _ in range(300))


def test_one_number_again_and_again_is_no_grid():
    """As of sessions that share their noise; multiples of it would be one."""
    same = np.full((64, 1), 0.4748)
    assert own_grid(*scaled(VALUE + DEVIATION * same, "noise")) is None
    some_twice = np.where(np.arange(64)[:, None] % 3 == 0, 2 * same, same)
    assert own_grid(*scaled(VALUE + DEVIATION * some_twice, "noise")) is not None


def test_a_generator_of_few_numbers_is_not_taken_for_rounding():
    """256 different noises, which repeat as often as those of a grid."""
    rng = np.random.default_rng(3)
    support = rng.standard_normal(256)
    for _ in range(100):
        assert own_grid(*scaled(VALUE + DEVIATION * rng.choice(support, (64, 1)), "noise")) is None


def test_euclid_finds_the_largest_common_divisor_and_none_of_numbers_without():
    assert common_divisor(0.7 * np.array([6.0, -10.0, 15.0, 0.0])) == pytest.approx(0.7)
    assert common_divisor(np.random.default_rng(5).standard_normal(12)) is None
    assert common_divisor(np.array([1.0, 0.0, -1.0])) is None


@pytest.mark.parametrize(("kind", "found"), [("plain", None), ("release", "rounded"), ("noise", "noise-rounded")])
def test_lattice_refutes_them_at_any_times(kind, found):
    """A few sessions at each of many times, as in a first look."""
    rng, check = np.random.default_rng(4), Lattice(variance=lambda times, rate: times)
    for time in rng.uniform(0.1, 100, 12):
        noise = rng.standard_normal((5, 1)) * math.sqrt(time)
        grid, value = 0.37 * math.sqrt(time), rng.uniform(-20, 20)
        releases = {
            "plain": value + noise,
            "release": grid * np.rint((value + noise) / grid),
            "noise": value + grid * np.rint(noise / grid),
        }[kind]
        asked = np.full((5, 1), time)
        case = Case("a case", (value,), Fixed((time,)), "sample")
        seen(check, Batch(case, releases[:, :, None], asked, asked, None))
    assert fault(check) == found
