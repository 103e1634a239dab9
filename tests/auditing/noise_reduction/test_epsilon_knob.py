"""ε-knobs under audit: the noise at each ε is bounded or taken from time_of, the claim judged from its exact law."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm, skellam

import nrverify
from nrverify.auditing.noise_reduction.epsilon.single_release import IntegerRatios, LaplaceRatios, least_time
from nrverify.laws.boundary import HalfNormalMixture, Mixture, SkellamLinear
from nrverify.laws.skellam_looks import passing_probability


def loss(noise: int, mu: float, sensitivity: int) -> float:
    """log P(noise) − log P(noise + sensitivity) for symmetric Skellam noise of variance 2·mu, by scipy."""
    return float(skellam.logpmf(noise, mu, mu) - skellam.logpmf(noise + sensitivity, mu, mu))


@pytest.mark.parametrize(("epsilons", "times"), [((0.7, 1.6), (9.0, 2.0)), ((0.5, 0.5), (9.0, 2.0))])
def test_the_chance_of_passing_at_one_of_two_looks_is_the_double_sum(epsilons, times):
    sensitivity, rate = 2, 1.5
    (late, early) = sorted(zip(times, epsilons, strict=True))
    reach = 80
    total = 0.0
    step = rate * (early[0] - late[0])
    above = [k for k in range(-reach, reach + 1) if loss(k, rate * early[0], sensitivity) > early[1]]
    for first in range(-reach, reach + 1):
        weight = skellam.pmf(first, rate * late[0], rate * late[0])
        if loss(first, rate * late[0], sensitivity) > late[1]:
            total += weight
            continue
        total += weight * float(np.sum(skellam.pmf(np.array(above) - first, step, step)))
    found = passing_probability(np.array(epsilons), np.array(times), sensitivity, rate)
    assert found == pytest.approx(total, rel=1e-9)


def test_skellam_linear_boundary_passes_as_its_own_law_says():
    boundary = SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=2, rate=1.5)
    times = np.geomspace(0.5, 100.0, 20)
    epsilons = np.array([boundary(t) for t in times])
    expected = boundary.crossing_probability(times=times.tolist())
    assert passing_probability(epsilons, times, 2, 1.5) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_brownian_noise_just_below_the_least_breaks_the_claim_at_that_look(epsilon):
    t = least_time("brownian", epsilon, 2.0, 1e-6, 1.0)
    assert ndtr(1.0 / math.sqrt(t) - epsilon * math.sqrt(t) / 2.0) == pytest.approx(1e-6, rel=1e-9)
    shorter = 0.999 * t
    assert ndtr(1.0 / math.sqrt(shorter) - epsilon * math.sqrt(shorter) / 2.0) > 1e-6


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
def test_skellam_noise_below_the_least_always_breaks_the_claim_and_at_the_least_it_does_not(epsilon):
    def failure(t: float) -> float:
        first = next(k for k in range(-5, 400) if loss(k, t, 1) > epsilon)
        return float(skellam.sf(first - 1, t, t))

    t = least_time("skellam", epsilon, 1.0, 1e-6, 1.0)
    assert failure(t * (1 + 1e-9)) <= 1e-6
    assert min(failure(shorter) for shorter in np.geomspace(0.3, 0.9999, 60) * t) > 1e-6


@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_a_bet_on_too_little_laplace_noise_has_mean_one_at_the_least_noise_and_less_above_it(factor):
    """E[ratio] under Lap(t·factor) by quadrature of the definition."""
    t = 0.5
    for index in range(17):
        mean, _ = quad(
            lambda x, i=index: math.exp(LaplaceRatios(t).total(np.array([x]))[i] - x / (t * factor)) / (t * factor),
            0,
            math.inf,
            epsabs=1e-12,
        )
        assert mean == pytest.approx(1.0, abs=1e-9) if factor == 1.0 else mean < 1.0


@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_a_bet_on_too_little_skellam_noise_has_mean_one_at_the_least_noise_and_less_above_it(factor):
    """E[ratio] under the noise at t·factor, summed over the lattice with scipy's pmf."""
    t, rate = 2.0, 1.5
    sizes = np.arange(0, 60)
    weights = skellam.pmf(sizes, rate * t * factor, rate * t * factor) * np.where(sizes > 0, 2.0, 1.0)
    ratios = np.array([IntegerRatios("skellam", t, rate).total(np.array([float(k)])) for k in sizes])
    means = weights @ np.exp(ratios)
    assert means == pytest.approx(np.ones(17), abs=1e-9) if factor == 1.0 else np.all(means < 1.0)


class EpsilonKnob:
    """Noise at the times of a table, vectorised; scaled by a factor."""

    knob = "epsilon"

    def __init__(self, mechanism, time_of, sensitivity, delta, factor=1.0, offer_times=False, rate=None):
        self.mechanism, self.sensitivity, self.delta, self.rate = mechanism, sensitivity, delta, rate
        self._time_of, self._factor = cache(time_of), factor
        self.time_of = (lambda epsilon: self._time_of(epsilon) * factor) if offer_times else None

    def sample(self, value, schedule, sessions, seed):
        times = [self._time_of(epsilon) * self._factor for epsilon in schedule]
        options = {"rate": self.rate} if self.mechanism == "skellam" else {}
        return nrverify.simulate(self.mechanism, value, times, sessions, seed, **options)


def mixture(**options):
    boundary = Mixture(10.0, 1e-5, 2.0)
    return EpsilonKnob("brownian", boundary.inverse, 2.0, 1e-5, **options)


def half_normal(**options):
    return EpsilonKnob("brownian", HalfNormalMixture(3.0, 0.01, 0.5).inverse, 0.5, 0.01, **options)


def retuned(**options):
    """In one dimension: each session says least there, and many are needed."""
    level = math.log(1e6)
    subject = EpsilonKnob(
        "brownian", lambda e: 1 / (2 * (math.sqrt(level + e) - math.sqrt(level)) ** 2), 1.0, 1e-6, **options
    )
    subject.dimensions = (1,)
    return subject


def pure(**options):
    return EpsilonKnob("laplace", lambda epsilon: 2.0 / epsilon, 2.0, 0.0, **options)


def lattice(**options):
    boundary = SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1, rate=1.5)
    return EpsilonKnob("skellam", boundary.inverse, 1, 1e-6, rate=1.5, **options)


def short_at_one(mechanism, rate=None):
    """Half of the noise at the ε's between 2 and 2.5 alone; elsewhere a little more than is needed."""
    delta = 0.0 if mechanism == "laplace" else 1e-6

    def time_of(epsilon):
        least = least_time(mechanism, epsilon, 1.0, delta, rate or 1.0)
        return least * (0.5 if 2.0 <= epsilon <= 2.5 else 1.5)

    return EpsilonKnob(mechanism, time_of, 1, delta, rate=rate)


def twice_delta(**options):
    """The line tuned for 2δ: over the times of all ε's from 0.2 on it is crossed with probability 1.17 δ."""
    level = math.log(1 / 2e-6)
    return EpsilonKnob("brownian", lambda epsilon: (0.5 + level / 0.2) / (epsilon - 0.1), 1.0, 1e-6, **options)


SAMPLES = 12_000


@pytest.mark.parametrize("offer_times", [False, True])
@pytest.mark.parametrize("subject", [half_normal, pure, lattice])
def test_a_right_knob_is_consistent(subject, offer_times):
    report = nrverify.audit(subject(offer_times=offer_times), samples=SAMPLES)
    assert report.verdict == "consistent"


@pytest.mark.parametrize(
    ("subject", "samples"),
    [
        (pure(factor=0.999, offer_times=True), SAMPLES),
        (half_normal(factor=0.4), SAMPLES),
        (lattice(factor=0.5), SAMPLES),
        (lattice(factor=0.8, offer_times=True), SAMPLES),
        (mixture(factor=0.7), 60_000),
        (retuned(factor=0.9), 60_000),
        (short_at_one("laplace"), SAMPLES),
        (short_at_one("skellam", 1.5), SAMPLES),
        (twice_delta(offer_times=True), SAMPLES),
    ],
    ids=[
        "pure 0.1 %, own times",
        "half-normal",
        "skellam",
        "skellam, own times",
        "mixture",
        "retuned, 10 % less",
        "laplace, short at one ε",
        "skellam, short at one ε",
        "twice δ between the looks, own times",
    ],
)
def test_too_little_noise_for_the_epsilon_is_refuted(subject, samples):
    report = nrverify.audit(subject, samples=samples)
    assert [check.id for check in report.checks if check.verdict == "refuted"] == ["privacy.epsilon"]


def test_six_per_cent_too_little_is_refuted_within_the_budget_at_most_seeds():
    """How much it takes varies from seed to seed: the median of three."""
    verdicts = [nrverify.audit(pure(factor=0.94), samples=SAMPLES, seed=seed).verdict for seed in range(3)]
    assert verdicts.count("refuted") >= 2


def same_noise(sensitivity, delta, factor=1.0):
    """The noise that the smallest ε needs, whatever is asked: one look, and its claim exactly tight."""
    z = float(norm.isf(delta))
    time = (sensitivity / (math.sqrt(z * z + 0.4) - z)) ** 2
    return EpsilonKnob("brownian", lambda _: time, sensitivity, delta, factor=factor, offer_times=True)


@pytest.mark.parametrize(("sensitivity", "delta"), [(1.0, 1e-6), (2.0, 1e-4), (0.3, 0.02)])
def test_a_claim_that_is_exactly_tight_is_not_refuted_by_its_rounding(sensitivity, delta):
    assert nrverify.audit(same_noise(sensitivity, delta), samples=2_000).verdict != "refuted"
    assert nrverify.audit(same_noise(sensitivity, delta, factor=1 - 1e-6), samples=2_000).verdict == "refuted"
