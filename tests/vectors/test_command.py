"""`nrverify vectors`: writes, checks, and refuses folders that it cannot write."""

import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from nrverify.vectors import generation
from nrverify.vectors.noise import bridge_laplace, loss


@pytest.fixture(autouse=True)
def two_functions(monkeypatch):
    """All 35 functions take seconds; what is done with them is the same for two."""
    monkeypatch.setattr(generation, "FUNCTIONS", (loss.BROWNIAN, bridge_laplace.TIE))


def run(*arguments):
    return CliRunner().invoke(cli, ["vectors", "--jobs", "1", *map(str, arguments)])


def test_a_way_to_a_folder_is_not_made(tmp_path):
    result = run("--out", tmp_path / "vectrs" / "made" / "here")
    assert result.exit_code == 2
    assert "there is no folder" in result.output
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_and_current(tmp_path):
    folder = tmp_path / "made"
    written = run("--out", folder)
    assert written.exit_code == 0
    assert "2 files" in written.output
    assert sorted(path.name for path in folder.iterdir()) == ["brownian-loss.json", "laplace-tie.json"]
    assert json.loads((folder / "laplace-tie.json").read_text(encoding="utf-8"))["schema"] == "nrverify/vectors/1"
    checked = run("--out", folder, "--check")
    assert checked.exit_code == 0
    assert "current" in checked.output


def test_check_names_the_file_and_the_case_that_differ(tmp_path):
    run("--out", tmp_path)
    file = tmp_path / "laplace-tie.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"0.81"', '"0.82"'), encoding="utf-8")
    before = file.read_bytes()
    result = run("--out", tmp_path, "--check")
    assert result.exit_code == 1
    assert "laplace-tie.json" in result.output
    assert "laplace-tie-0002" in result.output
    assert "brownian-loss" not in result.output
    assert file.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no json", b"[]", b"\xff\xfe", b'{"cases": 3}', b"[" * 100_000])
def test_check_names_a_file_that_is_none(tmp_path, content):
    run("--out", tmp_path)
    (tmp_path / "laplace-tie.json").write_bytes(content)
    result = run("--out", tmp_path, "--check")
    assert result.exit_code == 1
    assert "laplace-tie.json" in result.output


def test_check_sees_a_change_of_white_space_only(tmp_path):
    run("--out", tmp_path)
    file = tmp_path / "laplace-tie.json"
    file.write_bytes(file.read_bytes() + b"\n")
    assert run("--out", tmp_path, "--check").exit_code == 1


def test_check_names_missing_and_left_over_files_and_leaves_others_alone(tmp_path):
    run("--out", tmp_path)
    (tmp_path / "brownian-loss.json").rename(tmp_path / "old-name.json")
    (tmp_path / "package.json").write_text('{"name": "mine"}')
    result = run("--out", tmp_path, "--check")
    assert result.exit_code == 1
    assert "brownian-loss.json: cannot be read" in result.output
    assert "old-name.json: is not generated any more" in result.output
    assert "package.json" not in result.output


def test_schema_is_written_and_checked_with_the_files(tmp_path):
    schema = tmp_path / "schema.json"
    assert run("--out", tmp_path / "v", "--schema", schema).exit_code == 0
    assert json.loads(schema.read_text(encoding="utf-8"))["title"] == "nrverify test vectors"
    assert run("--out", tmp_path / "v", "--schema", schema, "--check").exit_code == 0
    schema.write_text("{}")
    assert run("--out", tmp_path / "v", "--schema", schema, "--check").exit_code == 1


def test_schema_goes_to_standard_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("--schema", "-")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["$id"] == "urn:nrverify:vectors:1"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "{file}"], "is not a folder"),
        (["--out", "{file}/below"], "cannot make the folder"),
        (["--out", "-"], "is not a folder"),
        (["--out", ""], "is not a folder"),
        (["--out", "{folder}/none", "--check"], "to check"),
        (["--schema", "-", "--check"], "--check compares files"),
        (["--out", "{folder}/v", "--schema", "{folder}/none/schema.json"], "schema.json"),
        (["extra"], "unexpected extra argument"),
    ],
)
def test_mistakes_are_usage_errors(tmp_path, arguments, words):
    file = tmp_path / "file"
    file.write_text("mine")
    result = run(*(argument.format(file=file, folder=tmp_path) for argument in arguments))
    assert result.exit_code == 2
    assert words in result.output
    assert file.read_text() == "mine"


def test_quiet_says_nothing_unless_something_is_wrong(tmp_path):
    assert run("--out", tmp_path, "--quiet").output == ""
    assert run("--out", tmp_path, "--quiet", "--check").output == ""
    (tmp_path / "laplace-tie.json").unlink()
    assert "laplace-tie.json" in run("--out", tmp_path, "--quiet", "--check").output


def test_workers_do_not_change_a_byte():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as executor:
        assert generation.file_texts(executor) == generation.file_texts()


def test_progress_is_shown_on_a_terminal_only(tmp_path):
    """On a pseudo-terminal, with the two functions again."""
    program = (
        "from nrverify.vectors import generation;from nrverify.vectors.noise import bridge_laplace, loss;"
        "generation.FUNCTIONS = (loss.BROWNIAN, bridge_laplace.TIE);"
        "from nrverify.cli import cli; cli(['vectors', '--jobs', '1', '--out', 'v'])"
    )
    master, terminal = pty.openpty()
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, stderr=terminal, stdout=subprocess.PIPE, check=True)
    os.close(terminal)
    shown = os.read(master, 1000).decode()
    os.close(master)
    assert "1/2 brownian-loss" in shown
    piped = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=True)
    assert piped.stderr == b""
