"""The claim of an ε by itself: judged from times that are told or from noise that is drawn here, without a subject."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from nrverify.auditing.explain.text import worded
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.capped_sums import CappedSums
from nrverify.auditing.noise_reduction.epsilon.claim import DENSE_EPSILONS, INFORMATIVE_EPSILONS, EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.judgement import ClaimJudge
from nrverify.auditing.noise_reduction.epsilon.single_release import LeastNoise
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.laws.boundary import SkellamLinear
from nrverify.laws.divergence import loss_tail
from nrverify.laws.skellam import Skellam
from tests.unit.auditing.noise_reduction.batches import ALPHA, brownian, fault, laplace, seen, skellam
from tests.unit.auditing.noise_reduction.epsilon.epsilon_batches import EPSILONS, by_epsilon, epsilon_context

GRID = np.geomspace(0.2, 5.0, 40)
DELTA = 1e-6


def single_look(epsilon, delta=DELTA):
    """The variance at which one look loses more than ε with probability δ: Φ(1/2√t − ε√t) = δ."""
    z = float(norm.isf(delta))
    return (math.sqrt(z * z + 2 * epsilon) - z) ** -2


def linear(epsilon, slope=0.1):
    """The inverse of a line that is crossed with probability δ."""
    return (0.5 + 0.5 * math.log(1 / DELTA) / slope) / (epsilon - slope)


def told(judge, time_of, epsilons=GRID):
    """The check of a subject that gives these times."""
    check = EpsilonClaim(judge, known_times=True)
    check.times.add({float(epsilon): float(time_of(epsilon)) for epsilon in epsilons})
    return check


LAPLACE, BROWNIAN = ClaimJudge("laplace", 1.0, 0.0), ClaimJudge("brownian", 1.0, DELTA)


# The subject's own times


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (1.0, None),
        (1.5, None),
        (0.999, "too-little-noise-for-claim"),
        (0.5, "half-the-scale"),
        (math.sqrt(0.5), "deviation-for-scale"),
        (0.25, "too-little-noise-for-claim"),
    ],
)
def test_laplace_scales_below_the_claim_are_refuted_with_their_factor(factor, expected):
    check = told(LAPLACE, lambda epsilon: factor / epsilon)
    assert fault(check) == expected
    numbers = check.conclude(ALPHA).finding.numbers
    assert numbers["observed"] / numbers["expected"] == pytest.approx(1 / factor, rel=1e-12)


def test_the_sentence_of_a_laplace_scale():
    result = worded(told(LAPLACE, lambda epsilon: 0.5 / epsilon, (2.0, 4.0)).conclude(ALPHA), EpsilonClaim.declaration)
    assert result.observed == "at ε = 2 the scale is at most 0.25, which costs the ε asked times 2"
    assert result.expected == "the loss exceeds the ε asked for with probability at most δ = 0"
    assert result.finding.certain


@pytest.mark.parametrize(
    ("time_of", "expected"),
    [
        (linear, None),
        (single_look, "single-look-quantile"),
    ],
    ids=["line", "single look"],
)
def test_brownian_times_are_judged_at_all_looks_together(time_of, expected):
    assert fault(told(BROWNIAN, time_of)) == expected


def test_times_too_short_for_a_few_looks_have_no_curve_to_explain_them():
    check = told(BROWNIAN, lambda epsilon: 0.5 * linear(epsilon), (0.5, 1.0, 2.0))
    assert fault(check) == "too-little-noise-for-claim"
    result = worded(check.conclude(ALPHA), EpsilonClaim.declaration)
    assert result.observed.startswith("with its own times the loss exceeds ε with probability ")
    assert result.detectable.endswith("at its own times of 3 ε's, above 1.001e-06")


def test_a_claim_exactly_tight_at_one_look_is_not_refuted_by_rounding():
    assert fault(told(BROWNIAN, single_look, (1.0,))) is None
    assert fault(told(BROWNIAN, lambda epsilon: (1 - 1e-6) * single_look(epsilon), (1.0,))) is not None


def test_two_looks_fail_with_the_probability_of_the_normal_law():
    """P(W_t ≥ tε/Δ − Δ/2 at one of two times), from the bivariate normal law."""
    judge = ClaimJudge("brownian", 2.0, 0.05)
    epsilons, times = np.array([0.8, 1.9]), np.array([26.0, 6.0])
    levels = times * epsilons / 2.0 - 1.0
    covariance = [[26.0, 6.0], [6.0, 6.0]]
    expected = 1 - multivariate_normal(cov=covariance).cdf(levels)
    found = judge.joint(epsilons, times, 1.0, "these times")
    assert max(norm.sf(levels / np.sqrt(times))) < 0.05 < sum(norm.sf(levels / np.sqrt(times)))
    assert found.failure == pytest.approx(expected, rel=1e-4)
    assert found.finding.numbers["looks"] == 2


@pytest.mark.parametrize("releases", [1, 5, 12])
def test_so_many_looks_as_a_session_has_need_a_share_of_delta_each_and_no_more(releases):
    """A union bound over the looks of a session keeps the claim, though all ε's together would break it."""
    few = ClaimJudge("brownian", 1.0, DELTA, releases=releases)
    assert fault(told(few, lambda epsilon: single_look(epsilon, DELTA / releases))) is None
    assert fault(told(BROWNIAN, lambda epsilon: single_look(epsilon, DELTA / releases))) is not None


@pytest.mark.parametrize("releases", [5, 12])
def test_a_session_of_looks_that_each_take_all_of_delta_is_refuted(releases):
    few = ClaimJudge("brownian", 1.0, DELTA, releases=releases)
    check = told(few, lambda epsilon: single_look(epsilon, 0.99 * DELTA))
    assert fault(check) == "too-little-noise-for-claim"
    found = check.conclude(ALPHA).finding.numbers
    assert found["looks"] == releases
    assert 0.8 * releases ** (2 / 3) < found["observed"] / DELTA <= 0.99 * releases


def test_two_of_many_looks_fail_as_the_worst_two_by_the_normal_law():
    times, delta = np.geomspace(1.0, 100.0, 9), 0.01
    epsilons = np.array([0.5 / t + norm.isf(delta) / math.sqrt(t) for t in times])
    found = ClaimJudge("brownian", 1.0, delta, releases=2).joint(epsilons, times, 1.0, "these times")
    level = norm.isf(delta)
    apart = [1 - multivariate_normal(cov=[[1, r], [r, 1]]).cdf([level, level]) for r in np.sqrt(times[0] / times[1:])]
    assert found.failure == pytest.approx(max(apart), rel=1e-4)


@pytest.mark.parametrize("releases", [1, 3])
def test_few_looks_of_skellam_noise_are_judged_as_few(releases):
    process, few = Skellam(1.5), ClaimJudge("skellam", 1.0, 1e-3, 1.5, releases=releases)

    def time_of(epsilon, delta):
        tail = lambda log_t: loss_tail(process, epsilon, shift=1, time=math.exp(log_t)) - delta  # noqa: E731
        return math.exp(brentq(tail, math.log(0.05), math.log(200.0), rtol=0.02, xtol=0.02)) * 1.1

    epsilons = np.geomspace(0.5, 2.0, 5)
    assert fault(told(few, lambda epsilon: time_of(epsilon, 1e-3 / releases), epsilons)) is None
    assert fault(told(few, lambda epsilon: time_of(epsilon, 4e-3), epsilons)) == "too-little-noise-for-claim"


def test_the_releases_of_a_session_are_those_of_the_context():
    context = epsilon_context("brownian", times_known=True)
    assert EpsilonClaim.build(context).judge.releases is None
    assert EpsilonClaim.build(replace(context, most_releases=3)).judge.releases == 3


@pytest.mark.parametrize(("factor", "expected"), [(1.0, None), (0.8, "too-little-noise-for-claim")])
def test_skellam_times_below_a_tight_line_are_refuted(factor, expected):
    boundary = SkellamLinear.tightest_at(epsilon=1.0, delta=DELTA, sensitivity=1, rate=1.5)
    judge = ClaimJudge("skellam", 1.0, DELTA, 1.5)
    check = told(judge, lambda epsilon: factor * boundary.inverse(epsilon), (0.6, 1.0, 2.0, 4.0))
    assert fault(check) == expected


class Asked:
    """A subject that gives its times, and nothing else."""

    def __init__(self, mechanism, time_of):
        self.description = epsilon_context(mechanism, times_known=True).description
        self.time_of = time_of

    def ask(self, request):
        assert request.function == "time_of"
        return np.array([self.time_of(epsilon) for epsilon in request.numbers])


@pytest.mark.parametrize(
    ("mechanism", "time_of", "expected"),
    [
        ("laplace", lambda epsilon: 1 / epsilon, DENSE_EPSILONS),
        ("brownian", linear, DENSE_EPSILONS + INFORMATIVE_EPSILONS),
    ],
)
def test_own_times_are_asked_densely_where_the_claim_most_likely_fails(mechanism, time_of, expected):
    check = EpsilonClaim.build(epsilon_context(mechanism, times_known=True))
    times_of = OwnTimes(Asked(mechanism, time_of))
    check.ask_densely(times_of, Knob(0.2, 5.0, falling=False))
    # The ends of the telling stretch were asked before.
    assert expected - 2 <= len(check.times.known) <= expected
    assert check.times.known == times_of.known


# Noise that is drawn


def drawn(noise, factor=1.0, sessions=3000):
    return by_epsilon(noise(np.random.default_rng(4), times=tuple(factor / e for e in EPSILONS), sessions=sessions))


@pytest.mark.parametrize(("factor", "expected"), [(1.0, None), (0.7, "too-little-noise-for-claim")])
def test_too_little_laplace_noise_at_unknown_times_is_refuted(factor, expected):
    check = seen(EpsilonClaim(LAPLACE), drawn(laplace, factor))
    assert fault(check) == expected
    if expected is None:
        # What is not excluded costs less than ε, but not much less.
        assert 0.5 < check.conclude(ALPHA).finding.numbers["excess"] < 1
    else:
        result = worded(check.conclude(ALPHA), EpsilonClaim.declaration)
        assert result.finding.numbers["observed"] == pytest.approx(0.7, rel=0.1)
        assert "of the least noise that keeps the claim at each look alone" in result.observed


@pytest.mark.parametrize(("factor", "expected"), [(1.05, None), (0.6, "too-little-noise-for-claim")])
def test_too_little_skellam_noise_at_unknown_times_is_refuted(factor, expected):
    judge = ClaimJudge("skellam", 1.0, DELTA)
    times = tuple(factor * judge.least(epsilon) for epsilon in EPSILONS)
    noise = skellam(np.random.default_rng(5), times=times, sessions=3000)
    assert fault(seen(EpsilonClaim(judge), by_epsilon(noise))) == expected


@pytest.mark.parametrize(("factor", "expected"), [(1.0, None), (0.3, "too-little-noise-for-claim")])
def test_too_little_brownian_noise_in_a_schedule_is_refuted(factor, expected):
    times = tuple(factor * linear(epsilon) for epsilon in EPSILONS)
    noise = brownian(np.random.default_rng(6), times=times, sessions=3000)
    check = seen(EpsilonClaim(BROWNIAN), by_epsilon(noise))
    assert fault(check) == expected
    result = worded(check.conclude(ALPHA), EpsilonClaim.declaration)
    assert result.observed.startswith("with the largest noise not excluded the loss exceeds ε with probability ")
    assert ", in a schedule of those asked, above " in result.detectable
    assert not result.finding.certain


def test_few_sessions_are_inconclusive_and_name_no_size():
    result = EpsilonClaim(BROWNIAN).conclude(ALPHA)
    assert (result.verdict, result.sizes, result.finding) == ("inconclusive", (), None)
    few = seen(EpsilonClaim(LAPLACE), drawn(laplace, sessions=20)).conclude(ALPHA)
    assert few.verdict == "inconclusive"


# What a worker gets and gives back


def test_a_fresh_check_is_small_and_its_judgement_is_its_own():
    check = seen(EpsilonClaim(LAPLACE), drawn(laplace, 0.7))
    assert check.refuted(ALPHA)
    fresh = check.empty_copy()
    assert (fresh.sessions, fresh.levels.sums.sums, fresh.too_little.count) == (0, {}, 0)
    # None of what the check of the run has seen goes with it.
    assert len(pickle.dumps(fresh)) == len(pickle.dumps(EpsilonClaim(LAPLACE).empty_copy())) < 5000
    assert not fresh.refuted(ALPHA)


def test_two_batches_merged_are_one_that_saw_both():
    whole, merged = EpsilonClaim(LAPLACE), EpsilonClaim(LAPLACE)
    numbers = np.random.default_rng(8)
    parts = [by_epsilon(laplace(numbers, times=tuple(1 / e for e in EPSILONS), sessions=50)) for _ in range(3)]
    for part in parts:
        whole.observe(part)
    seen(merged, *parts)
    assert merged.too_little.log_e == pytest.approx(whole.too_little.log_e, rel=1e-12)
    assert merged.levels.largest(ALPHA) == pytest.approx(whole.levels.largest(ALPHA), rel=1e-12)


def test_times_told_to_workers_are_a_union():
    check = EpsilonClaim(BROWNIAN, known_times=True)
    times = tuple(linear(epsilon) for epsilon in EPSILONS)
    one = by_epsilon(brownian(np.random.default_rng(1), times=times, sessions=5), times=times)
    seen(check, one, one)
    assert check.times.known == pytest.approx(dict(zip(EPSILONS, times, strict=True)))


def test_sums_beyond_the_cap_are_left_out_however_they_come():
    one, two = CappedSums(2), CappedSums(2)
    for key in "abc":
        one.add(key, np.array([1.0]))
    for key in "ca":
        two.add(key, np.array([2.0]))
    one.merge(two)
    assert {key: value.tolist() for key, value in one.sums.items()} == {"a": [3.0], "b": [1.0]}
    assert one.empty_copy().sums == {}


@pytest.mark.parametrize(("mechanism", "delta"), [("laplace", 0.0), ("brownian", 1e-5), ("skellam", 1e-5)])
def test_the_check_is_built_from_the_subjects_claim(mechanism, delta):
    context = epsilon_context(mechanism, sensitivity=2.0, delta=delta, rate=1.5)
    check = EpsilonClaim.build(context)
    assert check.judge == ClaimJudge(mechanism, 2.0, delta, 1.5)
    assert check.judge.least == LeastNoise(mechanism, 2.0, delta, 1.5)
    assert (check.kind, check.declaration.weight) == ("privacy", 0.06)
