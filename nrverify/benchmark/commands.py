"""Whole commands: `verify`, `audit` and the subprocess protocol, in processes of their own as a user has them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from nrverify.benchmark.measure import median_seconds
from nrverify.benchmark.processes import Cost, cost_of
from nrverify.benchmark.row import Growth, Row

NRVERIFY = (sys.executable, "-P", "-m", "nrverify")
"""As it is installed, also in a folder that has its source."""
SUBJECT = "python:nrverify.reference.mutants.benign:ForwardPath"
"""A vectorised subject: whole transcripts at once, an array operation a release."""
DEFAULT_SAMPLES = 200_000
"""The default of `nrverify audit`: the time a user waits is measured."""
BATCH = (40_000, 10)
"""Sessions and releases: 400,000 numbers a reply, so that the cost of a request itself does not count."""
REPEATS = 5
"""The median of five ignores two that were disturbed."""
MEGABYTE = 2**20
"""In bytes, as memory is counted."""


def verify() -> Iterator[Row]:
    """`nrverify verify`, standard: at most a minute and a gigabyte."""
    cost = cost_of([*NRVERIFY, "verify", "--quiet"])
    yield Row("nrverify verify (standard)", _seconds(cost), "seconds", 60.0, cost.seconds, cost.peak_bytes)
    yield from _memory("nrverify verify (standard), memory of all its processes", cost, 1024 * MEGABYTE)


FIRST_CLAIM = """
import sys
from nrverify.ledger.verification import verify

def told(done, total, result, settled):
    if settled:
        sys.exit(0)

verify(progress=told)
sys.exit(1)
"""
"""A verification that ends with the first claim that is told as settled."""


def first_claim() -> Row:
    """Until the first claim of a verification is settled, the interpreter's start included: at most 2 s."""
    cost = cost_of([sys.executable, "-P", "-c", FIRST_CLAIM])
    return Row("nrverify verify, until its first claim is settled", _seconds(cost), "seconds", 2.0, cost.seconds, None)


def audit() -> Row:
    """The audit of a vectorised Python subject with the default budget: at most 20 s."""
    cost = audit_cost(DEFAULT_SAMPLES)
    return Row(
        "audit of a vectorised subject, default budget", _seconds(cost), "seconds", 20.0, cost.seconds, cost.peak_bytes
    )


def audit_cost(samples: int) -> Cost:
    """The cost of an audit of that many sessions."""
    return cost_of(audit_command(samples))


def audit_command(samples: int) -> list[str]:
    """An audit of that many sessions, whatever it takes."""
    return [*NRVERIFY, "audit", SUBJECT, "--samples", str(samples), "--budget", "100000", "--quiet"]


def audit_growth(sizes: Sequence[int]) -> Iterator[Growth]:
    """An audit as its sessions grow: time per session, and the memory of its processes."""
    for samples in sizes:
        cost = audit_cost(samples)
        yield Growth("audit, in sessions", samples, 1e9 * _seconds(cost) / samples, cost.peak_bytes or 0)


def subprocess_subject() -> Row:
    """Batches from a subject in another process: at least five million floats a second."""
    from nrverify.subjects.command.host import ProcessHost
    from nrverify.subjects.requests import SampleRequest

    host = ProcessHost(f"{sys.executable} -P -m nrverify.benchmark.harness", 60.0)
    sessions, releases = BATCH
    schedule = [float(t) for t in range(releases, 0, -1)]

    def work() -> object:
        return host.ask(SampleRequest(np.array([1.0]), schedule, sessions, 1))

    try:
        time = median_seconds(work, REPEATS)
    finally:
        host.close()
    return Row("subprocess subject, batch encoding, floats", sessions * releases / time, "per second", 5e6, time, None)


def _seconds(cost: Cost) -> float:
    """The time, or NaN, which meets no target, where the command did not end well."""
    return cost.seconds if cost.code == 0 else float("nan")


def _memory(name: str, cost: Cost, target: int) -> Iterator[Row]:
    if cost.peak_bytes is not None:
        yield Row(name, float(cost.peak_bytes), "bytes", float(target), cost.seconds, cost.peak_bytes)
