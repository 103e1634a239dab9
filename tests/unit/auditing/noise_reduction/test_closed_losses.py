"""Closed forms of losses against quadrature of the densities they are of, and when they are said."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, logistic, t

from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.noise_reduction.diagnosis.closed_losses import closed_loss, information, loss_of_jumps
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.describe import describe

BROWNIAN = describe({"mechanism": "brownian", "methods": ["sample"]})
LAPLACE = describe({"mechanism": "laplace", "methods": ["sample"]})
ALPHA = 1e-6


@pytest.mark.parametrize(
    ("name", "law"),
    [
        *((f"student-{n}", t(n, scale=math.sqrt((n - 2) / n))) for n in (3, 5, 12)),
        ("logistic", logistic(scale=math.sqrt(3) / math.pi)),
    ],
)
def test_the_information_of_a_shape_is_the_integral_of_its_score_squared(name, law):
    h = 1e-5

    def squared(x):
        score = (law.logpdf(x + h) - law.logpdf(x - h)) / (2 * h)
        return score**2 * law.pdf(x)

    assert law.var() == pytest.approx(1.0)
    assert information(name) == pytest.approx(2 * quad(squared, 0, np.inf, limit=200)[0], rel=1e-6)
    assert information(name) > 1


def density(x, stays, share, scale):
    """Of X_s + B·J at time 1, by quadrature of the convolution."""
    s = laplace(scale=share)
    pieces = [-40.0, *sorted((0.0, x)), 40.0]
    mixed = sum(
        quad(lambda y: s.pdf(y) * laplace.pdf(x - y, scale=scale), low, high, epsabs=1e-15, epsrel=1e-12)[0]
        for low, high in pairwise(pieces)
    )
    return stays * s.pdf(x) + (1 - stays) * mixed


@pytest.mark.parametrize(
    ("stays", "share", "scale"), [(0.25, 0.5, 1.0), (0.5, 0.5, 1.0), (0.25, 0.5, 1.1), (0.3, 0.4, 1.3)]
)
def test_the_loss_of_jumps_at_zero_is_the_slope_of_the_log_density_there(stays, share, scale):
    h = 1e-5
    slope = (math.log(density(h, stays, share, scale)) - math.log(density(0.0, stays, share, scale))) / h
    assert loss_of_jumps(stays, share, scale) == pytest.approx(-slope, rel=1e-4)


@pytest.mark.parametrize(("share", "scale"), [(0.5, 0.8), (0.3, 0.6), (0.7, 0.5)])
def test_jumps_that_are_too_short_lose_most_far_out(share, scale):
    x, h = 12.0, 1e-3
    far, further = (math.log(density(y, share**2, share, scale)) for y in (x, x + h))
    assert loss_of_jumps(share**2, share, scale) == pytest.approx((far - further) / h, rel=2e-3)


def test_the_process_itself_loses_what_is_ideal():
    for share in (0.1, 0.5, 0.9):
        assert loss_of_jumps(share**2, share) == pytest.approx(1.0, rel=1e-12)


def won(*names, fault=of_noise.WRONG_SHAPE):
    return Finding("shape", Estimate(Measure.ALTERNATIVE, 0.0, 30.0, alternatives=names), fault)


def varied(fault, ratio, count=10_000):
    return Finding("variance", Estimate(Measure.VARIANCE, 1.0, ratio, 0.01, count), fault)


def tied(fault, measure, expected, observed, count, least_noisy):
    numbers = {LEAST_NOISY: least_noisy, LEAST_NOISY_ERROR: 0.01}
    return Finding("ties", Estimate(measure, expected, observed, 0.01, count, numbers), fault)


RATIO = 0.8 * math.exp(math.sqrt(2 * math.log(1 / ALPHA) * 2 / 10_000))
"""The upper limit of a variance of 0.8 over 10,000 numbers."""


@pytest.mark.parametrize(
    ("description", "finding", "loss"),
    [
        (BROWNIAN, won("student-5", "logistic"), math.pi**2 / 9),
        (BROWNIAN, won("twelve-uniforms"), math.inf),
        (BROWNIAN, won("cut-at-4", "cut-at-4.5", fault=of_noise.CLIPPED), math.inf),
        (BROWNIAN, won("session-in-100-third", "session-in-100-tenth", fault=of_noise.RARE_SESSIONS), 9.0),
        (LAPLACE, won("session-in-100-third", fault=of_noise.RARE_SESSIONS), 3.0),
        (BROWNIAN, varied(of_noise.WRONG_SCALE, 0.8), 1 / RATIO),
        (BROWNIAN, varied(of_noise.DEPENDS_ON_VALUE, 0.8), 1 / RATIO),
        (BROWNIAN, varied(of_noise.WRONG_BRIDGE_VARIANCE, 0.8), 0.1 + 0.9 / RATIO),
        (LAPLACE, tied(of_noise.WRONG_JUMPS, Measure.SCALE, 1.0, 1.2, 10**9, 1.0), loss_of_jumps(0.25, 0.5, 1.2)),
        (LAPLACE, won("jumps-cut-at-6", fault=of_noise.CLIPPED), 2.0),
    ],
)
def test_a_loss_is_said_at_the_limit_of_what_was_measured(description, finding, loss):
    found = closed_loss(finding, description, ALPHA)
    assert (found.effect, found.loss) == ("leak", pytest.approx(loss, rel=1e-3))


@pytest.mark.parametrize(
    ("description", "finding"),
    [
        (BROWNIAN, won("student-5", "release-in-100-wide")),  # a mixture whose information is not known
        (BROWNIAN, won("session-in-100-triple", fault=of_noise.RARE_SESSIONS)),
        (BROWNIAN, won("session-in-100-third", "session-in-100-triple", fault=of_noise.RARE_SESSIONS)),
        (BROWNIAN, varied(of_noise.WRONG_SCALE, 1.2)),
        (BROWNIAN, varied(of_noise.WRONG_SCALE, 0.99)),  # 1 is within the limits
        (BROWNIAN, varied(of_noise.UNKNOWN, 0.8)),
        (LAPLACE, varied(of_noise.WRONG_SCALE, 0.8)),  # scores of noise that is not normal have no such loss
        (LAPLACE, tied(of_noise.WRONG_JUMPS, Measure.SCALE, 1.0, 1.2, 100, 1.0)),
        (LAPLACE, tied(of_noise.WRONG_JUMPS, Measure.SCALE, 1.0, 1.2, 10**9, 1.2)),  # not of the jumps alone
        # A release that is given again has the noise of an earlier time, which is larger: it keeps the claim.
        (LAPLACE, tied(of_noise.WRONG_STAY_PROBABILITY, Measure.EVENTS, 3e3, 1e4, 10_000, 2.5)),
        (LAPLACE, tied(of_noise.WRONG_STAY_PROBABILITY, Measure.EVENTS, 3e3, 2e3, 10_000, 1.0)),
    ],
)
def test_nothing_is_said_where_no_loss_is_proved(description, finding):
    assert closed_loss(finding, description, ALPHA) is None


def test_staying_too_often_loses_at_least_what_the_best_placed_surplus_does():
    """Whatever the step at which it stays by 0.2 too often, that step loses more than what is said."""
    found = closed_loss(tied(of_noise.WRONG_STAY_PROBABILITY, Measure.EVENTS, 3e8, 5e8, 10**9, 1.0), LAPLACE, ALPHA)
    every = [loss_of_jumps(u * u + 0.2, u) for u in np.linspace(0.01, 0.89, 300)]
    assert 1 < found.loss <= min(every) * (1 + 1e-3)
