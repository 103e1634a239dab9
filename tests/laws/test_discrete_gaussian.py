"""The law of discrete Gaussian noise, against sums of its weights at 50 digits."""

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import Brownian, DiscreteGaussian


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(50):
        yield


def weight(t, j):
    return mp.exp(-(mp.mpf(j) ** 2) / (2 * mp.mpf(t)))


def reach(t):
    return 20 + int(16 * float(t) ** 0.5)


def whole(t):
    return mp.fsum(weight(t, j) for j in range(-reach(t), reach(t) + 1))


@pytest.mark.parametrize("t", [1e-2, 0.1, 0.159, 0.16, 0.5, 2.0, 30.0, 1000.0])
def test_log_pmf_has_the_digits_of_the_normalised_weights(t):
    law = DiscreteGaussian().marginal(t)
    for j in (0, 1, -1, 4, -37, 3000):
        expected = mp.log(weight(t, j)) - mp.log(whole(t))
        assert law.logpdf(j) == pytest.approx(float(expected), rel=1e-13, abs=0)


def test_at_small_t_the_law_is_not_the_normal_density_on_the_integers():
    assert DiscreteGaussian().marginal(0.1).logpdf(0) != pytest.approx(Brownian().marginal(0.1).logpdf(0), rel=1e-3)
    assert DiscreteGaussian().marginal(50.0).logpdf(3) == pytest.approx(Brownian().marginal(50.0).logpdf(3), rel=1e-14)


@pytest.mark.parametrize("t", [0.1, 0.9, 30.0, 42.3, 60.0, 1000.0])
def test_tails_are_sums_of_the_pmf_also_far_out(t):
    law, total = DiscreteGaussian().marginal(t), whole(t)
    deviation = float(t) ** 0.5
    for cut in {0, 1, round(2 * deviation), round(7 * deviation)}:
        upper = float(mp.fsum(weight(t, j) for j in range(cut + 1, cut + reach(t))) / total)
        assert law.sf(cut) == pytest.approx(upper, rel=1e-12, abs=0)
        assert law.cdf(-cut - 1) == law.cdf_left(-cut) == law.cdf(-cut - 0.5)
        assert law.cdf(-cut - 1) == pytest.approx(upper, rel=1e-12, abs=0)
        assert law.cdf(cut) == pytest.approx(1 - upper, rel=1e-12, abs=0)


@pytest.mark.parametrize("t", [1e6, 1e10, 1e24])
def test_for_huge_t_the_tail_is_the_normal_one_at_half_an_integer_more(t):
    # Euler-Maclaurin: Σ_{j>x} φ(j) = ∫_{x+½}^∞ φ + φ'(x+½)/24 + …, whose next terms are of order t^-2.
    root = mp.sqrt(t)
    for share in (0, 1, 5):
        x = int(share * root)
        z = (x + mp.mpf(1) / 2) / root
        expected = mp.ncdf(-z) - z * mp.npdf(z) / (24 * t)
        law = DiscreteGaussian().marginal(t)
        # x itself is rounded to a double above 2^53, where the law asked about is that of the rounded point.
        assert law.sf(x) == pytest.approx(float(expected), rel=2e-12 if t < 1e20 else 1e-11, abs=0)


def test_extreme_parameters_and_points_give_the_limits():
    law = DiscreteGaussian().marginal(1e-320)
    assert law.cdf([-np.inf, -1, 0, np.inf]).tolist() == [0, 0, 1, 1]
    assert law.logpdf([0, 0.5]).tolist() == [0, -np.inf]
    assert law.rvs(np.random.default_rng(0), 3).tolist() == [0, 0, 0]
    assert law.atom == 0
    assert not hasattr(DiscreteGaussian(), "bridge")


DRAWS = 40_000
LARGEST_GAP = np.sqrt(np.log(2 / 1e-9) / (2 * DRAWS))


def test_draws_follow_the_cdf_with_error_probability_1e_9_and_not_that_of_another_t():
    for t, other in [(0.1, 0.16), (0.8, 1.0), (300.0, 420.0)]:
        draws = DiscreteGaussian().marginal(t).rvs(np.random.default_rng(3), DRAWS)
        x = np.arange(draws.min() - 1, draws.max() + 2)
        empirical = np.searchsorted(np.sort(draws), x, "right") / DRAWS
        assert np.abs(empirical - DiscreteGaussian().marginal(t).cdf(x)).max() < LARGEST_GAP
        assert np.abs(empirical - DiscreteGaussian().marginal(other).cdf(x)).max() > LARGEST_GAP


def test_loss_is_the_difference_of_log_pmfs_summed_over_the_coordinates():
    process = DiscreteGaussian()
    value, neighbour, release = np.array([0, 1]), np.array([1, -3]), np.array([[2, 5], [-7, 0], [1, 1]])
    t = np.array([1.0, 4.0, 9.0])
    apart = [process.marginal(t[:, None]).logpdf(release - centre).sum(axis=1) for centre in (value, neighbour)]
    assert process.loss(t, value, neighbour, release) == pytest.approx(apart[0] - apart[1], rel=1e-13, abs=1e-14)
    assert process.loss(2.0, 0, 3, 1) == 0.75


def test_bad_arguments_are_refused_with_their_value():
    with pytest.raises(ValueError, match=r"t is 0\.0: it must be finite and > 0"):
        DiscreteGaussian().marginal(0.0)
    with pytest.raises(ValueError, match=r"release is 0\.5: it must be an integer"):
        DiscreteGaussian().loss(1.0, 0, 1, 0.5)
