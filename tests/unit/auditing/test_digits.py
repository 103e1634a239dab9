"""Numbers that differ are printed so: a loss above a claim, two times that are nearly one, two releases."""

import math

import pytest

from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.effects import IDEAL, Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.noise_reduction.diagnosis.example_session import Session, words_of


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1.0, 2.0), ["1", "2"]),
        ((1.00105, 1.0), ["1.001", "1"]),
        ((0.1, 0.1), ["0.1", "0.1"]),
        ((1 / 3, math.nextafter(1 / 3, 1)), ["0.3333333333333333", "0.3333333333333334"]),
        ((math.inf, 1.0), ["inf", "1"]),
    ],
)
def test_as_few_digits_as_tell_them_apart(numbers, said):
    assert told_apart(numbers, least=3) == said


def test_a_leak_is_never_once_the_claim():
    assert "is at least 1.001 times the ideal loss" in Priced(Effect.LEAK, 1.00105, 1.0, IDEAL).words
    assert "where 1 is claimed" not in Priced(Effect.LEAK, 1.5, 1.0, f"{IDEAL}, at these values").words
    assert "is 2.0001 in all where 2 is claimed" in Priced(Effect.LEAK, 2.00010, 2.0, "in all").words
    assert "is infinite" in Priced(Effect.LEAK, math.inf, 1.0, "in clear").words


def test_two_times_that_nearly_agree_are_seen_to_differ():
    session = Session(9.0, 2, 80.0, 1313.0, (0.15672, 0.15671), (1313.3801, 1313.486), 8.5)
    assert "t = 0.15672, then 0.15671, the noise was 0.3801, then 0.486" in words_of(session, 64, "t")
