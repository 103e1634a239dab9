"""The GitHub action and the GitLab job: they parse, and their own shell lines do what they promise.

Installing nrverify and uploading a report are left out: the first is this test run, the second another's code.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.report import made

ACTION = Path(__file__).parents[2] / ".github" / "actions" / "audit" / "action.yml"
JOB = Path(__file__).parent / "gitlab-ci.yml"


@pytest.fixture
def here(tmp_path):
    """A folder with a subject, and one for what is temporary."""
    (tmp_path / "mine.py").write_text(Path(made.__file__).read_text("utf-8"), "utf-8")
    (tmp_path / "temp").mkdir()
    return tmp_path


def shell(script, here, **variables):
    """Runs a script as the runners do."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)


def audit_step():
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "audit"]
    return action, step


def run_action(here, **inputs):
    """The audit step with these inputs, as the runner fills them in; its process and its outputs."""
    action, step = audit_step()
    given = {name: inputs.get(name, entry.get("default")) for name, entry in action["inputs"].items()}
    assert set(inputs) <= set(given)
    filled = {
        name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value).group(1) for name, value in step["env"].items()
    }
    variables = {name: given[source] for name, source in filled.items()}
    outputs = here / "outputs.txt"
    outputs.write_text("")
    done = shell(
        step["run"],
        here,
        RUNNER_TEMP=str(here / "temp"),
        GITHUB_OUTPUT=str(outputs),
        GITHUB_STEP_SUMMARY=str(here / "summary.md"),
        **variables,
    )
    return done, dict(line.split("=", 1) for line in outputs.read_text().splitlines())


def test_no_input_is_pasted_into_a_script():
    action, _ = audit_step()
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or step["shell"] == "bash"
    for name, entry in action["inputs"].items():
        assert entry["description"]
        assert entry.get("required") or "default" in entry, name
    assert {"subject", "alpha", "samples", "seed", "python-version", "arguments", "upload-sarif"} <= set(
        action["inputs"]
    )


def test_the_action_fails_on_a_wrong_subject_and_leaves_every_report(here):
    done, outputs = run_action(here, subject="python:mine.py:Fresh", seed="5", arguments="--no-record --budget 60")
    assert done.returncode == 1, done.stderr
    assert set(outputs) == {"sarif", "xml", "json"}
    report = json.loads(Path(outputs["json"]).read_text("utf-8"))
    assert (report["verdict"], report["run"]["seed"]) == ("refuted", 5)
    assert json.loads(Path(outputs["sarif"]).read_text("utf-8"))["version"] == "2.1.0"
    assert ElementTree.parse(outputs["xml"]).getroot().tag == "testsuites"
    assert "::error file=mine.py,line=" in done.stdout
    assert "❌ refuted" in (here / "summary.md").read_text("utf-8")


def test_the_action_of_a_mistake_has_no_reports_to_upload(here):
    done, outputs = run_action(here, subject="python:mine.py:Fresh; touch broken-into", alpha="3")
    assert done.returncode == 2
    assert "alpha is 3.0" in done.stderr
    assert outputs == {}
    assert not (here / "broken-into").exists()


def test_the_outputs_of_the_action_are_those_its_step_writes():
    action, _ = audit_step()
    values = {entry["value"] for entry in action["outputs"].values()}
    assert values == {f"${{{{ steps.audit.outputs.{name} }}}}" for name in ("sarif", "xml", "json")}
    upload = action["runs"]["steps"][-1]
    assert upload["with"]["sarif_file"] in values


@pytest.mark.parametrize(("name", "code"), [("Fresh", 1), ("Broken", 3)])
def test_the_gitlab_job_fails_on_a_wrong_subject_and_keeps_its_reports(here, name, code):
    (job,) = yaml.safe_load(JOB.read_text("utf-8")).values()
    done = shell("\n".join(job["script"]), here, SUBJECT=f"python:mine.py:{name}")
    assert done.returncode == code, done.stderr
    assert job["artifacts"]["when"] == "always"
    for path in job["artifacts"]["paths"]:
        assert (here / path).exists()
    report = ElementTree.parse(here / job["artifacts"]["reports"]["junit"]).getroot()
    assert int(report.get("failures")) + int(report.get("errors")) >= 1
