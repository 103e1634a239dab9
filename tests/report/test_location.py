"""Where a subject is, found from its address without importing it."""

from pathlib import Path

import pytest

from nrverify.report.audit.source_location import Location, location_of, location_of_file, location_of_object
from tests.report import made

SOURCE = """raise SystemExit("imported")
import numpy


class Mine:
    pass


def make():
    return Mine()


ready = Mine()
typed: Mine = Mine()
from elsewhere import Other as Renamed
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("Top = 1\n")
    for path in ("mine.py", "package/module.py", "a folder.py"):
        (tmp_path / path).write_text(SOURCE)
    (tmp_path / "harness.js").write_text("// a harness\n")
    (tmp_path / "records.npz").write_bytes(b"")
    (tmp_path / "wrong.py").write_text("class Mine(:\n")
    (tmp_path / "bytes.py").write_bytes(b"\x00\xff\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "path", "line"),
    [
        ("python:mine.py:Mine", "mine.py", 5),
        ("python:./mine.py:make", "mine.py", 9),
        ("python:mine.py:ready", "mine.py", 13),
        ("python:mine.py:typed", "mine.py", 14),
        ("python:mine.py:Renamed", "mine.py", 15),
        ("python:mine.py:Missing", "mine.py", 1),
        ("python:mine:Mine", "mine.py", 5),
        ("python:package.module:Mine", "package/module.py", 5),
        ("python:package:Top", "package/__init__.py", 1),
        ("python:wrong.py:Mine", "wrong.py", 1),
        ("python:bytes.py:Mine", "bytes.py", 1),
        ("python:missing.py:Mine", "python:missing.py:Mine", 1),
        ("python:", "python:", 1),
        ("python:..:Mine", "python:..:Mine", 1),
        ("cmd:node harness.js --fast", "harness.js", 1),
        ("cmd:./harness.js", "harness.js", 1),
        ("cmd:/bin/sh -c true", "cmd:/bin/sh -c true", 1),
        ("cmd:unclosed 'quote", "cmd:unclosed 'quote", 1),
        ("records:records.npz", "records.npz", 1),
        ("records:\x00", "records:\x00", 1),
        (None, "subject", 1),
    ],
)
def test_the_file_and_line_of_an_address(here, address, path, line):
    assert location_of(address) == Location(path, line)


def test_paths_are_relative_to_the_repository_and_not_to_the_folder_of_the_run(here, monkeypatch):
    (here / ".git").mkdir()
    monkeypatch.chdir(here / "package")
    assert location_of("python:module.py:Mine") == Location("package/module.py", 5)


def test_a_file_outside_the_repository_keeps_its_whole_path(here, monkeypatch):
    monkeypatch.chdir(here / "package")
    found = location_of(f"python:{here}/a folder.py:Mine")
    assert found == Location(f"{here}/a folder.py", 5)
    assert found.uri == f"file://{here}/a%20folder.py"


def test_a_path_is_quoted_as_a_uri():
    assert Location("a folder/b#c.py").uri == "a%20folder/b%23c.py"
    assert Location("/a b").uri == "file:///a%20b"
    assert Location("cmd:\ud800").uri == "cmd%3A%5Cud800"


def test_an_object_is_where_its_class_is_written():
    for subject in (made.Right, made.Right(), "python:tests/report/made.py:Right"):
        assert location_of_object(subject, Location("else")).path.endswith("tests/report/made.py")
    lines = Path(made.__file__).read_text("utf-8").split("\n")
    line = location_of_object(made.Broken(), Location("else")).line
    assert lines[line - 1] == "class Broken(Right):"


def test_an_object_without_source_is_where_its_gate_is():
    assert location_of_object(object(), Location("gate.py", 3)) == Location("gate.py", 3)
    assert location_of_file("/no/such/file.py", 3) == Location("no/such/file.py", 3)
