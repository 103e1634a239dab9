"""A leak counts as told only with a loss; a reason why none is computed excuses nothing."""

from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.calibrate.effects import WHY_NOT_COMPUTED, Effects, Told
from nrverify.calibrate.trial import _loss
from nrverify.reference.mutants import MUTANTS
from nrverify.statistics.estimate import Estimate, Measure


def leaking(kind):
    """A refutation that says "leak" and has counted 50 events, without a price."""
    found = Finding("ties", Estimate(Measure.COUNT, 10.0, 50.0, None, 100), effect=Effect.LEAK)
    return CheckResult("a.check", kind, CheckVerdict.REFUTED, finding=found)


def test_a_count_of_events_is_no_loss_and_what_a_check_of_privacy_measured_is():
    assert leaking("law").effect is leaking("privacy").effect is Effect.LEAK
    assert _loss(leaking("law")) is None
    assert _loss(leaking("privacy")) == 50.0


def test_a_leak_that_is_not_told_stays_red_whatever_is_known_of_it():
    known = next(iter(WHY_NOT_COMPUTED))
    effects = Effects((Told(known, ("unproved",), None), Told("x", ("leak",), None), Told("y", ("leak",), 2.0)), ())
    assert effects.untold == (known, "x")
    assert effects.explained == {known: WHY_NOT_COMPUTED[known]}


def test_reasons_are_those_of_mutants_that_leak():
    assert {mutant.name for mutant in MUTANTS if mutant.effect == "leak"} >= set(WHY_NOT_COMPUTED)
