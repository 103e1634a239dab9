"""A Dask cluster of several workers on loopback: what an audit takes on it as its sessions grow.

Each worker is a process of its own, as on other machines; `distributed` is the extra `dask`.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from nrverify.benchmark.commands import audit_command
from nrverify.benchmark.processes import cost_of
from nrverify.benchmark.row import Growth

WORKERS = 2
"""Several, and no more than most machines have cores."""
CLUSTER_SIZES = (10**5, 10**6)
"""Half of the default and five times as much: a cluster draws what one process draws, and that is measured to 10⁷."""
WAIT = 60.0
"""Seconds for the cluster to come up."""
SCHEDULER = re.compile(r"Scheduler at:\s+(tcp://\S+)")
"""What a scheduler prints of its address."""


class NotUp(RuntimeError):
    """The cluster did not come up."""


@contextlib.contextmanager
def cluster(workers: int = WORKERS) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler with so many workers, and the processes of all."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        folder = Path(name)
        log = folder / "scheduler.log"
        first = running.enter_context(_started(log, "dask_scheduler", "--host", "127.0.0.1", "--port", "0"))
        address = _awaited(lambda: (line := SCHEDULER.search(log.read_text())) and line[1])
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", name)
        others = [
            running.enter_context(_started(folder / f"worker-{number}.log", "dask_worker", address, *options))
            for number in range(workers)
        ]
        _awaited(lambda: "up" if log.read_text().count("Register worker") >= workers else None)
        yield address, [first.pid, *(other.pid for other in others)]


def cluster_growth(sizes: Sequence[int] = CLUSTER_SIZES) -> Iterator[Growth]:
    """An audit on the cluster as its sessions grow: time per session, and the memory of all processes."""
    if find_spec("distributed") is None:
        return
    with cluster() as (address, processes):
        # The first audit on a cluster has its workers import what they need.
        cost_of([*audit_command(1000), "--engine", "dask", "--scheduler", address])
        for samples in sizes:
            cost = cost_of([*audit_command(samples), "--engine", "dask", "--scheduler", address], processes)
            seconds = cost.seconds if cost.code == 0 else float("nan")
            name = f"audit on a cluster of {WORKERS} workers, in sessions"
            yield Growth(name, samples, 1e9 * seconds / samples, cost.peak_bytes or 0)


@contextlib.contextmanager
def _started(log: Path, what: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of a cluster, ended with the measurement."""
    command = [sys.executable, "-m", f"distributed.cli.{what}", *arguments, "--no-dashboard"]
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _awaited(condition: Callable[[], str | None]) -> str:
    """What the condition comes to, once it is anything."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.05)
    raise NotUp(f"the cluster did not come up within {WAIT:g} seconds: nothing is measured")
