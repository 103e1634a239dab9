"""Sessions asked for an ε: they release at the boundary's time, and say what was paid."""

import math

import numpy as np
import pytest

from nrverify import Grid, HalfNormalMixture, Linear, Mixture, NoiseReduction, SkellamLinear

LINE = Linear(a=0.3, b=2.0, sensitivity=1.5)


def test_releases_are_at_the_time_that_the_line_gives():
    session = NoiseReduction([1.0, 2.0], LINE, rng=1)
    for epsilon in (0.7, 1.0, 4.0):
        release = session.refine(epsilon)
        assert release.shape == (2,)
        # The line ψ(t) = (D/t)(D/2 + b) + Da, solved for t by hand.
        assert session.history[-1].time == pytest.approx(1.5 * (0.75 + 2.0) / (epsilon - 0.45), rel=1e-12)
        assert session.paid == (epsilon, math.exp(-1.2))
    assert [look.epsilon for look in session.history] == [0.7, 1.0, 4.0]


@pytest.mark.parametrize(
    "boundary",
    [
        LINE,
        Mixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0),
        HalfNormalMixture.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1.0),
        Grid([1.0, 4.0, 400.0], 1e-6, 1.0),
        SkellamLinear.tightest_at(epsilon=1.0, delta=1e-6, sensitivity=1, rate=1.0),
    ],
    ids=lambda boundary: type(boundary).__name__,
)
def test_every_boundary_asks_its_own_noise(boundary):
    session = NoiseReduction(7, boundary, rng=3)
    release = session.refine(2.0)
    assert session.history == [(2.0, boundary.inverse(2.0), release)]
    assert isinstance(release, int if isinstance(boundary, SkellamLinear) else float)
    assert session.refine(2.0) == release


def test_the_variance_of_the_noise_is_the_time():
    # 4,000 squares of one release: the mean of chi-square(1)/time is within 6 standard errors, error 2e-9.
    squares = [NoiseReduction(0.0, LINE, rng=seed).refine(1.0) ** 2 for seed in range(4000)]
    assert abs(np.mean(squares) / LINE.inverse(1.0) - 1) < 6 * math.sqrt(2 / 4000)


def test_nothing_is_paid_before_a_release_and_a_refused_request_costs_nothing():
    session = NoiseReduction(1.0, LINE, rng=1)
    assert session.paid == (0.0, 0.0)
    for epsilon, words in ((0.4, "floor"), (0.0, "epsilon"), (math.nan, "epsilon")):
        with pytest.raises(ValueError, match=words):
            session.refine(epsilon)
    assert session.history == []
    session.refine(1.0)
    with pytest.raises(ValueError, match=r"epsilon is 0\.9 after 1\.0: it must not decrease"):
        session.refine(0.9)
    assert session.paid.epsilon == 1.0


def test_a_private_stop_costs_twice_from_the_first_answer_on():
    session = NoiseReduction(1.0, LINE, rng=1)
    session.refine(0.5)
    assert session.stop_privately(lambda release: -1e9, threshold=0.0, sensitivity=1.0) is session
    assert session.paid.epsilon == 0.5
    session.refine(0.7)
    assert session.paid == (1.4, LINE.delta)
    assert not session.stopped


def test_a_session_that_stopped_releases_nothing_more():
    seen = []
    session = NoiseReduction(1.0, LINE, rng=1).stop_privately(lambda r: seen.append(r) or 1e9, 0.0, 1.0)
    release = session.refine(1.0)
    assert session.stopped
    assert seen == [release]
    with pytest.raises(ValueError, match=r"stopped at epsilon = 1\.0"):
        session.refine(2.0)
    assert len(session.history) == 1
    assert session.paid.epsilon == 2.0


def test_the_halting_probability_is_that_of_the_two_laplace_noises():
    # P(u + Lap(4Δ/ε) ≥ τ + Lap(2Δ/ε)) at u = τ is 1/2 by symmetry; 4,000 runs, 6 standard errors, error 2e-9.
    halted = [NoiseReduction(0.0, LINE, rng=s).stop_privately(lambda r: 3.0, 3.0, 1.0) for s in range(4000)]
    for session in halted:
        session.refine(1.0)
    assert abs(np.mean([session.stopped for session in halted]) - 0.5) < 6 * math.sqrt(0.25 / 4000)


def test_a_second_way_to_stop_and_a_utility_that_is_no_function_are_refused():
    session = NoiseReduction(0.0, LINE)
    with pytest.raises(ValueError, match="utility is 3"):
        session.stop_privately(3, 0.0, 1.0)
    session.stop_privately(abs, 0.0, 1.0)
    with pytest.raises(ValueError, match="before"):
        session.stop_privately(abs, 0.0, 1.0)


def test_its_representation_says_where_it_is():
    session = NoiseReduction(0.0, LINE, rng=1)
    assert repr(session) == "<NoiseReduction: Brownian noise, nothing released>"
    session.refine(1.0)
    assert "1 release, the last at time 7.5; paid ε = 1, δ = 0.301194" in repr(session)


@pytest.mark.parametrize("given", [3, None, Linear, lambda t: 1 / t])
def test_what_is_no_boundary_is_refused_before_anything_is_released(given):
    with pytest.raises(ValueError, match="it must be a privacy boundary with inverse, delta and sensitivity"):
        NoiseReduction(1.0, given)
