"""Information limits against second derivations, and the faulty laws behind them against the mutants themselves."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import rel_entr

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.calibrate.information import IMPOSSIBLE, KNOWN, check_level, information, limit
from nrverify.calibrate.information_brownian import (
    BROWNIAN,
    BrownianFault,
    PathStep,
    correlated_information,
    student_information,
    uniform_sum_information,
)
from nrverify.calibrate.information_discrete import DISCRETE
from nrverify.calibrate.information_laplace import ScaledFault, WalkFault
from nrverify.calibrate.information_threshold import THRESHOLD, claimed, threshold_information
from nrverify.calibrate.mixture import Part, description_of, run_mixture, session_mixture
from nrverify.reference.mutants import MUTANTS
from nrverify.subjects.policies import Fixed, Follow

SUBJECTS = {mutant.name: mutant.subject for mutant in MUTANTS}


def fixed(*schedule, value=(2.0,), method="sample"):
    return Case("a case", value, Fixed(schedule), method)


def test_mixtures_are_shares_of_all_that_is_drawn():
    for name in ("brownian-three-percent-small", "laplace-keep-linear", "skellam-asymmetric"):
        assert math.fsum(part.weight for part in session_mixture(description_of(SUBJECTS[name]))) == pytest.approx(1)
    for name in ("threshold-redrawn", "reduced-threshold-no-noise"):
        assert math.fsum(part.weight for part in run_mixture(description_of(SUBJECTS[name]))) == pytest.approx(1)


def test_the_information_of_student_noise_agrees_with_high_precision_quadrature():
    with mpmath.workdps(25):
        scale = mpmath.sqrt(mpmath.mpf(3) / 5)
        constant = mpmath.gamma(3) / mpmath.sqrt(5 * mpmath.pi) / mpmath.gamma(mpmath.mpf(5) / 2) / scale

        def integrand(z):
            density = constant * (1 + (z / scale) ** 2 / 5) ** -3
            return density * mpmath.log(density / mpmath.npdf(z))

        expected = 2 * mpmath.quad(integrand, [0, 1, 3, 10, 100, mpmath.inf])
    assert student_information() == pytest.approx(float(expected), rel=1e-8)


def test_the_information_of_a_sum_of_uniforms_agrees_with_fourier_inversion():
    # The density of the sum less 6 is (1/π)∫ sinc(ω/2)^12 cos(ωz) dω; by trapezoids, exact to rounding here.
    frequency = np.linspace(0, 200, 200_001)[1:]
    transform = (np.sin(frequency / 2) / (frequency / 2)) ** 12
    node, weight = np.polynomial.legendre.leggauss(60)
    z = 3 * (node + 1)
    step = frequency[0]
    density = np.array([(0.5 + (transform * np.cos(frequency * x)).sum()) * step / np.pi for x in z])
    inside = density > 1e-12
    terms = density * (np.log(np.maximum(density, 1e-300)) + 0.5 * np.log(2 * np.pi) + 0.5 * z * z)
    expected = 2 * 3 * (weight * terms)[inside].sum()
    assert uniform_sum_information() == pytest.approx(expected, rel=1e-5)


def test_the_information_of_correlated_coordinates_is_that_of_the_gaussian_law():
    for d, rho in ((2, 0.3), (3, 0.1)):
        matrix = np.full((d, d), rho) + (1 - rho) * np.eye(d)
        assert correlated_information(rho)(d) == pytest.approx(-0.5 * np.log(np.linalg.det(matrix)), rel=1e-12)
    assert correlated_information(0.5)(1) == 0.0


def test_a_scaled_variance_brings_the_same_information_in_every_innovation():
    each = 0.5 * (0.97 - 1 - math.log(0.97))
    fault = BROWNIAN["brownian-three-percent-small"]
    assert fault.information([Part(1.0, fixed(8.0, 4.0, 1.0))]) == pytest.approx(3 * each, rel=1e-12)
    # A time asked again brings nothing.
    assert fault.information([Part(0.5, fixed(8.0, 8.0, 1.0, value=(1.0, 2.0)))]) == pytest.approx(2 * each, rel=1e-12)


def test_a_wrong_bridge_agrees_with_the_divergence_of_gaussian_transcripts():
    times = np.array([4.0, 2.0, 1.0])
    claimed_covariance = np.minimum.outer(times, times)
    # Noise shrunk by √(s/t) at each step, plus independent bridge noise: a linear map of independent normals.
    mix = np.zeros((3, 3))
    mix[0, 0] = 2.0
    for k in (1, 2):
        s, t = times[k], times[k - 1]
        mix[k] = math.sqrt(s / t) * mix[k - 1]
        mix[k, k] = math.sqrt(s * (t - s) / t)
    faulty = mix @ mix.T
    ratio = np.linalg.solve(claimed_covariance, faulty)
    expected = 0.5 * (np.trace(ratio) - 3 - np.log(np.linalg.det(ratio)))
    found = [BROWNIAN["brownian-bridge-mean-root"].information([Part(1.0, fixed(*times))])]
    # Averaged over 500 paths of an information whose deviation is about its mean: six standard errors.
    assert found[0] == pytest.approx(expected, rel=6 / math.sqrt(500))


@pytest.mark.parametrize(
    "name", [name for name, fault in BROWNIAN.items() if fault.moments is not BrownianFault().moments]
)
def test_the_faulty_moments_are_those_of_the_mutant(name):
    # Residuals have mean 0 and variance 1 if the moments are right; 6 standard errors, 7 faults: error 1e-7.
    subject, schedule, sessions = SUBJECTS[name](), (8.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5), 20_000
    method = "open" if name == "brownian-adaptive-only" else "sample"
    case = fixed(*schedule, value=(900.0,), method=method)
    if method == "open":
        sessions = 2000
        opened = [subject.open(case.array, seed) for seed in range(sessions)]
        releases = np.array([[session.release(t) for t in schedule] for session in opened])
    else:
        releases = subject.sample(case.array, list(schedule), sessions, 5)
    noise, t = np.zeros((sessions, 1)), np.full((sessions, 1), np.inf)
    for number, s in enumerate(schedule):
        step = PathStep(case, number, noise, t, np.full((sessions, 1), s))
        mean, variance = BROWNIAN[name].moments(step)
        noise, t = releases[:, number] - case.array, step.s
        residual = (noise - mean) / np.sqrt(variance)
        assert abs(residual.mean()) < 6 / math.sqrt(sessions)
        assert abs((residual**2).mean() - 1) < 6 * math.sqrt(2 / sessions)


def test_a_wrong_coin_and_a_wrong_jump_have_their_closed_forms():
    r = 0.25
    keep = WalkFault(keep=lambda r: r).information([Part(1.0, fixed(4.0, 1.0))])
    assert keep == pytest.approx(r * math.log(1 / r) - (1 - r) * math.log(1 + r), rel=1e-12)
    jump = WalkFault(jump=lambda r: 1.1).information([Part(1.0, fixed(4.0, 1.0))])
    # KL(Lap(1.1) ‖ Lap(1)) by quadrature, on the steps that jump.
    each = mpmath.quad(lambda x: mpmath.exp(-x / 1.1) / 1.1 * (x - x / 1.1 - mpmath.log(1.1)), [0, mpmath.inf])
    assert jump == pytest.approx((1 - r * r) * float(each), rel=1e-10)
    coins = WalkFault(one_coin=True).information([Part(1.0, fixed(4.0, 1.0, value=(1.0, 2.0, 3.0)))])
    p = r * r
    assert coins == pytest.approx(-2 * (p * math.log(p) + (1 - p) * math.log(1 - p)), rel=1e-12)


@pytest.mark.parametrize("name", DISCRETE)
def test_the_faulty_law_of_integers_is_that_of_the_mutant(name):
    # 40,000 numbers at each of three times; no size is off by 6 standard errors, except with probability 1e-6 over all.
    subject, drawn = SUBJECTS[name](), 40_000
    for t in (0.55, 1.7, 6.3):
        law = np.exp(DISCRETE[name].draw(t))
        law[1:] *= 2
        assert law.sum() == pytest.approx(1, abs=1e-9)
        noise = np.abs(subject.draw(t, (drawn,), np.random.default_rng(3)))
        counts = np.bincount(noise, minlength=law.size)
        deviation = 6 * np.sqrt(drawn * law * (1 - law)) + 6
        assert np.all(np.abs(counts[: law.size] - drawn * law) <= deviation)


def test_the_information_of_integers_is_the_divergence_of_whole_transcripts():
    # Two releases of discrete Laplace noise at times 2 and 1, summed over both; the faulty one stays with weight ¼.
    def draw(j, t):
        return math.tanh(0.5 / t) * math.exp(-abs(j) / t)

    def ratio(t):
        return math.exp(-1 / t) / (1 - math.exp(-1 / t)) ** 2

    def joint(i, j, stay):
        return draw(i, 1.0) * ((1 - stay) * draw(j - i, 2.0) + stay * (i == j))

    claimed = ratio(1.0) / ratio(2.0)
    pairs = [(i, j) for i in range(-40, 41) for j in range(-80, 81)]
    expected = math.fsum(joint(*p, 0.25) * math.log(joint(*p, 0.25) / joint(*p, claimed)) for p in pairs)
    found = DISCRETE["discrete-laplace-continuous-stay"].information([Part(1.0, fixed(2.0, 1.0))])
    assert found == pytest.approx(expected, rel=1e-9)


def test_adaptive_sessions_with_nothing_to_adapt_to_bring_what_fixed_ones_do():
    fault = ScaledFault(0.9)
    follow = Case("follow", (1.0,), Follow(8.0, 1.0, 0.5, 0.5, 4, 0.0), "open")
    expected = fault.information([Part(1.0, fixed(8.0, 4.0, 2.0, 1.0))])
    # 200,000 sessions; a log likelihood ratio has a deviation of about √(2·KL): six standard errors.
    assert fault.information([Part(1.0, follow)]) == pytest.approx(expected, abs=6 * math.sqrt(2 * expected / 2e5))


@pytest.mark.parametrize("name", THRESHOLD)
def test_the_faulty_halting_law_is_that_of_the_mutant(name):
    # 40,000 runs of two designs each; no bin is off by 6 standard errors, except with probability 1e-6 over all.
    subject, runs = SUBJECTS[name](), 40_000
    parts = run_mixture(description_of(SUBJECTS[name]))
    for design in (parts[0].design, parts[3].design):
        law = THRESHOLD[name](design)
        assert law.sum() == pytest.approx(1, abs=1e-9)
        arguments = (design.utilities, design.epsilons, design.threshold, design.sensitivity)
        rounds = subject.run_many(*arguments, runs, 3)
        counts = np.bincount(np.where(rounds == 0, design.rounds, rounds - 1), minlength=design.rounds + 1)
        deviation = 6 * np.sqrt(runs * law * (1 - law)) + 6
        assert np.all(np.abs(counts - runs * law) <= deviation)


def test_threshold_information_is_an_average_of_divergences():
    name = "threshold-redrawn"
    parts = run_mixture(description_of(SUBJECTS[name]))
    expected = sum(p.weight * rel_entr(THRESHOLD[name](p.design), claimed(p.design)).sum() for p in parts)
    assert threshold_information(THRESHOLD[name], parts) == pytest.approx(float(expected), rel=1e-12)
    assert threshold_information(claimed, parts) == 0.0


def test_limits_are_nats_needed_over_nats_brought():
    assert limit(0.5, 1e-6) == pytest.approx(2 * math.log(1e6))
    assert limit(math.inf, 1e-6) == 0.0
    assert limit(0.0, 1e-6) == math.inf
    assert check_level(1e-6, "brownian") < check_level(1e-6, "above-threshold") < 1e-6


def test_every_mutant_named_here_exists_and_has_one_kind_of_information():
    names = {mutant.name for mutant in MUTANTS}
    assert set(KNOWN) <= names
    assert names >= IMPOSSIBLE
    assert not IMPOSSIBLE & set(KNOWN)
    assert information("brownian-rounded", SUBJECTS["brownian-rounded"]) == math.inf
    assert information("boundary-log10", SUBJECTS["boundary-log10"]) is None
