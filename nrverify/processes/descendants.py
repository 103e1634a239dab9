"""What a process has started, and what that has started: found by parentage and by a mark, and killed.

A process that starts a session of its own is no longer reached by its group; one whose parent has ended no longer by
its parent, but by a mark in the environment it inherited, or because an ancestor adopts it (`adopt`). Standard library
alone, and no import of nrverify: the guardian runs this file without the package.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

VARIABLE = "NRVERIFY_SUBJECT"
"""The name of the mark in the environment."""
ROUNDS, PAUSE = 20, 0.005
"""A process may start another while it is being found: the search goes on until nothing is found."""
SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of <linux/prctl.h>."""
PROC = Path("/proc")


def new_mark() -> str:
    """A word that no other process has in its environment."""
    import secrets

    return secrets.token_hex(16)


def adopt() -> None:
    """From now on descendants whose parents end become children of this process, where the system can (Linux)."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end(root: int, mark: str | None = None, started: str | None = None) -> None:
    """Kills a process, its group and everything below it, and everything that carries the mark.

    With `started`, only if the process is the one that was started then: the system may have given its number anew.
    """
    ours = started is None or started_at(root) in (started, None)
    for _ in range(ROUNDS):
        found = {*(below(root) if ours else ()), *(marked(mark) if mark else ())}
        for pid in found:
            _kill(pid)
        if not found:
            break
        time.sleep(PAUSE)
    if ours:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(root, signal.SIGKILL)
        _kill(root)


def below(root: int) -> list[int]:
    """The processes that descend from one, without itself, those that have ended left out."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            found.append(pid)
            waiting.append(pid)
    return [pid for pid in found if pid != os.getpid()]


def marked(mark: str) -> list[int]:
    """The processes that have the mark and are not yet dead (where /proc shows environments)."""
    wanted = f"{VARIABLE}={mark}".encode()
    found = []
    for folder in PROC.glob("[0-9]*"):
        # A process may be another user's, or end while it is being read.
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def started_at(pid: int) -> str | None:
    """When a process was started, in the system's own words; None if it has ended, or the system does not say."""
    if PROC.joinpath("self").exists():
        fields = _fields(pid)
        return fields[19] if fields else None
    return _listed("-o", "lstart=", "-p", str(pid)) or None


def _parents() -> list[tuple[int, int]]:
    """(process, parent) of all processes that have not ended."""
    if not PROC.joinpath("self").exists():
        rows = [row.split() for row in _listed("-A", "-o", "pid=,ppid=,stat=").splitlines()]
        return [(int(row[0]), int(row[1])) for row in rows if len(row) > 2 and not row[2].startswith("Z")]
    found = []
    for folder in PROC.glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields and fields[0] not in ("Z", "X"):
            found.append((int(folder.name), int(fields[1])))
    return found


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may hold spaces and brackets; empty if it has ended."""
    try:
        return PROC.joinpath(str(pid), "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _listed(*options: str) -> str:
    """What ps says, for systems without /proc."""
    import subprocess

    try:
        return subprocess.run(["ps", *options], capture_output=True, text=True, timeout=5, check=False).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
