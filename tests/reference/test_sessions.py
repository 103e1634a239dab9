"""Any session: the shape of the value, refusals that change nothing, and no memory shared with the caller."""

import math

import numpy as np
import pytest

from nrverify import BrownianMechanism, LaplaceNoiseReduction, PoissonLaplaceNoiseReduction, SkellamNoiseReduction

OPEN = {
    "brownian": lambda value, rng: BrownianMechanism(value, rng=rng),
    "laplace": lambda value, rng: LaplaceNoiseReduction(value, rng=rng),
    "skellam": lambda value, rng: SkellamNoiseReduction(value, rng=rng),
    "poisson": lambda value, rng: PoissonLaplaceNoiseReduction(value, eta=0.125, largest=64.0, rng=rng),
}
BAD_TIMES = [0.0, -1.0, math.nan, math.inf, -math.inf, 5.0, None, "soon"]


@pytest.fixture(params=OPEN)
def opened(request):
    return OPEN[request.param]


def test_a_release_has_the_shape_of_the_value(opened):
    number = opened(3, np.random.default_rng(0)).release(4.0)
    assert isinstance(number, int | float)
    assert not isinstance(number, np.generic)
    for value in ([1, 2, 3], np.array([7])):
        release = opened(value, np.random.default_rng(0)).release(4.0)
        assert isinstance(release, np.ndarray)
        assert release.shape == np.shape(value)


def test_an_equal_time_gives_the_same_answer(opened):
    m = opened([1, 2], np.random.default_rng(0))
    first = m.release(4.0)
    np.testing.assert_array_equal(m.release(4.0), first)
    np.testing.assert_array_equal(m.release(np.float64(4.0)), first)


def test_a_refused_time_leaves_the_session_as_it_was(opened):
    disturbed, quiet = (opened([1, 2], np.random.default_rng(8)) for _ in range(2))
    for t in (4.0, 1.0, 0.5):
        np.testing.assert_array_equal(disturbed.release(t), quiet.release(t))
        for bad in BAD_TIMES:
            with pytest.raises(ValueError, match=r"time .*: it must"):
                disturbed.release(bad)


def test_a_refused_first_time_leaves_the_session_as_it_was(opened):
    disturbed, quiet = (opened([1, 2], np.random.default_rng(8)) for _ in range(2))
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"time .*: it must"):
            disturbed.release(bad)
    np.testing.assert_array_equal(disturbed.release(4.0), quiet.release(4.0))


def test_neither_the_value_nor_a_release_is_shared_with_the_caller(opened):
    value = np.array([1, 2])
    touched, quiet = opened(value, np.random.default_rng(8)), opened(value.copy(), np.random.default_rng(8))
    value[:] = 1000
    first = touched.release(4.0)
    np.testing.assert_array_equal(first, quiet.release(4.0))
    first[:] = -1000
    np.testing.assert_array_equal(touched.release(4.0), quiet.release(4.0))
    np.testing.assert_array_equal(touched.release(1.0), quiet.release(1.0))
    assert (value == 1000).all()


def test_the_seed_decides_and_the_default_generator_is_fresh(opened):
    assert opened(0, np.random.default_rng(1)).release(50.0) == opened(0, 1).release(50.0)
    # Wide noise on two coordinates coincides by chance with probability below 1e-3 even for Skellam; ten times, never.
    assert len({tuple(opened([0, 0], None).release(50.0)) for _ in range(10)}) > 1


@pytest.mark.parametrize("value", [math.nan, [1.0, math.inf], [[1.0]], [], "x", None, [[1], [2, 3]], 1j])
def test_a_value_that_is_not_finite_numbers_in_a_row_is_refused(opened, value):
    with pytest.raises(ValueError, match=r"value .*: it must be"):
        opened(value, None)


def test_the_poisson_path_refuses_times_before_it_begins_and_a_range_upside_down():
    m = PoissonLaplaceNoiseReduction(0.0, eta=1.0, largest=2.0, rng=0)
    with pytest.raises(ValueError, match="at least eta"):
        m.release(0.5)
    with pytest.raises(ValueError, match="must not increase"):
        m.release(2.5)
    assert math.isfinite(m.release(2.0))
    assert math.isfinite(m.release(1.0))
    with pytest.raises(ValueError, match="exchange"):
        PoissonLaplaceNoiseReduction(0.0, eta=2.0, largest=1.0)


@pytest.mark.parametrize("mechanism", [BrownianMechanism, LaplaceNoiseReduction, SkellamNoiseReduction])
def test_a_session_says_where_it_is_and_not_the_value(mechanism):
    session = mechanism([4711, 4711], rng=1)
    assert repr(session) == f"<{mechanism.__name__}: d = 2, nothing released>"
    session.release(2.5)
    assert repr(session) == f"<{mechanism.__name__}: d = 2, last release at t = 2.5>"
