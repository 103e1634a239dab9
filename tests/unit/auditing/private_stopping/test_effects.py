"""The probability of a loss above what was paid, against simulated losses; and when a leak is said."""

import numpy as np
import pytest

from nrverify.auditing.core.faults.halting import SHOWS_MORE
from nrverify.auditing.core.faults.noise import FRESH_NOISE, WRONG_SHAPE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.effects import precision_that_breaks, probability_of_loss, with_losses
from nrverify.statistics.estimate import Estimate, Measure

DESIGN = StoppingDesign("short", (0.0,), (8.0, 2.0), (0.5, 2.0), None, 0.0, 1.0)
AFRESH = Estimate(Measure.ALTERNATIVE, 0.0, 30.0, alternatives=("fresh",))
SLOPE = Estimate(Measure.SLOPE, 0.0, 0.3, 0.01)
COUNTED = Estimate(Measure.COUNT, 0.0, 20.0, count=20)


def test_fresh_releases_lose_what_their_summed_precision_does():
    """A million sessions of k releases with fresh noise at time t: log-likelihood ratios added up; error 5e-4."""
    rng, time, k, epsilon = np.random.default_rng(0), 2.0, 4, 2.0
    noise = np.sqrt(time) * rng.standard_normal((k, 1_000_000))
    losses = ((noise + 1.0) ** 2 - noise**2).sum(axis=0) / (2 * time)
    assert probability_of_loss(time / k, epsilon, 1.0) == pytest.approx(np.mean(losses > epsilon), abs=0.0025)


def test_the_smallest_power_of_two_that_breaks_the_claim_is_found():
    assert precision_that_breaks(2.0, 1.99, 1.0) == 16  # the mean loss k/4 is 4 there, and 2ψ is 3.98
    assert precision_that_breaks(2.0, 2.01, 1.0) == 32
    assert probability_of_loss(2.0 / 16, 4.0, 1.0) == pytest.approx(0.5)
    assert precision_that_breaks(2.0, 1e9, 1.0) is None


@pytest.mark.parametrize(
    ("fault", "estimate", "told"),
    [
        (FRESH_NOISE, AFRESH, True),
        (SHOWS_MORE, COUNTED, True),
        (FRESH_NOISE, SLOPE, False),
        (WRONG_SHAPE, AFRESH, False),
    ],
)
def test_a_leak_is_said_of_fresh_noise_and_of_releases_beyond_the_stop(fault, estimate, told):
    refuted = CheckResult("stopping.releases", "law", CheckVerdict.REFUTED, finding=Finding("it", estimate, fault))
    (found,) = with_losses([refuted], [DESIGN], 1.0, 1e-6)
    priced = found.finding.priced
    assert (priced is not None) == told
    if told:
        assert (priced.effect, priced.claim, priced.loss >= 0.5) == ("leak", 1e-6, True)
