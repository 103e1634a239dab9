"""Whole outputs of the command line with their exit codes, as a person sees them.

`NRVERIFY_WRITE_SNAPSHOTS=1 pytest tests/cli/test_snapshots.py` writes them anew: read the difference before committing.
"""

import os
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from nrverify.auditing import run
from nrverify.cli import cli

SNAPSHOTS = Path(__file__).parent / "snapshots"
SUBJECTS = (Path(__file__).parents[1] / "contract" / "subjects.py").read_text("utf-8")

COMMANDS = {
    "audit-consistent": ["audit", "python:mine.py:Brownian", "--samples", "2000", "--no-record"],
    "audit-refuted": ["audit", "python:mine.py:FreshBrownian", "--no-record"],
    "audit-refuted-table": ["audit", "python:mine.py:FreshBrownian", "--no-record", "--table"],
    "audit-refuted-quiet": ["audit", "python:mine.py:FreshBrownian", "--no-record", "--quiet"],
    "audit-threshold-refuted": ["audit", "python:mine.py:HalfQuery", "--no-record"],
    "audit-inconclusive": ["audit", "python:mine.py:Brownian", "--samples", "100", "--no-record"],
    "audit-not-asked": ["audit", "python:mine.py:Brownian", "--check", "threshold.law", "--no-record"],
    "audit-no-such-name": ["audit", "python:mine.py:Nobody", "--no-record"],
    "audit-unknown-check": ["audit", "python:mine.py:Brownian", "--check", "law.relese"],
    "audit-bad-alpha": ["audit", "python:mine.py:Brownian", "--alpha", "2"],
    "audit-plan": ["audit", "python:mine.py:HalfQuery", "--plan", "--samples", "20000"],
    "explain-check": ["explain", "ties"],
    "explain-fault": ["explain", "fresh-noise"],
    "explain-remark": ["explain", "protocol.range"],
    "explain-claim": ["explain", "A03"],
    "explain-unknown": ["explain", "tiess"],
    "verify-claim": ["verify", "P04", "--kind", "derivation", "--profile", "quick", "--jobs", "1"],
    "verify-unknown": ["verify", "Z99"],
}


def settled(text):
    """The output without what differs from run to run: seconds, and the blanks at the ends of lines."""
    text = re.sub(r"\d+(\.\d+)? s\b", "… s", text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


WRITTEN_WITH = {"click": (8, 5), "rich": (15, 0)}
"""Versions with which the snapshots were written, to the letter."""


def as_written():
    """Whether what is installed is no older than what the snapshots were written with."""
    return all(
        tuple(int(part) for part in version(name).split(".")[:2]) >= least for name, least in WRITTEN_WITH.items()
    )


def unspaced(text):
    """The output without what older versions of click and rich do otherwise: an option's name, widths of columns."""
    return re.sub(r" {2,}", "  ", text.replace(" -h' for help", " --help' for help"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_as_it_was_read_and_agreed_on(name, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(SUBJECTS, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    # Lines are filled by words: seconds of one digit or two would break them elsewhere.
    monkeypatch.setattr(run, "seconds_since", lambda started: 1.0)
    result = CliRunner().invoke(cli, COMMANDS[name])
    text = settled(f"$ nrverify {' '.join(COMMANDS[name])}\n{result.output}exit code {result.exit_code}\n")
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("NRVERIFY_WRITE_SNAPSHOTS"):
        path.write_text(text, "utf-8")
    agreed = path.read_text("utf-8")
    if as_written():
        assert text == agreed
    else:
        assert unspaced(text) == unspaced(agreed)


def test_every_snapshot_belongs_to_a_command():
    assert {path.stem for path in SNAPSHOTS.glob("*.txt")} == set(COMMANDS)
