"""The guardian removes temporary folders and ends processes of a process that is killed, and only those."""

import os
import signal
import subprocess
import sys
import time

KILLED = """
import os, signal, subprocess, sys
from pathlib import Path
from nrverify.processes.guardian import GUARDIAN

kept, released, later = map(Path, sys.argv[1:])
GUARDIAN.watch_folder(kept)
GUARDIAN.watch_folder(released)
sleeper = subprocess.Popen(["sleep", "1000"], start_new_session=True)
GUARDIAN.watch(sleeper.pid)
brief = subprocess.Popen(["true"])
GUARDIAN.watch(brief.pid)
brief.wait()
GUARDIAN.release(brief.pid)
GUARDIAN.release_folder(released)
GUARDIAN.watch_folder(later)
later.mkdir()
print(sleeper.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folders_and_processes_under_care_are_gone_after_a_kill_and_released_ones_stay(tmp_path):
    folders = [tmp_path / name for name in ("with a\nline break", "released", "made later")]
    for folder in folders[:2]:
        folder.mkdir()
        (folder / "log").touch()
    killed = subprocess.run([sys.executable, "-c", KILLED, *folders], stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 60
    while (folders[0].exists() or folders[2].exists()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [folder.exists() for folder in folders] == [False, True, False]
    assert not os.path.exists(f"/proc/{int(killed.stdout)}/environ") or _ended(int(killed.stdout))


def _ended(pid):
    """Whether a process is a zombie: nobody here need have waited for it."""
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] in "ZX"
