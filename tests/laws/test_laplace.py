"""The laws of the Laplace process, against the increment law of the paper by Bayes and quadrature at 30 digits."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from nrverify.laws.laplace import Laplace
from nrverify.laws.process import Law, Process

process: Process = Laplace()


@pytest.fixture(autouse=True)
def _thirty_digits():
    with mp.workdps(30):
        yield


CASES = [
    (0.5, 2.0, 1.3),
    (0.5, 2.0, -1.3),
    (1.0, 1.0 + 2.0**-30, -4.0),
    (1.0, 1.0 + 2.0**-30, 1e-3),
    (0.1, 10.0, 2.5),
    (3.0, 7.0, 0.0),
]
POINTS = [-0.4, 0.0, 1e-9, 0.99, 1.0, 1.01, 4.0]


def density(t, x):
    return mp.exp(-abs(mp.mpf(x)) / mp.mpf(t)) / (2 * mp.mpf(t))


def bridge_density(s, t, given, x):
    """By Bayes, the continuous part: p_s(x) (1 - (s/t)²) Lap(t)(given - x) / p_t(given)."""
    return density(s, x) * (1 - (mp.mpf(s) / t) ** 2) * density(t, mp.mpf(given) - mp.mpf(x)) / density(t, given)


def bridge_atom(s, t, given):
    """By Bayes, the atom: p_s(given) (s/t)² / p_t(given)."""
    return density(s, given) * (mp.mpf(s) / t) ** 2 / density(t, given)


def integral(s, t, given, lower, upper):
    """The mass of the continuous part of the bridge between two points, split where the density has a kink."""
    if not lower < upper:
        return mp.mpf(0)
    kinks = sorted({lower, upper, *(k for k in (0.0, given) if lower < k < upper)})
    highest = max(bridge_density(s, t, given, x) for x in kinks)  # the quadrature stops at an absolute error
    return highest * mp.quad(lambda x: bridge_density(s, t, given, x) / highest, kinks)


def place(case, position):
    """A point given by its position relative to 0 and given: 1.0 is `given` itself."""
    s, _, given = case
    return position * given if given else position * s


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("position", POINTS)
def test_bridge_density_and_atom_are_those_of_bayes(case, position):
    law, x = process.bridge(*case), place(case, position)
    assert law.atom == pytest.approx(float(bridge_atom(*case)), rel=1e-13, abs=0)
    assert law.logpdf(x) == pytest.approx(float(mp.log(bridge_density(*case, x))), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("position", POINTS)
def test_bridge_cdf_is_integral_plus_atom_in_both_tails(case, position):
    s, _, given = case
    law, x = process.bridge(*case), place(case, position)
    lowest, highest = min(0.0, given, x) - 60 * s, max(0.0, given, x) + 60 * s
    below = integral(*case, min(0.0, given, x) - 12 * s, x) + integral(*case, lowest, min(0.0, given, x) - 12 * s)
    above = integral(*case, x, max(0.0, given, x) + 12 * s) + integral(*case, max(0.0, given, x) + 12 * s, highest)
    atom = bridge_atom(*case)
    assert law.cdf(x) == pytest.approx(float(below + (atom if x >= given else 0)), rel=1e-11, abs=0)
    assert law.cdf_left(x) == pytest.approx(float(below + (atom if x > given else 0)), rel=1e-11, abs=0)
    assert law.sf(x) == pytest.approx(float(above + (atom if x < given else 0)), rel=1e-11, abs=0)
    assert below + above + atom == pytest.approx(1, abs=1e-20)


@pytest.mark.parametrize("case", CASES)
def test_the_jump_of_the_cdf_at_given_is_the_atom(case):
    for law in (process.bridge(*case), process.forward(*case)):
        assert law.cdf(case[2]) - law.cdf_left(case[2]) == pytest.approx(law.atom, abs=1e-15)


@pytest.mark.parametrize("case", CASES)
def test_forward_is_an_atom_and_a_laplace_density(case):
    s, t, given = case
    law = process.forward(*case)
    stay = (mp.mpf(s) / t) ** 2
    assert law.atom == pytest.approx(float(stay), rel=1e-15, abs=0)
    for x in (given - 30 * t, given - 0.1, given, given + 2.0):
        assert law.logpdf(x) == pytest.approx(
            float(mp.log((1 - stay) * density(t, mp.mpf(x) - given))), rel=1e-13, abs=0
        )
        below = (1 - stay) * mp.exp(-abs(mp.mpf(x) - given) / t) / 2
        assert law.cdf(x) == pytest.approx(float(below if x < given else 1 - below), rel=1e-13, abs=0)
        assert law.cdf_left(x) == pytest.approx(float(below if x <= given else 1 - below), rel=1e-13, abs=0)
        assert law.sf(x) == pytest.approx(float(1 - below if x < given else below), rel=1e-13, abs=0)


@pytest.mark.parametrize("t", [1e-6, 1.0, 300.0])
@pytest.mark.parametrize("z", [-600.0, -1.0, 0.0, 0.7, 600.0])
def test_marginal_is_laplace_of_scale_t_also_in_the_far_tails(t, z):
    law, x = process.marginal(t), z * t
    assert law.logpdf(x) == pytest.approx(float(mp.log(density(t, x))), rel=1e-13, abs=0)
    assert law.cdf(x) == pytest.approx(
        float(mp.exp(-abs(mp.mpf(x)) / t) / 2 if x < 0 else 1 - mp.exp(-mp.mpf(x) / t) / 2), rel=1e-12
    )
    assert law.atom == 0


@pytest.mark.parametrize("y", [-2.0, 0.3, 1.1])
def test_the_bridge_averaged_over_the_marginal_is_the_earlier_marginal(y):
    s, t = 0.6, 1.7
    smooth = quad(
        lambda z: np.exp(process.marginal(t).logpdf(z) + process.bridge(s, t, z).logpdf(y)),
        -70,
        70,
        points=[0, y],
        limit=200,
    )[0]
    stayed = np.exp(process.marginal(t).logpdf(y)) * process.bridge(s, t, y).atom
    assert smooth + stayed == pytest.approx(float(density(s, y)), rel=1e-8, abs=0)


@pytest.mark.parametrize("y", [-2.0, 0.3, 1.1])
def test_forward_laws_form_a_semigroup(y):
    r, s, t, given = 0.3, 0.9, 2.0, 0.5
    first, whole = process.forward(r, s, given), process.forward(r, t, given)
    both = quad(
        lambda x: np.exp(first.logpdf(x) + process.forward(s, t, x).logpdf(y)), -30, 30, points=[given, y], limit=200
    )[0]
    one = (
        first.atom * np.exp(process.forward(s, t, given).logpdf(y))
        + np.exp(first.logpdf(y)) * process.forward(s, t, y).atom
    )
    assert both + one == pytest.approx(np.exp(whole.logpdf(y)), rel=1e-8, abs=0)
    assert first.atom * process.forward(s, t, given).atom == pytest.approx(whole.atom, rel=1e-14, abs=0)


def test_marginal_and_forward_make_the_same_pair_as_marginal_and_bridge():
    s, t = np.meshgrid([0.1, 0.5, 1.9], [2.0, 30.0])
    for x, y in [(0.4, -1.0), (-2.0, -2.5), (3.0, 0.1)]:
        forwards = process.marginal(s).logpdf(x) + process.forward(s, t, x).logpdf(y)
        backwards = process.marginal(t).logpdf(y) + process.bridge(s, t, y).logpdf(x)
        assert forwards == pytest.approx(backwards, rel=1e-13, abs=0)
        stay_forwards = process.marginal(s).logpdf(x) + np.log(process.forward(s, t, x).atom)
        stay_backwards = process.marginal(t).logpdf(x) + np.log(process.bridge(s, t, x).atom)
        assert stay_forwards == pytest.approx(stay_backwards, rel=1e-13, abs=0)


def test_reflection_and_scaling_of_the_bridge():
    x = np.linspace(-3, 3, 25)
    law = process.bridge(0.5, 2.0, 1.25)
    assert process.bridge(0.5, 2.0, -1.25).cdf(-x) == pytest.approx(1 - law.cdf_left(x), abs=1e-15)
    assert process.bridge(1.5, 6.0, 3.75).cdf(3 * x) == pytest.approx(law.cdf(x), rel=1e-14, abs=0)


def test_at_equal_times_the_laws_are_atoms_at_given():
    for law in (process.bridge(2.0, 2.0, -1.5), process.forward(2.0, 2.0, -1.5)):
        assert law.atom == 1
        assert np.all(law.logpdf([-1.5, 0.0]) == -np.inf)
        assert law.cdf([-1.6, -1.5, 3.0]).tolist() == [0, 1, 1]
        assert law.cdf_left([-1.6, -1.5, 3.0]).tolist() == [0, 0, 1]
        assert law.rvs(np.random.default_rng(0), 3).tolist() == [-1.5] * 3


def test_a_given_value_a_million_scales_out_neither_overflows_nor_loses_digits():
    law = process.bridge(1e-6, 1.0, 1.0)
    assert law.atom == 0
    assert law.cdf(0.0) == pytest.approx(0.5 * (1 - 1e-6), rel=1e-15, abs=0)
    assert law.sf(5e-4) == pytest.approx(
        float((1 + mp.mpf("1e-6")) / 2 * mp.exp(-mp.mpf(5e-4) * (mp.mpf(10) ** 6 - 1))), rel=1e-12
    )
    assert law.logpdf(1.0) == pytest.approx(float(mp.log(bridge_density(1e-6, 1, 1, 1))), rel=1e-14, abs=0)
    assert law.cdf([-np.inf, np.inf]).tolist() == [0, 1]


@pytest.mark.parametrize("case", CASES)
def test_the_quantile_inverts_the_cdf_and_is_given_on_the_atom(case):
    for law in (process.bridge(*case), process.forward(*case)):
        given = case[2]
        before, after = law.cdf_left(given), law.cdf(given)
        for q in (before * 1e-9, before * 0.3, before * 0.9):
            assert law.cdf(law.ppf(q)) == pytest.approx(q, rel=1e-9, abs=0)
        assert law.ppf(before + 0.5 * (after - before)) == given
        for q in (1 - (1 - after) * 0.9, 1 - (1 - after) * 0.2):
            assert law.sf(law.ppf(q)) == pytest.approx(1 - q, rel=1e-6, abs=0)


def largest_gap(draws, law: Law):
    """sup |F_n - F| over the line, atoms included."""
    x = np.sort(draws)
    n = len(x)
    above, below = np.searchsorted(x, x, "right") / n, np.searchsorted(x, x, "left") / n
    return max(np.abs(above - law.cdf(x)).max(), np.abs(below - law.cdf_left(x)).max())


# Dvoretzky-Kiefer-Wolfowitz-Massart, for any law: a correct sampler exceeds this with probability at most 1e-9.
DRAWS = 100_000
LARGEST_GAP = np.sqrt(np.log(2 / 1e-9) / (2 * DRAWS))


def test_draws_follow_the_cdf_with_error_probability_1e_9():
    cases = {
        "marginal": (process.marginal(3.0), process.marginal(3.0 * 1.1)),
        "bridge": (process.bridge(1.0, 2.0, 0.8), process.bridge(1.0, 2.2, 0.8)),
        "reflected": (process.bridge(1.0, 2.0, -0.8), process.bridge(1.0, 2.0, -0.9)),
        "forward": (process.forward(1.0, 2.0, 0.8), process.forward(0.9, 2.0, 0.8)),
    }
    for name, (law, wrong) in cases.items():
        draws = law.rvs(np.random.default_rng(21), DRAWS)
        assert largest_gap(draws, law) < LARGEST_GAP, name
        assert largest_gap(draws, wrong) > LARGEST_GAP, name


def test_draws_hit_given_as_often_as_the_atom_says_with_error_probability_2e_9():
    for law, weight in [(process.bridge(1.0, 2.0, 0.8), np.exp(-0.4) / 2), (process.forward(1.0, 2.0, 0.8), 0.25)]:
        ties = np.count_nonzero(law.rvs(np.random.default_rng(22), DRAWS) == 0.8)
        assert binom.ppf(5e-10, DRAWS, weight) <= ties <= binom.isf(5e-10, DRAWS, weight)
        assert not binom.ppf(5e-10, DRAWS, 1.05 * weight) <= ties


def test_draws_have_the_shape_of_the_parameters_or_the_size_asked_for():
    rng = np.random.default_rng(0)
    for law in (
        process.bridge([[1.0], [2.0]], 3.0, [0.0, 1.0, 2.0]),
        process.forward([[1.0], [2.0]], 3.0, [0.0, 1.0, 2.0]),
    ):
        assert law.rvs(rng).shape == (2, 3)
        assert law.rvs(rng, (5, 2, 3)).shape == (5, 2, 3)


def test_loss_is_the_log_ratio_of_the_densities():
    for release in (-7.0, 3.5, 4.0, 9.0):
        expected = mp.log(density(0.7, mp.mpf(release) - 3) / density(0.7, mp.mpf(release) - mp.mpf(4.5)))
        assert process.loss(0.7, 3.0, 4.5, release) == pytest.approx(float(expected), rel=1e-14, abs=0)
        assert process.loss(0.7, 4.5, 3.0, release) == pytest.approx(-float(expected), rel=1e-14, abs=0)


def test_loss_is_exact_for_huge_releases():
    assert process.loss(2.0, 0.0, 0.3, [1e17, -1e17, 1.7e308]).tolist() == [-0.15, 0.15, -0.15]


def test_loss_sums_over_the_coordinates_and_t_broadcasts_over_the_releases():
    value, neighbour = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    release, t = np.array([[0.5, 2.5], [10.0, -1.0]]), np.array([1.0, 4.0])
    assert process.loss(t, value, neighbour, release) == pytest.approx([-1.0, (-1.0 + 2.0) / 4.0], rel=1e-15, abs=0)


def test_bad_arguments_are_refused_with_their_value():
    for t in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"t is {t}"):
            process.marginal(t)
        with pytest.raises(ValueError, match=f"s is {t}"):
            process.bridge(t, 2.0, 0.0)
        with pytest.raises(ValueError, match=f"t is {t}"):
            process.loss(t, 0.0, 1.0, 2.0)
    with pytest.raises(ValueError, match="must not exceed"):
        process.forward(2.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="given is inf"):
        process.bridge(1.0, 2.0, np.inf)
    with pytest.raises(ValueError, match="x is nan"):
        process.bridge(1.0, 2.0, 0.0).logpdf(np.nan)
    with pytest.raises(ValueError, match="last axis"):
        process.loss(1.0, np.zeros(2), np.ones(2), 0.0)
