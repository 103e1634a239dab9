"""ε-knobs without time_of that suit their noise to the schedule: each schedule is judged by itself, and no union."""

import math

import numpy as np
import pytest
from scipy.stats import f as fisher
from scipy.stats import norm

import nrverify
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import MANY, NoiseLevels


def single_look(epsilon: float, delta: float) -> float:
    """The variance at which one look loses more than ε with probability δ, at sensitivity 1."""
    z = float(norm.isf(delta))
    return (math.sqrt(z * z + 2 * epsilon) - z) ** -2


class SharedOut:
    """δ divided by the number of looks of the schedule: right, by the union bound, whatever the schedule."""

    mechanism, knob, sensitivity, delta = "brownian", "epsilon", 1.0, 1e-4

    def sample(self, value, schedule, sessions, seed):
        share = self.delta / len(set(schedule))
        times = [single_look(epsilon, share) for epsilon in schedule]
        return nrverify.simulate("brownian", value, times, sessions, seed)


class StarvesOneLook(SharedOut):
    """A quarter of the noise where one look is asked for."""

    def sample(self, value, schedule, sessions, seed):
        times = [single_look(epsilon, self.delta / 100) for epsilon in schedule]
        factor = 0.25 if len(schedule) == 1 else 1.0
        return nrverify.simulate("brownian", value, [factor * t for t in times], sessions, seed)


class ForTwelveLooks(SharedOut):
    """A twelfth of δ at any look, however many there are: twelve keep the claim, and more do not."""

    def sample(self, value, schedule, sessions, seed):
        times = [single_look(epsilon, self.delta / 12) for epsilon in schedule]
        return nrverify.simulate("brownian", value, times, sessions, seed)


def test_noise_that_suits_itself_to_the_number_of_looks_is_not_refuted():
    """With the noise of twelve looks at every ε of the fine grid, all together would lose more than ε too often."""
    assert nrverify.audit(SharedOut(), samples=55_000).verdict == "consistent"


@pytest.mark.parametrize("subject", [StarvesOneLook(), ForTwelveLooks()], ids=["one look", "more than twelve"])
def test_too_little_noise_for_one_look_or_for_many_is_refuted(subject):
    report = nrverify.audit(subject, samples=100_000)
    assert [check.id for check in report.checks if check.verdict == "refuted"] == ["privacy.epsilon"]


MANY_LOOKS = tuple(np.geomspace(0.2, 5.0, MANY).tolist())


def levels(one: float, many: float, count: int) -> NoiseLevels:
    """As many numbers as said, of these mean squares, for one look and for many at ε = 5."""
    found = NoiseLevels(laplace=False)
    found.add((1, (5.0,), 5.0), one * count, count)
    found.add((1, MANY_LOOKS, 5.0), many * count, count)
    return found


@pytest.mark.parametrize(("many", "count"), [(1.0, 20_000), (1.02, 40_000)])
def test_equal_noise_is_alike_when_enough_is_seen(many, count):
    assert levels(1.0, many, count).alike(1e-8, lambda *_: 1.15)


@pytest.mark.parametrize(("many", "count"), [(1.0, 2_000), (1.15, 20_000), (1 / 1.15, 20_000), (1.3, 500), (0.0, 99)])
def test_noise_that_differs_or_is_seen_too_little_is_not_alike(many, count):
    assert not levels(1.0, many, count).alike(1e-8, lambda *_: 1.15)


@pytest.mark.parametrize(("one", "many"), [(300, 200), (5_000, 9_000)])
def test_the_limits_of_a_ratio_are_those_of_fishers_law(one, many):
    """Two variances are equal when the ratio of mean squares lies between the quantiles of F, on either side."""
    from nrverify.auditing.noise_reduction.epsilon.noise_bounds import _ratio_limits

    low, high = _ratio_limits((1.1 * many, many), (1.0 * one, one), 1e-3)
    assert 1.1 / low == pytest.approx(fisher.isf(1e-3, many, one), rel=1e-6)
    assert 1.1 / high == pytest.approx(fisher.ppf(1e-3, many, one), rel=1e-6)
