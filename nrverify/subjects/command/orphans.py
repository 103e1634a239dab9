"""Descendants of a subject's process that left its group: found by a mark in their environment, and killed.

A process that starts a session of its own, or whose parent has ended, is no longer reached by its group or its parent;
what it inherited stays.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import time
from pathlib import Path

VARIABLE = "NRVERIFY_SUBJECT"
ROUNDS, PAUSE = 20, 0.005
"""A process may start another while it is being found: the search goes on until nothing is found."""


def new_mark() -> str:
    """A word that no other process has in its environment."""
    return secrets.token_hex(16)


def kill_marked(mark: str) -> None:
    """Kills every process with the mark (where /proc shows environments)."""
    for _ in range(ROUNDS):
        found = marked(mark)
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        time.sleep(PAUSE)


def marked(mark: str) -> list[int]:
    """The processes that have the mark and are not yet dead."""
    wanted = f"{VARIABLE}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may be another user's, or end while it is being read.
        with contextlib.suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
