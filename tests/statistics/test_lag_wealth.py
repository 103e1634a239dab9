"""Bets on every distance at once: sums as by loops, fair under the null, and grown where there is a correlation."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from nrverify.statistics.lag_wealth import LAGS, LOG_WEIGHTS, LagWealth
from nrverify.statistics.wealth import MeanWealth


def seen(z, present=None):
    wealth = LagWealth()
    wealth.bet(z, np.ones(z.shape, dtype=bool) if present is None else present)
    return wealth


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("lag", [1, 2, 17, 199])
def test_each_lag_is_bet_on_as_by_a_regression_on_the_row_so_far_before(lag, gaps):
    rng = np.random.default_rng(1)
    z = rng.standard_normal((200, 3))
    present = rng.random(z.shape) < 0.7 if gaps else np.ones(z.shape, dtype=bool)
    z = np.where(present, z, 0.0)
    wealth = seen(z, present)
    later, before = z[lag:][present[lag:]], z[:-lag][present[lag:]]
    assert wealth.cross[lag - 1] == pytest.approx(math.fsum(later * before), abs=1e-11)
    assert wealth.energy[lag - 1] == pytest.approx(math.fsum(before * before), rel=1e-11, abs=1e-11)


def test_the_wealth_is_the_weighted_average_over_the_lags():
    z = np.random.default_rng(2).standard_normal((50, 1))
    total = 0.0
    for lag in range(1, LAGS + 1):
        one = MeanWealth()
        if lag < 50:
            one.bet(z[lag:, 0], z[:-lag, 0])
        total += math.exp(LOG_WEIGHTS[lag - 1] + one.log_e)
    assert seen(z).log_e == pytest.approx(math.log(total), abs=1e-9)
    assert math.fsum(np.exp(LOG_WEIGHTS)) == pytest.approx(1.0, rel=1e-12)


def test_two_independent_rows_multiply_the_wealth_by_one_on_average():
    """Given the first row, by quadrature over the second."""

    def integrand(second):
        return math.exp(seen(np.array([[0.7], [second]])).log_e + norm.logpdf(second))

    average = sum(quad(integrand, a, b, epsabs=1e-10, limit=200)[0] for a, b in [(-40, -3), (-3, 3), (3, 40)])
    assert average == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("lag", [3, 40, 1500])
def test_a_correlation_at_a_distance_is_found_and_named(lag):
    rng = np.random.default_rng(4)
    z = rng.standard_normal((6000, 1))
    for row in range(lag, len(z)):
        z[row] = 0.3 * z[row - lag] + math.sqrt(0.91) * z[row]
    wealth = seen(z)
    assert wealth.log_e > 50
    assert wealth.lag == lag
    assert wealth.estimate().numbers == {"lag": lag}


def test_what_two_have_seen_adds_up_and_a_fresh_one_has_seen_nothing():
    rng = np.random.default_rng(5)
    parts = [rng.standard_normal((n, 2)) for n in (30, 300)]
    merged = LagWealth()
    for part in parts:
        own = merged.empty_copy()
        own.bet(part, np.ones(part.shape, dtype=bool))
        merged.merge(own)
    assert merged.empty_copy().log_e == pytest.approx(0.0, abs=1e-9)
    expected = sum(seen(part).cross for part in parts)
    assert merged.cross == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shape", [(0, 1), (1, 1), (5, 0)])
def test_too_few_rows_to_compare_change_nothing(shape):
    assert seen(np.ones(shape)).log_e == pytest.approx(0.0, abs=1e-9)
