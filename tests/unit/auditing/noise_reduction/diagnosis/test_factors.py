"""Factors of many schedules at once against one schedule at a time, by scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import solve_triangular
from scipy.stats import multivariate_normal

from nrverify.auditing.noise_reduction.diagnosis.factors import Factors, claimed_noise, innovations, log_likelihood
from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import RECURSIONS
from nrverify.auditing.noise_reduction.diagnosis.moments import Seen

RNG = np.random.default_rng(5)
SESSIONS = 6
NOISES = [RNG.normal(size=(SESSIONS, length)) for length in (3, 1, 5, 3, 5)]
SEEN = [Seen(np.sort(RNG.uniform(1, 9, x.shape[1]))[::-1], SESSIONS, x.T @ x) for x in NOISES]


@pytest.mark.parametrize("recursion", [claimed_noise, *RECURSIONS.values()])
def test_innovations_of_schedules_of_any_length_are_those_of_each_alone(recursion):
    factors = Factors(lambda t: t)(recursion, SEEN)
    for one, factor, found in zip(SEEN, factors, innovations(SEEN, factors), strict=True):
        half = solve_triangular(factor, one.products, lower=True)
        assert found == pytest.approx(solve_triangular(factor, half.T, lower=True), rel=1e-9, abs=1e-9)


def test_the_likelihood_is_that_of_normal_noise_but_for_a_constant():
    factors = Factors(lambda t: t)(claimed_noise, SEEN)
    expected = 0.0
    for x, one in zip(NOISES, SEEN, strict=True):
        # Falling times: the covariance of two releases is the smaller time.
        covariance = np.minimum.outer(one.times, one.times) + 1e-9 * np.diag(one.times)
        density = multivariate_normal(np.zeros(one.times.size), covariance).logpdf(x)
        expected += np.sum(density) + 0.5 * SESSIONS * one.times.size * np.log(2 * np.pi)
    assert log_likelihood(SEEN, factors) == pytest.approx(expected, rel=1e-9)


def test_a_factor_is_made_once_for_a_schedule():
    asked = []

    def variance(times):
        asked.append(times)
        return times

    factors = Factors(variance)
    factors(claimed_noise, SEEN)
    again = factors(claimed_noise, SEEN[:2])
    assert len(asked) == len(SEEN)
    assert [len(factor) for factor in again] == [3, 1]
