"""Exact mechanisms: a release is the correct rounding of the ideal one, whatever the precision it starts with."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from nrverify.reference.exact import ExactBrownian, ExactLaplace, refinement
from nrverify.reference.exact import brownian as brownian_module
from nrverify.reference.exact import laplace as laplace_module
from nrverify.reference.exact.bits import Tape
from nrverify.reference.exact.lazy_reals import rational
from tests.reference.exact_sessions import (
    COARSE,
    CONTINUOUS,
    TIMES,
    VALUE,
    sessions,
)


@pytest.mark.parametrize("mechanism", CONTINUOUS)
@pytest.mark.parametrize("granularity", [2.0**-10, COARSE, None])
def test_releases_do_not_depend_on_the_precision_they_start_with(mechanism, granularity):
    expected = sessions(mechanism, 40, granularity=granularity, precision=256)
    for precision in (1, 8, 13, 32):
        assert (sessions(mechanism, 40, granularity=granularity, precision=precision) == expected).all()


@given(
    st.integers(0, 2**64),
    st.integers(1, 200),
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=5),
    st.sampled_from([None, 2.0**-30, 0.1, 1000.0]),
    st.floats(-1e6, 1e6),
)
@settings(max_examples=60, deadline=None)
def test_releases_are_a_function_of_the_bits_alone(seed, precision, times, granularity, value):
    for mechanism in CONTINUOUS:
        one = mechanism([value, 0.0], granularity, random.Random(seed))
        other = mechanism([value, 0.0], granularity, random.Random(seed), precision=precision)
        for t in sorted(times, reverse=True):
            assert one.release(t).tolist() == other.release(t).tolist()


@pytest.mark.parametrize("mechanism", CONTINUOUS)
def test_a_refinement_that_stops_early_depends_on_the_precision(mechanism, monkeypatch):
    def stopped(self, attempt):
        """Rounds the middle of the first ball, whatever its radius."""
        return attempt(self.precision)

    def middle(value, granularity):
        scale, offset = 1 / rational(granularity), rational(value / granularity + 0.5)

        def rounded(refined, noise):
            k = refined.decide(lambda precision: (noise(precision) * scale + offset).mid().floor().unique_fmpz())
            return math.nan if k is None else float(k) * granularity

        return rounded

    monkeypatch.setattr(refinement.Refinement, "decide", stopped)
    monkeypatch.setattr(brownian_module, "rounding", middle)
    monkeypatch.setattr(laplace_module, "rounding", middle)
    expected = sessions(mechanism, 40, granularity=2.0**-10, precision=256)
    assert (sessions(mechanism, 40, granularity=2.0**-10, precision=13) != expected).any()


# Correct rounding, against an evaluation with 200 digits that shares only the bits.


def second_brownian(seed: int) -> list[mp.mpf]:
    """The noise at TIMES from the first 200 digits of each string."""
    tape, x, t = Tape(random.Random(seed)), mp.mpf(0), None
    path = []
    for s in map(mp.mpf, TIMES):
        u, v = (tape.string().first(200) * mp.mpf(2) ** -200 for _ in range(2))
        normal = mp.sqrt(-2 * mp.log(u)) * mp.cos(2 * mp.pi * v)
        x = mp.sqrt(s) * normal if t is None else s / t * x + mp.sqrt(s * (t - s) / t) * normal
        t = s
        path.append(x)
    return path


def second_laplace(seed: int) -> list[mp.mpf]:
    """The noise at TIMES, by the race on the line rather than on the size."""
    tape = Tape(random.Random(seed))

    def uniform() -> mp.mpf:
        return tape.string().first(200) * mp.mpf(2) ** -200

    sign = -1 if uniform() >= 0.5 else 1
    t = mp.mpf(TIMES[0])
    x = sign * -t * mp.log(uniform())
    path = [x]
    for s in map(mp.mpf, TIMES[1:]):
        slow, fast = 1 / s - 1 / t, 1 / s + 1 / t
        sign = mp.sign(x)
        if uniform() < (t - s) / (2 * t):
            x = sign * mp.log(uniform()) / fast
        else:
            runner = -mp.log(uniform()) / slow
            if runner < abs(x):
                x = sign * runner
            elif uniform() >= 2 * s / (t + s):
                x = x - sign * mp.log(uniform()) / fast
        t = s
        path.append(x)
    return path


def rounded_again(noise: mp.mpf, granularity: float | None, value: float = VALUE) -> float:
    """value + noise to the nearest multiple, or double, with what 200 digits leave open checked to be irrelevant."""
    exact = mp.mpf(value) + noise
    if granularity is None:
        low, high = (float(exact + shift) for shift in (-(mp.mpf(2) ** -180), mp.mpf(2) ** -180))
        assert low == high
        return low
    ratio = exact / mp.mpf(granularity)
    assert abs(ratio - mp.floor(ratio) - 0.5) > mp.mpf(2) ** -150
    return float(mp.nint(ratio) * mp.mpf(granularity))


@pytest.fixture
def two_hundred_digits():
    with mp.workprec(240):
        yield


@pytest.mark.usefixtures("two_hundred_digits")
@pytest.mark.parametrize(("mechanism", "second"), [(ExactBrownian, second_brownian), (ExactLaplace, second_laplace)])
@pytest.mark.parametrize("granularity", [2.0**-40, COARSE, None])
def test_a_release_is_the_correct_rounding(mechanism, second, granularity):
    releases = sessions(mechanism, 50, granularity=granularity, precision=8)
    assert releases.tolist() == [[rounded_again(x, granularity) for x in second(seed)] for seed in range(50)]


@pytest.mark.usefixtures("two_hundred_digits")
def test_correct_rounding_rejects_truncation_and_rounding_before_adding():
    releases = sessions(ExactBrownian, 20, granularity=COARSE)
    noise = [second_brownian(seed) for seed in range(20)]
    truncated = [[float(mp.floor((VALUE + x) / COARSE) * COARSE) for x in path] for path in noise]
    noise_rounded = [[VALUE + float(mp.nint(x / COARSE) * COARSE) for x in path] for path in noise]
    value_rounded = [[float(mp.nint(x / COARSE) * COARSE) for x in path] for path in noise]
    for wrong in (truncated, noise_rounded, value_rounded):
        assert releases.tolist() != wrong


# The laws.
