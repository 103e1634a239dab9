"""Scales that are bounded after a refutation: seldom too small, and never of right noise."""

import numpy as np
import pytest

from nrverify.auditing.core.effects import Effect
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.diagnosis import measured_scale as module
from nrverify.auditing.noise_reduction.diagnosis.measured_scale import FAMILIES, largest, measured_scale
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.describe import describe

TIME = 1.7
REPEATS, LEVEL = 400, 0.05


def noise(mechanism, t, shape, rng):
    match mechanism:
        case "brownian":
            return np.sqrt(t) * rng.standard_normal(shape)
        case "laplace":
            return rng.laplace(0, t, shape)
        case "discrete-laplace":
            p = -np.expm1(-1 / t)
            return (rng.geometric(p, shape) - rng.geometric(p, shape)).astype(float)
    points = np.arange(-60, 61)
    weights = np.exp(-(points**2) / (2 * t))
    return rng.choice(points, size=shape, p=weights / weights.sum()).astype(float)


@pytest.mark.parametrize("mechanism", FAMILIES)
def test_limits_are_seldom_below_the_parameter(mechanism):
    rng = np.random.default_rng(5)
    sizes = FAMILIES[mechanism].size(noise(mechanism, TIME, (REPEATS, 300), rng)).mean(axis=1)
    below = sum(largest(mechanism, TIME, float(mean), 300, LEVEL) < TIME for mean in sizes)
    # 20 at most on average; 40 and more would be seen with probability below 1e-4.
    assert below < 40
    near = [largest(mechanism, TIME, float(mean), 300, LEVEL) / TIME for mean in sizes]
    assert 1.0 < np.median(near) < 1.5


def test_limits_that_forget_the_logarithm_are_often_below(monkeypatch):
    rng = np.random.default_rng(5)
    sizes = np.square(noise("brownian", TIME, (REPEATS, 300), rng)).mean(axis=1)
    below = sum(largest("brownian", TIME, float(mean), 300, 0.9) < TIME for mean in sizes)
    assert below > 40


class Host:
    """Single releases of noise of another scale."""

    seconds = 0.0

    def __init__(self, mechanism, factor):
        self.description = describe({"mechanism": mechanism, "methods": ["sample"], "most_releases": 1})
        self._mechanism, self._factor = mechanism, factor

    def ask(self, request):
        rng = np.random.default_rng(request.seed)
        shape = (request.sessions, 1, request.value.size)
        return request.value + noise(self._mechanism, self._factor * request.schedule[-1], shape, rng)


def measured(mechanism, factor, monkeypatch, alpha=1e-6):
    monkeypatch.setattr(module, "TIMES", 6)
    host = Host(mechanism, factor)
    drawer = Drawer(host, Settings(samples=200_000))
    return measured_scale(drawer, host.description, knob_of(host.description), 1, alpha, (1, 2, 3))


@pytest.mark.parametrize("mechanism", ["brownian", "laplace"])
def test_noise_that_is_too_small_leaks_and_right_or_larger_noise_does_not(mechanism, monkeypatch):
    found = measured(mechanism, 0.93, monkeypatch)
    assert found.effect is Effect.LEAK
    assert 1 < found.loss < 1 / 0.93
    assert "if it is of the family claimed" in found.words
    assert measured(mechanism, 1.0, monkeypatch, alpha=0.01) is None
    assert measured(mechanism, 1.05, monkeypatch, alpha=0.01) is None
