"""A record that names a law runs nothing but the law: any file of this machine may be named by whoever wrote it."""

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import nrverify
from nrverify.cli import cli
from tests.support.replay_files import Unseeded, members_of, written

TOUCHING = "from pathlib import Path\nPath({!r}).touch()\n"


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    file = tmp_path_factory.mktemp("recorded") / "right.nrreplay"
    nrverify.audit(Unseeded(), record=file, samples=60)
    return members_of(file)


def replayed(members, tmp_path, address, file):
    """What comes of the record when it names that law, with the right hash."""
    header = json.loads(members["header.json"])
    header["description"]["law"] = {"address": address, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    path = written(tmp_path / "r.nrreplay", {**members, "header.json": json.dumps(header).encode()})
    return CliRunner().invoke(cli, ["replay", str(path)])


@pytest.mark.parametrize("address", ["python:{file}:call", "python:touching:call", "python:touching:Name"])
def test_a_module_that_defines_no_law_is_not_run(address, members, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "touching", raising=False)
    touched, file = tmp_path / "touched", tmp_path / "touching.py"
    file.write_text(TOUCHING.format(str(touched)) + "def call(): pass\n")
    done = replayed(members, tmp_path, address.format(file=file), file)
    assert not touched.exists()
    assert done.exit_code == 2
    assert "defines no law" in done.output


def test_a_package_is_not_imported_to_find_what_is_in_it(members, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    touched, package = tmp_path / "touched", tmp_path / "touching_package"
    package.mkdir()
    (package / "__init__.py").write_text(TOUCHING.format(str(touched)))
    (package / "inner.py").write_text("def call(): pass\n")
    done = replayed(members, tmp_path, "python:touching_package.inner:call", package / "inner.py")
    assert not touched.exists()
    assert done.exit_code == 2


def test_a_function_of_python_itself_is_not_called(members, tmp_path):
    file = Path(importlib.util.find_spec("webbrowser").origin)
    done = replayed(members, tmp_path, "python:webbrowser:main", file)
    assert done.exit_code == 2
    assert "new window" not in done.output
