"""Outputs of any kind become columns whose keys tell values apart."""

import numpy as np
import pytest

from nrverify.auditing.claims.columns import MISSING, WHOLE, columns_of
from nrverify.auditing.claims.streams import continuous


def test_values_that_python_calls_equal_have_different_keys():
    outputs = [True, 1, 1.0, None, "1", 0.0, -0.0, False, 0, 2**60, float(2**60)]
    assert len(set(columns_of(outputs).keys[()].tolist())) == len(outputs)


def test_the_keys_of_a_value_do_not_depend_on_what_came_with_it():
    for alone in ([3, 4], [0.5, 0.25], [True, False], [[1, 2, 3]], [[0.5, 1.5]]):
        mixed = columns_of([*alone, "text", None])
        plain = columns_of(alone)
        for path, keys in plain.keys.items():
            assert mixed.keys[path][: len(alone)].tolist() == keys.tolist(), path


def test_equal_outputs_and_no_others_have_equal_whole_keys():
    outputs = [[1, [2, "a"]], [1, [2, "a"]], [1, [2.0, "a"]], [1, 2, "a"], {"a": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}]
    keys = columns_of(outputs).keys[WHOLE].tolist()
    assert keys[0] == keys[1]
    assert len(set(keys)) == len(outputs) - 1


def test_lists_of_different_lengths_have_missing_entries_and_a_length():
    found = columns_of([[1.5], [1.5, 2.5], []])
    assert found.values[("#length",)].tolist() == [1, 2, 0]
    assert found.keys[(1,)][0] == MISSING
    assert found.keys[(0,)][2] == MISSING
    assert found.keys[(0,)][0] == found.keys[(0,)][1] != MISSING


@pytest.mark.parametrize("outputs", [[[0, 0, 1], [1, 1, 1]], [[0, 0, 1], [1, 1, 1], [None, 1, 1]]])
def test_the_first_change_and_the_largest_entry_are_columns(outputs):
    found = columns_of(outputs)
    assert found.values[("#change",)][:2].tolist() == [2, 3]
    assert found.values[("#largest",)][:2].tolist() == [2, 0]
    assert found.values[("#sum",)][:2].tolist() == [1, 3]


def test_integers_beyond_double_precision_are_told_apart():
    assert len(set(columns_of([2**70, 2**70 + 1]).keys[()].tolist())) == 2


def test_only_numbers_with_many_digits_are_taken_for_continuous():
    noise = np.random.default_rng(0).laplace(size=50).tolist()
    assert continuous(columns_of(noise)).all()
    assert not continuous(columns_of([0.1, 3.14, 1e-7, 2.5e8, 0.0, float("inf"), float("nan")])).any()
    assert not continuous(columns_of([7, "0.123456789012345678", None])).any()


def test_numbers_in_lists_and_dictionaries_are_seen_as_continuous_and_their_properties_are_not():
    number = 0.12345678901234567
    rows = [number, [1, number], {"count": number}, {"all": [number]}, [0.5, 0.25], {"count": 2}, "0.12345678901234567"]
    assert continuous(columns_of(rows)).tolist() == [True] * 4 + [False] * 3
    assert not continuous(columns_of([[0.1, 0.2], [0.3, 0.3]])).any()  # the sum has more digits than the entries
