"""The laws of discrete Laplace noise, against brute-force Bayes on a truncated lattice at 50 digits."""

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws import DiscreteLaplace
from nrverify.laws.process import Process

REACH = 400
CASES = [(0.25, 0.3, 0), (0.25, 4.0, -3), (0.8, 1.7, 5), (2.0, 2.001, 1), (1.0, 40.0, 12), (3.0, 9.0, -30)]


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(50):
        yield


def pmf(t, j):
    p = mp.exp(-1 / mp.mpf(t))
    return (1 - p) / (1 + p) * p ** abs(j)


def exact_stay(s, t):
    def c(u):
        p = mp.exp(-1 / mp.mpf(u))
        return p / (1 - p) ** 2

    return c(s) / c(t)


def continuous_stay(s, t):
    """The weight of the continuous Laplace process: wrong on the integers."""
    return (mp.mpf(s) / mp.mpf(t)) ** 2


def forward_pmf(s, t, j, k, stay=exact_stay):
    rho = stay(s, t)
    return (rho if j == k else 0) + (1 - rho) * pmf(t, k - j)


def bridge_pmf(s, t, k, points, stay=exact_stay):
    """P(X_s = j | X_t = k) for each j of `points`, normalised by the sum over the whole truncated lattice."""
    joint = {j: pmf(s, j) * forward_pmf(s, t, j, k, stay) for j in range(-REACH, REACH + 1)}
    whole = mp.fsum(joint.values())
    return [float(joint[j] / whole) for j in points]


def test_the_forward_step_takes_the_marginal_at_s_to_the_marginal_at_t_and_with_the_continuous_weight_it_does_not():
    for s, t, k in CASES:
        right = mp.fsum(pmf(s, j) * forward_pmf(s, t, j, k) for j in range(-REACH, REACH + 1))
        wrong = mp.fsum(pmf(s, j) * forward_pmf(s, t, j, k, continuous_stay) for j in range(-REACH, REACH + 1))
        assert abs(right / pmf(t, k) - 1) < 1e-30
        assert abs(wrong / pmf(t, k) - 1) > 1e-8


@pytest.mark.parametrize("t", [1e-3, 0.25, 1.0, 17.0, 1e6, 1e15])
def test_marginal_has_the_digits_of_the_closed_form_also_in_the_far_tails(t):
    law, p = DiscreteLaplace().marginal(t), mp.exp(-1 / mp.mpf(t))
    for j in (0, -1, 3, -40, 5000):
        assert law.logpdf(j) == pytest.approx(float(mp.log(pmf(t, j))), rel=1e-13, abs=0)
        upper = p ** (abs(j) + 1) / (1 + p)
        assert law.sf(abs(j)) == pytest.approx(float(upper), rel=1e-12, abs=0)
        assert law.cdf(-abs(j) - 1) == law.cdf_left(-abs(j)) == law.sf(abs(j))
        assert law.cdf(abs(j)) == pytest.approx(float(1 - upper), rel=1e-15, abs=0)


@pytest.mark.parametrize(("s", "t", "k"), CASES)
def test_forward_log_pmf_and_cdf_are_those_of_the_mixture(s, t, k):
    law = DiscreteLaplace().forward(s, t, k)
    weights = [forward_pmf(s, t, k, j) for j in range(-2000, 2001)]
    for j in (k, k + 1, k - 7, 0, 200):
        assert np.exp(law.logpdf(j)) == pytest.approx(float(weights[j + 2000]), rel=1e-12, abs=0)
        assert law.sf(j) == pytest.approx(float(mp.fsum(weights[j + 2001 :])), rel=1e-12, abs=0)
        assert law.cdf(j) == pytest.approx(float(mp.fsum(weights[: j + 2001])), rel=1e-12, abs=0)
    assert law.atom == 0


@pytest.mark.parametrize(("s", "t", "k"), CASES)
def test_bridge_log_pmf_is_bayes_rule_by_brute_force_and_not_that_of_the_continuous_weight(s, t, k):
    law = DiscreteLaplace().bridge(s, t, k)
    points = sorted({k, k - 1, k + 1, 0, -1, 1, k // 2, -k, k + 9, -25})
    computed = np.exp(law.logpdf(points))
    assert computed == pytest.approx(bridge_pmf(s, t, k, points), rel=1e-12, abs=0)
    assert computed != pytest.approx(bridge_pmf(s, t, k, points, continuous_stay), rel=1e-6, abs=0)


@pytest.mark.parametrize(("s", "t", "k"), CASES)
def test_bridge_cdf_and_sf_are_sums_of_the_pmf_in_both_tails(s, t, k):
    law = DiscreteLaplace().bridge(s, t, k)
    lattice = range(-REACH, REACH + 1)
    joint = [pmf(s, j) * forward_pmf(s, t, j, k) for j in lattice]
    whole = mp.fsum(joint)
    for x in {k, k - 1, k + 1, 0, -1, k // 2, k + 20, -30}:
        cut = x + REACH + 1
        lower, upper = (float(mp.fsum(part) / whole) for part in (joint[:cut], joint[cut:]))
        assert law.cdf(x) == pytest.approx(lower, rel=1e-12, abs=0)
        assert law.sf(x) == pytest.approx(upper, rel=1e-12, abs=0)
        assert law.cdf_left(x + 1) == law.cdf(x + 0.5) == law.cdf(x)


def test_a_tie_is_likelier_than_staying():
    s, t, k = 2.0, 3.0, 0
    tie = np.exp(DiscreteLaplace().forward(s, t, k).logpdf(k))
    assert tie > float(exact_stay(s, t)) + 1e-3
    assert tie == pytest.approx(float(forward_pmf(s, t, k, k)), rel=1e-13, abs=0)


def test_marginal_and_forward_make_the_same_pair_as_marginal_and_bridge_at_all_scales():
    process = DiscreteLaplace()
    s, t = np.meshgrid([1e-3, 0.25, 5.0, 190.0], [200.0, 3e5, 1e12])
    for x, y in [(0, 3), (-4, 11), (50, 49), (7, 7), (0, 0), (1000, -3)]:
        forwards = process.marginal(s).logpdf(x) + process.forward(s, t, x).logpdf(y)
        backwards = process.marginal(t).logpdf(y) + process.bridge(s, t, y).logpdf(x)
        assert forwards == pytest.approx(backwards, rel=1e-13, abs=0)


def test_for_large_scales_the_tie_is_the_atom_of_the_continuous_laplace_bridge():
    s, t, k = 2e8, 3e8, 10**8
    tie = np.exp(DiscreteLaplace().bridge(s, t, k).logpdf(k))
    assert tie == pytest.approx(s / t * np.exp(-k * (1 / s - 1 / t)), rel=1e-7, abs=0)


def test_times_beyond_the_range_of_their_reciprocals_give_the_limits():
    process = DiscreteLaplace()
    law = process.bridge(1e-310, 1.0, 4)
    assert law.cdf([-1, 0, 3]).tolist() == [0, 1, 1]
    assert law.logpdf(0) == 0
    for same in (process.bridge(1e-310, 1e-310, 4), process.forward(2.0, 2.0, 4), process.bridge(2.0, 2.0, 4)):
        assert same.logpdf([3, 4, 5]).tolist() == [-np.inf, 0, -np.inf]
        assert same.cdf([3, 4, np.inf]).tolist() == [0, 1, 1]
        assert same.sf([-np.inf, 3, 4]).tolist() == [1, 1, 0]


def test_between_the_integers_there_is_no_mass():
    process = DiscreteLaplace()
    for law in (process.marginal(2.0), process.bridge(1.0, 2.0, -3), process.forward(1.0, 2.0, 3)):
        assert law.logpdf([0.5, np.inf, -np.inf]).tolist() == [-np.inf] * 3
        assert law.cdf(1.5) == law.cdf(1) == law.cdf_left(1.5) == law.cdf_left(2)
        assert law.cdf([-np.inf, -1e300, 1e300, np.inf]).tolist() == [0, 0, 1, 1]
        assert law.cdf(1) - law.cdf_left(1) == pytest.approx(np.exp(law.logpdf(1)), rel=1e-13, abs=0)


# Dvoretzky-Kiefer-Wolfowitz-Massart: a correct sampler exceeds this with probability at most 1e-9.
DRAWS = 40_000
LARGEST_GAP = np.sqrt(np.log(2 / 1e-9) / (2 * DRAWS))


def largest_gap(draws, law):
    x = np.arange(draws.min() - 1, draws.max() + 2)
    return np.abs(np.searchsorted(np.sort(draws), x, "right") / len(draws) - law.cdf(x)).max()


def test_draws_follow_the_cdf_with_error_probability_1e_9_and_not_that_of_another_time():
    process = DiscreteLaplace()
    for law, wrong in (
        (process.marginal(3.0), process.marginal(3.5)),
        (process.forward(1.0, 4.0, 2), process.forward(2.0, 4.0, 2)),
        (process.bridge(1.0, 4.0, 5), process.bridge(1.2, 4.0, 5)),
        (process.bridge(3.0, 4.0, -5), process.bridge(3.0, 4.0, -6)),
        (process.bridge(0.4, 0.5, 1), process.bridge(0.45, 0.5, 1)),
        (process.bridge(20.0, 90.0, 60), process.bridge(25.0, 90.0, 60)),
    ):
        draws = law.rvs(np.random.default_rng(5), DRAWS)
        assert draws.dtype == np.int64
        assert largest_gap(draws, law) < LARGEST_GAP
        assert largest_gap(draws, wrong) > LARGEST_GAP


def test_shapes_follow_the_parameters_or_the_size_asked_for():
    rng, process = np.random.default_rng(0), DiscreteLaplace()
    for law in (process.bridge([[1.0], [2.0]], 3.0, [0, 1, 2]), process.forward([[1.0], [2.0]], 3.0, [0, 1, 2])):
        assert law.rvs(rng).shape == law.cdf(1).shape == law.logpdf(1).shape == law.atom.shape == (2, 3)
        assert law.rvs(rng, (5, 2, 3)).shape == (5, 2, 3)


def test_loss_is_the_difference_of_log_pmfs_summed_over_the_coordinates():
    process = DiscreteLaplace()
    value, neighbour, release = np.array([0, 1]), np.array([1, -3]), np.array([[2, 5], [-7, 0], [1, 1]])
    t = np.array([1.0, 4.0, 9.0])
    apart = [process.marginal(t[:, None]).logpdf(release - centre).sum(axis=1) for centre in (value, neighbour)]
    assert process.loss(t, value, neighbour, release) == pytest.approx(apart[0] - apart[1], rel=1e-13, abs=1e-14)
    assert process.loss(2.0, 0, 3, 1) == 0.5


def test_bad_arguments_are_refused_with_their_value():
    process: Process = DiscreteLaplace()
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"t is {bad}"):
            process.marginal(bad)
    with pytest.raises(ValueError, match="must not exceed"):
        process.forward(2.0, 1.0, 0)
    with pytest.raises(ValueError, match=r"given is 0\.5: it must be an integer"):
        process.bridge(1.0, 2.0, 0.5)
    with pytest.raises(ValueError, match="must give draws below"):
        process.marginal(1e30).rvs(np.random.default_rng(0), 10)
