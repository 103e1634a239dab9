"""The expected loss of counts against sums over pairs of counts, and against normal noise where they are many."""

import math

import numpy as np
import pytest

from nrverify.auditing.noise_reduction.diagnosis.count_losses import excess_of_rate, expected_loss


def by_pairs(mean, most=60):
    """P(K = k) added up over pairs of counts, in plain arithmetic."""
    poisson = [math.exp(-mean) * mean**n / math.factorial(n) for n in range(most)]
    law = {}
    for a, p in enumerate(poisson):
        for b, q in enumerate(poisson):
            law[a - b] = law.get(a - b, 0.0) + p * q
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
