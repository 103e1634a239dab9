"""The modified Bessel function in log-space, against Arb's rigorous enclosures at 500 bits."""

import numpy as np
import pytest
from flint import arb, ctx

from nrverify.laws.special.bessel import log_ratio, log_scaled, log_tilted
from nrverify.laws.special.bessel_debye import log_correction

ORDERS = [0, 1, 2, 7, 29, 30, 31, 45, 300, 2500, 10_000]
ARGUMENTS = [2e-3, 0.1, 1.9, 2.1, 14.5, 27.5, 29.99, 30.0, 30.01, 90.0, 1e3, 4.7e4, 3.3e6, 2e8]


@pytest.fixture(autouse=True)
def _precision():
    before = ctx.prec
    ctx.prec = 500
    yield
    ctx.prec = before


def exact_log(order, x):
    """log(e^{-x} I_order(x)) as a ball."""
    return arb(x).bessel_i(arb(int(order))).log() - arb(x)


def relative_error(computed, exact):
    assert float(exact.rad()) <= 1e-30 * abs(float(exact.mid()))
    return abs(float(((arb(float(computed)) - exact) / exact).mid()))


@pytest.mark.parametrize("x", ARGUMENTS)
def test_log_scaled_has_the_digits_of_arb(x):
    for order, computed in zip(ORDERS, log_scaled(ORDERS, x), strict=True):
        assert relative_error(computed, exact_log(order, x)) <= 1e-13


@pytest.mark.parametrize("x", ARGUMENTS)
def test_log_ratio_has_the_digits_of_arb_also_where_it_is_tiny(x):
    for a in ORDERS:
        for step in (1, 2, 40, 9000):
            exact = exact_log(a, x) - exact_log(a + step, x)
            assert relative_error(log_ratio(a, a + step, x), exact) <= 1e-13


def test_log_ratio_of_neighbouring_orders_at_a_huge_argument_is_not_a_difference_of_logarithms():
    exact = exact_log(0, 2e8) - exact_log(1, 2e8)
    assert relative_error(log_ratio(0, 1, 2e8), exact) <= 1e-14
    by_subtraction = log_scaled(0, 2e8) - log_scaled(1, 2e8)
    assert relative_error(by_subtraction, exact) > 1e-10


def test_log_ratio_is_antisymmetric_and_zero_at_equal_orders():
    a, b = np.meshgrid(ORDERS, ORDERS)
    for x in ARGUMENTS:
        assert np.array_equal(log_ratio(a, b, x), -log_ratio(b, a, x))
        assert np.all(log_ratio(ORDERS, ORDERS, x) == 0)


@pytest.mark.parametrize("x", ARGUMENTS)
@pytest.mark.parametrize("slope", [0.0, 0.01, -1.3, 40.0])
def test_log_tilted_is_the_scaled_function_with_its_tilt(x, slope):
    tilt, hyperbolic = arb(slope).asinh(), (1 + arb(slope) ** 2).sqrt() - 1
    near = round(slope * x)
    for order in {near, near + 1, near - 3, near + round((slope * slope + 1) ** 0.25 * x**0.5)}:
        if abs(order) > 1e5:
            continue
        exact = exact_log(abs(order), x) + tilt * order - arb(x) * hyperbolic
        assert abs(float((arb(float(log_tilted(order, x, slope))) - exact).mid())) <= 3e-14 * max(
            1, abs(float(exact.mid())), min(abs(order), 30) * abs(float(tilt.mid())), (abs(order) + x) ** 0.5
        )


def test_log_scaled_at_argument_zero_is_the_unit_mass():
    assert log_scaled([0, 1, 50], 0.0).tolist() == [0.0, -np.inf, -np.inf]


def test_orders_far_above_the_argument_do_not_underflow():
    for order, x in [(10_000, 2e-3), (1_000_000, 1e-100), (200_000, 1.0)]:
        leading = arb(order) * (arb(x) / 2).log() - (arb(order) + 1).lgamma() - arb(x)
        exact = (
            leading + (1 + arb(x) ** 2 / (4 * (order + 1)) + arb(x) ** 4 / (32 * arb(order + 1) * (order + 2))).log()
        )
        assert abs(float(((arb(float(log_scaled(order, x))) - exact) / exact).mid())) <= 1e-14


def test_the_correction_of_the_expansion_at_order_zero_is_that_of_hankel():
    # √(2πx) e^{-x} I_0(x) = 1 + 1/8x + 9/128x² + 225/3072x³ + ...
    x = np.array([1e3, 1e4])
    expected = np.log1p(1 / (8 * x) + 9 / (128 * x**2) + 225 / (3072 * x**3) + 11025 / (98304 * x**4))
    assert log_correction(np.zeros(2), x) == pytest.approx(expected, rel=1e-11, abs=0)


def test_arrays_give_the_values_of_their_elements():
    order, x = np.arange(0, 60, 7)[:, None], np.array([0.3, 29.0, 31.0, 1e6])
    whole = log_scaled(order, x)
    assert whole.shape == (9, 4)
    assert all(
        whole[i, j] == pytest.approx(log_scaled(order[i, 0], x[j]), rel=1e-15, abs=0)
        for i in range(9)
        for j in range(4)
    )
    assert isinstance(log_ratio(0, 1, 2.0), float)


@pytest.mark.parametrize("x", [7.0, 33.0, 140.0, 800.0])
def test_many_at_once_have_the_digits_of_arb(x):
    # So many that they are summed by Horner's rule, in bands of the radius.
    orders = np.tile(ORDERS, 400)
    for order, computed in zip(ORDERS, log_scaled(orders, x)[-len(ORDERS) :], strict=True):
        assert relative_error(computed, exact_log(order, x)) <= 1e-13


def test_orders_between_integers_are_not_taken_for_integers():
    # Points of a Gauss rule: log I is smooth in the order, and in the series (R < 30) as well.
    for order in (0.5, 12.25):
        exact = arb(9.0).bessel_i(arb(order)).log() - arb(9.0)
        assert relative_error(log_scaled(order, 9.0), exact) <= 1e-13
