"""Named alternatives are exact likelihood ratios: against densities of another library, sums in rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

from nrverify.auditing.core.bets.named_alternatives import (
    FLOOR,
    FORGETFUL,
    FRESH,
    SESSIONS,
    SHAPES,
    forgetful_ratio,
    forgotten,
    fresh_ratio,
    session_ratios,
    shape_ratios,
    sum_of_uniforms,
)
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.faults.noise import CLIPPED, FORGETFUL_SESSIONS, FRESH_NOISE, RARE_SESSIONS
from nrverify.auditing.noise_reduction.checks.integers.rounded_normals import ROUNDED, rounded_ratios
from nrverify.laws.skellam import Skellam


def irwin_hall(x, number):
    """The density of so many uniform numbers added up, less their mean, from its alternating sum in whole numbers."""

    def density(x):
        y = Fraction(float(x)) + Fraction(number, 2)
        parts = (
            (-1) ** k * math.comb(number, k) * (y - k) ** (number - 1)
            for k in range(number + 1)
            if y > k and y < number
        )
        return float(sum(parts) / math.factorial(number - 1))

    return np.array([density(point) for point in x])


def test_a_bet_on_uniform_numbers_added_up_is_never_more_than_fair():
    ratio = SHAPES["twelve-uniforms"]
    z = np.linspace(-6.5, 6.5, 4001)
    exact = irwin_hall(z, 12) / stats.norm.pdf(z)
    assert ratio(z * z, np.exp(0.5 * z * z)) == pytest.approx(exact, abs=2e-6)
    fine = np.linspace(-6.5, 6.5, 130_001)
    average = trapezoid(ratio(fine**2, np.exp(0.5 * fine**2)) * stats.norm.pdf(fine), fine)
    assert 1 - 2e-6 < average < 1 - 5e-7


def test_rounded_normals_are_bet_on_step_by_step():
    """Against the laws of another library, steps in growing time one by one."""
    times, rng = np.array([9.0, 4.0, 4.0, 0.5]), np.random.default_rng(11)
    steps = [rng.poisson(m, (40, 2)) - rng.poisson(m, (40, 2)) for m in (0.75, 5.25, 0.0, 7.5)]
    noise = np.cumsum(np.stack(steps, axis=1), axis=1)[:, ::-1].astype(float)
    found = rounded_ratios(Skellam(1.5), noise, times)
    totals = []
    for step, mean in ((steps[0], 0.75), (steps[1], 5.25), (steps[3], 7.5)):
        normal = stats.norm(scale=math.sqrt(2 * mean))
        ratio = (normal.cdf(step + 0.5) - normal.cdf(step - 0.5)) / stats.skellam.pmf(step, mean, mean)
        totals.append(np.log(FLOOR + (1 - FLOOR) * ratio).sum())
    assert found["rounded-normals-above-0"] == pytest.approx(sum(totals), rel=1e-9)
    assert found["rounded-normals-above-5"] == pytest.approx(sum(totals[1:]), rel=1e-9)
    assert found["rounded-normals-above-10"] == 0.0


def test_named_shapes_are_the_ratios_of_densities():
    """Against densities of another library; the mixtures by hand."""
    z = np.concatenate([np.linspace(-8.2, 8.2, 83), np.random.default_rng(9).standard_normal(100)])
    densities = [stats.t(nu, scale=math.sqrt((nu - 2) / nu)).pdf(z) for nu in (3, 5, 12)]
    densities.append(stats.logistic(scale=math.sqrt(3) / math.pi).pdf(z))
    densities.append((1 - 1e-6) * irwin_hall(z, 12))
    for most in (3.0, 3.5, 4.0, 4.5):
        densities.append(stats.norm.pdf(z) * (np.abs(z) <= most) / (stats.norm.cdf(most) - stats.norm.cdf(-most)))
    for share, deviation in ((0.01, 3.0), (0.001, 10.0)):
        densities.append((1 - share) * stats.norm.pdf(z) + share * stats.norm(scale=deviation).pdf(z))
    found = shape_ratios(z)
    assert list(found) == list(SHAPES)
    for (name, total), density in zip(found.items(), densities, strict=True):
        expected = np.log(FLOOR + (1 - FLOOR) * density / stats.norm.pdf(z)).sum()
        # The table of the uniform numbers is good to 1e-7.
        assert total == pytest.approx(expected, rel=1e-10, abs=2e-5 if "uniform" in name else 0.0)
    assert fresh_ratio(np.array([0.0, -np.inf, 1e4])) == pytest.approx(math.log(FLOOR) + 40 + math.log(0.98), rel=1e-9)


def test_clipped_noise_counts_as_cut_off():
    z = np.clip(np.random.default_rng(14).standard_normal(20_000), -3.0, 3.0)
    found = shape_ratios(z)
    beyond = 2 * stats.norm.sf(3.0)
    expected = 20_000 * math.log(FLOOR + (1 - FLOOR) / (1 - beyond))
    assert found["cut-at-3"] == pytest.approx(expected, rel=1e-9)


def test_rare_sessions_are_bet_on_by_the_likelihood_of_all_their_numbers():
    rng = np.random.default_rng(15)
    sessions = [rng.standard_normal(n) for n in (1, 4, 9, 0)]
    sessions.append(0.1 * rng.standard_normal(6))
    count = np.array([len(z) for z in sessions], dtype=float)
    found = session_ratios(count, np.array([float(z @ z) for z in sessions]))
    for name, (share, deviation) in SESSIONS.items():
        ratios = [np.prod(stats.norm.pdf(z, scale=deviation) / stats.norm.pdf(z)) for z in sessions]
        expected = sum(math.log(1 - share + share * ratio) for ratio in ratios)
        assert found[name] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_forgetful_sessions_are_bet_on_by_the_likelihood_of_all_their_releases():
    """Against densities of another library: two releases of a Brownian session at times 4 and 1, in two coordinates."""
    first, second = np.random.default_rng(16).standard_normal((2, 30, 2)) * np.array([2.0, 1.0])[:, None, None]
    afresh = stats.norm.pdf(second)
    bridged = stats.norm.pdf(second, loc=first / 4, scale=math.sqrt(3 / 4))
    expected = np.log(0.75 + 0.25 * np.prod(afresh / bridged, axis=1)).sum()
    log_ratio = np.log(afresh / bridged)[:, None, :]
    assert forgetful_ratio(forgotten(log_ratio)) == pytest.approx(expected, rel=1e-9)
    nothing = np.full((1, 1, 2), np.nan)
    assert forgetful_ratio(forgotten(np.concatenate([log_ratio, nothing]))) == pytest.approx(expected, rel=1e-9)


def test_every_alternative_has_a_title_and_a_fault_of_its_kind():
    faults = {id: alternative_of(id).fault for id in (*SHAPES, *SESSIONS, *ROUNDED.values(), FRESH, FORGETFUL)}
    assert {fault for id, fault in faults.items() if id in SESSIONS} == {RARE_SESSIONS}
    assert {fault for id, fault in faults.items() if id.startswith("cut-at")} == {CLIPPED}
    assert (faults[FRESH], faults[FORGETFUL]) == (FRESH_NOISE, FORGETFUL_SESSIONS)
    titles = [alternative_of(id).title for id in faults]
    assert len(set(titles)) == len(titles)
    assert alternative_of("student-3").title == "heavy tails (Student t, 3 degrees of freedom)"


def test_the_density_of_uniform_numbers_added_up_is_that_of_the_alternating_sum():
    """Irwin and Hall: Σ (−1)^k C(n, k) (x − k)^(n−1) / (n−1)! over k ≤ x, in rational arithmetic."""
    for number, x in ((2, Fraction(1, 2)), (3, Fraction(7, 4)), (12, Fraction(13, 2)), (12, Fraction(45, 4))):
        terms = [(-1) ** k * math.comb(number, k) * (x - k) ** (number - 1) for k in range(math.floor(x) + 1)]
        exact = sum(terms) / math.factorial(number - 1)
        assert sum_of_uniforms(np.array([float(x)]), number)[0] == pytest.approx(float(exact), rel=1e-13)
