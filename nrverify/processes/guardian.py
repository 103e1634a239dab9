"""A guardian for this process: should it be killed, processes under care are killed and temporary folders removed.

It starts with the first process or folder under its care and ends with the last. A fork of this process has its own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from nrverify.processes.descendants import end

if TYPE_CHECKING:
    import subprocess

SCRIPT = Path(__file__).with_name("guardian_main.py")


class Guardian:
    """The processes and folders under care, and the process that cares."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._kept: dict[int, str] = {}
        self._folders: set[str] = set()

    def watch(self, pid: int, mark: str = "") -> None:
        """Takes a process under care; with a mark also whatever carries it."""
        with self._lock:
            self._kept[pid] = mark
            self._tell(f"+ {pid} {mark}")

    def watch_folder(self, folder: Path) -> None:
        """Has a folder of temporary files removed, should this process be killed; it need not exist yet."""
        with self._lock:
            self._folders.add(str(folder))
            self._tell(f"folder+ {_one_line(str(folder))}")

    def release(self, pid: int) -> None:
        """A process has ended; with the last one, and no folder left, the guardian does."""
        with self._lock:
            if self._kept.pop(pid, None) is not None:
                self._tell(f"- {pid}")
            self._dismiss_if_idle()

    def release_folder(self, folder: Path) -> None:
        """A folder was removed, or is to stay."""
        with self._lock:
            if str(folder) in self._folders:
                self._folders.remove(str(folder))
                self._tell(f"folder- {_one_line(str(folder))}")
            self._dismiss_if_idle()

    def end_all(self) -> None:
        """Ends everything under care, and the guardian, at once; takes no lock: it may be called from anywhere."""
        for pid, mark in list(self._kept.items()):
            end(pid, mark or None)
        for folder in list(self._folders):
            shutil.rmtree(folder, ignore_errors=True)
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _tell(self, words: str) -> None:
        if self._process is None:
            self._process = _started()
        if self._process is not None and self._process.stdin is not None:
            # Without a guardian the work goes on.
            with contextlib.suppress(OSError):
                self._process.stdin.write(f"{words}\n".encode())

    def _dismiss_if_idle(self) -> None:
        if self._kept or self._folders:
            return
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.kill()  # it has nothing to do, and may not even have come to itself
            process.stdin.close()
            process.wait()

    def forget(self) -> None:
        """In a fork: neither the guardian nor what is under its care is this process's."""
        process, self._process = self._process, None
        self._kept, self._folders = {}, set()
        self._lock = threading.RLock()
        if process is not None:
            process.returncode = 0
            if process.stdin is not None:
                # Its end of input must come with the end of the process it guards, and not with that of a fork.
                process.stdin.close()


def _one_line(path: str) -> str:
    """A path as part of a line: JSON escapes line breaks, and what is not UTF-8."""
    import json

    return json.dumps(path)


def _started() -> subprocess.Popen[bytes] | None:
    import subprocess

    try:
        return subprocess.Popen(
            [sys.executable, "-E", "-s", "-S", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
    except OSError:
        return None


GUARDIAN = Guardian()
os.register_at_fork(after_in_child=GUARDIAN.forget)
