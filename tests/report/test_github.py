"""In a GitHub workflow: annotations that the runner reads back as they were meant, and a summary without markup."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nrverify.plain_text import plain_text
from nrverify.report.audit.github import step_summary, workflow_commands
from nrverify.report.audit.source_location import Location
from tests.report import made

COMMAND = re.compile(r"::(\w+) file=([^,:]*),line=(\d+),title=([^,:]*)::(.*)")


def read(output):
    """Commands as the runner reads them: split into lines, then unescaped, % last."""
    found = []
    for line in re.split(r"\r\n|\r|\n", output)[:-1]:
        level, *rest = COMMAND.fullmatch(line).groups()
        for escape, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            rest = [part.replace(escape, char) for part in rest]
        found.append((level, *rest))
    return found


def test_refutations_are_errors_at_the_line_of_the_subject_and_advice_is_a_notice():
    (error, notice) = read(workflow_commands(made.of_every_verdict()["refuted"], Location("a/b,c:d.py", 12)))
    assert error[:4] == ("error", "a/b,c:d.py", "12", "nrverify: law.transcript refuted")
    assert "Likely cause: c.\nEffect: a leak." in error[4]
    assert notice[:4] == ("notice", "a/b,c:d.py", "12", "nrverify: protocol.refusals")


@pytest.mark.parametrize(("verdict", "level"), [("errored", "error"), ("inconclusive", "warning")])
def test_a_run_that_says_nothing_is_annotated(verdict, level):
    report = made.of_every_verdict()[verdict]
    ((found, *_, message),) = read(workflow_commands(report))
    assert (found, message) == (level, report.message)


def test_a_clean_run_has_no_annotations():
    assert workflow_commands(made.made("consistent", [made.CONSISTENT, made.MISSING, made.NO_ADVICE])) == ""


@settings(deadline=None, derandomize=True)
@given(st.text(st.sampled_from("\n\r\x85\u2028:,%AD0\ud800x")) | st.text())
def test_no_text_can_add_a_command_or_change_one(text):
    advice = replace(made.ADVICE, message=f"advice {text}")
    output = workflow_commands(
        made.made("refuted", [replace(made.REFUTED, message=text, explanation=None), advice], name=text)
    )
    commands = read(output)
    assert [command[0] for command in commands] == ["error", "notice"]
    assert commands[1][4] == plain_text(f"advice {text}")


@pytest.mark.parametrize("name", ["Fresh", made.HOSTILE], ids=["plain", "hostile"])
@pytest.mark.parametrize("verdict", ["consistent", "refuted", "inconclusive", "errored"])
def test_the_summary_has_one_row_of_four_cells_for_each_check_and_no_markup_of_the_subject(verdict, name):
    report = made.of_every_verdict(name)[verdict]
    text = step_summary(report)
    rows = [line for line in text.split("\n") if line.startswith("| `")]
    assert len(rows) == len(report.checks)
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "<script>" not in text
    assert verdict in text.split("\n")[0]
    assert "seed 7" in text


def test_the_summary_of_a_refutation_has_all_of_it():
    text = step_summary(made.of_every_verdict()["refuted"])
    for part in ("follows the bridge", "Likely cause: c.", "Effect: a leak.", "6.7e-08", "Reproduce:"):
        assert part in text
