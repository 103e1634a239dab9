"""Faulty recursions are told apart by the second moments of their noise; closed forms, and simulated noise of each."""

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from nrverify import audit
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.recursion import ALL_FRESH, ALL_SCALED, FROM_FIRST, STEP_OF_DIFFERENCE
from nrverify.auditing.noise_reduction.diagnosis import second_moments as diagnosis
from nrverify.auditing.noise_reduction.diagnosis.faulty_recursions import RECURSIONS, bridged, walked
from nrverify.auditing.noise_reduction.diagnosis.moments import Moments
from nrverify.auditing.noise_reduction.diagnosis.second_moments import Claimed, diagnosed
from nrverify.subjects.describe import describe

TIMES = ((8.0, 4.0, 1.0, 0.3), (3.0, 2.5, 2.0, 1.6, 1.2), (2.0, 1.9, 0.5), (30.0, 0.1))
FAMILIES = {"brownian": lambda t: t, "laplace": lambda t: 2 * t**2, "skellam": lambda t: 6 * t}


def simulated(factor_of, variance, sessions=2_000):
    """The moments of normal noise with these factors."""
    moments, rng = Moments(), np.random.default_rng(5)
    for times in TIMES:
        factor = factor_of(variance, np.array(times))
        noise = rng.standard_normal((sessions, factor.shape[1])) @ factor.T
        moments.add("sample", times, sessions, noise.T @ noise)
    return moments


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("fault", RECURSIONS, ids=str)
def test_each_faulty_recursion_is_named_from_its_own_noise(fault, family):
    variance = FAMILIES[family]
    claimed = [np.allclose(_covariance(fault, variance, t), _claimed(variance, t)) for t in TIMES]
    found = diagnosed(simulated(RECURSIONS[fault], variance), variance, normal=True)
    if all(claimed):
        assert found is None
        return
    assert found is not None
    same = [np.allclose(_covariance(found.faults[0], variance, t), _covariance(fault, variance, t)) for t in TIMES]
    assert all(same)


def _covariance(fault, variance, times):
    factor = RECURSIONS[fault](variance, np.array(times))
    return factor @ factor.T


def _claimed(variance, times):
    return variance(np.minimum.outer(np.array(times), np.array(times)))


@pytest.mark.parametrize("family", FAMILIES)
def test_right_noise_is_not_suspected(family):
    variance = FAMILIES[family]
    assert diagnosed(simulated(lambda v, t: walked(v(t)), variance), variance, normal=True) is None


def test_the_bridge_and_the_walk_are_the_same_noise():
    v = np.array([8.0, 4.0, 1.0, 0.3])
    factor = bridged(math.sqrt(8.0), v[1:] / v[:-1], np.sqrt(v[1:] * (v[:-1] - v[1:]) / v[:-1]))
    for same in (factor, walked(v)):
        assert same @ same.T == pytest.approx(np.minimum.outer(v, v), rel=1e-12)


def test_covariances_of_wrong_recursions_in_closed_form():
    times = np.array([8.0, 4.0, 1.0])
    fresh = RECURSIONS[ALL_FRESH](lambda t: t, times)
    assert fresh @ fresh.T == pytest.approx(np.diag(times), abs=1e-12)
    star = RECURSIONS[FROM_FIRST](lambda t: t, times)
    # Given the first noise the others are independent: Cov = ts/T, Var = t.
    assert star @ star.T == pytest.approx(np.array([[8, 4, 1], [4, 4, 0.5], [1, 0.5, 1]]), rel=1e-12)
    wide = RECURSIONS[STEP_OF_DIFFERENCE](lambda t: t, times)
    # Var(W_4) = (1/2)² 8 + (8 − 4) = 6, Var(W_1) = (1/4)² 6 + (4 − 1) = 3.375.
    assert np.diag(wide @ wide.T) == pytest.approx([8.0, 6.0, 3.375], rel=1e-12)


def claimed(mechanism):
    """What a fault is priced against, with a time knob."""
    return Claimed(describe({"mechanism": mechanism, "methods": ["sample"]}), 1e-6, {})


@pytest.mark.parametrize(("ratio", "leaks"), [(0.9, True), (1.1, False), (2.0, False), (0.5, True)])
def test_a_wrong_constant_is_measured_and_leaks_only_if_it_is_small(ratio, leaks):
    moments = simulated(lambda v, t: math.sqrt(ratio) * walked(v(t)), FAMILIES["brownian"])
    found = diagnosed(moments, lambda t: t, True, claimed("brownian"))
    assert found is not None
    assert found.faults[0] == ALL_SCALED
    # 18,000 squares: 5 standard errors are 5.3 per cent.
    assert found.ratios[ALL_SCALED.id] == pytest.approx(ratio, rel=0.053)
    assert found.priced.effect == (Effect.LEAK if leaks else Effect.INACCURACY)


def test_what_fresh_noise_gives_is_the_sum_of_precisions():
    """The value from releases of variance 8, 4, 1 and 0.3: precision Σ1/t, where 1/0.3 was paid for."""
    moments = simulated(RECURSIONS[ALL_FRESH], FAMILIES["brownian"])
    found = diagnosed(moments, lambda t: t, True, claimed("brownian"))
    assert found is not None
    expected = max(t * sum(1 / s for s in times if s >= t) for times in TIMES for t in times)
    assert found.precision == pytest.approx(expected, rel=1e-6)
    assert found.priced.effect is Effect.LEAK


def test_laplace_noise_of_twice_the_scale_is_the_claimed_noise_with_more_added():
    """Laplace noise is self-decomposable: that of a larger scale is that of a smaller one, plus independent noise."""
    moments = simulated(lambda v, t: 2 * walked(v(t)), FAMILIES["laplace"])
    found = diagnosed(moments, FAMILIES["laplace"], False, claimed("laplace"))
    assert found is not None
    assert found.priced.effect is Effect.INACCURACY
    assert found.priced.why


class ShortMemory:
    """Right up to the third release, then fresh: no recursion of the list."""

    mechanism = "brownian"

    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        times = np.array(schedule)
        kept = [k for k in range(times.size) if k < 3]
        noise = rng.standard_normal((sessions, times.size, len(value))) * np.sqrt(times)[:, None]
        steps = np.sqrt(np.diff(times[kept][::-1], prepend=0.0))
        path = np.cumsum(rng.standard_normal((sessions, len(kept), len(value))) * steps[:, None], axis=1)
        noise[:, kept] = path[:, ::-1]
        return np.asarray(value, dtype=float) + noise


def test_a_recursion_that_is_not_on_the_list_is_refuted_all_the_same():
    report = audit(ShortMemory(), samples=20_000)
    assert "law.transcript" in {check.id for check in report.checks if check.verdict == "refuted"}


def test_a_diagnosis_leaves_the_other_cores_to_other_audits(monkeypatch):
    threads, whole = [], diagnosis._diagnosed

    def recorded(*arguments):
        threads.extend(library["num_threads"] for library in threadpool_info())
        return whole(*arguments)

    monkeypatch.setattr(diagnosis, "_diagnosed", recorded)
    with threadpool_limits(2):
        audit(ShortMemory(), samples=1_000)
        assert threads
        assert set(threads) == {1}
        assert {library["num_threads"] for library in threadpool_info()} == {2}


def test_a_fault_of_one_method_alone_is_named_from_its_own_noise():
    variance, rng = FAMILIES["brownian"], np.random.default_rng(6)
    moments = simulated(RECURSIONS[ALL_FRESH], variance, sessions=300)
    for times in TIMES:
        noise = rng.standard_normal((3_000, len(times))) @ walked(np.array(times)).T
        moments.add("open", times, 3_000, noise.T @ noise)
    assert diagnosed(moments, variance, normal=True).faults == (ALL_FRESH,)
    pooled = Moments()
    for (_, times), (count, products) in moments.sums.items():
        pooled.add("sample", times, count, products)
    mixed = diagnosed(pooled, variance, normal=True)
    assert mixed is None or mixed.faults[0] != ALL_FRESH
