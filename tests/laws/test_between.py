"""The law of a release between two others, derived a second time from joint laws: covariances, sums and quadrature."""

import itertools
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from nrverify.laws.brownian import Brownian
from nrverify.laws.discrete_laplace import DiscreteLaplace
from nrverify.laws.laplace import Laplace
from nrverify.laws.process import TwoSided
from nrverify.laws.skellam import Skellam

PROCESSES: list[TwoSided] = [Brownian(), Laplace(), Skellam(0.7), DiscreteLaplace()]
NAMES = ["brownian", "laplace", "skellam", "discrete-laplace"]
TIMES = [(0.5, 0.2, 2.0), (1.0, 0.25, 1.5), (7.0, 3.0, 400.0), (2.0, 1.0, 2.0 + 2.0**-6)]
"""s, low, high."""


@pytest.fixture(autouse=True)
def _twenty_digits():
    with mp.workdps(20):
        yield


def conditioned(covariance, given):
    """Mean and variance of the first of three centred Gaussian numbers given the others, in rational arithmetic."""
    (ss, sl, su), (_, ll, lu), (_, _, uu) = covariance
    determinant = ll * uu - lu * lu
    weights = ((sl * uu - su * lu) / determinant, (su * ll - sl * lu) / determinant)
    return weights[0] * given[0] + weights[1] * given[1], ss - weights[0] * sl - weights[1] * su


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("given", [(0.5, -1.25), (3.0, 3.0)])
def test_brownian_noise_between_two_releases_is_the_gaussian_conditional_of_its_covariance(times, given):
    exact = [Fraction(t) for t in times]
    covariance = [[min(a, b) for b in exact] for a in exact]
    mean, variance = conditioned(covariance, [Fraction(x) for x in given])
    law = Brownian().between(*times, *given)
    assert law.mean == pytest.approx(float(mean), rel=1e-13)
    assert law.deviation**2 == pytest.approx(float(variance), rel=1e-13)


def laplace_step(s, t, x):
    """The increment from s to t of the Laplace process: its weight at 0, and its density at x."""
    stay = (mp.mpf(s) / mp.mpf(t)) ** 2
    return stay, (1 - stay) * mp.exp(-abs(mp.mpf(x)) / t) / (2 * mp.mpf(t))


def laplace_joint(times, given):
    """From the joint law of both increments, given their sum: the two atoms, and the density of X_s as a function."""
    s, low, high = times
    at_low, at_high = map(mp.mpf, given)
    first_stay, second_stay = laplace_step(low, s, 0)[0], laplace_step(s, high, 0)[0]
    whole = laplace_step(low, high, at_high - at_low)[1]

    def density(x):
        x = mp.mpf(x)
        return laplace_step(low, s, x - at_low)[1] * laplace_step(s, high, at_high - x)[1] / whole

    atom_low = first_stay * laplace_step(s, high, at_high - at_low)[1] / whole
    atom_high = laplace_step(low, s, at_high - at_low)[1] * second_stay / whole
    return atom_low, atom_high, density


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("given", [(0.5, -1.25), (4.0, 4.0625)])
def test_laplace_noise_between_two_releases_follows_from_the_joint_law_of_its_increments(times, given):
    atom_low, atom_high, density = laplace_joint(times, given)
    law = Laplace().between(*times, *given)
    assert law.atom_low == pytest.approx(float(atom_low), rel=1e-12)
    assert law.atom_high == pytest.approx(float(atom_high), rel=1e-12)
    points = sorted({*given, *(given[0] + p * (given[1] - given[0]) for p in (-0.1, 0.3, 1.5))})
    for x in points:
        assert law.logpdf(x) == pytest.approx(float(mp.log(density(x))), rel=1e-12, abs=1e-12)
    edge = [-mp.inf, *points]
    masses = [mp.quad(density, [a, b]) for a, b in itertools.pairwise(edge)]
    rest = mp.quad(density, [points[-1], mp.inf])
    assert float(mp.fsum(masses) + rest + atom_low + atom_high) == pytest.approx(1.0, abs=1e-12)
    below = mp.mpf(0)
    for x, mass in zip(points, masses, strict=True):
        below += mass
        assert law.cdf_left(x) == pytest.approx(float(below), rel=1e-10, abs=1e-14)
        below += atom_low if x == given[0] else atom_high if x == given[1] else 0
        assert law.cdf(x) == pytest.approx(float(below), rel=1e-10, abs=1e-14)
        assert law.sf(x) == pytest.approx(float(1 - below), rel=1e-9, abs=1e-14)


def test_equal_neighbours_of_laplace_noise_leave_nothing_to_draw():
    law = Laplace().between(1.0, 0.5, 2.0, 3.25, 3.25)
    assert (law.atom_low, law.atom_high) == (1.0, 0.0)
    assert law.logpdf(3.3) == -np.inf
    assert (law.cdf_left(3.25), law.cdf(3.25), law.sf(3.25)) == (0.0, 1.0, 0.0)
    assert np.all(law.rvs(np.random.default_rng(1), 50) == 3.25)


def skellam_pmf(mean, j):
    return mp.exp(-2 * mean) * mp.besseli(abs(j), 2 * mean)


def discrete_step(s, t, j):
    """P(X_t - X_s = j) of discrete Laplace noise, by the ratio of characteristic functions."""
    ps, pt = mp.exp(-1 / mp.mpf(s)), mp.exp(-1 / mp.mpf(t))
    stay = ps / (1 - ps) ** 2 / (pt / (1 - pt) ** 2)
    return (1 - stay) * (1 - pt) / (1 + pt) * pt ** abs(j) + (stay if j == 0 else 0)


STEPS = {
    "skellam": (Skellam(0.7), lambda s, t, j: skellam_pmf(mp.mpf(0.7) * (mp.mpf(t) - mp.mpf(s)), j), 30),
    "discrete-laplace": (DiscreteLaplace(), discrete_step, 150),
}
"""The process, the law of its increments, and how far the sums go: beyond, less than 1e-14 is left."""


@pytest.mark.parametrize("family", STEPS)
@pytest.mark.parametrize("times", [(0.5, 0.3, 2.0), (1.0, 0.25, 1.5), (7.0, 3.0, 9.0)])
@pytest.mark.parametrize("given", [(2, -1), (4, 4), (0, 3)])
def test_integer_noise_between_two_releases_follows_from_the_joint_law_of_its_increments(family, times, given):
    process, step, far = STEPS[family]
    s, low, high = times
    joint = {j: step(low, s, j - given[0]) * step(s, high, given[1] - j) for j in range(-far, far)}
    total = mp.fsum(joint.values())
    law = process.between(*times, *given)
    assert np.asarray(getattr(law, "atom_low", 0.0)) == 0.0
    for x in (-6, -1, 0, 1, 2, 4, 7):
        assert law.logpdf(x) == pytest.approx(float(mp.log(joint[x] / total)), rel=1e-9, abs=1e-10)
        assert law.cdf(x) == pytest.approx(float(mp.fsum(w for j, w in joint.items() if j <= x) / total), rel=1e-9)
        assert law.cdf_left(x) == pytest.approx(float(mp.fsum(w for j, w in joint.items() if j < x) / total), rel=1e-9)
        assert law.sf(x) == pytest.approx(float(mp.fsum(w for j, w in joint.items() if j > x) / total), rel=1e-9)
    assert law.logpdf(0.5) == -np.inf


@pytest.mark.parametrize("process", PROCESSES, ids=NAMES)
def test_draws_between_two_releases_have_its_law(process):
    """A Kolmogorov-Smirnov distance beyond 0.05 has probability below 2 exp(-2·4000·0.05²) = 4e-9, atoms or not."""
    law = process.between(1.0, 0.5, 2.0, -1, 2)
    drawn = np.sort(np.asarray(law.rvs(np.random.default_rng(5), 4000), dtype=float))
    points = np.unique(drawn)
    share = np.searchsorted(drawn, points, side="right") / drawn.size
    assert np.abs(share - np.asarray(law.cdf(points))).max() < 0.05


@pytest.mark.parametrize("process", PROCESSES, ids=NAMES)
@pytest.mark.parametrize("times", [(0.5, 0.5, 2.0), (2.0, 0.5, 2.0), (3.0, 0.5, 2.0), (0.1, 0.5, 2.0)])
def test_times_that_are_not_between_are_refused(process, times):
    with pytest.raises(ValueError, match="must lie between"):
        process.between(*times, 0, 1)


@pytest.mark.parametrize("process", PROCESSES, ids=NAMES)
def test_everything_broadcasts(process):
    law = process.between(np.array([[1.0], [1.5]]), 0.5, 2.0, np.array([0, 1, 2]), 1)
    each = [[float(process.between(s, 0.5, 2.0, a, 1).cdf(1)) for a in (0, 1, 2)] for s in (1.0, 1.5)]
    assert np.asarray(law.cdf(1)) == pytest.approx(np.array(each), rel=1e-12)
