"""The claim of differential privacy by itself: the divergence of the exact law against δ, without a subject."""

import math
import pickle

import mpmath
import numpy as np
import pytest

from nrverify.auditing.explain.text import worded
from nrverify.auditing.noise_reduction.checks.ex_post import ExPost
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_claim import DpClaim
from nrverify.auditing.noise_reduction.epsilon.dp_judgement import DpJudge, least_dp_time
from nrverify.auditing.noise_reduction.epsilon.judgement import ClaimJudge
from nrverify.subjects.policies import Fixed, Follow
from tests.unit.auditing.noise_reduction.batches import ALPHA, brownian, laplace, skellam
from tests.unit.auditing.noise_reduction.epsilon.epsilon_batches import EPSILONS, by_epsilon, epsilon_context

GRID = np.geomspace(0.3, 3.0, 25)
DELTA = 1e-5


def gaussian_divergence(epsilon, variance):
    """Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ) in 30 digits: Balle and Wang's formula, written from their paper."""
    with mpmath.workdps(30):
        sigma, epsilon = mpmath.sqrt(variance), mpmath.mpf(epsilon)
        near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        return mpmath.ncdf(near) - mpmath.exp(epsilon) * mpmath.ncdf(far)


def analytic(epsilon, delta=DELTA):
    """The variance of the analytic Gaussian mechanism, by bisection in 30 digits."""
    low, high = mpmath.mpf("1e-3"), mpmath.mpf("1e5")
    for _ in range(90):
        middle = mpmath.sqrt(low * high)
        low, high = (middle, high) if gaussian_divergence(epsilon, middle) > delta else (low, middle)
    return float(high)


def told(judge, time_of, epsilons=GRID):
    check = DpClaim(judge, known_times=True)
    check.times.add({float(epsilon): float(time_of(epsilon)) for epsilon in epsilons})
    return check


BROWNIAN, LAPLACE = DpJudge("brownian", 1.0, DELTA), DpJudge("laplace", 1.0, 0.0)


def test_the_analytic_gaussian_keeps_dp_and_breaks_the_ex_post_claim_and_both_numbers_are_given():
    times = {float(epsilon): analytic(epsilon) for epsilon in GRID}
    dp = told(BROWNIAN, times.__getitem__).conclude(ALPHA)
    assert dp.verdict == "consistent"
    assert dp.finding.estimate.observed == pytest.approx(DELTA, rel=1e-6)

    ex_post = EpsilonClaim(ClaimJudge("brownian", 1.0, DELTA), known_times=True)
    ex_post.times.add(times)
    found = ex_post.conclude(ALPHA)
    assert found.verdict == "refuted"
    alone = max(float(mpmath.ncdf(0.5 / math.sqrt(t) - epsilon * math.sqrt(t))) for epsilon, t in times.items())
    assert found.finding.estimate.observed >= alone * (1 - 1e-9) > DELTA


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "consistent"), (1.0001, "consistent"), (0.9999, "refuted")])
def test_a_ten_thousandth_less_variance_than_the_analytic_gaussian_is_refuted(factor, verdict):
    check = told(BROWNIAN, lambda epsilon: factor * analytic(epsilon), GRID[::6])
    found = worded(check.conclude(ALPHA), DpClaim.declaration)
    assert found.verdict == verdict
    worst = found.finding.estimate
    exact = float(gaussian_divergence(worst.numbers["epsilon"] * (1 + 1e-9), worst.numbers["time"]))
    assert worst.observed == pytest.approx(exact, rel=1e-9)
    assert "hockey-stick divergence" in found.observed


@pytest.mark.parametrize("sensitivity", [1.0, 0.1, 1 / 3, 7e-5, 12345.678])
def test_a_pure_claim_is_not_refuted_by_the_rounding_of_sensitivity_over_epsilon(sensitivity):
    judge = DpJudge("laplace", sensitivity, 0.0)
    epsilons = np.random.default_rng(1).uniform(0.01, 10, 500)
    for time_of in (
        lambda epsilon: sensitivity / epsilon,
        lambda epsilon: 1 / (epsilon / sensitivity),
        lambda epsilon: math.exp(math.log(sensitivity) - math.log(epsilon)),
    ):
        assert told(judge, time_of, epsilons).conclude(ALPHA).verdict == "consistent"
    assert (
        told(judge, lambda epsilon: sensitivity / epsilon * (1 - 1e-8), epsilons).conclude(ALPHA).verdict == "refuted"
    )


def test_laplace_noise_with_delta_is_judged_by_its_divergence():
    # 1 − e^{(ε − 1/t)/2} = δ, solved for t.
    delta, epsilon = 0.05, 1.0
    least = 1 / (epsilon - 2 * math.log1p(-delta))
    judge = DpJudge("laplace", 1.0, delta)
    assert judge.least(epsilon) == pytest.approx(least, rel=1e-5)
    assert told(judge, lambda _: least, [epsilon]).conclude(ALPHA).verdict == "consistent"
    assert told(judge, lambda _: 0.999 * least, [epsilon]).conclude(ALPHA).verdict == "refuted"


def test_noise_that_grows_again_does_not_take_back_what_was_released():
    """At a larger ε more noise is asked for than at a smaller one: the earlier release is out already."""
    enough, little = analytic(2.0), analytic(1.0) / 2
    times = {1.0: little, 2.0: max(enough, 10 * little)}
    assert BROWNIAN.worst(times).epsilon == 1.0
    generous = DpJudge("brownian", 1.0, None, curve={1.0: 1.0, 2.0: DELTA})
    assert generous.worst({1.0: enough / 2, 2.0: enough}).exceeds
    once = DpJudge("brownian", 1.0, None, once=True, curve={1.0: 1.0, 2.0: DELTA})
    assert not once.worst({1.0: enough / 2, 2.0: enough}).exceeds


def test_a_curve_is_compared_at_every_epsilon():
    variance = 4.0
    true = {float(epsilon): float(gaussian_divergence(epsilon, variance)) for epsilon in GRID}
    kept = DpJudge("brownian", 1.0, None, curve=true)
    assert told(kept, lambda _: variance).conclude(ALPHA).verdict == "consistent"
    dented = {**true, float(GRID[7]): 0.999 * true[float(GRID[7])]}
    found = told(DpJudge("brownian", 1.0, None, curve=dented), lambda _: variance).conclude(ALPHA)
    assert found.verdict == "refuted"
    assert found.finding.estimate.numbers["epsilon"] == float(GRID[7])


def test_between_known_points_a_curve_is_taken_from_the_smaller_epsilon():
    judge = DpJudge("brownian", 1.0, None, curve={1.0: 0.2, 2.0: 0.1})
    assert [judge.delta_at(epsilon) for epsilon in (0.5, 1.0, 1.9, 2.0, 9.0)] == [1.0, 0.2, 0.2, 0.1, 0.1]


def test_no_noise_is_enough_for_a_pure_claim_of_brownian_noise():
    assert least_dp_time("brownian", 1.0, 1.0, 0.0, 1.0) == math.inf
    assert told(DpJudge("brownian", 1.0, 0.0), lambda _: 1e3, [1.0]).conclude(ALPHA).verdict == "refuted"


@pytest.mark.parametrize(("mechanism", "draw"), [("brownian", brownian), ("laplace", laplace), ("skellam", skellam)])
@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "consistent"), (0.6, "refuted")])
def test_noise_at_unknown_times_is_judged_at_its_confidence_limit(mechanism, draw, factor, verdict):
    """Error probability ALPHA for the right noise; 20,000 sessions of 0.6 of it are far beyond the limit."""
    delta = 1e-3
    context = epsilon_context(mechanism, guarantee="dp", delta=delta, dimensions=(1,))
    check = DpClaim.build(context)
    times = [least_dp_time(mechanism, epsilon, 1.0, delta, 1.0) * factor for epsilon in EPSILONS]
    rng = np.random.default_rng(3)
    noise = np.asarray(draw(rng, times, sessions=20_000, d=1))
    check.observe(by_epsilon(noise))
    assert check.conclude(ALPHA).verdict == verdict


def test_the_form_is_chosen_by_the_guarantee():
    for guarantee, first in (("dp", DpClaim), ("ex-post", EpsilonClaim), (None, EpsilonClaim)):
        context = epsilon_context("brownian", times_known=True, guarantee=guarantee)
        known = [form for form in (EpsilonClaim, DpClaim) if form.declaration.why_not_covered(context) is None]
        assert known == [first]


def test_check_and_judge_travel_to_workers():
    check = pickle.loads(pickle.dumps(DpClaim(BROWNIAN).empty_copy()))
    assert check.judge == BROWNIAN


def test_under_dp_only_sessions_of_fixed_length_are_bet_on():
    context = epsilon_context("laplace", guarantee="dp")
    check = ExPost.build(context)
    rng = np.random.default_rng(5)
    label = rng.random(50) < 0.5
    for play, expected in ((Fixed((1.0, 2.0)), 50), (Follow(0.5, 2.0, 2.0, 1.4, 2, 0.0), 50)):
        pair = Pair(Case("a pair", (5.0,), play, "open"), (4.0,))
        releases = 5.0 + rng.standard_normal((50, 2, 1))
        check.observe_labelled(Labelled(pair, releases, np.tile([1.0, 2.0], (50, 1)), None, label))
        assert check.sessions == expected


def test_the_delta_of_a_curve_is_that_of_the_last_epsilon_of_a_pair():
    check = ExPost.build(epsilon_context("brownian", guarantee="dp", delta=None, methods=("sample", "delta_of")))
    check.ask_curve(lambda epsilons: {float(epsilon): 0.25 for epsilon in epsilons}, Knob(0.2, 5.0, False))
    assert check.delta == 0.25 == check.wealth.sides[0].delta


def test_integers_with_a_euclidean_sensitivity_are_judged_in_as_many_coordinates_as_tell_most():
    """Δ = √3 is one step in each of three coordinates; one coordinate alone would be judged too kindly."""
    line, space = (DpJudge("discrete-gaussian", math.sqrt(3), 1e-3, dimension=d) for d in (1, 3))
    steps = range(-60, 61)
    mass = {j: math.exp(-j * j / 18) for j in steps}
    total = sum(mass.values())
    direct = 0.0
    # The loss is that of the sum of three coordinates: (2·sum + 3)/(2t); the sum of all outcomes by convolution.
    sums = {0: 1.0}
    for _ in range(3):
        after = {}
        for s, p in sums.items():
            for j, m in mass.items():
                after[s + j] = after.get(s + j, 0.0) + p * m / total
        sums = after
    for s, p in sums.items():
        loss = (3 - 2 * s) / 18
        direct += p * max(0.0, 1 - math.exp(1 - loss))
    found = space.divergence(1.0, 9.0)
    assert found.divergence == pytest.approx(direct, rel=1e-6)
    assert line.divergence(1.0, 9.0).divergence < found.divergence / 10
    assert found.exceeds
    assert not line.divergence(1.0, 9.0).exceeds


def test_a_claim_that_no_noise_keeps_is_refuted_by_the_first_release_and_one_that_any_noise_keeps_is_not_bet_on():
    """Skellam noise has no pure claim, and δ = 1 claims nothing."""
    releases = skellam(np.random.default_rng(1), sessions=50, d=1)
    asked = EPSILONS[: releases.shape[1]]
    pure, nothing = (DpClaim(DpJudge("skellam", 1.0, delta, 1.0)) for delta in (0.0, 1.0))
    for check in (pure, nothing):
        check.too_little.bet(np.array(asked), releases)
    assert pure.refuted(ALPHA)
    said = worded(pure.conclude(ALPHA), None)
    assert said.finding.certain
    assert nothing.too_little.log_e == 0
    assert not nothing.refuted(ALPHA)


def test_a_delta_below_what_arithmetic_shows_is_kept_by_no_noise():
    assert least_dp_time("skellam", 1.0, 1.0, 1e-320, 1.0) == math.inf
