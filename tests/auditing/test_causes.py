"""What is named first: the fault, not what comes of it; and no leak is claimed, nor denied, that is not there."""

import math

import numpy as np
import pytest

from nrverify import audit


class Walk:
    """Brownian noise walked up in time; subclasses spoil the releases."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        steps = np.sqrt(np.diff(schedule[::-1], prepend=0.0))
        path = np.cumsum(steps[:, None] * rng.standard_normal((sessions, len(schedule), len(value))), axis=1)
        return self.shown(np.asarray(value, dtype=float), path[:, ::-1], np.array(schedule))

    def shown(self, value, noise, times):
        return value + noise


class Rounded(Walk):
    def shown(self, value, noise, times):
        return np.round(value + noise)


class NeverNegative(Walk):
    def shown(self, value, noise, times):
        return np.maximum(value + noise, 0.0)


class ZeroInTheClear(Walk):
    def shown(self, value, noise, times):
        return value + noise if np.any(value) else np.zeros_like(noise)


class NoNoise(Walk):
    def shown(self, value, noise, times):
        return value + 0 * noise


class LastWithoutNoise(Walk):
    def shown(self, value, noise, times):
        return value + noise * (np.arange(times.size) < max(times.size - 1, 1))[:, None]


class GrowingBias(Walk):
    def shown(self, value, noise, times):
        return value + noise + (0.02 * np.arange(times.size) * np.sqrt(times))[:, None]


class NearTimesCached(Walk):
    def shown(self, value, noise, times):
        same = [0]
        for k in range(1, times.size):
            same.append(same[-1] if times[k] > 0.97 * times[same[-1]] else k)
        return value + noise[:, same]


class FirstTime:
    """Bridged from the release before, as if it had been made at the first time."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng, first = np.random.default_rng(seed), schedule[0]
        noise = math.sqrt(first) * rng.standard_normal((sessions, len(value)))
        found = [noise]
        for at in schedule[1:]:
            step = rng.standard_normal(noise.shape) * math.sqrt(at * (first - at) / first)
            noise = noise * at / first + step
            found.append(noise)
        return value + np.stack(found, axis=1)


@pytest.mark.parametrize(
    ("subject", "check", "fault"),
    [
        (Rounded, "lattice", "rounded"),
        (NeverNegative, "lattice", "some-noise-rounded"),
        (ZeroInTheClear, "lattice", "value-in-clear"),
        (NoNoise, "lattice", "no-noise"),
        (LastWithoutNoise, "lattice", "value-in-clear"),
        (GrowingBias, "ties.repeated-time", "repeated-time-moved"),
        (NearTimesCached, "ties", "repeated-release"),
        (FirstTime, "law.transcript", "first-time-kept"),
    ],
)
def test_the_fault_is_named_in_its_own_check(subject, check, fault):
    found = {result.id: result for result in audit(subject()).checks if result.verdict == "refuted"}
    assert found[check].finding.fault.id == fault
    assert found[check].explanation.follows is None


def test_what_comes_of_a_grid_or_a_wrong_time_is_put_down_to_it():
    def source(subject, check):
        return next(result.explanation.follows for result in audit(subject()).checks if result.id == check)

    assert source(Rounded, "randomness.streams") == "lattice"
    assert source(LastWithoutNoise, "randomness.streams") == "lattice"
    assert source(FirstTime, "ties.repeated-time") == "law.transcript"


def test_a_failure_names_the_request_and_the_line():
    class Raises(Walk):
        def shown(self, value, noise, times):
            return value + noise[:, 99]

    report = audit(Raises())
    assert report.verdict == "errored"
    assert "sample() raised IndexError" in report.message
    assert "for a valid request: sample(array([" in report.message
    assert "of test_causes.py" in report.message
