"""The measure of causes: every mutant has its true faults, and shares are counted as they are said to be."""

import pytest

from nrverify.auditing.core.faults import known_faults
from nrverify.auditing.registry import declarations_for
from nrverify.calibrate.causes import Causes, causes, naming
from nrverify.calibrate.matrix import Kill
from nrverify.calibrate.trial import Trial
from nrverify.calibrate.true_faults import true_faults
from nrverify.reference.mutants import MUTANTS

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}


def test_every_mutant_has_true_faults_and_all_of_them_are_in_the_table():
    declarations_for("private-stopping")  # which loads every room, and so the whole table
    for mutant in MUTANTS:
        assert true_faults(mutant.name), mutant.name
        assert set(true_faults(mutant.name)) <= set(known_faults()), mutant.name


def trial(*named):
    return Trial("refuted", 100, ("law.release",), ("law.release",), None, named)


@pytest.mark.parametrize(
    ("named", "first", "among", "false"),
    [
        ((("all-releases-fresh",),), True, True, False),
        ((("wrong-shape", "fresh-noise"),), False, True, False),
        ((("wrong-shape",), ("rounded",)), False, False, True),
        ((("unknown",),), False, False, False),
        ((), False, False, False),
    ],
)
def test_what_is_named_first_among_others_or_falsely(named, first, among, false):
    found = naming("brownian-fresh-noise", trial(*named))
    assert (found.first, found.among, found.false) == (first, among, false)


def test_shares_are_over_refuted_mutants_and_two_per_cent_may_be_false():
    right, wrong = trial(("all-releases-fresh",)), trial(("wrong-shape",))
    mutant = BY_NAME["brownian-fresh-noise"]
    survived = Trial("consistent", 100, (), ())
    kills = [Kill(mutant, right, wrong, None), Kill(mutant, right, right, None), Kill(mutant, survived, None, None)]
    first, whole = causes(kills)
    assert (first.first, first.false, first.green) == (1.0, 0.0, True)
    assert (whole.first, whole.false, whole.green) == (0.5, 0.5, False)
    assert [one.named for one in whole.mistaken] == [("wrong-shape",)]
    true, false = naming("brownian-fresh-noise", right), naming("brownian-fresh-noise", wrong)
    assert Causes("", (true,) * 49 + (false,)).green
    assert not Causes("", (true,) * 48 + (false,)).green
