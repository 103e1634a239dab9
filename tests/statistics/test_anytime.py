"""Limits that hold at every sample size at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, gamma

from nrverify.statistics.anytime import EARLY, PRIOR, least_probability, mean_limits, normal_half_width

LOOKS = (20, 50, 100, 200, 400, 800)
ALPHA = 0.05


def test_a_mean_at_its_limit_has_a_mixture_of_likelihood_ratios_of_one_over_alpha() -> None:
    n, seen = 37.0, 0.8
    for limit in mean_limits(seen, n, 1e-3):
        total = n * seen / limit
        mixture, _ = quad(
            lambda rate, s=total: gamma.pdf(rate, EARLY, scale=1 / EARLY) * rate**n * math.exp(-(rate - 1) * s), 0, 20
        )
        assert mixture == pytest.approx(1e3, rel=1e-6)


def test_a_probability_at_its_limit_has_a_mixture_of_likelihood_ratios_of_one_over_alpha() -> None:
    from scipy.stats import beta

    low = least_probability(7, 40, 1e-3)
    mixed, _ = quad(lambda p: beta.pdf(p, PRIOR, PRIOR) * binom.pmf(7, 40, p), 0, 1)
    assert mixed / binom.pmf(7, 40, low) == pytest.approx(1e3, rel=1e-6)


def test_over_all_looks_the_limits_miss_the_truth_no_more_often_than_alpha_and_fixed_ones_do() -> None:
    rng, runs = np.random.default_rng(5), 1500
    z = rng.standard_normal((runs, LOOKS[-1]))
    missed = {"variance": np.zeros(runs, bool), "mean": np.zeros(runs, bool), "fixed": np.zeros(runs, bool)}
    for n in LOOKS:
        variances, means = (z[:, :n] ** 2).mean(axis=1), z[:, :n].mean(axis=1)
        low, high = mean_limits(1.0, n / 2, ALPHA)
        missed["variance"] |= (variances * low > 1) | (variances * high < 1)
        missed["mean"] |= np.abs(means) > normal_half_width(n, ALPHA)
        missed["fixed"] |= np.abs(means) > 1.96 / math.sqrt(n)
    # Three standard errors of 1500 runs above α; the fixed-sample limit, looked at six times, is far beyond it.
    most = ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / runs)
    assert missed["variance"].mean() <= most
    assert missed["mean"].mean() <= most
    assert missed["fixed"].mean() > 2 * most


def test_no_event_bounds_no_probability_from_below() -> None:
    assert least_probability(0, 100, 1e-6) == 0.0


@pytest.mark.parametrize("counts", [(5, 4), (-1, 4), (0, 0)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must lie between 0"):
        least_probability(*counts, 0.05)
