"""Losses of fresh noise at an ε-knob, and of scaled noise at all looks, against densities and simulations."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import laplace, norm

from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.noise import FRESH_NOISE, WRONG_SCALE
from nrverify.auditing.core.faults.recursion import ALL_SCALED
from nrverify.auditing.core.finding import counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.fresh_looks import price_of_looks, with_fresh_looks
from nrverify.auditing.noise_reduction.diagnosis.pricing import Weighed, price
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.subjects.description import Description

EPSILONS = (0.5, 1.0, 2.0)


def said(mechanism, delta=0.0):
    return Description(mechanism=mechanism, knob="epsilon", sensitivity=1.0, delta=delta, methods=("sample",))


def test_laplace_looks_lose_what_the_densities_at_all_of_them_do():
    scales = {epsilon: 1 / epsilon for epsilon in EPSILONS}
    found = price_of_looks([scales], said("laplace"))
    # A release below both values has the largest ratio of densities.
    loss = sum(laplace.logpdf(-5.0, 0.0, t) - laplace.logpdf(-5.0, 1.0, t) for t in scales.values())
    assert found.effect is Effect.LEAK
    assert found.loss == pytest.approx(loss, rel=1e-12)
    assert found.claim == 2.0


def test_laplace_looks_that_pay_for_each_are_no_leak():
    steps = np.diff([0.0, *EPSILONS])
    paid = {epsilon: 1 / step for epsilon, step in zip(EPSILONS, steps, strict=True)}
    assert price_of_looks([paid], said("laplace")) is None


def test_normal_looks_lose_as_often_as_simulated():
    variances = {1.9: 3.0, 2.0: 2.0}
    found = price_of_looks([variances], said("brownian", 1e-3))
    rng = np.random.default_rng(3)
    deviations = np.sqrt(list(variances.values()))
    noise = rng.normal(0.0, deviations, (100_000, 2))
    losses = (norm.logpdf(noise, 0.0, deviations) - norm.logpdf(noise, 1.0, deviations)).sum(axis=1)
    share = float(np.mean(losses > 2.0))
    assert found.loss == pytest.approx(share, abs=5 * math.sqrt(share / 100_000))
    assert found.claim == 1e-3


def test_the_schedule_most_above_its_claim_is_told():
    found = price_of_looks([{1.0: 1.0, 1.1: 1 / 1.1}, {1.0: 1.0, 3.0: 1 / 3}], said("laplace"))
    assert (found.loss, found.claim) == (pytest.approx(2.1), 1.1)


@pytest.mark.parametrize(("fault", "priced"), [(FRESH_NOISE, True), (WRONG_SCALE, False)])
@pytest.mark.parametrize(("sessions", "enough"), [(10, False), (3000, True)])
def test_only_fresh_noise_is_priced_and_only_at_the_confidence_limit(fault, priced, sessions, enough):
    levels = NoiseLevels(True)
    for epsilon in EPSILONS:
        levels.add((1, EPSILONS, epsilon), sessions / epsilon, sessions)
    result = CheckResult("law.increments", CheckKind.LAW, CheckVerdict.REFUTED, finding=counted("x", 1, 2, fault))
    found = with_fresh_looks([result], levels, said("laplace"), 1e-6)[0].finding.priced
    assert (found is not None) == (priced and enough)
    if found is not None:
        assert 2.0 < found.loss < sum(EPSILONS)


def test_noise_that_is_scaled_breaks_a_claim_at_all_looks_that_no_look_breaks_alone():
    delta, slope = 0.05, 0.7
    # A linear boundary: P(W_t ≥ a + b t at some t) = e^(−2ab), which is δ for Δ = 1 and ε(t) as below.
    level = -math.log(delta) / (2 * slope)
    times = np.geomspace(1.0, 60.0, 60)
    claims = {float(t): float((level + slope * t + 0.5) / t) for t in times}
    weighed = Weighed(ALL_SCALED, 0.8, [(times, np.full(times.size, 1 / 0.8))])
    found = price([weighed], said("brownian", delta), claims, True)
    right = price([replace(weighed, ratio=0.9999)], said("brownian", 0.2), claims, True)
    assert found.effect is Effect.LEAK
    rng = np.random.default_rng(4)
    ordered = 0.8 * times
    steps = rng.normal(0.0, 1.0, (20_000, times.size)) * np.sqrt(np.diff(ordered, prepend=0.0))
    curve = ordered * np.array(list(claims.values())) - 0.5
    share = float(np.mean((np.cumsum(steps, axis=1) >= curve).any(axis=1)))
    assert found.loss == pytest.approx(share, abs=5 * math.sqrt(share / 20_000) + 0.002 * share)
    assert right == Priced(Effect.UNPROVED, why=right.why)
