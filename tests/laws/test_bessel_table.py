"""Values that are looked up are those that are worked out, and laws do not change where tables serve them."""

import numpy as np
import pytest
from flint import arb

from nrverify.laws.skellam import Skellam
from nrverify.laws.special.bessel_table import OrderTable, worthwhile


def test_a_table_has_the_digits_of_arb_for_either_sign_of_the_order():
    x = np.array([0.3, 7.0, 55.0, 0.3])
    table = OrderTable(x, np.arange(4), 40)
    rows, orders = np.array([0, 1, 2, 3]), np.array([[0.0, -3.0, 40.0]] * 4)
    for row, values in zip(rows, table(rows, orders), strict=True):
        for order, value in zip(orders[0], values, strict=True):
            exact = arb(x[row]).bessel_i(arb(abs(int(order)))).log() - arb(x[row])
            assert abs(float(((arb(float(value)) - exact) / exact).mid())) < 1e-13


def test_a_table_reaches_integers_within_it_and_nothing_else():
    table = OrderTable(np.array([2.0]), np.array([0]), 10)
    points = np.array([[0.0, -10.0], [0.0, 11.0], [0.5, 1.0]])
    assert table.reaches(points).tolist() == [True, False, False]


def test_tables_are_made_only_where_they_serve_many_rows():
    x = np.repeat([1.0, 2.0], 500)
    assert worthwhile(np.ones(1000, dtype=bool), 10.0, x) == 106
    assert worthwhile(np.ones(1000, dtype=bool), 10.0, np.linspace(1, 2, 1000)) is None
    assert worthwhile(np.zeros(1000, dtype=bool), 10.0, x) is None


@pytest.mark.parametrize("times", [(6.0, 2.5), (40.0, 9.0), (0.8, 0.1)])
def test_bridges_from_tables_are_those_added_up_alone(times):
    """Many rows together have a table, one row alone has none; wide and far ones are among them."""
    t, s = times
    given = np.repeat(np.arange(-25.0, 26.0), 60)
    x = np.tile(np.arange(-30.0, 30.0), 51)
    process = Skellam(1.0)
    together = process.bridge(s, t, given).cdf(x)
    for place in range(0, x.size, 173):
        alone = process.bridge(s, t, given[place]).cdf(x[place])
        assert together[place] == pytest.approx(alone, rel=1e-12, abs=1e-300)
