"""The laws of Brownian noise, against quadrature of the defining Gaussian densities at 30 digits."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad

from nrverify.laws.brownian import Brownian
from nrverify.laws.process import Law, Process

process: Process = Brownian()


@pytest.fixture(autouse=True)
def _thirty_digits():
    with mp.workdps(30):
        yield


def density(t, x):
    return mp.exp(-(mp.mpf(x) ** 2) / (2 * mp.mpf(t))) / mp.sqrt(2 * mp.pi * mp.mpf(t))


def bridge_density(s, t, given, x):
    """By Bayes: p_s(x) p_{t-s}(given - x) / p_t(given)."""
    return density(s, x) * density(mp.mpf(t) - mp.mpf(s), mp.mpf(given) - mp.mpf(x)) / density(t, given)


CASES = [(0.5, 2.0, 1.3), (1.0, 1.001, -4.0), (1e-3, 10.0, 25.0), (3.0, 7.0, 0.0)]


@pytest.mark.parametrize("t", [1e-6, 1.0, 300.0])
@pytest.mark.parametrize("z", [-40.0, -3.0, 0.0, 0.7, 40.0])
def test_marginal_density_is_gaussian_of_variance_t_also_in_the_far_tails(t, z):
    x = z * t**0.5
    assert process.marginal(t).logpdf(x) == pytest.approx(float(mp.log(density(t, x))), rel=1e-13, abs=0)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("z", [-5.0, -1.0, 0.2, 4.0])
def test_bridge_density_is_that_of_bayes(case, z):
    s, t, given = case
    x = given * s / t + z * (s * (t - s) / t) ** 0.5
    expected = float(mp.log(bridge_density(s, t, given, x)))
    assert process.bridge(s, t, given).logpdf(x) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("z", [-9.0, -1.0, 0.3, 3.0])
def test_bridge_cdf_is_the_integral_of_the_density(case, z):
    s, t, given = case
    mean, deviation = given * s / t, (s * (t - s) / t) ** 0.5
    x = mean + z * deviation
    panels = [mean - 30 * deviation, *sorted({x - 3 * deviation, x})]
    expected = float(mp.quad(lambda y: bridge_density(s, t, given, y), panels))
    law = process.bridge(s, t, given)
    assert law.cdf(x) == pytest.approx(expected, rel=1e-9, abs=0)
    assert law.cdf_left(x) == law.cdf(x)
    assert law.sf(x) == pytest.approx(1 - expected, abs=1e-12)


@pytest.mark.parametrize(("s", "t", "x", "y"), [(0.5, 2.0, 0.4, -1.0), (3.0, 3.5, 2.0, 6.0)])
def test_marginal_and_forward_make_the_same_pair_as_marginal_and_bridge(s, t, x, y):
    forwards = process.marginal(s).logpdf(x) + process.forward(s, t, x).logpdf(y)
    backwards = process.marginal(t).logpdf(y) + process.bridge(s, t, y).logpdf(x)
    assert forwards == pytest.approx(backwards, rel=1e-13, abs=0)


@pytest.mark.parametrize("x", [-2.0, 0.0, 1.1])
def test_the_bridge_averaged_over_the_marginal_is_the_earlier_marginal(x):
    s, t = 0.6, 1.7
    mixed = quad(lambda y: np.exp(process.marginal(t).logpdf(y) + process.bridge(s, t, y).logpdf(x)), -15, 15)[0]
    assert mixed == pytest.approx(float(density(s, x)), rel=1e-10, abs=0)


@pytest.mark.parametrize("y", [-2.0, 0.0, 1.1])
def test_forward_laws_form_a_semigroup(y):
    r, s, t, given = 0.3, 0.9, 2.0, 0.5
    step = quad(lambda x: np.exp(process.forward(r, s, given).logpdf(x) + process.forward(s, t, x).logpdf(y)), -12, 12)[
        0
    ]
    assert step == pytest.approx(float(density(t - r, y - given)), rel=1e-10, abs=0)


def test_at_equal_times_the_laws_are_atoms_at_given():
    for law in (process.bridge(2.0, 2.0, -1.5), process.forward(2.0, 2.0, -1.5)):
        assert law.atom == 1
        assert np.all(law.logpdf([-1.5, 0.0]) == -np.inf)
        assert law.cdf([-1.6, -1.5, 3.0]).tolist() == [0, 1, 1]
        assert law.cdf_left([-1.6, -1.5, 3.0]).tolist() == [0, 0, 1]
        assert law.rvs(np.random.default_rng(0), 3).tolist() == [-1.5] * 3
    assert process.bridge([1.0, 2.0], 2.0, 0.0).atom.tolist() == [0, 1]
    assert process.marginal(2.0).atom == 0


def test_scaling_of_the_bridge():
    law, scaled = process.bridge(0.5, 2.0, 1.3), process.bridge(0.5 * 9, 2.0 * 9, 1.3 * 3)
    x = np.linspace(-3, 3, 13)
    assert scaled.cdf(3 * x) == pytest.approx(law.cdf(x), rel=1e-12, abs=0)
    assert scaled.logpdf(3 * x) + np.log(3) == pytest.approx(law.logpdf(x), rel=1e-12, abs=0)


@pytest.mark.parametrize("law", [process.marginal(2.0), process.bridge(0.5, 2.0, 1.3), process.forward(0.5, 2.0, 1.3)])
def test_the_quantile_inverts_the_cdf(law):
    q = np.array([1e-12, 0.01, 0.5, 0.9])
    assert law.cdf(law.ppf(q)) == pytest.approx(q, rel=1e-9, abs=0)


def largest_gap(draws, law: Law):
    """sup |F_n - F| over the line."""
    x = np.sort(draws)
    n = len(x)
    above, below = np.searchsorted(x, x, "right") / n, np.searchsorted(x, x, "left") / n
    return max(np.abs(above - law.cdf(x)).max(), np.abs(below - law.cdf_left(x)).max())


# Dvoretzky-Kiefer-Wolfowitz-Massart: a correct sampler exceeds this with probability at most 1e-9.
DRAWS = 100_000
LARGEST_GAP = np.sqrt(np.log(2 / 1e-9) / (2 * DRAWS))


def test_draws_follow_the_cdf_with_error_probability_1e_9():
    cases = {
        "marginal": (process.marginal(3.0), process.marginal(3.0 * 1.2)),
        "bridge": (process.bridge(1.0, 4.0, 2.0), process.bridge(1.0, 3.0, 2.0)),
        "forward": (process.forward(1.0, 4.0, 2.0), process.forward(0.5, 4.0, 2.1)),
    }
    for name, (law, wrong) in cases.items():
        draws = law.rvs(np.random.default_rng(20), DRAWS)
        assert largest_gap(draws, law) < LARGEST_GAP, name
        assert largest_gap(draws, wrong) > LARGEST_GAP, name


def test_draws_have_the_shape_of_the_parameters_or_the_size_asked_for():
    law = process.bridge([[1.0], [2.0]], 3.0, [0.0, 1.0, 2.0])
    rng = np.random.default_rng(0)
    assert law.rvs(rng).shape == (2, 3)
    assert law.rvs(rng, (5, 2, 3)).shape == (5, 2, 3)
    assert np.ndim(process.marginal(1.0).rvs(rng)) == 0
    with pytest.raises(ValueError, match="size is 4"):
        law.rvs(rng, 4)


def test_loss_is_the_log_ratio_of_the_densities():
    t, value, neighbour, release = 0.7, 3.0, 4.5, 2.2
    expected = mp.log(density(t, mp.mpf(release) - value) / density(t, mp.mpf(release) - neighbour))
    assert process.loss(t, value, neighbour, release) == pytest.approx(float(expected), rel=1e-13, abs=0)


def test_loss_sums_over_the_coordinates_and_t_broadcasts_over_the_releases():
    value, neighbour = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    release, t = np.array([[0.5, 2.0], [10.0, -1.0], [0.0, 0.0]]), np.array([1.0, 2.0, 4.0])
    expected = [
        ((r - neighbour) @ (r - neighbour) - (r - value) @ (r - value)) / (2 * u)
        for r, u in zip(release, t, strict=True)
    ]
    assert process.loss(t, value, neighbour, release) == pytest.approx(expected, rel=1e-14, abs=0)
    assert process.loss(2.0, 0.0, 1.0, release).shape == (3, 2)


def test_loss_of_a_release_far_from_both_values_keeps_its_digits():
    assert process.loss(1.0, 1.0, 2.0, 1e17) == -1e17
    assert process.loss(1.0, 1e8, 1e8 + 1, 1e8 + 0.25) == pytest.approx(0.25, rel=1e-15, abs=0)


@pytest.mark.parametrize("t", [0.0, -1.0, np.nan, np.inf])
def test_times_that_are_no_positive_reals_are_refused(t):
    for call in (
        lambda: process.marginal(t),
        lambda: process.bridge(t, 3.0, 0.0),
        lambda: process.forward(1.0, t, 0.0),
        lambda: process.loss(t, 0.0, 1.0, 0.0),
    ):
        with pytest.raises(ValueError, match=str(t)):
            call()


def test_other_bad_arguments_are_refused_with_their_value():
    with pytest.raises(ValueError, match=r"s is 3\.0: it must not exceed t = 2\.0"):
        process.bridge([1.0, 3.0], 2.0, 0.0)
    with pytest.raises(ValueError, match="given is nan"):
        process.forward(1.0, 2.0, np.nan)
    with pytest.raises(ValueError, match="x is nan"):
        process.marginal(1.0).cdf(np.nan)
    with pytest.raises(ValueError, match=r"q is 1\.5"):
        process.marginal(1.0).ppf(1.5)
    with pytest.raises(ValueError, match=r"release of shape \(2, 3\)"):
        process.loss(1.0, np.zeros(2), np.ones(2), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"neighbour of shape \(3,\)"):
        process.loss(1.0, np.zeros(2), np.ones(3), np.zeros(2))
    with pytest.raises(ValueError, match="release is nan"):
        process.loss(1.0, 0.0, 1.0, np.nan)
