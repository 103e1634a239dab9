"""Texts are seen through their numbers, their characters and their length, and said so in words."""

import pytest

from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.events import column_words, entry_at
from nrverify.auditing.claims.texts import parts_of


def test_the_parts_of_a_short_text():
    assert dict(parts_of("b=-2.5e1")) == {
        "#characters": 8, "#number 0": -25.0,
        "@0": "b", "@1": "=", "@2": "-", "@3": "2", "@4": ".", "@5": "5", "@6": "e", "@7": "1",
    }  # fmt: skip


def test_of_a_long_text_the_first_and_last_characters():
    text = "x" * 30 + "yz"
    parts = dict(parts_of(text))
    assert parts["#characters"] == 32
    assert (parts["@0"], parts["@23"], parts["@-1"], parts["@-2"]) == ("x", "x", "z", "y")
    assert "@24" not in parts
    assert "@-9" not in parts


@pytest.mark.parametrize("text", ["", "7", "\ud800", "1e999", "9" * 500, "🙂" * 3])
def test_any_text_can_be_taken_apart(text):
    parts = dict(parts_of(text))
    assert parts["#characters"] == len(text)
    columns = columns_of([text, "other", None])
    assert columns.size == 3
    assert columns.values[("#characters",)][0] == len(text)


def test_words_of_a_part_lead_to_it():
    output = [["a", "kind=3"]]
    assert column_words((0, 1, "@5")) == "character 6 of entry 2 of entry 1 of the output"
    assert entry_at(output, (0, 1, "@5")) == "3"
    assert column_words((0, 1, "@-2")) == "character 2 from the end of entry 2 of entry 1 of the output"
    assert entry_at(output, (0, 1, "@-2")) == "="
    assert column_words(("#number 0",)) == "number 1 in the output"
    assert column_words(("#characters",)) == "the number of characters of the output"


def test_names_of_entries_that_look_like_parts_are_names():
    """A dictionary's names begin with = in a path, so that no name is taken for a character or a property."""
    output = {"@0": "x", "#characters": 3}
    columns = columns_of([output])
    assert entry_at(output, ("=@0",)) == "x"
    assert column_words(("=#characters",)) == "the entry '#characters' of the output"
    assert columns.values[("=#characters",)][0] == 3
