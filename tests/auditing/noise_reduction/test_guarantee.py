"""Audits under each guarantee: the same mechanism keeps one claim and breaks the other, and the report says which."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

import nrverify

FEW = {"samples": 300, "checks": ["privacy.epsilon"]}
"""The claim is calculated from the times the subject tells: sessions decide nothing."""


@cache
def variance(epsilon, delta):
    """Of the analytic Gaussian mechanism (Balle and Wang 2018), on the safe side of the root."""

    def excess(sigma):
        return ndtr(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * ndtr(-0.5 / sigma - epsilon * sigma) - delta

    return (brentq(excess, 1e-3, 1e4, xtol=1e-13) * (1 + 1e-12)) ** 2


class AnalyticGaussian:
    mechanism, knob, sensitivity, delta, guarantee = "brownian", "epsilon", 1.0, 1e-5, "dp"

    def time_of(self, epsilon):
        return variance(epsilon, self.delta)

    def sample(self, value, schedule, sessions, seed):
        times = [self.time_of(epsilon) for epsilon in schedule]
        steps = np.sqrt(-np.diff([*times, 0.0])[::-1])[None, :, None]
        z = np.random.default_rng(seed).standard_normal((sessions, len(times), value.size))
        return value + np.cumsum(steps * z, axis=1)[:, ::-1]


class Curve(AnalyticGaussian):
    """Noise of variance 4 whatever ε, and its whole curve."""

    delta = None

    def time_of(self, epsilon):
        return 4.0

    def delta_of(self, epsilon):
        return float(ndtr(0.25 - 2 * epsilon) - math.exp(epsilon) * ndtr(-0.25 - 2 * epsilon))

    def sample(self, value, schedule, sessions, seed):
        noise = 2 * np.random.default_rng(seed).standard_normal((sessions, 1, value.size))
        return value + np.repeat(noise, len(schedule), axis=1)


def of(subject, **said):
    return type(subject.__name__, (subject,), said)


def test_the_analytic_gaussian_is_consistent_under_dp():
    report = nrverify.audit(AnalyticGaussian(), **FEW)
    assert (report.verdict, report.privacy, report.subject["guarantee"]) == ("consistent", "consistent", "dp")
    assert report.document()["subject"]["guarantee"] == "dp"
    (check,) = (check for check in report.checks if check.id == "privacy.epsilon")
    assert check.finding.estimate.observed == pytest.approx(1e-5, rel=1e-6)
    assert "hockey-stick divergence" in check.observed


@pytest.mark.parametrize("guarantee", ["ex-post", None])
def test_the_analytic_gaussian_is_refuted_ex_post_with_the_probability_that_was_compared(guarantee):
    report = nrverify.audit(of(AnalyticGaussian, guarantee=guarantee)(), **FEW)
    assert (report.privacy, report.subject["guarantee"]) == ("refuted", "ex-post")
    (check,) = (check for check in report.checks if check.id == "privacy.epsilon")
    numbers = check.finding.numbers
    assert numbers["expected"] == 1e-5 < numbers["observed"]
    assert check.effect == "leak"


def test_too_little_noise_for_dp_is_refuted_with_the_divergence():
    class Less(AnalyticGaussian):
        def time_of(self, epsilon):
            return 0.999 * variance(epsilon, self.delta)

    report = nrverify.audit(Less(), **FEW)
    (check,) = (check for check in report.checks if check.verdict == "refuted")
    assert check.finding.numbers["observed"] > 1e-5 * (1 + 1e-6)
    assert "hockey-stick divergence" in check.message


def test_a_whole_curve_is_claimed_by_delta_of():
    assert nrverify.audit(Curve(), **FEW).privacy == "consistent"

    class Lower(Curve):
        def delta_of(self, epsilon):
            return 0.999 * super().delta_of(epsilon)

    assert nrverify.audit(Lower(), **FEW).privacy == "refuted"


def test_a_rising_curve_is_refused():
    class Rising(Curve):
        def delta_of(self, epsilon):
            return epsilon / 100

    report = nrverify.audit(Rising(), **FEW)
    assert report.exit_code == 3
    assert "it must not be above delta_of(" in report.message


def test_the_text_says_which_claim_was_judged():
    from nrverify.report.audit.finding_text import answers

    dp = nrverify.audit(AnalyticGaussian(), **FEW)
    assert "(ε, δ)-differential privacy of all that has been released when ε was asked" in answers(dp)
    ex_post = nrverify.audit(of(AnalyticGaussian, guarantee="ex-post")(), **FEW)
    assert "no look loses more than the ε asked for it" in answers(ex_post)
