"""Commands in processes of their own, for tests that end them: started, watched, and looked for afterwards."""

import os
import subprocess
import sys
import time
from pathlib import Path

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
    "benchmark": ["benchmark", "--quick"],
    "audit": ["audit", "python:slow.py:Slow", "--no-record"],
    "audit with workers": ["audit", "python:slow.py:Slow", "--jobs", "3", "--no-record"],
}
PATIENCE = 60
"""Seconds in which something must happen that takes a moment on an idle machine."""


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


def carrying(mark):
    """The processes with this entry (VARIABLE=VALUE) in their environment: (pid, command line)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((int(folder.name), (folder / "cmdline").read_bytes()))
        except OSError:
            continue
    return found


def seconds_to_end(process):
    """Seconds until a process that was told to end has ended, without those in which it or this one waited for a
    processor that others used; it is left to be waited for. Where the system does not say, all seconds."""
    before, start = _queued(process.pid), time.monotonic()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return time.monotonic() - start - (_queued(process.pid) - before)


def _queued(pid):
    """Seconds that a process, and this thread, were ready to run and did not (Linux)."""
    paths = (Path(f"/proc/{pid}/schedstat"), Path("/proc/thread-self/schedstat"))
    return sum(int(path.read_text().split()[1]) for path in paths if path.exists()) / 1e9
