"""The expected loss of counts against sums over pairs of counts, and against normal noise where they are many."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from nrverify.auditing.noise_reduction.diagnosis.count_losses import (
    excess_of_rate,
    expected_loss,
    least_renyi,
    renyi_of_counts,
    worst_of_rounded_normals,
)


def law_by_pairs(mean, most=60):
    """P(K = k) added up over pairs of counts, in plain arithmetic."""
    poisson = [math.exp(-mean) * mean**n / math.factorial(n) for n in range(most)]
    law = {}
    for a, p in enumerate(poisson):
        for b, q in enumerate(poisson):
            law[a - b] = law.get(a - b, 0.0) + p * q
    return law


def by_pairs(mean):
    law = law_by_pairs(mean)
    return sum(p * math.log(p / law[k - 1]) for k, p in law.items() if k - 1 in law and p > 1e-25)


@pytest.mark.parametrize("mean", [0.05, 0.5, 2.0, 7.0])
def test_the_expected_loss_is_that_of_pairs_of_counts(mean):
    assert expected_loss(mean) == pytest.approx(by_pairs(mean), rel=1e-8)


def test_many_counts_lose_what_normal_noise_of_their_variance_does():
    assert expected_loss(1e4) == pytest.approx(1 / (2 * 2e4), rel=1e-4)


def test_half_the_rate_loses_up_to_twice_as_much_and_less_where_counts_are_few():
    assert excess_of_rate(0.5, np.array([1e4])) == pytest.approx(2.0, rel=1e-3)
    assert 1 < excess_of_rate(0.5, np.array([0.05])) < 1.5
    assert excess_of_rate(1.0, np.array([3.0, 5.0])) == pytest.approx(1.0)


@pytest.mark.parametrize("mean", [0.5, 2.0, 7.0])
def test_the_divergence_of_counts_is_that_of_pairs_and_no_less_than_their_precision_proves(mean):
    law = law_by_pairs(mean)
    expected = math.log(sum(p * p / law[k - 1] for k, p in law.items() if k - 1 in law and law[k - 1] > 1e-25))
    assert renyi_of_counts(2 * mean) == pytest.approx(expected, rel=1e-6)
    assert least_renyi(1 / (2 * mean)) <= renyi_of_counts(2 * mean)


def test_where_counts_are_large_their_precision_is_nearly_all_they_tell():
    assert least_renyi(1 / 200) == pytest.approx(renyi_of_counts(200.0), rel=0.01)


@pytest.mark.parametrize("variance", [4.0, 8.0, 40.0])
def test_rounded_normals_have_the_larger_divergence_at_the_epsilon_said(variance):
    epsilon, own, claimed = worst_of_rounded_normals(variance)
    law, deviation = law_by_pairs(variance / 2, 120), math.sqrt(variance)

    def rounded(k):
        return norm.cdf((k + 0.5) / deviation) - norm.cdf((k - 0.5) / deviation)

    counts = range(-60, 61)
    assert own == pytest.approx(
        sum(max(rounded(k) - math.exp(epsilon) * rounded(k - 1), 0.0) for k in counts), rel=1e-6
    )
    assert claimed == pytest.approx(sum(max(law[k] - math.exp(epsilon) * law[k - 1], 0.0) for k in counts), rel=1e-6)
    assert own > claimed
