"""Laws of one's own that are not centred and not symmetric: noise with a drift, integer and one-sided noise.

Audits of right subjects raise a false alarm with probability at most 1e-6 each. The fault that is caught is far off.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from nrverify import audit
from nrverify.auditing.own_law.limited import wrong_with
from nrverify.subjects.own_laws.family import family_of
from nrverify.subjects.own_laws.loading import specified

DRIFT = 0.5


class Drifting:
    """Brownian noise that drifts: X_t has mean t/2, and no part of it is the same when its sign is changed."""

    name = "drifting"
    norm = 2
    range = (0.05, 50.0)

    def marginal(self, t):
        return Scipy(stats.norm(DRIFT * t, np.sqrt(t)))

    def bridge(self, s, t, given):
        return Scipy(stats.norm(given * s / t, np.sqrt(s * (t - s) / t)))


class Poisson:
    """Arrivals of a Poisson process up to time t; given those at t, each is earlier than s with probability s/t."""

    name = "poisson"
    integer = True
    range = (0.5, 60.0)

    def marginal(self, t):
        return Scipy(stats.poisson(t))

    def bridge(self, s, t, given):
        return Scipy(stats.binom(np.maximum(given, 0), s / t))


class OneSided:
    """Exponential noise, which is never below 0: a value that falls may lose everything."""

    name = "one-sided"

    def marginal(self, t):
        return Scipy(stats.expon(0.0, t))

    def epsilon(self, t, shift):
        return float(np.abs(shift).sum() / t) if np.all(shift <= 0) else np.inf


class Scipy:
    def __init__(self, law):
        self.cdf, self.sf = law.cdf, law.sf
        self.logpdf = getattr(law, "logpdf", None) or law.logpmf


class DriftingSubject:
    mechanism = "drifting"
    drift = DRIFT

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        noise = np.sqrt(schedule[0]) * rng.standard_normal((sessions, value.size))
        path = [noise + self.drift * schedule[0]]
        for t, s in itertools.pairwise(schedule):
            noise = noise * s / t + np.sqrt(s * (t - s) / t) * rng.standard_normal(noise.shape)
            path.append(noise + self.drift * s)
        return value + np.stack(path, axis=1)


class Centred(DriftingSubject):
    drift = 0.0


class Arrivals:
    mechanism = "poisson"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        path = [rng.poisson(schedule[0], (sessions, value.size))]
        for t, s in itertools.pairwise(schedule):
            path.append(self.earlier(rng, path[-1], s / t))
        return value + np.stack(path, axis=1)

    def earlier(self, rng, arrivals, share):
        return rng.binomial(arrivals, share)


class ArrivalsAnew(Arrivals):
    def earlier(self, rng, arrivals, share):
        return rng.poisson(arrivals * share)


class Waiting:
    mechanism = "one-sided"
    most_releases = 1

    def sample(self, value, schedule, sessions, seed):
        return value + np.random.default_rng(seed).exponential(schedule[0], (sessions, 1, value.size))


class WaitingBelow(Waiting):
    def sample(self, value, schedule, sessions, seed):
        return 2 * value - super().sample(value, schedule, sessions, seed)


@pytest.mark.parametrize(
    ("right", "wrong", "law"),
    [
        (DriftingSubject, Centred, Drifting),
        (Arrivals, ArrivalsAnew, Poisson),
        (Waiting, WaitingBelow, OneSided),
    ],
)
def test_noise_that_is_not_centred_is_judged_by_its_law(right, wrong, law):
    assert audit(right, law=law, samples=1500).law == "consistent"
    refuted = audit(wrong, law=law, samples=1500)
    assert refuted.law == "refuted"
    assert refuted.run["samples"] < 1500


class Uniform:
    """Noise between −t and t: a release farther out is impossible whatever the value."""

    name = "uniform"

    def marginal(self, t):
        return Scipy(stats.uniform(-t, 2 * t))


class UniformSubject:
    mechanism = "uniform"
    most_releases = 1
    width = 1.0

    def sample(self, value, schedule, sessions, seed):
        reach = self.width * schedule[0]
        return value + np.random.default_rng(seed).uniform(-reach, reach, (sessions, 1, value.size))


@pytest.mark.parametrize("width", [1.2, 50.0])
def test_releases_that_no_value_can_give_are_refuted_by_the_law(width):
    wide = type("Wide", (UniformSubject,), {"width": width})
    assert audit(UniformSubject, law=Uniform, samples=500).law == "consistent"
    assert audit(wide, law=Uniform, samples=500).law == "refuted"


def test_a_release_that_neither_value_can_give_says_nothing_of_which_it_was():
    process = family_of(Uniform(), {}).process(1.0)
    assert process.loss(1.0, 0.0, 1.5, np.array([0.2, 0.7, 9.0])).tolist() == [np.inf, 0.0, 0.0]
    both = np.array([[0.2, 0.7], [-0.7, 0.7]])
    assert process.loss(1.0, np.zeros(2), np.array([1.5, 0.0]), both).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("law", [Drifting, Poisson, OneSided])
def test_a_law_need_not_be_centred(law):
    assert wrong_with(specified(law), timeout=60.0) == []


def test_the_signs_of_noise_are_fair_coins_only_where_its_law_is_symmetric():
    class Centre(Drifting):
        def marginal(self, t):
            return Scipy(stats.norm(0.0, np.sqrt(t)))

    assert family_of(Centre(), {}).symmetric()
    assert not family_of(Drifting(), {}).symmetric()
    assert not family_of(OneSided(), {}).symmetric()


def test_signs_are_not_bet_on_where_the_level_of_one_sided_noise_is_not_known():
    class Asked(Waiting):
        knob, sensitivity, delta = "epsilon", 1.0, 1e-3

        def sample(self, value, schedule, sessions, seed):
            return value + np.random.default_rng(seed).exponential(3 / schedule[0], (sessions, 1, value.size))

    report = audit(Asked, law=OneSided, samples=600, keep_going=True)
    coordinates = next(check for check in report.checks if check.id == "independence.coordinates")
    assert coordinates.verdict.value == "not-covered"
    assert "no fair coins" in coordinates.message


def test_what_is_telling_and_likeliest_is_sought_about_the_median():
    far = type("Far", (Poisson,), {"range": (0.5, 5000.0)})
    family = family_of(far(), {})
    assert family.likeliest(np.array([2000.0]), 1.0) == pytest.approx(stats.poisson(2000.0).pmf(1999), rel=1e-12)
    drifting = family_of(Drifting(), {})
    assert drifting.telling(25.0, 1.0) == pytest.approx(family_of(Still(), {}).telling(25.0, 1.0), rel=1e-9)


class Still(Drifting):
    def marginal(self, t):
        return Scipy(stats.norm(0.0, np.sqrt(t)))


def test_a_bound_is_asked_for_both_ways_where_the_noise_is_one_sided():
    class AskedOnce(Waiting):
        knob, sensitivity = "epsilon", 1.0

        def time_of(self, epsilon):
            return 1 / epsilon

        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [1 / schedule[0]], sessions, seed)

    class Rising(OneSided):  # right for values that rise, and silent about the others
        def epsilon(self, t, shift):
            return float(shift.sum() / t) if np.all(shift >= 0) else np.inf

    report = audit(AskedOnce, law=Rising, samples=600)
    claim = next(check for check in report.checks if check.id == "privacy.epsilon")
    assert claim.verdict.value == "refuted"  # without noise below 0, a release below the neighbour excludes it
