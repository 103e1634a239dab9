"""Sessions of exact mechanisms: what they accept, what they give, and what they refuse."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from nrverify.reference.exact import ExactBrownian, ExactDiscreteLaplace, ExactLaplace
from tests.reference.exact_sessions import (
    CONTINUOUS,
)


@pytest.mark.parametrize("mechanism", [ExactBrownian, ExactLaplace, ExactDiscreteLaplace])
def test_a_session_keeps_the_protocol(mechanism):
    session = mechanism([3, -5], bits=random.Random(1))
    first = session.release(4.0)
    assert first.shape == (2,)
    copy = first.copy()
    first[:] = 0
    assert (session.release(4) == copy).all()
    for wrong in (4.5, 0.0, -1.0, math.nan, math.inf, "soon"):
        with pytest.raises(ValueError, match="time"):
            session.release(wrong)
    assert (session.release(4.0) == copy).all()
    assert (session.release(0.5) != copy).any()


@pytest.mark.parametrize(
    ("mechanism", "kind"), [(ExactBrownian, float), (ExactLaplace, float), (ExactDiscreteLaplace, int)]
)
def test_a_number_gives_a_plain_number_and_fresh_bits_by_default(mechanism, kind):
    releases = [mechanism(5).release(900.0) for _ in range(8)]
    assert {type(y) for y in releases} == {kind}
    assert len(set(releases)) > 1


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("value", [0.0, 0.375, 1 / 3, -1e9 / 7, 1e300])
def test_releases_lie_on_the_grid_whether_or_not_the_value_does(mechanism, value):
    y = mechanism(value, granularity=0.375, bits=random.Random(4)).release(2.0)
    nearest = round(Fraction(y) / Fraction(0.375)) * Fraction(0.375)
    assert float(nearest) == y


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("granularity", [None, 2.0**-20, 5e-324])
def test_times_may_span_all_doubles(mechanism, granularity):
    session = mechanism(0.25, granularity=granularity, bits=random.Random(8))
    releases = [session.release(t) for t in (1e306, 1e300, 1.0, 1e-12, 5e-324)]
    assert all(math.isfinite(y) for y in releases)
    assert abs(releases[0]) > 1e150
    assert releases[3] != 0.25 or granularity == 2.0**-20
    assert abs(releases[4] - 0.25) <= 1e-160


def test_a_release_beyond_the_doubles_is_infinite_as_ieee_rounds():
    releases = [ExactLaplace(0.0, bits=random.Random(seed)).release(1.7e308) for seed in range(40)]
    assert {math.inf, -math.inf} <= set(releases)


def test_a_session_may_be_longer_than_pythons_stack():
    session = ExactBrownian(0.0, granularity=2.0**-10, bits=random.Random(2), precision=8)
    releases = [session.release(2.0 - i / 1000) for i in range(1500)]
    assert len(set(releases)) > 100


def test_bits_that_are_not_fair_end_in_an_error():
    class Zeros:
        def getrandbits(self, k):
            return 0

    with pytest.raises(RuntimeError, match="bits leave a rounding open"):
        ExactLaplace(0.0, bits=Zeros()).release(1.0)


@pytest.mark.parametrize("granularity", [0, -1.0, math.nan, math.inf, "fine", True, [0.5]])
@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_a_bad_granularity_is_refused_by_value(mechanism, granularity):
    with pytest.raises(ValueError, match=r"^granularity is .+: it must be a positive finite float; "):
        mechanism(0.0, granularity=granularity)


@pytest.mark.parametrize("precision", [0, -3, 1.5, None])
def test_a_bad_precision_is_refused_by_value(precision):
    with pytest.raises(ValueError, match=r"^precision is .+: it must be a positive integer"):
        ExactBrownian(0.0, precision=precision)


@pytest.mark.parametrize("value", [0.5, math.nan, "3", [1, 2.5]])
def test_discrete_noise_needs_integers(value):
    with pytest.raises(ValueError, match="integers of size at most"):
        ExactDiscreteLaplace(value)


def test_discrete_noise_ranges_from_the_smallest_time_to_the_largest():
    session = ExactDiscreteLaplace(3, bits=random.Random(3))
    with pytest.raises(ValueError, match=r"^time is 1e\+300: it must be at most"):
        session.release(1e300)
    assert abs(session.release(2.0**53)) > 2**40
    assert session.release(5e-324) == 3
