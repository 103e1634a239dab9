"""Stated sizes are kept: faults of just that size are refuted half of the time, larger ones nearly always.

Trials have fixed seeds. A statement that is kept in half of its runs is called broken with probability 0.01 at most,
whatever their number; one that is kept in a third of them is passed with probability 0.05 at most with `TRIALS` of
them, as many as `nrverify calibrate` has, and with probability 0.6 with the 40 of these tests.
"""

import math

import pytest

from nrverify.auditing.registry import known_ids
from nrverify.calibrate.stated.sizes import PLANTED, TRIALS, Stated, measured


@pytest.mark.parametrize("index", range(len(PLANTED)), ids=[planted.name for planted in PLANTED])
def test_a_stated_size_is_kept(index):
    found = measured(index, seed=3, trials=40)
    assert found.met, found


def test_every_check_has_a_row():
    rows = {planted.name.split(" (")[0] for planted in PLANTED}
    assert rows == set(known_ids())
    assert len({planted.name for planted in PLANTED}) == len(PLANTED)


def test_what_is_tried_once_is_kept_for_certain():
    assert not Stated("a check", "a probability", "δ", 0.1, 1.3, 1, 0, 1, 1).too_much
    assert Stated("a check", "a probability", "δ", 0.1, 1.3, 1, 0, 0, 1).too_much
    assert Stated("a check", "a probability", "δ", 0.1, 1.3, 1, 1, 1, 1).too_little


@pytest.mark.parametrize(
    ("third", "at", "above", "too_much", "too_little"),
    [
        (0, 30, 58, False, False),
        (0, 20, 58, True, False),
        (0, 30, 47, True, False),
        (31, 60, 60, False, True),
    ],
)
def test_a_statement_promises_too_much_or_too_little(third, at, above, too_much, too_little):
    stated = Stated("a check", "a variance", "relative", 0.1, 1.3, 60, third, at, above)
    assert (stated.too_much, stated.too_little) == (too_much, too_little)
    assert stated.met == (not too_much and not too_little)


@pytest.mark.parametrize(("promised", "broken"), [(0.5, 1 / 3), (0.9, 0.75)])
def test_so_many_trials_tell_a_kept_statement_from_a_broken_one(promised, broken):
    """Exact tails of the binomial law, added up term by term."""

    def at_most(seen, share):
        return sum(math.comb(TRIALS, k) * share**k * (1 - share) ** (TRIALS - k) for k in range(seen + 1))

    called = max(seen for seen in range(TRIALS + 1) if at_most(seen, promised) < 0.01)
    assert at_most(called, broken) >= 0.95
