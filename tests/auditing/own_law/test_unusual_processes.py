"""Laws unlike those built in: earlier releases that say more than the last one, and steps that gather about 0."""

import numpy as np
from scipy import stats

from nrverify import audit
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.subjects.noise_families import HARDLY_LESS
from nrverify.subjects.own_laws.family import family_of
from tests.support.logarithmic import Logarithmic


class Gamma:
    """One-sided noise with independent gamma steps."""

    name, range = "gamma", (100.0, 500.0)

    def marginal(self, t):
        return stats.gamma(2 * np.asarray(t))

    def bridge(self, s, t, given):
        return stats.beta(2 * s, 2 * (t - s), scale=np.where(given > 0, given, 1e-300))


class Steps:
    """Noise that grows by independent steps."""

    def sample(self, value, schedule, sessions, seed):
        rng, noise, path, last = np.random.default_rng(seed), np.zeros((sessions, value.size)), [], 0.0
        for t in reversed(schedule):
            noise = noise + self.step(t - last, rng, noise.shape) if t > last else noise
            path.append(noise)
            last = t
        return value + np.stack(path[::-1], axis=1)


class GammaSteps(Steps):
    mechanism = "gamma"

    def step(self, time, rng, size):
        return rng.gamma(2 * time, size=size)


class BrownianSteps(Steps):
    mechanism = "logarithmic"

    def step(self, time, rng, size):
        return np.sqrt(time) * rng.standard_normal(size)


class LogarithmicPath:
    mechanism = "logarithmic"

    def sample(self, value, schedule, sessions, seed):
        rng, size = np.random.default_rng(seed), (sessions, value.size)
        path = [np.sqrt(schedule[-1]) * rng.standard_normal(size)]
        for t, s in zip(schedule[-2::-1], schedule[:0:-1], strict=True):
            fresh = np.sqrt(t * (1 - (s / t) ** 2)) * rng.standard_normal(size)
            path.append(path[-1] * (s / t) ** 0.5 + fresh)
        return value + np.stack(path[::-1], axis=1)


def verdicts(report):
    return {check.id: check.verdict.value for check in report.checks}


def test_the_last_release_is_not_taken_for_all_where_by_the_law_it_is_not():
    report = audit(LogarithmicPath, law=Logarithmic, samples=12_000)
    found = verdicts(report)
    assert report.exit_code == 0
    assert found["law.transcript"] == "consistent"
    assert found["loss.stopping"] == found["numerics.last-bits"] == found["privacy.ex-post"] == "not-covered"


def test_noise_of_another_correlation_is_refuted_by_that_law():
    assert verdicts(audit(BrownianSteps, law=Logarithmic, samples=12_000))["law.transcript"] == "refuted"


def test_steps_that_doubles_cannot_hold_are_not_asked_for():
    assert family_of(Gamma(), {}).hardly_less == 0.99
    assert family_of(Logarithmic(), {}).hardly_less == HARDLY_LESS
    assert Knob(1.0, 8.0, True, 0.99).apart([8.0, 8.0, 7.99, 4.0, 4.0, 3.97, 3.9]) == (8.0, 8.0, 4.0, 4.0, 3.9)
    assert Knob(1.0, 8.0, True).apart([8.0, 8.0 * HARDLY_LESS]) == (8.0, 8.0 * HARDLY_LESS)


def test_a_gamma_process_is_judged_by_its_law():
    assert audit(GammaSteps, law=Gamma, samples=6000).exit_code == 0
