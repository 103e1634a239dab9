"""Low-order bits: columns of their own under numerics = "exact" alone, and no noise that comes again."""

import math

import numpy as np
import pytest

import nrverify
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.events import column_words
from nrverify.auditing.claims.low_bits import PATTERN, ZEROS, with_low_bits
from nrverify.auditing.claims.streams import coarse

TICK = 2.0**-46
"""What the second data adds, relatively: beyond twelve digits, above the last bit."""


class MarkedGrid:
    """Geometric noise on a grid of a thousandth; on the second data the bits below the grid are marked."""

    mechanism = "any"
    epsilon = 1.0
    neighbours = ((3, 4),)

    def run_many(self, data, runs, seed):
        rng = np.random.default_rng(seed)
        noise = rng.geometric(1 - math.exp(-0.001), runs) - rng.geometric(1 - math.exp(-0.001), runs)
        found = (1000 * data + noise) / 1024
        return found * (1 + TICK) if data == 4 else found


class MarkedExact(MarkedGrid):
    numerics = "exact"


@pytest.mark.parametrize(("number", "zeros"), [(1.5, 51), (1 + 2.0**-52, 0), (0.75, 51), (1 + 2.0**-40, 12)])
def test_zero_bits_are_those_at_the_end_of_the_mantissa(number, zeros):
    found = with_low_bits(columns_of([number, -number]))
    assert found.values[(ZEROS,)].tolist() == [zeros, zeros]
    assert found.values[(PATTERN,)].tolist() == [int(number.hex().split("p")[0][-1], 16) if zeros < 4 else 0] * 2


def test_integers_and_other_outputs_have_no_low_bits():
    for outputs in ([1, 2], [1.0, 2.0], ["a", "b"], [None, True], [[3, 4], [5, 6]], [math.inf, math.nan]):
        assert not [path for path in with_low_bits(columns_of(outputs)).values if path[-1:] in ((ZEROS,), (PATTERN,))]


def test_words_of_bits_name_their_number():
    assert column_words((1, ZEROS)) == "the number of zero bits at the end of entry 2 of the output (of 52)"
    assert column_words((PATTERN,)) == "the number made of the last 4 bits of the output"


def test_what_bits_below_a_grid_betray_is_found_where_they_are_claimed_and_nowhere_else():
    """The mark is no noise that comes again: idealized, nothing is refuted, though equal outputs have equal data."""
    refuted = nrverify.audit(MarkedExact(), samples=4000)
    assert refuted.privacy == "refuted"
    (claim,) = [check for check in refuted.checks if check.id == "privacy.claim"]
    assert claim.verdict == "refuted"
    assert "bits" in " ".join(str(refuted).split())
    idealized = nrverify.audit(MarkedGrid(), samples=12_000)
    assert (idealized.verdict, idealized.privacy) == ("consistent", "consistent")


def test_coarse_keys_forget_the_last_digits_and_nothing_else():
    third = 1 / 3
    keys = coarse(columns_of([third, third * (1 + TICK), third * (1 + 1e-9), -third, third * 1e6, 0.0, None, "0.3"]))
    assert keys[0] == keys[1]
    assert len(set(keys.tolist())) == 7
    lists = coarse(columns_of([[third, 1.0], [1.0, third], [third, 1.0, 1.0], [third * (1 + TICK), 1.0]]))
    assert lists[0] == lists[3]
    assert len(set(lists.tolist())) == 3
