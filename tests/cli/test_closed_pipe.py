"""Output that nobody reads: a quiet end with a code that is no verdict, and every file that was asked for."""

import json
import os
import subprocess
import sys

import pytest

from nrverify.cli import EXIT_BROKEN_PIPE

SUBJECTS = """
import numpy as np
class Fresh:
    mechanism = "brownian"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        rng = np.random.default_rng(seed)
        return value + rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(schedule)[None, :, None]
"""


def unread(*arguments, folder, streams=("stdout",), **environment):
    """The command with these streams in a pipe that has no reader; its exit code, and what it said elsewhere."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "nrverify.cli", *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            check=False,
            text=True,
            **{name: writing if name in streams else subprocess.PIPE for name in ("stdout", "stderr")},
        )
    finally:
        os.close(writing)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(SUBJECTS)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["audit", "--help"],
        ["verify", "P04", "--jobs", "1"],
        ["verify", "P04", "--jobs", "1", "--json", "-"],
        ["explain", "law.transcript"],
        ["audit", "python:mine.py:Fresh", "--no-record"],
        ["audit", "python:mine.py:Fresh", "--no-record", "--quiet"],
        ["audit", "python:mine.py:Fresh", "--plan"],
        ["vectors", "--schema", "-"],
    ],
    ids=" ".join,
)
def test_a_closed_pipe_ends_a_command_in_silence_and_not_with_the_code_of_a_refutation(folder, arguments):
    done = unread(*arguments, folder=folder)
    assert done.returncode == EXIT_BROKEN_PIPE
    assert done.stderr == ""


def test_both_streams_may_be_closed(folder):
    for arguments in (["audit", "python:mine.py:Fresh"], ["verfy"]):
        assert unread(*arguments, folder=folder, streams=("stdout", "stderr")).returncode == EXIT_BROKEN_PIPE


def test_reports_that_go_to_files_are_written_whoever_reads_the_rest(folder):
    files = ["--junit", "r.xml", "--sarif", "r.sarif", "--html", "r.html", "--record", "r.nrreplay", "--github"]
    done = unread(
        "audit", "python:mine.py:Fresh", "--json", "-", *files, folder=folder, GITHUB_STEP_SUMMARY=str(folder / "s.md")
    )
    assert done.returncode == EXIT_BROKEN_PIPE
    for name in ("r.xml", "r.sarif", "r.html", "r.nrreplay", "s.md"):
        assert (folder / name).stat().st_size > 0
    unread("verify", "P04", "--json", "-", "--markdown", "l.md", "--html", "l.html", "--jobs", "1", folder=folder)
    assert "P04" in (folder / "l.md").read_text("utf-8")
    assert "P04" in (folder / "l.html").read_text("utf-8")


def test_a_full_disk_is_one_sentence(folder):
    command = [sys.executable, "-m", "nrverify.cli", "explain", "ties"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder)
    assert done.returncode == 2
    assert done.stderr == "nrverify: No space left on device\n"


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_a_stream_that_was_closed_before_the_start_is_no_fault(folder, closed):
    command = f"{sys.executable} -m nrverify.cli audit python:mine.py:Fresh --json r.json {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, check=False, cwd=folder)
    assert done.returncode == 1
    assert json.loads((folder / "r.json").read_text("utf-8"))["verdict"] == "refuted"


def test_the_exit_codes_are_told_in_the_help():
    from click.testing import CliRunner

    from nrverify.cli import cli

    text = CliRunner().invoke(cli, ["--help"]).output
    for code in ("0 ", "1 ", "2 ", "3 ", "4 ", "70 ", "129, 130, 143 ", "141 "):
        assert f"\n    {code}" in text
