"""What documents show outside Python: console blocks are run, files for CI are valid and their commands run."""

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from nrverify.cli import cli

ROOT = Path(__file__).parents[2]
SAVED = re.compile(r"Save (?:this )?as `(\w+\.py)`[^`]*^```python\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
ELSEWHERE = "cmd:"
"""Of a program that the reader writes, only the command line is checked."""
MISTAKE = re.compile(r"`(noise = [^`]+)`")
"""The wrong line that the README proposes before its second console block."""
IN_CI = {"README.md": 2, "docs/CI.md": 3}
CONSOLES = {"README.md": 2, "docs/ANY.md": 1, "nrverify/subjects/PROTOCOL.md": 1}


def text_of(name):
    return (ROOT / name).read_text("utf-8")


def invoke(line, *further):
    program, *arguments = shlex.split(line)
    assert program == "nrverify"
    return CliRunner(env={"COLUMNS": "120"}).invoke(cli, [*arguments, *further])


def parsed(line):
    """Raises when a command or an option of the line does not exist."""
    command, *arguments = shlex.split(line)[1:]
    return cli.get_command(click.Context(cli), command).make_context(command, arguments)


def shown_in(expected, output):
    """Whether the pieces between the dots stand in the output in their order, however lines are broken."""
    flat, place = " ".join(output.split()), 0
    for piece in expected.split("…"):
        wanted = " ".join(piece.split())
        place = flat.find(wanted, place)
        if place < 0:
            return False
        place += len(wanted)
    return True


def run_console(name, number):
    """The output of a console block in a folder with the files saved before it, and what the document shows."""
    text = text_of(name)
    block = list(CONSOLE.finditer(text))[number]
    before = text[: block.start()]
    for file, code in SAVED.findall(before):
        proposed = MISTAKE.findall(before[before.rindex("```python") :])
        changed = re.sub(r"noise = noise \* .*", proposed[-1], code) if proposed else code
        assert bool(proposed) == (changed != code)
        Path(file).write_text(changed, "utf-8")
    command, _, expected = block[1].removeprefix("$ ").partition("\n")
    return command, expected


def test_all_console_blocks_and_files_for_ci_are_known():
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("nrverify/**/*.md")]
    for pattern, known in ((CONSOLE, CONSOLES), (YAML, IN_CI)):
        counts = {str(path.relative_to(ROOT)): len(pattern.findall(path.read_text("utf-8"))) for path in documents}
        assert {name: count for name, count in counts.items() if count} == known


@pytest.mark.parametrize(("name", "number"), [("README.md", 1), ("docs/ANY.md", 0)])
def test_a_refutation_is_as_it_is_shown(name, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, expected = run_console(name, number)
    result = invoke(command, "--no-record")
    assert result.exit_code == 1, result.output
    assert shown_in(expected, result.output), result.output


def test_the_first_audit_of_the_readme_is_as_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, expected = run_console("README.md", 0)
    result = invoke(command)
    assert result.exit_code == 0, result.output
    assert shown_in(expected, result.output), result.output


def test_commands_for_a_program_of_the_reader_have_options_that_exist():
    lines = re.findall(r"^\$ (nrverify .*)$", text_of("nrverify/subjects/PROTOCOL.md"), re.M)
    assert lines
    assert all(ELSEWHERE in parsed(line).params["subject"] for line in lines)


def test_output_that_is_not_there_or_in_another_order_is_seen():
    assert shown_in("a b\n…\nd", "a\n b c\nd")
    assert not shown_in("d\n…\na", "a\n b c\nd")
    assert not shown_in("e", "a b c d")


def steps_of(config):
    """Commands of a file for CI, and the steps of a GitHub workflow."""
    if "jobs" not in config:
        return [line for job in config.values() for key in ("before_script", "script") for line in job.get(key, [])], []
    steps = [step for job in config["jobs"].values() for step in job["steps"]]
    return [step["run"] for step in steps if "run" in step], steps


@pytest.mark.parametrize(("name", "number"), [(name, i) for name, count in IN_CI.items() for i in range(count)])
def test_a_file_for_ci_is_complete_and_its_audit_writes_what_it_uploads(name, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    ((file, code),) = [found for found in SAVED.findall(text_of("README.md")) if found[0] == "mine.py"]
    Path(file).write_text(code, "utf-8")
    config = yaml.safe_load(YAML.findall(text_of(name))[number])
    commands, steps = steps_of(config)
    action = yaml.safe_load(text_of(".github/actions/audit/action.yml"))
    audits = [line for line in commands if line.startswith("nrverify ")]
    for step in steps:
        assert ("uses" in step) != ("run" in step)
        if "/nrverify/" in step.get("uses", ""):
            assert set(step["with"]) <= set(action["inputs"])
            audits.append(f"nrverify audit {step['with']['subject']}")
    if steps:
        assert {"name", True, "jobs"} <= set(config)  # YAML 1.1 reads the key `on` as True
        assert all("runs-on" in job for job in config["jobs"].values())
        assert steps[0]["uses"].startswith("actions/checkout@")
    assert len(audits) == 1
    result = invoke(audits[0], "--samples", "300", "--no-record")
    assert result.exit_code in (0, 4), result.output
    reports = re.findall(r"nrverify\.(?:xml|json|sarif)", str(config))
    assert {report for report in reports if not Path(report).exists()} == set()
