"""An interrupted audit ends whatever its subject does, and leaves no process behind."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import carrying

PYTHON = """
import os, signal, time
from pathlib import Path
import numpy as np
{loading}
class Hangs:
    mechanism = "brownian"
    dimensions = (1,)
    def sample(self, value, schedule, sessions, seed):
        asked = Path(f"asked-{{os.getpid()}}")
        asked.touch()
        time.sleep(0.01)
        if len(list(Path(".").glob("asked-*"))) == 2:  # in a look so large that both workers have something to draw
            Path(f"hanging-{{os.getpid()}}").touch()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(1000)
        asked.unlink()
        rng = np.random.default_rng(seed)
        spans = np.diff(np.concatenate([[0.0], schedule[::-1]]))
        steps = rng.standard_normal((sessions, len(schedule), len(value))) * np.sqrt(spans)[:, None]
        return (value + np.cumsum(steps, axis=1))[:, ::-1]
"""

ONCE = """
if Path("loaded").exists():
    Path(f"hanging-{os.getpid()}").touch()
    time.sleep(1000)
Path("loaded").touch()
"""
"""Loading hangs in every process but the first: in the workers."""

HARNESS = """
import json, sys
import numpy as np
from subject import Hangs
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        result = {"protocol": 1, "mechanism": "brownian", "methods": ["sample"], "dimensions": [1]}
    elif request["op"] == "sample":
        asked = [request[name] for name in ("value", "schedule", "sessions", "seed")]
        result = Hangs().sample(*map(np.array, asked[:2]), *asked[2:]).tolist()
    else:
        result = None
    print(json.dumps({"id": request["id"], "result": result}), flush=True)
"""


@pytest.fixture
def mark(monkeypatch):
    """An entry in the environment of every process that the test starts."""
    value = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("NRVERIFY_TEST", value)
    return f"NRVERIFY_TEST={value}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["python", "python that hangs as it is loaded", "cmd"])
def test_an_audit_with_workers_whose_subjects_hang_ends_when_it_is_interrupted(tmp_path, mark, kind, number):
    (tmp_path / "subject.py").write_text(PYTHON.format(loading=ONCE if "loaded" in kind else ""))
    (tmp_path / "harness.py").write_text(HARNESS)
    command = f"cmd:{shlex.quote(sys.executable)} harness.py"
    subject = command if kind == "cmd" else "python:subject.py:Hangs"
    audit = subprocess.Popen(
        [sys.executable, "-m", "nrverify.cli", "audit", subject, "--jobs", "2", "--timeout", "900"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _until(lambda: len(list(tmp_path.glob("hanging-*"))) == 2)
        audit.send_signal(number)
        _, errors = audit.communicate(timeout=60)  # the subject would hang for a quarter of an hour
    finally:
        audit.kill()
    assert audit.returncode == 128 + number
    assert errors.decode() == f"ended by {number.name}: no verdict\n"
    assert carrying(mark) == []


def test_workers_and_their_hanging_subjects_end_with_an_audit_that_is_killed(tmp_path, mark):
    (tmp_path / "subject.py").write_text(PYTHON.format(loading=""))
    command = [sys.executable, "-m", "nrverify.cli", "audit", "python:subject.py:Hangs", "--jobs", "2", "--no-record"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as audit:
        _until(lambda: len(list(tmp_path.glob("hanging-*"))) == 2)
        children = Path(f"/proc/{audit.pid}/task/{audit.pid}/children").read_text().split()
        audit.kill()
    subjects = [path.name.removeprefix("hanging-") for path in tmp_path.glob("hanging-*")]
    assert len(children) == 4  # two workers, the subject of what is not sampled, and the guardian that ends them
    _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (*children, *subjects)))


def _until(holds):
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert holds()
