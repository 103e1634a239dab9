"""The law of releases in any order: neighbours, their transform, and the check on batches of right and wrong noise.

Right noise is refuted with probability at most 6e-8 in each test.
"""

import numpy as np
import pytest

from nrverify.auditing.core.transforms.any_order import FRESH, LAST_ALONE, NO_LOWER, NO_UPPER, neighbours, placed
from nrverify.auditing.noise_reduction.checks.any_order import AnyOrderLaw
from nrverify.auditing.noise_reduction.checks.repeated_time import SameAnswer
from nrverify.auditing.noise_reduction.design.any_order import ORDERS, any_order_cases, reordered, without_repeats
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.reference.mutants import any_order as mutants
from nrverify.reference.mutants.correct.any_order import BrownianAnyOrder, LaplaceAnyOrder
from nrverify.subjects.describe import describe
from nrverify.subjects.noise_families import FAMILIES
from nrverify.subjects.policies import Fixed, Roam
from tests.unit.auditing.noise_reduction.batches import fault, seen

SCHEDULES = ((4.0, 1.0, 2.0), (1.0, 5.0, 1.5, 3.0), (0.5, 1.0, 2.0, 4.0), (2.0, 4.0, 1.0, 2.0, 1.2, 3.0))
BY_NAME = {entry.name: entry for entry in mutants.MUTANTS}


def batch(subject, schedule, sessions=2000, d=2, seed=3, value=5):
    """Sessions of a subject on one schedule, with their transform."""
    process = FAMILIES[subject.mechanism].process(1.0)
    integer = FAMILIES[subject.mechanism].integer
    given = np.full(d, value, dtype=np.int64 if integer else float)
    releases = np.asarray(subject().sample(given, list(schedule), sessions, seed), dtype=float)
    asked = np.tile(schedule, (sessions, 1))
    ranks = tuple(sorted(set(schedule)).index(at) for at in schedule)
    case = Case("any order", (float(value),) * d, Fixed(tuple(schedule)), "sample", ranks=ranks)
    scale = np.abs(releases) + abs(value)
    found = placed(process, releases - value, asked, scale, np.random.default_rng(0), integer=integer)
    return Batch(case, releases, asked, asked, None, found)


def judged(subject, sessions=2000, schedules=SCHEDULES):
    """The fault of the check after batches of all schedules."""
    batches = [batch(subject, schedule, sessions, seed=index + 1) for index, schedule in enumerate(schedules)]
    return fault(seen(AnyOrderLaw(subject.mechanism), *batches))


def test_neighbours_are_the_nearest_times_asked_before_on_either_side():
    found = neighbours(np.array([[4.0, 1.0, 2.0, 8.0, 2.0, 1.5], [1.0, 2.0, 1.5, np.nan, np.nan, np.nan]]))
    assert found.lower.tolist() == [[-1, -1, 1, 0, 1, 1], [-1, 0, 0, -1, -1, -1]]
    assert found.upper.tolist() == [[-1, 0, 0, -1, 0, 2], [-1, -1, 1, -1, -1, -1]]
    assert found.same.tolist() == [[-1, -1, -1, -1, 2, -1], [-1, -1, -1, -1, -1, -1]]


def test_scores_of_brownian_noise_are_the_residuals_of_its_covariance():
    """The whitened noise in the order asked, by a Cholesky factor: no neighbours, no bridge."""
    schedule = np.array([2.0, 5.0, 0.5, 3.0, 1.0])
    covariance = np.minimum.outer(schedule, schedule)
    noise = np.random.default_rng(1).standard_normal((40, 5, 2)) * 3.0
    times, rng = np.tile(schedule, (40, 1)), np.random.default_rng(0)
    found = placed(Brownian(), noise, times, np.abs(noise), rng, integer=False)
    whitened = np.einsum("ij,njd->nid", np.linalg.inv(np.linalg.cholesky(covariance)), noise)
    inside = np.abs(whitened) < 8
    assert found.z[inside] == pytest.approx(whitened[inside], rel=1e-9, abs=1e-9)


def test_equal_neighbours_of_laplace_noise_leave_no_score_and_only_a_tie():
    noise = np.array([[[1.5], [1.5], [1.5]], [[1.5], [1.5], [0.7]]])
    times = np.tile([4.0, 1.0, 2.0], (2, 1))
    found = placed(Laplace(), noise, times, np.abs(noise), np.random.default_rng(0), integer=False)
    assert np.isnan(found.z[:, 2]).all()
    assert found.atom_low[:, 2].tolist() == [[1.0], [1.0]]
    assert found.tied_low[:, 2].tolist() == [[True], [False]]


def test_a_release_on_either_atom_has_no_score_and_alternatives_without_it_are_impossible():
    noise = np.array([[[2.0], [-1.0], [-1.0]], [[2.0], [-1.0], [2.0]], [[2.0], [-1.0], [0.5]]])
    times = np.tile([4.0, 1.0, 2.0], (3, 1))
    found = placed(Laplace(), noise, times, np.abs(noise), np.random.default_rng(0), integer=False)
    assert np.isfinite(found.z[:, 2, 0]).tolist() == [False, False, True]
    assert (found.tied_low[:, 2, 0].tolist(), found.tied_high[:, 2, 0].tolist()) == (
        [True, False, False],
        [False, True, False],
    )
    assert np.isneginf(found.log_ratios[NO_UPPER]).tolist() == [False, True, False]
    assert np.isneginf(found.log_ratios[NO_LOWER]).tolist() == [True, False, False]
    assert np.isneginf(found.log_ratios[LAST_ALONE]).tolist() == [False, True, False]
    assert np.isneginf(found.log_ratios[FRESH]).sum() == 2


def test_likelihood_ratios_of_alternatives_have_mean_one_under_the_law():
    """Their mean over 20,000 sessions; bounded below e^2 by the schedule, it is within 0.1 but for 1e-9 of cases."""
    found = batch(LaplaceAnyOrder, (4.0, 1.0, 2.0), sessions=20_000, d=1).placed
    for name in (NO_UPPER, NO_LOWER):
        assert np.exp(found.log_ratios[name]).mean() == pytest.approx(1.0, abs=0.1)


def test_after_a_time_that_came_again_with_another_release_nothing_is_scored():
    schedule = np.tile([2.0, 1.0, 2.0, 4.0], (2, 1))
    noise = np.array([[[1.0], [0.5], [1.0], [2.0]], [[1.0], [0.5], [1.1], [2.0]]])
    found = placed(Brownian(), noise, schedule, np.abs(noise), np.random.default_rng(0), integer=False)
    assert np.isfinite(found.z[:, 3, 0]).tolist() == [True, False]


@pytest.mark.parametrize("entry", mutants.RIGHT, ids=lambda entry: entry.name)
def test_right_noise_in_any_order_is_spared(entry):
    assert judged(entry.subject, sessions=400 if entry.subject.mechanism == "skellam" else 1500) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("any-order-lower-ignored", "less-noisy-neighbour-ignored"),
        ("any-order-upper-ignored", "noisier-neighbour-ignored"),
        ("any-order-remembered", "order-remembered"),
        ("any-order-noisier-afresh", "fresh-noise"),
        ("any-order-bridge-variance-between", "wrong-interpolation-variance"),
        ("any-order-middle-of-neighbours", "wrong-interpolation-mean"),
        ("any-order-shared-between", "shared-between-coordinates"),
        ("any-order-laplace-lower-ignored", "less-noisy-neighbour-ignored"),
        ("any-order-laplace-upper-ignored", "noisier-neighbour-ignored"),
        ("any-order-laplace-no-lower-atom", "wrong-stay-probability"),
        ("any-order-laplace-keep-linear", "wrong-stay-probability"),
        ("any-order-skellam-share-of-whole", "wrong-interpolation-mean"),
    ],
)
def test_wrong_noise_in_any_order_is_refuted_by_its_fault(name, expected):
    assert judged(BY_NAME[name].subject, sessions=1500 if "skellam" not in name else 400) == expected


def test_a_slightly_wrong_variance_between_two_releases_is_refuted_by_its_fault():
    assert judged(mutants.VarianceTenthBetween, 12_000, SCHEDULES[:2]) == "wrong-interpolation-variance"


def test_discrete_noise_of_a_schedule_taken_to_fall_is_refuted():
    assert judged(mutants.DiscreteTakenToFall, 500) is not None


def test_a_time_that_comes_again_after_others_must_have_the_same_release():
    right, wrong = (batch(subject, SCHEDULES[3], 50) for subject in (BrownianAnyOrder, mutants.ForgottenTime))
    assert fault(seen(SameAnswer(), right)) is None
    assert seen(SameAnswer(), right).repeats == 50
    assert fault(seen(SameAnswer(), wrong)) == "repeated-time-redrawn"


def described(**more):
    return describe({"mechanism": "brownian", "any_order": True, "methods": ["sample", "open"], **more})


def test_cases_ask_for_more_noise_after_less_between_and_again():
    cases = any_order_cases(described(), knob_of(described()), (1, 3), None)
    assert [case.ranks for case in cases[:-1]] == list(ORDERS.values())
    assert isinstance(cases[-1].play, Roam)
    rng = np.random.default_rng(4)
    for case in cases[:-1]:
        moved = reordered(case, knob_of(described()), False, rng)
        assert [sorted(set(moved.play.schedule)).index(at) for at in moved.play.schedule] == list(case.ranks)
        assert len(set(without_repeats(moved).play.schedule)) == without_repeats(moved).play.length


@pytest.mark.parametrize(
    ("more", "most"), [({"granularity": 0.1}, None), ({}, 1), ({"any_order": False}, None)], ids=["grid", "once", "no"]
)
def test_there_are_no_cases_in_any_order_where_they_cannot_be_judged(more, most):
    assert any_order_cases(described(**more), knob_of(described()), (1, 3), most) == []


def test_few_releases_are_never_exceeded():
    cases = any_order_cases(described(), knob_of(described()), (1, 3), 2)
    assert {case.rule.length for case in cases} == {2}


def test_adaptive_requests_go_up_and_down_by_what_was_released_and_come_back_to_the_first():
    roam, releases = Roam(1.0, 16.0, 5, 0.5), [np.array([0.0])]
    asked = [roam.next_at([], [])]
    for noise in (1.0, -1.0, 2.0):
        asked.append(roam.next_at(asked, releases))
        releases.append(np.array([noise]))
    asked.append(roam.next_at(asked, releases))
    assert asked == pytest.approx([4.0, 2.0, 8.0, 2**0.5, 4.0])
    assert roam.next_at(asked, releases) is None
