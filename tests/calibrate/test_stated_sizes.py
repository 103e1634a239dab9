"""Stated sizes are kept: faults of just that size are refuted half of the time, larger ones nearly always.

Trials have fixed seeds. With 40 of them a statement that is kept in half of its runs is called broken with probability
0.01 at most.
"""

import pytest

from nrverify.calibrate.stated_sizes import PLANTED, Stated, measured


@pytest.mark.parametrize("index", range(len(PLANTED)), ids=[planted.name for planted in PLANTED])
def test_a_stated_size_is_kept(index):
    found = measured(index, seed=3, trials=40)
    assert found.met, found


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
