"""`nrverify audit` writes any of its documents, whatever the verdict, and nothing after a mistake in the command."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from tests.report import made

FILE = Path(made.__file__)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the subjects of these tests, outside any workflow."""
    (tmp_path / "mine.py").write_text(FILE.read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli, ["audit", "--no-record", *arguments])


@pytest.mark.parametrize(
    ("name", "samples", "code", "verdict"),
    [
        ("Right", "3000", 0, "consistent"),
        ("Fresh", "1200", 1, "refuted"),
        ("Broken", "1200", 3, "errored"),
        ("Right", "100", 4, "inconclusive"),
    ],
)
def test_all_documents_of_one_audit_say_the_same(here, name, samples, code, verdict):
    files = ["--json", "r.json", "--junit", "r.xml", "--sarif", "r.sarif"]
    result = run(f"python:mine.py:{name}", "--samples", samples, *files)
    assert result.exit_code == code
    report = json.loads((here / "r.json").read_text("utf-8"))
    assert report["verdict"] == verdict
    refuted = [check["id"] for check in report["checks"] if check["verdict"] == "refuted"]
    (log,) = json.loads((here / "r.sarif").read_text("utf-8"))["runs"]
    assert log["invocations"][0]["exitCode"] == code
    errors = [result for result in log["results"] if result["level"] == "error" and "check" in result["properties"]]
    assert [result["properties"]["check"] for result in errors if result["properties"]["check"] in refuted] == refuted
    properties = ElementTree.parse(here / "r.xml").iter("property")
    assert {"name": "verdict", "value": verdict} in [element.attrib for element in properties]
    assert sorted(path.name for path in here.iterdir() if path.name != "__pycache__") == [
        "mine.py",
        "r.json",
        "r.sarif",
        "r.xml",
    ]


@pytest.mark.parametrize(("kind", "start"), [("junit", "<?xml"), ("sarif", "{"), ("json", "{")])
def test_standard_output_holds_one_document_and_annotations_go_beside_it(here, kind, start):
    result = run("python:mine.py:Broken", f"--{kind}", "-", "--github")
    assert result.exit_code == 3
    assert result.stdout.startswith(start)
    assert "::error file=mine.py,line=" in result.stderr
    assert "::error" not in result.stdout


def test_annotations_are_on_standard_output_and_the_step_summary_grows(here, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))
    (here / "summary.md").write_text("before\n")
    for _ in range(2):
        result = run("python:mine.py:Broken", "--github", "--quiet")
        assert "::error file=mine.py,line=" in result.stdout
    text = (here / "summary.md").read_text("utf-8")
    assert text.startswith("before\n### nrverify: Broken")
    assert text.count("out of order") == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--json", "-", "--sarif", "-"], "only one report"),
        (["--json", "same", "--junit", "same"], "two reports cannot be written to one file"),
        (["--json", "r.json", "--sarif", "no/such/folder/r.sarif"], "cannot write the report"),
        (["--junit", "."], "cannot write the report"),
        (["--json", "r.json", "--alpha", "3"], "alpha is 3.0"),
    ],
)
def test_after_a_mistake_in_the_command_nothing_is_run_and_nothing_is_written(here, arguments, words):
    result = run("python:mine.py:Missing", *arguments)  # run, it would exit 3
    assert result.exit_code == 2
    assert words in result.output
    assert [path.name for path in here.iterdir()] == ["mine.py"]


def test_an_unwritable_step_summary_is_refused_before_any_work(here, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder/summary.md")
    assert run("python:mine.py:Missing", "--github").exit_code == 2
    assert run("python:mine.py:Missing").exit_code == 3
