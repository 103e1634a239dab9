"""What a fault of the second moments means: the loss at the confidence limit, beside the claim."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from nrverify.auditing.core.faults.recursion import ALL_FRESH, ALL_SCALED, FIRST_SCALED, FROM_FIRST, TIME_FOR_DEVIATION
from nrverify.auditing.noise_reduction.diagnosis.moments import Moments
from nrverify.auditing.noise_reduction.diagnosis.pricing import Weighed, limit, price
from nrverify.auditing.noise_reduction.diagnosis.second_moments import Claimed, diagnosed
from nrverify.subjects.describe import describe
from tests.unit.auditing.noise_reduction.batches import batch, brownian, laplace

TIMES = np.array([8.0, 4.0, 1.0])


def subject(mechanism, **said):
    return describe({"mechanism": mechanism, "methods": ["sample"], **said})


def weighed(fault, precisions, ratio=None):
    return Weighed(fault, ratio, [(TIMES, np.array(precisions))])


EPSILON = {"knob": "epsilon", "sensitivity": 1.0, "delta": 1e-6}
BROWNIAN, LAPLACE, SKELLAM = subject("brownian"), subject("laplace"), subject("skellam")


@pytest.mark.parametrize(
    ("description", "fault", "precisions", "ratio", "effect", "loss"),
    [
        (BROWNIAN, ALL_SCALED, [2.0, 2.0, 2.0], 0.5, "leak", 2.0),
        (BROWNIAN, ALL_FRESH, [1.0, 1.5, 1.375], None, "leak", 1.5),
        (BROWNIAN, ALL_SCALED, [0.5, 0.5, 0.5], 2.0, "inaccuracy", None),
        (BROWNIAN, FIRST_SCALED, [0.5, 0.9, 1.0], 2.0, "inaccuracy", None),
        (BROWNIAN, ALL_SCALED, [1.0, 1.0, 1.0], 1.0, "unproved", None),
        (LAPLACE, ALL_SCALED, [4.0, 4.0, 4.0], 0.25, "leak", 2.0),
        (LAPLACE, ALL_FRESH, [1.0, 1.25, 1.08], None, "leak", 1.5),  # 4(1/8 + 1/4)
        (LAPLACE, ALL_SCALED, [0.5, 0.5, 0.5], 2.0, "inaccuracy", None),
        (LAPLACE, TIME_FOR_DEVIATION, [2.0, 2.0, 2.0], None, "leak", math.sqrt(2)),  # the scale is t/√2
        (LAPLACE, FROM_FIRST, [1.0, 1.5, 1.9], None, "unproved", None),  # below 2 nothing is proved
        (LAPLACE, FROM_FIRST, [1.0, 1.5, 8.0], None, "leak", 2.0),
        (LAPLACE, FROM_FIRST, [1.0, 0.8, 0.7], None, "unproved", None),
        (SKELLAM, ALL_SCALED, [0.5, 0.5, 0.5], 2.0, "inaccuracy", None),
        (SKELLAM, FROM_FIRST, [1.0, 1.5, 1.5], None, "leak", math.log1p(1.5 / 8)),  # of the counts at time 4
        (SKELLAM, FROM_FIRST, [1.0, 1.0, 1.0], None, "unproved", None),
    ],
)
def test_effects_at_a_time_knob_against_the_ideal_loss(description, fault, precisions, ratio, effect, loss):
    normal = description.mechanism == "brownian"
    found = price([weighed(fault, precisions, ratio)], description, {}, normal)
    assert found.effect == effect
    assert found.loss == (None if loss is None else pytest.approx(loss))


def test_a_value_that_follows_from_its_releases_has_an_infinite_loss():
    found = price([weighed(FROM_FIRST, [1.0, 1e9, 1e9])], BROWNIAN, {}, True)
    assert (found.effect, found.loss) == ("leak", math.inf)
    assert "infinite" in found.words


def test_two_faults_that_are_not_told_apart_leak_if_both_do_and_the_smaller_loss_is_said():
    faults = [weighed(ALL_FRESH, [1.0, 1.5, 1.4]), weighed(ALL_SCALED, [3.0, 3.0, 3.0], 1 / 3)]
    assert price(faults, BROWNIAN, {}, True).loss == 1.5
    mixed = [faults[0], weighed(ALL_SCALED, [0.5, 0.5, 0.5], 2.0)]
    assert price(mixed, BROWNIAN, {}, True).effect == "unproved"


@pytest.mark.parametrize(("guarantee", "room"), [("ex-post", False), ("dp", False), ("ex-post", True), ("dp", True)])
def test_with_an_epsilon_the_probability_is_compared_with_delta(guarantee, room):
    # One release of variance 1, its precision doubled, asked for at an ε that one look keeps exactly, or amply.
    variance = 0.5
    root = math.sqrt(variance)
    near, far = norm.cdf(0.5 / root - 5 * root), math.exp(5) * norm.cdf(-0.5 / root - 5 * root)
    exact = near if guarantee == "ex-post" else near - far
    description = subject("brownian", **{**EPSILON, "guarantee": guarantee, "delta": exact * (2 if room else 0.5)})
    found = price([weighed(ALL_SCALED, [2.0, 2.0, 2.0], 0.5)], description, {1.0: 5.0}, True)
    assert found.effect == ("unproved" if room else "leak")
    if not room:
        assert found.loss == pytest.approx(exact, rel=1e-9)
        assert found.claim == description.delta


def test_laplace_noise_of_an_epsilon_loses_its_excess_times_sensitivity_over_time():
    description = subject("laplace", knob="epsilon", sensitivity=1.0)
    claims = {8.0: 1 / 8, 4.0: 1 / 4, 1.0: 1.0}
    found = price([weighed(ALL_SCALED, [4.0] * 3, 0.25)], description, claims, False)
    assert (found.effect, found.loss / found.claim) == ("leak", pytest.approx(2.0))
    wasteful = {time: 3 * epsilon for time, epsilon in claims.items()}
    assert price([weighed(ALL_SCALED, [4.0] * 3, 0.25)], description, wasteful, False).effect == "unproved"


def test_the_limit_of_a_ratio_is_its_end_nearest_to_one():
    # Above the limit for a sample of fixed size, by what it costs to hold at every size.
    fixed = 0.5 * math.exp(math.sqrt(4 * math.log(1e6) / 1e4))
    assert fixed < limit(0.5, 1e4, True, 1e-6) < 1.02 * fixed
    assert limit(0.97, 100, True, 1e-6) == 1.0 == limit(1.03, 100, True, 1e-6)
    assert 1 < limit(2.0, 1e4, True, 1e-6) < 2.0


@pytest.mark.parametrize(
    ("mechanism", "draw", "factor", "effect"),
    [
        ("brownian", brownian, 0.5, "leak"),
        ("brownian", brownian, 2.0, "inaccuracy"),
        ("laplace", laplace, 0.5, "leak"),
        ("laplace", laplace, 2.0, "inaccuracy"),
    ],
)
def test_noise_drawn_too_small_leaks_and_too_large_does_not(mechanism, draw, factor, effect):
    # 4000 sessions: a factor 2 in the deviation is dozens of standard errors.
    description = subject(mechanism)
    moments = Moments()
    for seed in range(4):
        noise = factor * draw(np.random.default_rng(seed), sessions=1000)
        moments.observe(batch(noise, process=description.claimed_process))
    variance = (lambda t: t) if mechanism == "brownian" else (lambda t: 2 * t**2)
    found = diagnosed(moments, variance, mechanism == "brownian", Claimed(description, 1e-6, {}))
    assert found.priced.effect == effect
    if effect == "leak":
        ideal = factor**-2 if mechanism == "brownian" else 1 / factor
        assert 0.7 * ideal < found.priced.loss < ideal * 1.05
