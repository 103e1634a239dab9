"""`nrverify explain` knows the terms of a report."""

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from nrverify.glossary import terms


@pytest.mark.parametrize(
    "term",
    ["e-value", "bridge", "look", "innovation", "sensitivity", "time_of", "alpha", "α", "Boundary", "not covered"],
)
def test_terms_of_reports_are_explained(term):
    result = CliRunner().invoke(cli, ["explain", term])
    assert result.exit_code == 0
    written, words = terms()[term.lower()]
    assert " ".join(result.output.split()) == " ".join(f"{written}: {words}".split())


def test_an_unknown_term_names_the_closest():
    result = CliRunner().invoke(cli, ["explain", "e-valeu"])
    assert result.exit_code == 2
    assert "Did you mean e-value?" in " ".join(result.output.split())


def test_every_entry_has_words_and_no_markup():
    assert len(terms()) > 100
    for written, words in terms().values():
        assert len(words) >= 20 or words.removeprefix("See ").removesuffix(".") in terms(), written
        assert "](" not in words
        assert "`" not in words
