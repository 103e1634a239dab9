"""A command run to its end: how long it took, and the most memory it and its children held together."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAUSE = 0.05
"""Seconds between looks at the memory: a peak shorter than this may be missed, and more looks would slow the
command."""


@dataclass(frozen=True)
class Cost:
    """Seconds, peak memory of the whole family of processes (None where /proc is missing), and the exit code."""

    seconds: float
    peak_bytes: int | None
    code: int


def cost_of(command: Sequence[str], beside: Sequence[int] = ()) -> Cost:
    """Runs the command with its output thrown away; memory that processes share is counted once.

    That of the processes `beside` it, and of all below them, is counted with its own.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(
        list(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak: int | None = None
    try:
        while process.poll() is None:
            held = [family_bytes(pid) or 0 for pid in (process.pid, *beside)]
            if any(held):
                peak = max(sum(held), peak or 0)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PAUSE)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return Cost(time.perf_counter() - begin, peak, process.returncode)


def family_bytes(pid: int) -> int | None:
    """The proportional memory (PSS) of a process and all below it; None where the system does not tell."""
    if not Path("/proc/self/smaps_rollup").exists():
        return None
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while it is being read.
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    total, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        waiting += children.get(one, [])
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += 1024 * int(line.split()[1])
    return total
