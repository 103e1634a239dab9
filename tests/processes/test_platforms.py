"""Linux and macOS: neither /proc nor os.waitid is needed; elsewhere one sentence says so."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nrverify.processes import descendants
from nrverify.subjects.command.child_process import Child
from nrverify.subjects.errors import SubjectFailed

FAMILY = "import subprocess, time; subprocess.Popen(['sleep', '1000'], start_new_session=True); time.sleep(1000)"


@pytest.mark.parametrize("proc", ["/proc", "/nowhere"])
def test_what_a_process_started_in_another_session_is_found_and_ended(proc, monkeypatch):
    monkeypatch.setattr(descendants, "PROC", Path(proc))
    root = subprocess.Popen([sys.executable, "-c", FAMILY], start_new_session=True)
    deadline = time.monotonic() + 60
    while not (found := descendants.below(root.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(found) == 1
    assert descendants.started_at(root.pid) is not None
    descendants.end(root.pid, started=descendants.started_at(root.pid))
    assert root.wait(timeout=60) == -signal.SIGKILL
    assert descendants.below(found[0]) == []
    assert descendants.started_at(root.pid) is None


def test_a_process_that_was_started_at_another_time_is_left_alone():
    root = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    descendants.end(root.pid, started="another time")
    assert root.poll() is None
    root.kill()
    root.wait()


@pytest.mark.parametrize(
    ("ending", "words"), [("sys.exit(7)", "with exit code 7"), ("os.kill(os.getpid(), 15)", "by signal 15")]
)
def test_without_waitid_the_end_of_a_process_is_told_all_the_same(ending, words, monkeypatch):
    monkeypatch.delattr(os, "waitid")
    child = Child(f"{shlex.quote(sys.executable)} -c 'import os, sys; {ending}'")
    with pytest.raises(SubjectFailed, match=words):
        child.exchange(b"{}\n", "describe", 60.0, 1000)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("import os; os.name = 'nt'; from nrverify.cli import main; main()", 2),
        ("import os; os.name = 'nt'; from nrverify import audit", 1),
    ],
)
def test_on_windows_one_sentence_says_where_it_runs(program, code):
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == code
    assert found.stderr.rstrip().endswith("use it in the Windows Subsystem for Linux (WSL)")
    if code == 2:
        assert len(found.stderr.splitlines()) == 1
