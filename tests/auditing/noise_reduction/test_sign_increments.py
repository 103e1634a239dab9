"""Signs of a release and of the step to it: fair coins for right noise at unknown times, unfair for fresh noise."""

import numpy as np
import pytest
from scipy.stats import binom

import nrverify
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.unknown_times.increment_signs import CLOSE, POOLED, SignIncrements, at_release
from nrverify.reference.mutants.benign import PoissonIncrements
from nrverify.reference.mutants.correct.epsilon import skellam_time
from nrverify.reference.mutants.correct.noise import WalkLaplace
from nrverify.reference.mutants.epsilon_knob import LaplaceFreshAtNew, SkellamFresh
from nrverify.subjects.policies import Fixed, Follow

EPSILONS = (0.2, 0.25, 0.5, 1.0, 1.3, 2.0)


class LaplaceUp(WalkLaplace):
    """Laplace noise at t = 1/ε, walked up in time."""

    knob = "epsilon"
    sensitivity = 1.0

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, [1.0 / epsilon for epsilon in schedule], sessions, seed)


class SkellamUp(PoissonIncrements):
    """Skellam noise behind a linear boundary, by forward Poisson steps."""

    knob, rate, sensitivity, delta = "epsilon", 1.0, 1, 1e-6

    def sample(self, value, schedule, sessions, seed):
        return super().sample(value, [skellam_time(epsilon, self.delta) for epsilon in schedule], sessions, seed)


def batch(releases, schedule=EPSILONS, value=None, play=None):
    case = Case("a case", value or (0.0,) * releases.shape[2], play or Fixed(schedule), "sample")
    return Batch(case, releases, np.tile(schedule, (len(releases), 1)), None, None)


def observed(*batches):
    check = SignIncrements()
    for seen in batches:
        check.observe(seen)
    return check


@pytest.mark.parametrize("subject", [LaplaceFreshAtNew, SkellamFresh])
def test_noise_fresh_at_every_new_epsilon_is_refuted_by_the_increments_alone(subject):
    assert not hasattr(subject, "time_of")
    report = nrverify.audit(subject)
    found = {check.id: check for check in report.checks if check.verdict == "refuted"}
    assert set(found) == {"law.increments"}
    assert "noise drawn afresh for each release" in found["law.increments"].message
    assert found["law.increments"].finding.fault.id == "fresh-noise"
    # Three coins in ten fall for agreement and not five: 0.08 nats each, and a session has about five of them.
    assert report.run["samples"] - report.run["after_refutation"] < 1000


@pytest.mark.parametrize("subject", [LaplaceUp, SkellamUp])
def test_noise_walked_up_in_time_is_not(subject):
    """Wrong with probability at most 1e-3 each, for the whole run."""
    report = nrverify.audit(subject, samples=8000, alpha=1e-3)
    assert report.verdict == "consistent"
    (check,) = (check for check in report.checks if check.id == "law.increments")
    assert check.verdict == "consistent"
    assert check.detectable.startswith("agreement of the signs of a step and of the release after it off by 0.0")


@pytest.mark.parametrize("subject", [LaplaceUp, SkellamUp])
def test_the_coins_of_right_noise_are_fair_and_independent(subject):
    """Each of 8 counts is outside its limits with probability at most 1e-5."""
    value = (3.0, -1000.0)
    releases = subject().sample(np.array(value), EPSILONS, 20_000, 7)
    check = observed(batch(releases, value=value))
    names = [POOLED, CLOSE, *map(at_release, range(2, 7))]
    for name in names:
        wealth = check.portfolio[name]
        assert wealth.count > 5000
        assert binom.cdf(wealth.happened, wealth.count, 0.5) > 5e-6
        assert binom.sf(wealth.happened - 1, wealth.count, 0.5) > 5e-6
    # Neighbouring coins agree by a fair coin, too.
    noise = releases - np.array(value)
    coins = np.sign(np.round(noise[:, :-1] - noise[:, 1:], 9)) * np.sign(noise[:, 1:])
    products = coins[:, 1:] * coins[:, :-1]
    count, agree = int((products != 0).sum()), int((products > 0).sum())
    assert 5e-6 < binom.cdf(agree, count, 0.5) < 1 - 5e-6


def test_fresh_laplace_noise_agrees_in_sign_as_often_as_its_scales_say():
    """P(X > Y > 0 or X < Y < 0) = t/2(s + t) for X ~ Lap(t), Y ~ Lap(s); limits passed with probability 1e-5."""
    rng, times = np.random.default_rng(3), (1.5, 1.0)
    releases = rng.laplace(scale=times, size=(50_000, 2))[:, :, None]
    wealth = observed(batch(releases, (1 / 1.5, 1.0))).portfolio[POOLED]
    assert wealth.count == 50_000
    low, high = binom.ppf([5e-6, 1 - 5e-6], 50_000, 1.5 / 5)
    assert low <= wealth.happened <= high


def test_coins_are_counted_by_hand():
    releases = np.array([[5.0, 2.0, 1.0], [-5.0, 2.0, -1.0], [1.0, 2.0, 0.0], [3.0, 4.0, -1.0]])[:, :, None]
    check = observed(batch(releases, (1.0, 1.2, 2.0)))
    # Steps to the second release: 3, −7, −1, −1 from 2, 2, 2, 4; to the third: 1, 3, −, 5 from 1, −1, 0, −1.
    assert (check.portfolio[CLOSE].happened, check.portfolio[CLOSE].count) == (1, 4)
    later = check.portfolio[at_release(3)]
    assert (later.happened, later.count) == (1, 3)
    assert (check.portfolio[POOLED].happened, check.count, check.sessions) == (2, 7, 4)


def test_ties_steps_of_the_size_of_rounding_and_equal_epsilons_drop_out():
    near = np.nextafter(1000.5, 2000.0)
    releases = np.array([[1001.0, 1000.5], [near, 1000.5], [1000.5, 1000.5], [1002.0, 1000.0]])[:, :, None]
    assert observed(batch(releases, (1.0, 2.0), value=(1000.0,))).count == 1
    repeated = observed(batch(releases, (2.0, 2.0), value=(1000.0,)))
    assert repeated.count == repeated.sessions == 0
    assert repeated.portfolio.log_e == pytest.approx(0.0, abs=1e-12)
    assert repeated.conclude(1e-6).verdict == "inconclusive"
    assert repeated.conclude(1e-6).sizes == ()


def test_adaptive_sessions_are_left_out():
    releases = np.random.default_rng(0).laplace(size=(100, 3, 1))
    adaptive = Follow(0.2, 5.0, 4.0, 1.4, 3, 0.0)
    assert observed(batch(releases, (0.5, 1.0, 2.0), play=adaptive)).sessions == 0
    assert observed(batch(releases, (0.5, 1.0, 2.0))).sessions == 100


def test_two_checks_merged_are_one_that_saw_both():
    rng = np.random.default_rng(1)
    parts = [batch(rng.laplace(size=(60, 6, 2))) for _ in range(3)]
    whole, merged = observed(*parts), SignIncrements()
    for part in parts:
        scored = merged.empty_copy()
        scored.observe(part)
        merged.merge(scored)
    assert merged.portfolio.log_e == pytest.approx(whole.portfolio.log_e, rel=1e-12)
    assert (merged.count, merged.sessions) == (whole.count, whole.sessions)
    assert merged.empty_copy().count == 0
    assert merged.empty_copy().portfolio.log_e == pytest.approx(0.0, abs=1e-12)
    # Noise of one size, all of it fresh: three signs of four differ.
    assert whole.refuted(1e-9)


def test_where_times_are_known_the_report_says_which_check_judges_the_steps():
    class Known(LaplaceUp):
        def time_of(self, epsilon):
            return 1.0 / epsilon

    report = nrverify.audit(Known, samples=400)
    (found,) = (check for check in report.checks if check.id == "law.increments")
    assert (found.verdict, "law.transcript" in found.message) == ("not-covered", True)
