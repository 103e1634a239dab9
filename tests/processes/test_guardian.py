"""The guardian removes temporary folders and ends processes of a process that is killed, and only those."""

import signal
import subprocess
import sys

from tests.support.commands import running, until

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
    sleeper = int(killed.stdout)
    until(lambda: not (folders[0].exists() or folders[2].exists() or running(sleeper)))
    assert folders[1].exists()
