"""Crossing probabilities of curves that are no curves, overflow, or are looked at in awkward places."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import log_ndtr, ndtri

from nrverify.laws.crossing import crossing_probability


@pytest.mark.parametrize("answer", ["1", None, True, 1j, [1.0, 2.0], {}])
def test_a_curve_that_is_no_number_is_refused_with_its_time(answer):
    with pytest.raises(ValueError, match=r"t = 1\.0"):
        crossing_probability(lambda t: answer, times=[1.0, 2.0])


@pytest.mark.parametrize("curve", [None, 1.0, "t"])
def test_a_curve_must_be_a_function(curve):
    with pytest.raises(TypeError, match="must be a function"):
        crossing_probability(curve, times=[1.0])


# What a stranger's curve may do far from where it matters


@pytest.mark.parametrize("interval", [(1e100, math.inf), (0.0, 1e-100)])
def test_the_square_root_is_crossed_for_certain_wherever_looking_starts(interval):
    """By the law of the iterated logarithm."""
    crossing = crossing_probability(np.sqrt, interval=interval)
    assert crossing.probability == 1.0
    assert crossing.error < 1e-6


def test_a_curve_that_overflows_beyond_its_reach_is_the_curve_without_that_part():
    """e^(−2ab) for the line, whose values the function refuses to give where they are out of reach."""

    def line(t):
        if not 1e-20 < t < 1e20:
            raise OverflowError("math range error")
        return 1.0 * t + 5.0

    crossing = crossing_probability(line)
    assert abs(crossing.probability - math.exp(-10.0)) <= crossing.error <= 1e-6 * math.exp(-10.0)


def test_a_curve_that_overflows_where_it_could_be_crossed_is_refused_with_the_time():
    with pytest.raises(ValueError, match=r"no value .* at t = "):
        crossing_probability(lambda t: math.sqrt(t) if t < 10.0 else math.exp(1e9), interval=(1.0, 20.0))


def test_an_interval_beyond_the_floating_point_numbers_is_refused():
    with pytest.raises(ValueError, match=r"interval is .*: it must hold"):
        crossing_probability(np.sqrt, interval=(1e306, math.inf))


@pytest.mark.parametrize("delta", [0.9, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("ratio", [1e-5, 1e-9, 1e-12, 1e-15])
def test_two_looks_at_nearly_the_same_time_lose_no_digits(delta, ratio):
    """The second look is far lower than the first, so the two together are crossed where the second is."""
    first, second = 1.4461912300841309, 1.4461912300841309 * (1.0 + ratio)
    high = -float(ndtri(delta)) * math.sqrt(first)
    low = high - 0.3 * abs(high)
    crossing = crossing_probability(lambda t: high if t == first else low, times=[second, first, second])
    exact = float(mpmath.ncdf(-mpmath.mpf(low) / mpmath.sqrt(second)))
    assert crossing.probability == pytest.approx(exact, rel=1e-13, abs=0)
    assert abs(crossing.probability - exact) <= crossing.error


def test_a_rough_curve_on_a_short_interval_is_enclosed_between_its_bounds():
    def rough(t):
        return 1.0 + 0.1 * np.sign(np.sin(1e9 * np.asarray(t)))

    interval = (1.0, 1.00001)
    found = crossing_probability(rough, interval=interval)
    # The curve lies between the constants 0.9 and 1.1, which a short interval meets as a single look would, nearly.
    most = crossing_probability(lambda t: 0.9, interval=interval).probability
    least = crossing_probability(lambda t: 1.1, interval=interval).probability
    assert least <= found.probability + found.error
    assert found.probability - found.error <= most
    assert found.error < 0.1


@pytest.mark.parametrize("level", [40.5, 3e3, 1e150])
def test_a_curve_out_of_reach_is_crossed_with_probability_0_however_long_it_is_looked_at(level):
    # Reflection: on [s, s·e^h] it is passed with at most 2P(W_1 ≥ z·e^(−h/2)); there are ln(1e15)/h such windows.
    step = level**-2
    log_bound = math.log(2 * math.log(1e15) / step) + float(log_ndtr(-level * math.exp(-step / 2)))
    assert log_bound < math.log(5e-324)
    assert crossing_probability(lambda t: level * np.sqrt(t), interval=(1.0, 1e15)) == (0.0, 0.0)
