"""Closed forms of losses against quadrature of the densities they are of, and when they are said."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, logistic, t

from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.faults.any_order import LOWER_IGNORED
from nrverify.auditing.core.finding import LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.noise_reduction.diagnosis.closed_losses import (
    closed_loss,
    information,
    loss_of_jumps,
    loss_of_shared_coins,
)
from nrverify.statistics.anytime import mean_limits
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


RATIO = mean_limits(0.8, 5_000, ALPHA)[1]
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


@pytest.mark.parametrize(("odds", "share"), [(1.0, 0.5), (3.0, 0.5), (400.0, 0.5), (50.0, 0.2)])
def test_the_loss_of_shared_coins_is_the_slope_of_the_joint_log_density(odds, share):
    stays, h = share**2, 1e-5
    # Two coins with an odds ratio, by bisection of their joint probability.
    low, high = max(0.0, 2 * stays - 1), stays
    for _ in range(200):
        both = 0.5 * (low + high)
        ratio = both * (1 - 2 * stays + both) / max((stays - both) ** 2, 1e-300)
        low, high = (both, high) if ratio < odds else (low, both)
    at = {(x, b): density(x, 1 - b, share, 1.0) for x in (0.0, h) for b in (0, 1)}
    weights = {(0, 0): both, (0, 1): stays - both, (1, 0): stays - both, (1, 1): 1 - 2 * stays + both}
    joint = [sum(p * at[x, one] * at[0.0, other] for (one, other), p in weights.items()) for x in (0.0, h)]
    assert loss_of_shared_coins(odds, share) == pytest.approx((math.log(joint[0]) - math.log(joint[1])) / h, rel=1e-3)


def test_independent_coins_lose_what_is_ideal_and_one_coin_half_as_much_again_at_half_the_time():
    assert loss_of_shared_coins(1.0, 0.5) == pytest.approx(1.0)
    assert loss_of_shared_coins(1e12, 0.5) == pytest.approx(1.5, rel=1e-4)


def test_a_neighbour_that_is_ignored_loses_what_the_densities_say():
    # X at 4, then X at 1 and X at 2, both from X at 4 alone: the losses at the noises named in closed_losses.
    def log_density(x_4, x_1, x_2):
        found = laplace.logpdf(x_4, scale=4.0)
        for time, x in ((1.0, x_1), (2.0, x_2)):
            # The bridge down by Bayes, for a jump: f_s(x)·(1 − (s/4)²)·Lap(4)(x_4 − x)/f_4(x_4).
            found += laplace.logpdf(x, scale=time) + math.log(1 - (time / 4) ** 2)
            found += laplace.logpdf(x_4 - x, scale=4.0) - laplace.logpdf(x_4, scale=4.0)
        return found

    change = 0.5
    here, there = (log_density(*(x - moved for x in (3.0, -1.0, -2.0))) for moved in (0.0, change))
    ignored = won("less-noisy-neighbour-ignored", fault=LOWER_IGNORED)
    assert closed_loss(ignored, LAPLACE, ALPHA).loss == pytest.approx(abs(here - there) / change)
    assert closed_loss(ignored, LAPLACE, ALPHA).loss == pytest.approx(1.75)
    covariance = np.array(
        [[4.0, 1.0, 2.0], [1.0, 1.0, 0.5], [2.0, 0.5, 2.0]]
    )  # given X at 4 the others are independent
    precision = np.ones(3) @ np.linalg.solve(covariance, np.ones(3))
    assert closed_loss(ignored, BROWNIAN, ALPHA).loss == pytest.approx(precision)


def test_a_wider_step_after_an_unusual_release_loses_half_the_logarithm_of_its_variance():
    found = closed_loss(varied(of_noise.AFTER_UNUSUAL, 2.0, count=10**9), BROWNIAN, ALPHA)
    assert found.loss == pytest.approx(0.5 * math.log(2), rel=1e-3)
    assert closed_loss(varied(of_noise.AFTER_UNUSUAL, 1.05, count=50), BROWNIAN, ALPHA) is None
