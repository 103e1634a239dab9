"""Nothing a subject, a record or an address says reaches a terminal, a CI log or a page as a command."""

import contextlib
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from nrverify.auditing.core.plots.data import Dot
from nrverify.cli import cli
from nrverify.plain_text import COMMANDING, plain, plain_json, plain_text

HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2066 ::error file=x::stolen ::stop-commands::token ##[error]no"
    "\r\n::warning::x"
)
SUBJECT = f"""
import numpy as np
WORDS = {HOSTILE!r}
class Named:
    mechanism = "brownian"
    name = version = WORDS
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        print(WORDS, flush=True)
        rng = np.random.default_rng(seed)
        return value + 3 * rng.standard_normal((sessions, len(schedule), len(value)))
class Raises(Named):
    def sample(self, value, schedule, sessions, seed):
        raise RuntimeError(WORDS)
class Refuses(Named):
    def sample(self, value, schedule, sessions, seed):
        raise ValueError(WORDS)
class Knob(Named):
    knob = WORDS
class Says:
    mechanism = "any"
    name = version = WORDS
    epsilon = 0.1
    neighbours = [[WORDS, "b"]]
    def run(self, data, seed):
        return {{WORDS: [WORDS]}} if data == WORDS else "b"
class Fails(Says):
    def features(self, output):
        raise RuntimeError(WORDS)
class Begins(Named):
    def __init__(self):
        raise RuntimeError(WORDS)
"""
ANNOTATION = re.compile(r"::(error|warning|notice) file=[^:]*,line=\d+,title=nrverify[^:]*::")


def run(folder, *arguments):
    """A command in this process: its exit code, and what it wrote to both streams."""
    with contextlib.chdir(folder):
        found = CliRunner().invoke(cli, arguments)
    return found.exit_code, found.output


def run_from_a_shell(folder, *arguments):
    """A command as it is started from a shell: its exit code, and what it wrote to both streams."""
    found = subprocess.run(
        [sys.executable, "-m", "nrverify.cli", *arguments], cwd=folder, capture_output=True, check=False
    )
    return found.returncode, (found.stdout + found.stderr).decode("utf-8")


def commands(text):
    """Lines that GitHub would obey, but for the annotations of nrverify; and characters that command a terminal."""
    lines = [line for line in text.splitlines() if line.lstrip().startswith("::") or "##[" in line]
    return [line for line in lines if not ANNOTATION.match(line)] + COMMANDING.findall(text)


@pytest.mark.parametrize(
    ("name", "code"), [("Named", 1), ("Raises", 3), ("Refuses", 3), ("Knob", 3), ("Says", 1), ("Fails", 3)]
)
def test_what_a_subject_says_commands_neither_terminal_nor_log_nor_page(name, code, tmp_path):
    (tmp_path / "mine.py").write_text(SUBJECT)
    files = ["--html", "page.html", "--junit", "junit.xml", "--sarif", "sarif.json", "--json", "report.json"]
    start = run_from_a_shell if name == "Named" else run
    exit_code, text = start(tmp_path, "audit", f"python:mine.py:{name}", "--github", "--samples", "300", *files)
    assert exit_code == code
    assert commands(text) == []
    assert "evil" in text
    for file in files[1::2]:
        assert COMMANDING.findall((tmp_path / file).read_text("utf-8")) == []


def test_words_are_shown_as_they_are_and_not_as_pictures(tmp_path):
    words = "[bold]no:warning:[/bold]"
    (tmp_path / "mine.py").write_text(SUBJECT.replace(repr(HOSTILE), repr(words)))
    exit_code, text = run(tmp_path, "audit", "python:mine.py:Raises", "--samples", "9")
    assert exit_code == 3
    assert words in text


@pytest.mark.parametrize(("name", "code"), [("Named", 0), ("Says", 0), ("Knob", 3), ("Begins", 3)])
def test_a_plan_of_what_a_subject_says_commands_nothing(name, code, tmp_path):
    (tmp_path / "mine.py").write_text(SUBJECT)
    exit_code, text = run(
        tmp_path, "audit", f"python:mine.py:{name}", "--plan", "--json", "plan.json", "--samples", "9"
    )
    assert exit_code == code
    assert "evil" in text
    assert commands(text) == []
    if code == 0:
        assert COMMANDING.findall((tmp_path / "plan.json").read_text("utf-8")) == []


def test_a_trace_has_every_word_and_commands_nothing(tmp_path):
    (tmp_path / "mine.py").write_text(SUBJECT)
    exit_code, text = run(tmp_path, "audit", "python:mine.py:Says", "--smoke", "--trace", "trace.jsonl")
    assert exit_code == 0
    traced = (tmp_path / "trace.jsonl").read_text("utf-8")
    assert commands(text) == commands(traced) == []
    assert HOSTILE in [request["request"].get("data") for request in map(json.loads, traced.splitlines())]


@pytest.mark.parametrize("words", [HOSTILE, "\ud800", "\U000e0041", "a::b ::error::", "\\", '"\x9b"'])
def test_a_plain_document_is_the_same_document(words):
    document = json.dumps({words: [words]}, ensure_ascii=False)
    assert json.loads(plain_json(document)) == {words: [words]}
    assert commands(plain_json(document)) == []
    assert "::error" not in plain_json(document)


@pytest.mark.parametrize("scheme", ["python:", "cmd:", "records:", ""])
def test_an_address_commands_nothing(scheme, tmp_path):
    words = HOSTILE.replace("\r\n", "\n")
    start = run_from_a_shell if scheme == "" else run  # usage errors are made plain by main()
    exit_code, text = start(tmp_path, "audit", f"{scheme}{words}:Name", "--github")
    assert exit_code in (2, 3)
    assert commands(text) == []


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of a right record."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "mine.py").write_text(SUBJECT.replace(repr(HOSTILE), "'tame'"))
    run(folder, "audit", "python:mine.py:Named", "--samples", "300", "--record", "a.nrreplay")
    with zipfile.ZipFile(folder / "a.nrreplay") as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.parametrize("place", ["id", "check", "verdict", "version", "schema"])
def test_what_a_record_says_commands_nothing_when_it_is_replayed(place, members, tmp_path):
    header = json.loads(members["header.json"])
    if place == "id":
        header["report"]["checks"][0]["id"] = HOSTILE
    elif place == "check":
        header["report"]["checks"][0]["verdict"] = HOSTILE
    elif place == "verdict":
        header["report"]["verdict"] = HOSTILE
    elif place == "version":
        header["versions"]["nrverify"] = HOSTILE
        header["settings"]["seed"] += 1  # asks for what was not recorded, and then says by which version it was
    else:
        header["schema"] = HOSTILE
    header["sums"] = {name: hashlib.sha256(content).hexdigest() for name, content in members.items() if name[:1] != "h"}
    with zipfile.ZipFile(tmp_path / "b.nrreplay", "w") as file:
        for name, content in (members | {"header.json": json.dumps(header).encode()}).items():
            file.writestr(name, content)
    start = run_from_a_shell if place in ("version", "schema") else run  # usage errors are made plain by main()
    exit_code, text = start(tmp_path, "replay", "b.nrreplay", "--github")
    assert exit_code in (1, 2)
    assert commands(text) == []


def test_plain_text_keeps_what_is_plain_and_shows_the_rest():
    kept = "Δ ≤ 1\tstd::vector<error>::at\nE₂ — “ψ(t)” 日本 ##"
    assert plain_text(kept) == kept
    assert plain_text("a\x1b[2Jb\u202ec\x85\ud800") == r"a\x1b[2Jb\u202ec\x85\ud800"
    assert plain_text("::Error::x ##vso[task] x::stop-commands::t") == ": :Error::x # #vso[task] x: :stop-commands::t"
    assert plain_text(plain_text(HOSTILE)) == plain_text(HOSTILE)


def test_what_is_plain_is_kept_as_it_is_and_what_commands_is_copied_and_never_changed():
    tame = Dot("tame", 1.0, (0.5, 1.5), (0.2, 2.0), None)
    hostile = replace(tame, label=HOSTILE)
    assert plain(tame) is tame
    found = plain({"a": (tame, [hostile])})
    assert found["a"][0] is tame
    assert found["a"][1][0] == replace(tame, label=plain_text(HOSTILE))
    assert hostile.label == HOSTILE


NAME = "\x1b[2J\u202eevil\n::error::x"
"""Of a file or a folder."""


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "python:mine.py:Named", "--samples", "100", "--record", NAME],
        ["reproduce", "boundaries", "--quick", "--jobs", "1", "--per-doubling", "1", "--out", NAME],
        ["vectors", "--check", "--jobs", "1", "--out", "vectors"],
    ],
)
def test_names_of_files_and_folders_command_nothing(arguments, tmp_path, monkeypatch):
    monkeypatch.setattr("nrverify.vectors.generation.file_texts", lambda executor, progress: {})
    (tmp_path / "mine.py").write_text(SUBJECT)
    (tmp_path / "vectors").mkdir()
    generated = next((Path(__file__).parents[2] / "reports" / "vectors").glob("*.json"))
    (tmp_path / "vectors" / f"{NAME}.json").write_bytes(generated.read_bytes())
    _, text = run(tmp_path, *arguments)
    assert "evil" in text
    assert commands(text) == []
