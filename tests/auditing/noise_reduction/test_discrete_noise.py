"""Subjects with discrete Laplace and discrete Gaussian noise: right ones pass, wrong ones are refuted, claims are read.

Audits of right subjects raise a false alarm with probability at most 1e-6 each.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from nrverify import audit
from nrverify.auditing.noise_reduction.design.cases import AWKWARD, ROUNDED_DOWN, Case, cases_for
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.design.neighbours import largest_integers, pairs_for
from nrverify.auditing.noise_reduction.design.varying import varied
from nrverify.reference.mutants import discrete
from nrverify.reference.mutants.correct.discrete import DiscreteGaussian, DiscreteLaplace
from nrverify.subjects.describe import describe
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.policies import Fixed

LAPLACE = {"mechanism": "discrete-laplace", "methods": ["sample"]}
GAUSSIAN = {"mechanism": "discrete-gaussian", "methods": ["sample"]}
SLOW = {"discrete-laplace-truncated", "discrete-laplace-rounded-scale", "discrete-laplace-continuous-stay"}
SLOW |= {"discrete-gaussian-truncated", "discrete-laplace-rounded-continuous", "discrete-gaussian-rounded-normal"}
SLOW |= {"discrete-laplace-scale-in-eighths", "discrete-gaussian-variance-in-eighths"}
SLOW |= {"discrete-gaussian-sigma-rounded", "discrete-laplace-scale-limited", "discrete-gaussian-variance-limited"}
"""Refuted at the default budget, and not by a thousand sessions."""


def verdicts(report):
    return {check.id: check.verdict.value for check in report.checks}


@pytest.mark.parametrize("entry", discrete.RIGHT, ids=lambda entry: entry.name)
def test_right_discrete_noise_is_not_refuted(entry):
    report = audit(entry.subject, samples=700)
    assert "refuted" not in verdicts(report).values()
    assert verdicts(report)["law.release"] != "not-covered"


@pytest.mark.parametrize(
    "entry", [entry for entry in discrete.MUTANTS if entry.name not in SLOW], ids=lambda entry: entry.name
)
def test_wrong_discrete_noise_is_refuted_by_the_law(entry):
    report = audit(entry.subject, samples=2500)
    assert report.verdict == "refuted"
    assert report.law == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry", [entry for entry in discrete.MUTANTS if entry.name in SLOW], ids=lambda entry: entry.name
)
def test_slight_faults_of_discrete_noise_are_refuted_at_the_default_budget(entry):
    assert audit(entry.subject).verdict == "refuted"


def test_discrete_gaussian_noise_is_asked_for_one_release():
    report = audit(DiscreteGaussian, samples=300)
    assert "1 release" in report.asked
    assert report.run["refused"] is None
    assert verdicts(report)["law.transcript"] == "not-covered"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (GAUSSIAN | {"most_releases": 2}, "most_releases is 2: it must be 1"),
        (LAPLACE | {"knob": "epsilon", "sensitivity": 1.5}, "sensitivity is 1.5: it must be an integer"),
        (GAUSSIAN | {"knob": "epsilon", "sensitivity": 1.5, "delta": 0.1}, "it must be the root of an integer"),
        (GAUSSIAN | {"knob": "epsilon", "sensitivity": 1.0}, "delta is missing"),
    ],
)
def test_claims_that_integers_cannot_have_are_refused(given, words):
    with pytest.raises(SubjectFailed, match=words):
        describe(given)


def test_roots_of_integers_and_pure_claims_without_delta_are_admitted():
    assert describe(GAUSSIAN | {"knob": "epsilon", "sensitivity": 3**0.5, "delta": 1e-6}).most_releases == 1
    assert describe(LAPLACE | {"knob": "epsilon", "sensitivity": 2}).dimensions is None


@pytest.mark.parametrize(
    ("signs", "size", "norm", "expected"),
    [
        ((1, 1, 1), 3.0, "discrete-laplace", (1, 1, 1)),
        ((1, -1, 1), 2.0, "discrete-laplace", (1, -1, 0)),
        ((1, 0, 0), 4.0, "discrete-laplace", (4, 0, 0)),
        ((1, 1, 1), 3**0.5, "discrete-gaussian", (1, 1, 1)),
        ((1, 1, 1), 2**0.5, "discrete-gaussian", (1, 1, 0)),
        ((1, 0, 0), 2**0.5, "discrete-gaussian", (1, 0, 0)),
    ],
)
def test_neighbours_are_the_largest_integer_vectors_within_the_sensitivity(signs, size, norm, expected):
    found = largest_integers(np.array(signs, dtype=float), size, FAMILIES[norm].distance)
    assert found.tolist() == list(expected)


def test_pairs_of_discrete_noise_have_integer_values_within_the_sensitivity():
    description = describe(GAUSSIAN | {"knob": "epsilon", "sensitivity": 2**0.5, "delta": 1e-6})
    pairs = pairs_for(description, knob_of(description), (1, 3), 1)
    assert {tuple(pair.shift.tolist()) for pair in pairs} == {(1,), (1, 0, 0), (1, 1, 0), (1, -1, 0)}


def test_awkward_times_are_asked_for_of_the_audits_own_accord():
    description = describe(LAPLACE)
    knob, rng = knob_of(description), np.random.default_rng(1)
    case = Case("single", (2.0,), Fixed((10.0,)), "sample")
    asked = {varied(case, knob, True, rng).rule.schedule[0] for _ in range(2000)}
    assert asked >= {knob.low, knob.high, *(at for at in AWKWARD if knob.low < at < knob.high)}
    assert len(asked) > 500
    # Doubles that no fraction with a small denominator equals.
    assert sum(Fraction(at).limit_denominator(1000) != Fraction(at) for at in asked) > 400


def pmf(p, j):
    return (1 - p) / (1 + p) * p ** abs(j)


def test_the_likeliest_transcript_of_discrete_laplace_noise_by_exact_enumeration():
    times = np.array([3.0, 1.5, 1.5, 0.5])
    p = {t: float(np.exp(-1 / t)) for t in times.tolist()}
    ratio = {t: p[t] / (1 - p[t]) ** 2 for t in p}
    rising = [0.5, 1.5, 3.0]
    best = 0.0
    for x in range(-3, 4):
        for y in range(-3, 4):
            for z in range(-3, 4):
                weight = pmf(p[0.5], x)
                for (s, t), step in zip(pairwise(rising), (y - x, z - y), strict=True):
                    stay = ratio[s] / ratio[t]
                    weight *= stay * (step == 0) + (1 - stay) * pmf(p[t], step)
                best = max(best, weight)
    assert FAMILIES["discrete-laplace"].likeliest(times, 1.0) == pytest.approx(best, rel=1e-12)


def test_half_the_scale_for_an_epsilon_is_a_leak():
    class HalfTheScale(DiscreteLaplace):
        knob, sensitivity = "epsilon", 1

        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [0.5 / epsilon for epsilon in schedule], sessions, seed)

    report = audit(HalfTheScale, samples=3000)
    assert report.privacy == "refuted"


def test_a_right_scale_for_an_epsilon_keeps_its_claim():
    class RightScale(DiscreteLaplace):
        knob, sensitivity = "epsilon", 2

        def time_of(self, epsilon):
            return self.sensitivity / epsilon

        def sample(self, value, schedule, sessions, seed):
            return super().sample(value, [self.time_of(epsilon) for epsilon in schedule], sessions, seed)

    found = verdicts(audit(RightScale, samples=1500))
    assert found["privacy.epsilon"] == "consistent"
    assert "refuted" not in found.values()


def test_scales_are_asked_for_that_small_denominators_round_down_and_they_stay_as_they_are():
    for most, least, largest in ((8, 0.93, 0.945), (16, 0.965, 0.975)):
        for at in ROUNDED_DOWN[most]:
            assert least < float(Fraction(at).limit_denominator(most)) / at < largest
    assert all(Fraction(at).limit_denominator(10) < Fraction(at) for at in ROUNDED_DOWN[16])
    coarse, fine = ROUNDED_DOWN.values()
    alone = [(at,) for at in (*coarse, *fine)]
    for given, schedules in (
        (LAPLACE, [coarse, fine[:3]]),
        (LAPLACE | {"most_releases": 1}, alone[:-1]),
        (GAUSSIAN, alone),
    ):
        description = describe(given)
        cases = cases_for(description, knob_of(description), (1, 3), description.most_releases)
        pinned = [case for case in cases if case.pinned]
        assert [case.play.schedule for case in pinned] == schedules
        rng = np.random.default_rng(1)
        assert [varied(case, knob_of(description), True, rng).play for case in pinned] == [c.play for c in pinned]
