"""A command that is told to end, or is killed, leaves with its code within seconds, and leaves no process behind."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from tests.subjects.talking import carrying

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
SLOWLY = """
import time
import numpy as np
class Slow:
    mechanism = "brownian"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        time.sleep(0.02)
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]
"""
COMMANDS = {
    "verify": ["verify", "--jobs", "2"],
    "verify alone": ["verify", "--jobs", "1", "--kind", "property"],
    "calibrate": ["calibrate", "--quick", "--jobs", "2"],
    "reproduce": ["reproduce", "loss-ridge", "--jobs", "2", "--trials", "100000", "--out", "figures"],
    "vectors": ["vectors", "--jobs", "2"],
    "audit": ["audit", "python:slow.py:Slow", "--no-record"],
    "audit with workers": ["audit", "python:slow.py:Slow", "--jobs", "3", "--no-record"],
}
PATIENCE = 60
"""Seconds in which something must happen that takes a moment on an idle machine."""


@pytest.fixture
def mark(monkeypatch):
    """An entry in the environment of every process that the test starts."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    return f"NRVERIFY_TEST={value}"


def started(arguments, folder):
    """The command in a group of its own, as a shell starts it."""
    (folder / "slow.py").write_text(SLOWLY)
    return subprocess.Popen(
        [sys.executable, "-m", "nrverify.cli", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )


def until(holds):
    """Waits until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert holds()


def running(pid):
    """Whether a process has not ended; whoever adopted it may not yet have taken notice."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def at_work(process, mark):
    """Whether a command has started what it starts: children, or, without any, some work of its own."""
    return len(carrying(mark)) > 2 or _seconds(process.pid) > 3


def _seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return sum(map(int, stat.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_of_a_terminal_ends_every_command_with_130_and_nothing_is_left(name, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "ended by SIGINT: no verdict\n")
    # The guardian ends when it reads that the command has ended, a moment later.
    until(lambda: carrying(mark) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("name", ["verify", "calibrate", "reproduce", "audit with workers"])
def test_a_request_to_end_ends_every_command_with_its_code_and_nothing_is_left(name, number, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (128 + number, f"ended by {number.name}: no verdict\n")
    until(lambda: carrying(mark) == [])


@pytest.mark.parametrize("name", ["verify", "calibrate", "reproduce", "audit with workers"])
def test_nothing_outlives_a_command_that_is_killed(name, tmp_path, mark):
    process = started(COMMANDS[name], tmp_path)
    until(lambda: at_work(process, mark))
    process.kill()
    process.communicate(timeout=PATIENCE)
    until(lambda: carrying(mark) == [])


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
