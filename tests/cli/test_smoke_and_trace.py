"""`--smoke` tries an adapter step by step; `--trace` writes every request and reply down."""

import json
import shlex
import sys

import pytest
from click.testing import CliRunner

from nrverify.cli import cli
from tests.subjects.talking import PYTHON_HARNESS

ADAPTERS = """
import numpy as np

class Session:
    def __init__(self, value, seed):
        self.value, self.seed = value, seed
    def release(self, at):
        return self.value + at

class Working:
    mechanism = "brownian"
    def open(self, value, seed):
        return Session(value, seed)

class Once(Working):
    def open(self, value, seed):
        class OneRelease(Session):
            def release(self, at):
                if hasattr(self, "asked"):
                    raise ValueError("one release only")
                self.asked = at
                return self.value
        return OneRelease(value, seed)

class Broken(Working):
    def open(self, value, seed):
        raise RuntimeError("no database")

class Threshold:
    mechanism = "above-threshold"
    def run(self, utilities, epsilons, threshold, sensitivity, seed):
        return [0, 0, 1]
"""


@pytest.fixture
def adapters(tmp_path, monkeypatch):
    (tmp_path / "adapters.py").write_text(ADAPTERS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def smoke(subject, *options):
    return CliRunner().invoke(cli, ["audit", subject, "--smoke", *options])


def test_every_step_of_an_adapter_that_works_is_marked(adapters):
    result = smoke("python:adapters.py:Working")
    assert result.exit_code == 0
    lines = result.output.strip().split("\n")
    assert all(line.startswith("✓ ") for line in lines)
    assert [line.split(":")[0] for line in lines] == [
        "✓ describe",
        "✓ open, release at 10",
        "✓ the same release again",
        "✓ two sessions together",
        "✓ close",
    ]


def test_what_fails_is_the_last_step_and_the_exit_code_is_3(adapters):
    result = smoke("python:adapters.py:Broken")
    assert result.exit_code == 3
    last = result.output.strip().split("\n✗ ")[-1]
    assert last.startswith("open, release at 10: ")
    assert "no database" in last
    assert "✗ describe" in smoke("python:adapters.py:Nobody").output


def test_quiet_prints_only_what_fails(adapters):
    assert smoke("python:adapters.py:Threshold", "--quiet").output == ""
    assert smoke("python:adapters.py:Broken", "--quiet").output.startswith("✗ open")


def test_a_trace_has_every_request_with_its_reply(adapters):
    assert smoke("python:adapters.py:Threshold", "--trace", "trace.jsonl").exit_code == 0
    (line,) = (adapters / "trace.jsonl").read_text("utf-8").splitlines()
    found = json.loads(line)
    assert found["request"]["asks"] == "run"
    assert found["request"]["utilities"] == [0.0, 0.5, 2.0]
    assert found["answered"] == [[0, 0, 1], [0, 0, 1]]


def test_the_trace_of_a_program_has_the_lines_as_they_were_sent(adapters):
    command = f"cmd:{shlex.quote(sys.executable)} {PYTHON_HARNESS} brownian"
    assert smoke(command, "--trace", "trace.jsonl").exit_code == 0
    lines = [json.loads(line) for line in (adapters / "trace.jsonl").read_text("utf-8").splitlines()]
    sent = [json.loads(line["sent"]) for line in lines]
    assert {"open", "release", "close", "sample"} <= {request["op"] for request in sent}
    assert all(json.loads(line["received"])["id"] == request["id"] for line, request in zip(lines, sent, strict=True))


def test_a_failed_request_is_in_the_trace_with_its_failure(adapters):
    smoke("python:adapters.py:Broken", "--trace", "trace.jsonl")
    found = json.loads((adapters / "trace.jsonl").read_text("utf-8"))
    assert "no database" in found["failed"]


def test_a_trace_that_cannot_be_written_is_a_usage_error(adapters):
    result = smoke("python:adapters.py:Working", "--trace", "missing/trace.jsonl")
    assert result.exit_code == 2
    assert "missing" in result.output
