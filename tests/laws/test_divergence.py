"""Divergences against mpmath quadrature of their defining integrals at 40 digits."""

import math

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import divergence
from nrverify.laws.special.differences import expm1_minus_x, x_minus_log1p

mp.mp.dps = 40


def gaussian(x, centre, time):
    return mp.exp(-((x - centre) ** 2) / (2 * time)) / mp.sqrt(2 * mp.pi * time)


def laplace(x, centre, time):
    return mp.exp(-abs(x - centre) / time) / (2 * time)


def hockey_stick_integral(epsilon, shift, time):
    """∫ (p − e^ε p')₊ for a Gaussian p at 0 and p' at shift > 0: p > e^ε p' where x < shift/2 − ε·time/shift."""
    shift, time, epsilon = mp.mpf(shift), mp.mpf(time), mp.mpf(epsilon)
    end, width = shift / 2 - epsilon * time / shift, mp.sqrt(time)
    # The mass of the integrand lies within 1/|end| or one width below the end.
    scale = min(width, time / max(abs(end), width))
    points = [end - scale * k for k in (1500, 400, 150, 60, 30, 15, 8, 4, 2, 1, 0)]
    return mp.quad(
        lambda x: gaussian(x, 0, time) * (1 - mp.exp(epsilon + (2 * x * shift - shift**2) / (2 * time))), points
    )


@pytest.mark.parametrize("shift", [1e-7, 1e-3, 0.3, 1.0, 2.5, 8.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.1, 1.0, 7.0])
def test_gaussian_hockey_stick_is_the_integral_of_the_positive_part(shift, epsilon):
    if epsilon / shift > 1e4:
        # The integral is about exp(−ε²/2s²), below e^(−5e7): only its logarithm is asked for, by the same quadrature.
        expected = float(mp.log(hockey_stick_integral(epsilon, shift, 1)))
        computed = divergence.log_gaussian_hockey_stick(epsilon, shift=shift, time=1.0)
        assert computed == pytest.approx(expected, rel=1e-12, abs=0)
        return
    expected = mp.log(hockey_stick_integral(mp.mpf(epsilon), shift, 2))
    computed = divergence.log_gaussian_hockey_stick(epsilon, shift=shift, time=2.0)
    assert abs(computed - expected) < 1e-12 * max(1, abs(expected))


def test_gaussian_hockey_stick_agrees_with_the_difference_of_normal_probabilities():
    for shift, time, epsilon in [(1.0, 4.0, 0.7), (3.0, 0.5, 2.0), (-2.0, 9.0, 0.0), (40.0, 1.0, 3.0)]:
        s, e = mp.mpf(abs(shift)) / mp.sqrt(time), mp.mpf(epsilon)
        expected = mp.ncdf(s / 2 - e / s) - mp.exp(e) * mp.ncdf(-s / 2 - e / s)
        assert divergence.gaussian_hockey_stick(epsilon, shift=shift, time=time) == pytest.approx(
            float(expected), rel=1e-13
        )


@pytest.mark.parametrize("s", [1e-9, 0.2, 1.0, 6.0])
def test_laplace_hockey_stick_and_tail_are_their_integrals(s):
    shift, time = mp.mpf(s) * 4, mp.mpf(4)
    for share in (0.0, 0.25, 0.9, 1.0, 1.5):
        epsilon = share * s
        # The loss is (|x−shift|−|x|)/time, decreasing in x: above ε where x < (shift − ε·time)/2, if ε < s.
        end = (shift - mp.mpf(epsilon) * time) / 2
        if epsilon >= s:
            hockey, tail = mp.mpf(0), mp.mpf(0)
        else:
            points = [-mp.inf, 0, end]
            hockey = mp.quad(lambda x, e=epsilon: laplace(x, 0, time) - mp.exp(e) * laplace(x, shift, time), points)
            tail = mp.quad(lambda x: laplace(x, 0, time), points)
        at = {"shift": float(shift), "time": 4.0}
        assert divergence.laplace_hockey_stick(epsilon, **at) == pytest.approx(float(hockey), rel=1e-12, abs=0)
        assert divergence.laplace_loss_tail(epsilon, **at) == pytest.approx(float(tail), rel=1e-13, abs=0)


def test_laplace_loss_is_never_below_minus_the_ratio():
    assert divergence.laplace_loss_tail(-2.1, shift=2.0, time=1.0) == 1.0
    assert divergence.laplace_loss_tail(-2.0, shift=2.0, time=1.0) == pytest.approx(
        1 - math.exp(-2) / 2, rel=1e-15, abs=0
    )


def test_gaussian_loss_tail_is_the_normal_tail():
    for epsilon in (-3.0, 0.0, 0.5, 30.0):
        s = mp.mpf(3) / mp.sqrt(7)
        expected = mp.log(mp.erfc((mp.mpf(epsilon) / s - s / 2) / mp.sqrt(2)) / 2)
        computed = divergence.log_gaussian_loss_tail(epsilon, shift=3.0, time=7.0)
        assert computed == pytest.approx(float(expected), rel=1e-13, abs=0)
        assert divergence.gaussian_loss_tail(epsilon, shift=3.0, time=7.0) == pytest.approx(
            math.exp(computed), rel=1e-15
        )


@pytest.mark.parametrize("order", [1.0, 1.0 + 1e-9, 2.0, 12.0])
@pytest.mark.parametrize("s", [1e-6, 2.0])
def test_renyi_divergences_are_their_integrals(order, s):
    alpha, s = mp.mpf(order), mp.mpf(s)

    def integral(density, points):
        if alpha == 1:
            return mp.quad(lambda x: density(x, 0, 1) * (mp.log(density(x, 0, 1)) - mp.log(density(x, s, 1))), points)
        power = mp.quad(
            lambda x: mp.exp(alpha * mp.log(density(x, 0, 1)) + (1 - alpha) * mp.log(density(x, s, 1))), points
        )
        return mp.log(power) / (alpha - 1)

    with mp.workdps(45):
        centre = -(alpha - 1) * s
        gaussian_points = [centre + k for k in (-16, -8, -3, 0, 3, 8, 16)]
        expected = {
            divergence.gaussian_renyi: integral(gaussian, gaussian_points),
            divergence.laplace_renyi: integral(laplace, [-mp.inf, 0, s, mp.inf]),
        }
    for function, number in expected.items():
        assert function(order, shift=float(s), time=1.0) == pytest.approx(float(number), rel=1e-12, abs=0)


def test_renyi_divergences_do_not_overflow_and_scale_with_the_ratio():
    assert divergence.laplace_renyi(1e6, shift=5.0, time=0.001) == pytest.approx(
        5000 - math.log(2) / 1e6, rel=1e-12, abs=0
    )
    assert divergence.gaussian_renyi(3.0, shift=2.0, time=8.0) == 3 * 0.5 * 4 / 8
    assert divergence.laplace_renyi(3.0, shift=2.0, time=8.0) == divergence.laplace_renyi(3.0, shift=-0.5, time=2.0)


def test_renyi_tail_bounds_the_exact_supremum_of_the_gaussian_loss():
    """L_t ≥ ε for some t ≥ t₀ iff W meets the line tε/D − D/2; by time inversion this is Bachelier's formula."""
    for epsilon, shift, time in [(1.0, 1.0, 4.0), (0.3, 1.0, 300.0), (5.0, 2.0, 3.0)]:
        s, e = mp.mpf(shift) / mp.sqrt(time), mp.mpf(epsilon)
        # tW_{1/t} is Brownian: its maximum on (0, 1/t₀] against the falling line ε/D − Du/2.
        exact = mp.ncdf(s / 2 - e / s) + mp.exp(e) * mp.ncdf(-s / 2 - e / s)
        best = divergence.log_gaussian_renyi_tail(epsilon, shift=shift, time=time)
        assert float(mp.log(exact)) < best < 0
        orders = np.linspace(1.01, 2 * float(e / s**2) + 1, 400)
        bounds = [
            divergence.log_renyi_tail(
                epsilon, order=float(order), divergence=divergence.gaussian_renyi(float(order), shift=shift, time=time)
            )
            for order in orders
        ]
        assert best <= min(bounds) <= best + 1e-3
        at_best = 0.5 + float(e / s**2)
        assert divergence.log_renyi_tail(
            epsilon, order=at_best, divergence=divergence.gaussian_renyi(at_best, shift=shift, time=time)
        ) == pytest.approx(best, rel=1e-12, abs=0)


def test_renyi_tail_is_never_above_probability_one():
    assert divergence.log_renyi_tail(0.1, order=2.0, divergence=3.0) == 0.0
    assert divergence.log_gaussian_renyi_tail(0.1, shift=1.0, time=1.0) == 0.0


def test_arrays_are_elementwise_and_scalars_give_floats():
    for function in (
        divergence.gaussian_hockey_stick,
        divergence.laplace_hockey_stick,
        divergence.gaussian_loss_tail,
        divergence.laplace_loss_tail,
        divergence.gaussian_renyi,
        divergence.laplace_renyi,
    ):
        points = [1.0, 1.5, 2.0]
        together = function(np.array(points), shift=2.0, time=1.0)
        assert together.shape == (3,)
        alone = [function(point, shift=2.0, time=1.0) for point in points]
        assert all(isinstance(number, float) for number in alone)
        assert together.tolist() == alone


@pytest.mark.parametrize("x", [-0.9, -0.5, -0.499, -1e-3, -1e-12, 1e-300, 1e-9, 0.1, 0.4999, 0.5, 3.0, 1e6])
def test_second_order_differences_keep_every_digit(x):
    with mp.workdps(700):
        exact = mp.mpf(x)
        logarithm, exponential = exact - mp.log(1 + exact), mp.exp(min(exact, 100)) - 1 - min(exact, 100)
        if abs(x) > 1e-150:
            assert float(x_minus_log1p(x)) == pytest.approx(float(logarithm), rel=2e-15, abs=0)
            assert float(expm1_minus_x(min(x, 100))) == pytest.approx(float(exponential), rel=2e-15, abs=0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: divergence.gaussian_hockey_stick(-0.1, shift=1.0, time=1.0),
        lambda: divergence.gaussian_hockey_stick(math.nan, shift=1.0, time=1.0),
        lambda: divergence.gaussian_hockey_stick(1.0, shift=0.0, time=1.0),
        lambda: divergence.gaussian_loss_tail(1.0, shift=1.0, time=0.0),
        lambda: divergence.laplace_loss_tail(1.0, shift=math.inf, time=1.0),
        lambda: divergence.laplace_renyi(0.5, shift=1.0, time=1.0),
        lambda: divergence.gaussian_renyi(math.nan, shift=1.0, time=1.0),
        lambda: divergence.log_renyi_tail(1.0, order=1.0, divergence=0.1),
        lambda: divergence.log_renyi_tail(1.0, order=2.0, divergence=-0.1),
    ],
)
def test_bad_arguments_are_refused_by_value(call):
    with pytest.raises(ValueError, match=r"^\w+ is [-\d.naif]+: it must "):
        call()
