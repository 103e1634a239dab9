"""A command that is told to end, or is killed, leaves with its code within seconds, and leaves no process behind."""

import os
import shlex
import signal
import subprocess
import sys

import pytest

from tests.support.commands import (
    COMMANDS,
    PATIENCE,
    SLOWLY,
    at_work,
    carrying,
    running,
    seconds_to_end,
    started,
    until,
)

LOOPING = """
import os, subprocess, sys
from pathlib import Path
class Loops:
    mechanism = "brownian"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        subprocess.Popen(["sleep", "1000"], start_new_session=True, env={})
        Path(f"looping-{os.getpid()}").touch()
        while True:
            pass
"""
HARNESS = """
import json, os, subprocess, sys
from pathlib import Path
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        result = {"protocol": 1, "mechanism": "brownian", "methods": ["sample"], "dimensions": [1]}
        print(json.dumps({"id": request["id"], "result": result}), flush=True)
        continue
    subprocess.Popen(["sleep", "1000"], start_new_session=True, env={})
    Path(f"looping-{os.getpid()}").touch()
    while True:
        pass
"""


AT_MOST = 2.0
"""Seconds in which a command ends once it is told to, as DEADLINE of `nrverify.processes.leaving` allows for."""


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_of_a_terminal_ends_every_command_with_130_and_nothing_is_left(name, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    os.killpg(process.pid, signal.SIGINT)
    assert seconds_to_end(process) < AT_MOST
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "ended by SIGINT: no verdict\n")
    # The guardian ends when it reads that the command has ended, a moment later.
    until(lambda: carrying(mark) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", ["verify", "calibrate", "reproduce", "benchmark", "vectors", "audit with workers"])
def test_a_request_to_end_ends_every_command_with_its_code_and_nothing_is_left(name, number, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    process.send_signal(number)
    assert seconds_to_end(process) < AT_MOST
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (128 + number, f"ended by {number.name}: no verdict\n")
    until(lambda: carrying(mark) == [])


@pytest.mark.parametrize("name", ["verify", "calibrate", "reproduce", "benchmark", "vectors", "audit with workers"])
def test_nothing_outlives_a_command_that_is_killed(name, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    process.kill()
    process.communicate(timeout=PATIENCE)
    until(lambda: carrying(mark) == [])


GATE = """
import nrverify
from loops import Loops
test_gate = nrverify.gate(Loops, budget=1000)
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 2), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_gate_that_is_told_to_end_has_the_code_of_pytest_and_leaves_nothing(number, code, tmp_path, mark):
    (tmp_path / "loops.py").write_text(LOOPING)
    (tmp_path / "test_gated.py").write_text(GATE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_gated.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True)
    until(lambda: list(tmp_path.glob("looping-*")))
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    assert seconds_to_end(process) < AT_MOST
    process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    until(lambda: carrying(mark) == [])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_answers_written_down_so_far_do_not_outlive_a_recorded_audit(jobs, number, tmp_path, mark, monkeypatch):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    arguments = ["audit", "python:slow.py:Slow", "--record", "kept.nrreplay", "--jobs", jobs]
    process = started(arguments, tmp_path)
    until(lambda: list(temporary.glob("nrverify-*/*")))
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    until(lambda: carrying(mark) == [] and list(temporary.iterdir()) == [])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["python", "python with workers", "cmd"])
def test_a_subject_in_a_loop_and_the_sessions_it_started_end_with_the_command(kind, number, tmp_path, mark):
    (tmp_path / "loops.py").write_text(LOOPING)
    (tmp_path / "harness.py").write_text(HARNESS)
    subject = f"cmd:{shlex.quote(sys.executable)} harness.py" if kind == "cmd" else "python:loops.py:Loops"
    process = started(["audit", subject, "--no-record", *(["--jobs", "2"] if "workers" in kind else [])], tmp_path)
    until(lambda: list(tmp_path.glob("looping-*")))
    pids = [path.name.removeprefix("looping-") for path in tmp_path.glob("looping-*")]
    family = [*pids, *(child for pid in pids for child in _children(pid))]
    assert len(family) >= 2
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    until(lambda: not any(running(pid) for pid in family))


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return children.read().split()


def test_the_sessions_that_a_python_subject_started_end_with_its_audit(tmp_path, mark):
    (tmp_path / "starts.py").write_text(SLOWLY.replace("    def sample", STARTING + "    def sample"))
    arguments = ["audit", "python:starts.py:Slow", "--samples", "64", "--no-record"]
    process = started(arguments, tmp_path)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 4
    pids = (tmp_path / "started").read_text().split()
    assert len(pids) == 3
    assert not any(running(pid) for pid in pids)


STARTING = """
    def __init__(self):
        import os, subprocess
        for environment in (None, {}):
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True, env=environment)
            print(child.pid, file=open("started", "a"))
        if os.fork() == 0:
            os.setsid()
            print(os.getpid(), file=open("started", "a"))
            time.sleep(1000)
"""


LAW = """
import os, subprocess, time
from pathlib import Path
class Starts:
    name = "starts"
    def marginal(self, t):
        for environment in (None, {}):
            subprocess.Popen(["sleep", "1000"], start_new_session=True, env=environment)
        Path(f"looping-{os.getpid()}").touch()
        time.sleep(1000)
    def bridge(self, s, t, given):
        pass
"""


@pytest.mark.parametrize(("number", "code"), [(None, 2), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)])
def test_what_a_law_of_ones_own_started_ends_with_its_test(number, code, tmp_path, mark):
    (tmp_path / "laws.py").write_text(LAW)
    timeout = "3" if number is None else "1000"
    process = started(["law", "python:laws.py:Starts", "--timeout", timeout], tmp_path)
    until(lambda: list(tmp_path.glob("looping-*")))
    (pid,) = [path.name.removeprefix("looping-") for path in tmp_path.glob("looping-*")]
    family = [pid, *_children(pid)]
    assert len(family) == 3
    if number is not None:
        process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    until(lambda: not any(running(pid) for pid in family))
