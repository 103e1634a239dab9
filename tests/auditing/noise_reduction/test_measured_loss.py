"""Losses that are measured after a refutation: between claim and truth, and never of right noise."""

import numpy as np
import pytest
from scipy.special import ndtr

from nrverify import audit, simulate
from nrverify.auditing.core.effects import Effect
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.diagnosis.measured_loss import measurable, measured_loss
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.laws import Brownian, Laplace
from nrverify.laws.divergence import hockey_stick
from nrverify.subjects.describe import describe


class Host:
    """Answers in this process, without the frame of a subject."""

    seconds = 0.0

    def __init__(self, mechanism, draw):
        self.description = describe({"mechanism": mechanism, "methods": ["sample"]})
        self._draw = draw

    def ask(self, request):
        schedule = np.array(request.schedule)
        rng = np.random.default_rng(request.seed)
        return request.value + self._draw(schedule, (request.sessions, schedule.size, request.value.size), rng)


def fresh(schedule, shape, rng):
    return np.sqrt(schedule)[:, None] * rng.standard_normal(shape)


def normal_for_laplace(schedule, shape, rng):
    """A normal path with the variances of Laplace noise."""
    steps = np.sqrt(2 * np.diff(schedule[::-1] ** 2, prepend=0.0))[:, None]
    return np.cumsum(steps * rng.standard_normal(shape), axis=1)[:, ::-1]


def right(mechanism, factor=1.0):
    def draw(schedule, shape, rng):
        times = (factor * schedule).tolist()
        return simulate(mechanism, np.zeros(shape[2]), times, shape[0], int(rng.integers(2**31)))

    return draw


def loss_of(mechanism, draw, samples=200_000, alpha=1e-6):
    host = Host(mechanism, draw)
    drawer = Drawer(host, Settings(samples=samples))
    assert measurable(host.description, knob_of(host.description))
    found = measured_loss(drawer, host.description, knob_of(host.description), None, alpha)
    return found, drawer.drawn


def test_fresh_noise_has_a_loss_between_the_claim_and_the_truth():
    found, _ = loss_of("brownian", fresh)
    assert found.effect is Effect.LEAK
    assert found.claim in [pytest.approx(hockey_stick(Brownian(), e, shift=2**0.5, time=1.0)) for e in (0, 1, 2, 3)]
    # Three releases at 1.2, 1.1 and 1 times t, or two at t, have at most 1/1.2 + 1/1.1 + 1 times the precision.
    mu = np.sqrt(2 * (1 / 1.2 + 1 / 1.1 + 1))
    assert found.claim < found.loss < max(ndtr(mu / 2 - e / mu) - np.exp(e) * ndtr(-mu / 2 - e / mu) for e in range(4))


def test_normal_noise_in_place_of_laplace_noise_breaks_the_bound():
    found, _ = loss_of("laplace", normal_for_laplace)
    mu = 2 / np.sqrt(2)
    assert found.claim == 0 == hockey_stick(Laplace(), 2.0, shift=2.0, time=1.0)
    assert 0 < found.loss < ndtr(mu / 2 - 2 / mu) - np.exp(2) * ndtr(-mu / 2 - 2 / mu)
    assert "at ε = 2, where the noise claimed has 0" in found.words


@pytest.mark.parametrize("mechanism", ["brownian", "laplace", "skellam"])
def test_right_noise_shows_no_loss_even_at_a_low_level(mechanism):
    assert loss_of(mechanism, right(mechanism), samples=12_000, alpha=0.01)[0] is None


@pytest.mark.parametrize("mechanism", ["brownian", "laplace"])
def test_noise_that_is_too_large_shows_no_loss(mechanism):
    assert loss_of(mechanism, right(mechanism, 1.5), samples=12_000, alpha=0.01)[0] is None


def test_no_more_is_drawn_than_samples_are_left():
    assert loss_of("brownian", right("brownian"), samples=3000)[1] == 3000


def test_numbers_that_are_none_end_it():
    assert loss_of("brownian", lambda schedule, shape, rng: np.full(shape, np.nan))[0] is None


class NormalForLaplace:
    """A subject whose noise is normal where Laplace noise is claimed."""

    mechanism = "laplace"

    def sample(self, value, schedule, sessions, seed):
        shape = (sessions, len(schedule), len(value))
        return value + normal_for_laplace(np.array(schedule), shape, np.random.default_rng(seed))


def single(of):
    """Releases rounded to single precision, or the noise and the value each."""

    def draw(schedule, shape, rng):
        return right("brownian")(schedule, shape, rng)

    class Rounded(Host):
        def ask(self, request):
            noise = super().ask(request) - request.value
            return of(np.float32)(request.value, noise)

    return Rounded("brownian", draw)


def measured_on(host, samples=60_000, alpha=1e-6):
    return measured_loss(
        Drawer(host, Settings(samples=samples)), host.description, knob_of(host.description), None, alpha
    )


def test_rounding_after_the_noise_is_no_leak_and_before_it_is_one():
    after = single(lambda small: lambda value, noise: (value + noise).astype(small).astype(float))
    before = single(lambda small: lambda value, noise: (value.astype(small) + noise.astype(small)).astype(float))
    assert measured_on(after, 20_000, alpha=0.01) is None
    assert measured_on(before).effect is Effect.LEAK


class EpsilonHost(Host):
    """An ε-knob with normal noise at the times of a line, or uniform noise of the same variance."""

    def __init__(self, draw, factor=1.0):
        super().__init__("brownian", draw)
        claim = {"mechanism": "brownian", "knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6}
        self.description = describe({**claim, "methods": ["sample"]})
        self._factor = factor

    def ask(self, request):
        level = np.log(1e6)
        # The line ψ = ε tuned at ε = 1: εt = ½ + √(2 level t), at every look at once for the largest t.
        times = self._factor * np.array([2.2 * level / epsilon**2 + 1 / epsilon for epsilon in request.schedule])
        rng = np.random.default_rng(request.seed)
        return request.value + self._draw(times, (request.sessions, times.size, request.value.size), rng)


def uniform(schedule, shape, rng):
    return np.sqrt(3 * schedule)[:, None] * rng.uniform(-1, 1, shape)


def test_an_epsilon_is_compared_with_its_delta():
    assert measured_on(EpsilonHost(right("brownian")), 20_000, alpha=0.01) is None
    found = measured_on(EpsilonHost(uniform))
    assert found.effect is Effect.LEAK
    assert found.claim == 1e-6
    assert "where the claim allows 1e-06" in found.words


@pytest.mark.slow
def test_an_audit_says_what_was_measured():
    report = audit(NormalForLaplace())
    assert (report.law, report.privacy) == ("refuted", "inconclusive")
    refuted = [check for check in report.checks if check.verdict == "refuted"]
    assert "leak" in {check.effect for check in refuted}
    assert report.run["after_refutation"] > 0
    assert "measured, with an error probability of 3.3e-07 of its own: " in str(report)
