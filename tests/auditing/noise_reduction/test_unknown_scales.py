"""Noise whose scale is not known: its shape is scored exactly, and its size must be the same at the same ε."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nrverify import audit
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.unknown_times.release_shape import UnknownReleases, laplace_scores, normal_scores
from nrverify.auditing.noise_reduction.unknown_times.value_sizes import UnknownValues
from nrverify.subjects.policies import Fixed

SCORES = {"normal": normal_scores, "laplace": laplace_scores}
DRAWN = {"normal": lambda rng, n: rng.standard_normal(n), "laplace": lambda rng, n: rng.laplace(size=n)}


def test_the_second_of_two_numbers_in_closed_form():
    """Normal: x₂/|x₁| is Cauchy. Laplace: P(|x₂| > y | |x₁|) = |x₁|/(|x₁| + y) after the scale is integrated out."""
    numbers = np.array([[-0.7], [1.9]])
    score = stats.norm.ppf(0.5 + math.atan(1.9 / 0.7) / math.pi)
    assert normal_scores(numbers)[0, 0] == pytest.approx(score, rel=1e-12)
    score = stats.norm.ppf(1 - 0.5 * 0.7 / (0.7 + 1.9))
    assert laplace_scores(numbers)[0, 0] == pytest.approx(score, rel=1e-12)


def test_later_numbers_follow_the_laws_of_student_and_pareto():
    x = np.array([1.0, -2.0, 0.5, 3.0])
    t = 3.0 / math.sqrt((1 + 4 + 0.25) / 3)
    assert normal_scores(x[:, None])[-1, 0] == pytest.approx(stats.norm.ppf(stats.t(3).cdf(t)), rel=1e-12)
    beyond = (1 + 3.0 / 3.5) ** -3.0
    assert laplace_scores(x[:, None])[-1, 0] == pytest.approx(stats.norm.isf(0.5 * beyond), rel=1e-12)


@given(scale=st.floats(1e-6, 1e6), seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("name", SCORES)
def test_scores_do_not_change_with_the_scale_and_turn_with_the_sign(name, scale, seed):
    x = DRAWN[name](np.random.default_rng(seed), 30)[:, None]
    scores = SCORES[name](x)
    assert SCORES[name](scale * x) == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert SCORES[name](-x) == pytest.approx(-scores, rel=1e-12)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_the_claimed_family_are_independent_and_normal(name):
    """20 columns of 2,000: each statement below is wrong with probability at most 1e-6."""
    rng = np.random.default_rng(11)
    scores = SCORES[name](DRAWN[name](rng, 40_000).reshape(2_000, 20) * rng.uniform(0.1, 10, 20))
    assert stats.kstest(scores.ravel(), "norm").pvalue > 1e-6
    # Small numbers of earlier ones too: the first score of each of 2,000 columns of three.
    few = SCORES[name](DRAWN[name](rng, 6_000).reshape(3, 2_000))
    assert stats.kstest(few.ravel(), "norm").pvalue > 1e-6
    correlation = float((few[0] * few[1]).mean()) * math.sqrt(2_000)
    assert abs(correlation) < 5.2


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_another_family_are_not_normal(name):
    other = "laplace" if name == "normal" else "normal"
    scores = SCORES[name](DRAWN[other](np.random.default_rng(3), 20_000)[:, None])
    assert stats.kstest(scores.ravel(), "norm").pvalue < 1e-9


def batch(name, value, asked, noise):
    value = np.array(value)
    case = Case(name, tuple(value), Fixed(tuple(asked)), "sample")
    return Batch(case, value + noise, np.tile(asked, (len(noise), 1)), None, None)


def compared(first, second):
    """The check after two batches, merged one after the other."""
    check = UnknownValues()
    for drawn in (first, second):
        part = check.empty_copy()
        part.observe(drawn)
        check.merge(part)
    return check


def test_every_size_is_compared_once_and_only_at_its_own_place():
    rng = np.random.default_rng(2)
    first = batch("a", [3.0], [1.0, 2.0], rng.standard_normal((40, 2, 1)))
    second = batch("a", [-3.0], [1.0, 2.0], rng.standard_normal((31, 2, 1)))
    # Of 40 sessions 20 are kept at each place, of 31 there are 16 and 15.
    assert compared(first, second).count == 31
    for same in (batch("b", [-3.0], [1.0, 2.0], first.noise), batch("a", [-3.0], [1.0, 4.0], first.noise)):
        assert compared(first, same).count == 0
    assert compared(first, batch("a", [4.0], [1.0, 2.0], second.noise)).count == 0


def test_a_subject_that_is_told_the_schedule_may_suit_its_noise_to_it():
    report = audit(FirstLook(), samples=20_000, checks=["law.value"])
    assert not [check.id for check in report.checks if check.verdict == "refuted"]


@pytest.mark.parametrize(("factor", "seen"), [(1.0, False), (2.0, True)])
def test_noise_that_is_larger_at_negative_values_is_seen(factor, seen):
    """Twice the noise is the larger with probability ½ + (2/π) atan(1/3) = 0.705: 0.086 nats for each of 512 kept."""
    rng = np.random.default_rng(4)
    first = batch("a", [3.0], [1.0], rng.standard_normal((2_000, 1, 1)))
    second = batch("a", [-3.0], [1.0], factor * rng.standard_normal((2_000, 1, 1)))
    check = compared(first, second)
    assert check.refuted(1e-6) == seen
    if seen:
        found = check.conclude(1e-6).finding
        assert (found.fault.id, found.quantity) == ("depends-on-value", "larger noise at values below 0 than at others")


def test_ties_and_repeated_requests_are_left_out():
    rng = np.random.default_rng(6)
    walk = rng.laplace(size=(5_000, 1, 1))
    noise = np.concatenate([walk, walk, np.where(rng.random((5_000, 1, 1)) < 0.5, walk, 0.5 * walk)], axis=1)
    check = UnknownReleases(laplace_scores)
    check.observe(batch("a", [1.0], [1.0, 1.0, 2.0], noise))
    # The first, the last, and about half of the steps, but for the first of each.
    assert 2 * 4_999 + 2_200 < check.count < 2 * 4_999 + 2_800


class Claims:
    """Brownian noise behind the ε's of a line, without time_of."""

    mechanism, knob, sensitivity, delta = "brownian", "epsilon", 1.0, 1e-6

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = (0.5 + math.log(1e6) / 0.4) / (np.array(schedule) - 0.19)
        steps = np.sqrt(np.diff(times[::-1], prepend=0.0))
        noise = np.cumsum(steps[:, None] * self.drawn(rng, (sessions, len(schedule), len(value))), axis=1)[:, ::-1]
        return np.asarray(value, dtype=float) + self.sized(noise, np.asarray(value), schedule)

    def drawn(self, rng, shape):
        return rng.standard_normal(shape)

    def sized(self, noise, value, schedule):
        return noise


class Clipped(Claims):
    def sized(self, noise, value, schedule):
        limit = 2.0 * np.sqrt((0.5 + math.log(1e6) / 0.4) / (np.array(schedule)[:, None] - 0.19))
        return np.clip(noise, -limit, limit)


class FirstLook(Claims):
    def sized(self, noise, value, schedule):
        return 0.5 * noise if len(schedule) == 1 else noise


class Louder(Claims):
    dimensions = (1,)

    def sized(self, noise, value, schedule):
        return np.where(value < 0, 1.5, 1.0) * noise


@pytest.mark.parametrize(
    ("subject", "check"), [(Claims, None), (Clipped, "law.release"), (Louder, "law.value")], ids=lambda x: str(x)
)
def test_subjects_without_time_of(subject, check):
    report = audit(subject(), samples=20_000, checks=["law.release", "law.value"])
    refuted = {result.id for result in report.checks if result.verdict == "refuted"}
    assert refuted == (set() if check is None else {check})
