"""Which refutation others come of: findings in, root cause out."""

from dataclasses import replace

import pytest

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect, recursion
from nrverify.auditing.core.faults import noise as faults
from nrverify.auditing.core.finding import LATER_RELEASE, LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.explain.root_cause import RootCause, root_cause
from nrverify.auditing.registry import declarations_by_id
from nrverify.statistics.estimate import Estimate, Measure

IMPLIED_BY = {id: one.implied_by for id, one in declarations_by_id("brownian").items()}
DISTRIBUTION = Estimate(Measure.SHARE, 0.5, 0.6)
ALL, FEW = Estimate(Measure.COUNT, 0.0, 99.0, count=100), Estimate(Measure.COUNT, 0.0, 20.0, count=100)


def refuted(id, fault, evidence=100.0, estimate=DISTRIBUTION, nearest=()):
    finding = Finding("what was measured", estimate, fault, tuple(nearest))
    return CheckResult(id, "law", CheckVerdict.REFUTED, statistic=evidence, finding=finding)


def suspect(fault, gain=100.0, redraws_repeated=False):
    return Suspect((fault,), {}, 2.0, gain, normal=True, redraws_repeated=redraws_repeated)


def found(*results, fitted=None, integer=False):
    return root_cause(results, fitted, IMPLIED_BY, integer)


REPEATED = refuted("ties.repeated-time", faults.REPEATED_TIME_REDRAWN, None, ALL)
RELEASE = refuted("law.release", faults.WRONG_SCALE)
TRANSCRIPT = refuted("law.transcript", faults.FRESH_NOISE)
ADAPTIVE = refuted("law.adaptive", faults.FRESH_NOISE)
VALUE = refuted("law.value", faults.DEPENDS_ON_VALUE)
SESSIONS = refuted("independence.sessions", faults.SHARED_SESSIONS)
COORDINATES = refuted("independence.coordinates", faults.SHARED_COORDINATES)
LOSS = refuted("loss.stopping", faults.EARLIER_RELEASES_ADD)
EX_POST = refuted("privacy.ex-post", faults.CLAIM_VIOLATED, 3.0)
FINITE = refuted("protocol.finite", faults.NOT_A_NUMBER, None, ALL)
SEED = refuted("randomness.streams", faults.SEED_IGNORED, None, ALL)
EQUAL = refuted("randomness.streams", faults.EQUAL_TRANSCRIPTS, None, ALL)
SIZES = refuted("randomness.streams", faults.FEW_STREAMS, None, ALL)
GRID = refuted("lattice", faults.NOISE_ROUNDED, None, ALL)
PART_ON_GRID = refuted("lattice", faults.SOME_ROUNDED, None, FEW)
IN_CLEAR = refuted("lattice", faults.VALUE_IN_CLEAR, None, FEW)
COINS = refuted("ties", faults.WRONG_STAY_PROBABILITY, estimate=Estimate(Measure.EVENTS, 50.0, 70.0, count=100))
NO_TIES = refuted("ties", faults.WRONG_STAY_PROBABILITY, estimate=Estimate(Measure.EVENTS, 50.0, 0.0, count=100))
PULLED = refuted("law.value", faults.PULLED_TO_ZERO, 1.0)


@pytest.mark.parametrize(
    ("results", "root", "follow"),
    [
        ((), None, set()),
        ((FINITE,), None, set()),
        ((SESSIONS,), None, set()),
        # A wrong law has one cause, in the first check of the law; so has what comes of it.
        ((RELEASE, TRANSCRIPT), "law.release", {"law.transcript"}),
        (
            (TRANSCRIPT, SESSIONS, COORDINATES, LOSS, EX_POST),
            "law.transcript",
            {"independence.sessions", "independence.coordinates", "loss.stopping", "privacy.ex-post"},
        ),
        ((REPEATED, TRANSCRIPT, SESSIONS), "law.transcript", {"independence.sessions", "ties.repeated-time"}),
        ((REPEATED, RELEASE), "law.release", set()),
        ((REPEATED, SESSIONS), "ties.repeated-time", {"independence.sessions"}),
        # A value that is seen far more clearly than the law is the root of it; so is a pull, however weak.
        ((TRANSCRIPT, refuted("law.value", faults.DEPENDS_ON_VALUE, 120.0)), "law.value", {"law.transcript"}),
        ((TRANSCRIPT, refuted("law.value", faults.DEPENDS_ON_VALUE, 119.0)), "law.transcript", {"law.value"}),
        (
            (TRANSCRIPT, RELEASE, PULLED, SESSIONS),
            "law.value",
            {"law.transcript", "law.release", "independence.sessions"},
        ),
        # Shared streams explain everything, a time asked twice too.
        (
            (SEED, TRANSCRIPT, REPEATED, SESSIONS),
            "randomness.streams",
            {"law.transcript", "ties.repeated-time", "independence.sessions"},
        ),
        # Releases on a grid or in the clear come again whatever their streams.
        ((SEED, GRID, RELEASE, REPEATED), "lattice", {"randomness.streams", "law.release", "ties.repeated-time"}),
        ((SEED, PART_ON_GRID), "randomness.streams", set()),
        ((SEED, IN_CLEAR, RELEASE), "lattice", {"randomness.streams", "law.release"}),
        ((IN_CLEAR, RELEASE, SESSIONS), "law.release", {"independence.sessions"}),
        ((SIZES, RELEASE), "law.release", {"randomness.streams"}),
        ((SIZES,), None, set()),
        ((COINS, TRANSCRIPT, SESSIONS), "ties", {"law.transcript", "independence.sessions"}),
        # Independence that is refuted far more clearly than the law is the root of it.
        (
            (TRANSCRIPT, refuted("independence.sessions", faults.SHARED_SESSIONS, 121.0)),
            "independence.sessions",
            {"law.transcript"},
        ),
    ],
)
def test_the_root_and_what_comes_of_it(results, root, follow):
    assert found(*results) == RootCause(root, None, frozenset(follow))


def test_integers_of_a_wrong_law_may_come_again_by_chance():
    assert found(EQUAL, TRANSCRIPT).check == "randomness.streams"
    assert found(EQUAL, TRANSCRIPT, integer=True).check == "law.transcript"
    assert found(EQUAL, integer=True).check == "randomness.streams"


@pytest.mark.parametrize(
    ("results", "fits"),
    [
        ((TRANSCRIPT, ADAPTIVE, VALUE), True),
        ((COINS, TRANSCRIPT), False),
        ((NO_TIES, TRANSCRIPT), True),
        ((COINS, TRANSCRIPT, RELEASE), True),
        ((PULLED, TRANSCRIPT), False),
        ((TRANSCRIPT, REPEATED), False),
        ((TRANSCRIPT, refuted("law.release", faults.SHIFTED)), False),
        ((refuted("law.transcript", faults.RARE_SESSIONS),), False),
        ((refuted("law.transcript", faults.WRONG_SHAPE, nearest=[faults.RARE_RELEASES]),), False),
        ((SEED, TRANSCRIPT), False),
        ((GRID, TRANSCRIPT), False),
        ((SESSIONS,), False),
        ((VALUE,), True),
    ],
)
def test_a_fault_of_second_moments_is_named_only_where_it_may_explain_what_was_found(results, fits):
    fitted = suspect(recursion.ALL_FRESH)
    assert (found(*results, fitted=fitted).suspect == fitted) == fits


def test_a_fault_that_explains_the_law_is_named_once_in_the_first_check_of_the_law():
    said = found(REPEATED, TRANSCRIPT, ADAPTIVE, SESSIONS, fitted=suspect(recursion.FROM_FIRST, redraws_repeated=True))
    assert said.check == "law.transcript"
    assert said.follow == {"ties.repeated-time", "law.adaptive", "independence.sessions"}
    # Where it does not explain a time asked twice, it is not named.
    said = found(REPEATED, TRANSCRIPT, ADAPTIVE, fitted=suspect(recursion.FROM_FIRST))
    assert (said.check, said.suspect) == ("law.transcript", None)


def test_sessions_that_forget_are_named_beside_the_fault_between_whose_moments_theirs_lie():
    forgetful = refuted("law.transcript", faults.FORGETFUL_SESSIONS, 100.0)
    weak = found(forgetful, fitted=suspect(recursion.STEPS_SCALED, gain=99.0)).suspect
    assert weak.faults == (recursion.STEPS_SCALED, faults.FORGETFUL_SESSIONS)
    strong = found(forgetful, fitted=suspect(recursion.STEPS_SCALED, gain=301.0)).suspect
    assert strong.faults == (recursion.STEPS_SCALED,)


AGAIN = refuted("ties", faults.REPEATED_RELEASE, None, FEW)


def test_releases_that_come_again_are_of_no_recursion_that_never_repeats_one():
    """Continuous noise drawn anew at every step is never the same twice, whatever its second moments are."""
    anew = suspect(recursion.NOISE_ADDED)
    assert found(AGAIN, RELEASE, fitted=anew) == RootCause("ties", None, frozenset({"law.release"}))
    late = replace(suspect(recursion.LATE), ties=True)
    assert found(AGAIN, RELEASE, fitted=late).suspect == late


def test_a_shift_along_the_value_explains_a_shift_of_releases_that_shows_as_clearly():
    pull = Estimate(Measure.SHIFT, 0.0, -1.5)
    shifted = refuted("law.release", faults.SHIFTED, 100.0)
    assert found(shifted, refuted("law.value", faults.DEPENDS_ON_VALUE, 101.0, pull)).check == "law.value"
    assert found(shifted, refuted("law.value", faults.DEPENDS_ON_VALUE, 99.0, pull)).check == "law.release"


def test_one_later_release_is_the_root_only_where_it_shows_most():
    eighth = Estimate(Measure.VARIANCE, 1.0, 7.0, numbers={LATER_RELEASE: 8.0})
    assert found(refuted("law.release", faults.UNKNOWN, 23.0, eighth), refuted("ties", *OFTEN)).check == "ties"
    assert found(refuted("law.release", faults.UNKNOWN, 33.0, eighth), refuted("ties", *OFTEN)).check == "law.release"


OFTEN = (faults.WRONG_STAY_PROBABILITY, 27.0, Estimate(Measure.EVENTS, 90.0, 145.0, count=332))


def jumps(scale, least_noisy, error=0.03):
    numbers = {LEAST_NOISY: least_noisy, LEAST_NOISY_ERROR: error}
    return refuted("ties", faults.WRONG_JUMPS, 25.0, Estimate(Measure.SCALE, 1.0, scale, 0.02, 4000, numbers))


def constant(ratio):
    return replace(suspect(recursion.ALL_SCALED), ratios={recursion.ALL_SCALED.id: ratio}, normal=False)


@pytest.mark.parametrize(
    ("scale", "least_noisy", "named"),
    [
        # Releases that no jump has reached have the scale claimed: it is the jumps.
        (1.12, 1.0, None),
        # They have the scale of all other noise: it is not the jumps alone.
        (1.12, 1.12, (recursion.ALL_SCALED,)),
        # They do not tell.
        (1.05, 1.02, (recursion.ALL_SCALED, faults.WRONG_JUMPS)),
    ],
)
def test_jumps_are_told_from_all_noise_by_releases_that_no_jump_has_reached(scale, least_noisy, named):
    said = found(jumps(scale, least_noisy), fitted=constant(scale**2)).suspect
    assert (None if said is None else said.faults) == named


@pytest.mark.parametrize("fault", [faults.WRONG_SHAPE, faults.CLIPPED, faults.WRONG_STAY_PROBABILITY])
def test_a_constant_of_noise_that_is_not_normal_is_not_named_where_exact_bets_show_another_law(fault):
    shown = refuted("law.transcript", fault, 20.0)
    assert found(shown, fitted=constant(0.95)).suspect is None
    assert found(refuted("law.transcript", faults.WRONG_SCALE, 20.0), fitted=constant(0.95)).suspect is not None
    assert found(shown, fitted=replace(constant(0.95), normal=True)).suspect is not None


@pytest.mark.parametrize(
    ("of_all", "of_jumps", "said"),
    [
        (Priced(Effect.LEAK, 1.4), Priced(Effect.LEAK, 1.2), (Effect.LEAK, 1.2)),
        (Priced(Effect.INACCURACY), Priced(Effect.LEAK, 1.2), (Effect.UNPROVED, None)),
        (Priced(Effect.LEAK, 1.4), None, (Effect.UNPROVED, None)),
    ],
)
def test_where_all_noise_or_jumps_may_be_wrong_a_leak_is_said_only_if_both_are_one(of_all, of_jumps, said):
    seen = jumps(1.05, 1.02)
    seen = replace(seen, finding=replace(seen.finding, priced=of_jumps))
    priced = found(seen, fitted=replace(constant(1.05**2), priced=of_all)).suspect.priced
    assert (priced.effect, priced.loss) == said


def test_coins_that_fall_too_often_are_the_root_of_a_wrong_law():
    wrong = Estimate(Measure.VARIANCE, 1.0, 1.2)
    said = found(refuted("law.release", faults.WRONG_SHAPE, 90.0, wrong), refuted("ties", *OFTEN))
    assert said.check == "ties"
    assert "law.release" in said.follow


def test_equal_noises_of_coordinates_are_the_root_whatever_the_law_shows():
    equal = Estimate(Measure.COUNT, 0.0, 40.0, None, 40)
    laws = refuted("law.release", faults.RARE_SESSIONS, 500.0, Estimate(Measure.VARIANCE, 1.0, 2.0))
    shared = refuted("independence.coordinates", faults.SHARED_COORDINATES, 20.0, equal)
    assert found(laws, shared).check == "independence.coordinates"
    cut = refuted("law.release", faults.CLIPPED, 500.0, Estimate(Measure.VARIANCE, 1.0, 2.0))
    assert found(cut, shared).check == "law.release"


def test_a_fault_after_unusual_releases_is_not_told_by_pooled_second_moments():
    seen = Estimate(Measure.VARIANCE, 1.0, 2.0)
    adaptive = refuted("law.adaptive", faults.AFTER_UNUSUAL, 900.0, seen)
    fixed = refuted("law.transcript", faults.WRONG_BRIDGE_VARIANCE, 90.0, seen)
    said = found(adaptive, fixed, fitted=suspect(recursion.STEPS_SCALED))
    assert (said.check, said.suspect) == ("law.adaptive", None)


@pytest.mark.parametrize(("gain", "check"), [(60.0, "law.transcript"), (800.0, "law.release")])
def test_pooled_second_moments_tell_it_only_where_they_show_about_as_much(gain, check):
    seen = Estimate(Measure.VARIANCE, 1.0, 2.0)
    unusual = [refuted(id, faults.AFTER_UNUSUAL, 900.0, seen) for id in ("law.transcript", "law.adaptive")]
    release = refuted("law.release", faults.WRONG_SHAPE, 90.0, seen)
    fitted = replace(suspect(recursion.STEPS_SCALED), gain=gain)
    said = found(release, *unusual, fitted=fitted)
    assert (said.check, said.suspect is None) == (check, check == "law.transcript")


@pytest.mark.parametrize(("of_release", "check"), [(120.0, "law.release"), (119.0, "law.value")])
def test_noise_with_a_shift_of_its_own_is_pulled_to_nothing_where_the_shift_shows_more_clearly(of_release, check):
    moved = Estimate(Measure.SHIFT, 0.0, 1.2)
    pulled = refuted("law.value", faults.PULLED_TO_ZERO, 100.0, moved)
    assert found(refuted("law.release", faults.SHIFTED, of_release, moved), pulled).check == check


@pytest.mark.parametrize(("evidence", "named"), [(120.0, False), (119.0, True)])
def test_a_whole_law_that_says_clearly_more_than_second_moments_is_no_wrong_constant(evidence, named):
    shown = refuted("law.transcript", None, evidence, Estimate(Measure.ALTERNATIVE, 0.0, evidence))
    said = found(shown, fitted=replace(constant(0.87), gain=100.0)).suspect
    assert (said is not None) == named
