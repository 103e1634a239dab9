"""Ready-made schedules and stopping rules do what they say, for one session and for many."""

import math

import numpy as np
import pytest

from nrverify.reference import schedules


def test_geometric_nearly_equal_and_repeated_schedules():
    assert schedules.geometric(8.0, 0.5, 4) == [8.0, 4.0, 2.0, 1.0]
    assert schedules.nearly_equal(1.0, 3) == [1.0, 1 - 2**-53, 1 - 2**-52]
    assert schedules.repeated([2.0, 1.0], 2) == [2.0, 2.0, 1.0, 1.0]


def test_by_sign_multiplies_by_the_factor_of_each_release_so_far():
    look = schedules.by_sign(16.0, up=0.5, down=0.25)
    assert look(np.empty((0, 2))) == 16.0
    assert look(np.array([[1.0, -1.0], [-1.0, 5.0]])) == 16.0 * 0.5 * 0.25
    np.testing.assert_array_equal(look(np.array([[[1.0]], [[-1.0]]])), [8.0, 4.0])


def test_by_size_asks_less_noise_after_a_smaller_answer():
    look = schedules.by_size(10.0)
    np.testing.assert_allclose(look(np.array([[[0.0]], [[3.0]], [[-3.0]]])), [5.0, 9.0, 9.0], rtol=1e-15)


def test_stopping_rules_look_at_the_last_release_only():
    seen = np.array([[[5.0, 0.0], [1.0, 9.0]], [[0.0, 0.0], [3.0, 4.0]]])
    assert schedules.first_above(2.0)(seen).tolist() == [False, True]
    assert schedules.first_within(5.0)(seen).tolist() == [False, True]
    assert bool(schedules.first_above(2.0)(seen[1])) is True


@pytest.mark.parametrize("bad", [0.0, -1.0, 1.5, math.nan])
def test_factors_outside_zero_to_one_are_refused(bad):
    for build in (lambda: schedules.geometric(1.0, bad, 3), lambda: schedules.by_sign(1.0, 0.5, bad)):
        with pytest.raises(ValueError, match="must be"):
            build()
