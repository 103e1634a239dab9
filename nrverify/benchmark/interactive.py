"""What it takes to ask an interactive subject, in Python and over the protocol: for each release, beyond its own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.benchmark.measure import median_seconds
from nrverify.benchmark.row import Row

Floats = NDArray[np.float64]

SESSIONS, RELEASES = 2000, 10
"""20,000 releases: what a request itself takes is not felt."""
REPEATS = 5
"""The median of five ignores two that were disturbed."""
HARNESS = Path(__file__).resolve().parents[2] / "tests" / "harnesses" / "c" / "harness.c"
"""In a clone of the repository; an installed package has none."""


class Still:
    """A subject that draws nothing: all that it takes is the calls."""

    mechanism = "brownian"

    def open(self, value: Floats, seed: int) -> _Session:
        """A session."""
        return _Session(value)


class _Session:
    def __init__(self, value: Floats) -> None:
        self.value = value

    def release(self, at: float) -> Floats:
        """The value."""
        return self.value


def asked() -> Row:
    """open() and release() as the process of a Python subject is asked, against the bare calls: at most 3 µs."""
    from nrverify.subjects.adapter import Adapter
    from nrverify.subjects.policies import Fixed
    from nrverify.subjects.requests import PolicyRequest

    subject, value, schedule = Still(), np.zeros(2), tuple(float(t) for t in range(RELEASES, 0, -1))
    adapter, request = Adapter(subject), PolicyRequest(np.zeros(2), Fixed(schedule), list(range(SESSIONS)))

    def bare() -> None:
        for seed in range(SESSIONS):
            session = subject.open(value, seed)
            for at in schedule:
                session.release(at)

    ours = sorted(_cpu(lambda: adapter.play(request)) - _cpu(bare) for _ in range(REPEATS))[REPEATS // 2]
    each = 1e6 * ours / (SESSIONS * RELEASES)
    return Row("asking for a release, beyond the subject's own", each, "microseconds", 3.0, ours, None)


def _cpu(work: Any) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def played() -> Iterator[Row]:
    """The op play of the protocol with the harness in C: at least 100,000 releases a second.

    Not measured where there is no compiler, or no harness.
    """
    from nrverify.subjects.command.host import ProcessHost
    from nrverify.subjects.requests import PlayRequest

    compiler = shutil.which("cc")
    if compiler is None or not HARNESS.is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "harness"
        subprocess.run([compiler, "-O2", "-o", str(program), str(HARNESS), "-lm"], check=True)
        host = ProcessHost(f"{program} brownian", 60.0)
        schedule = [float(t) for t in range(RELEASES, 0, -1)]
        request = PlayRequest(np.array([1.0]), schedule, list(range(SESSIONS)))
        try:
            seconds = median_seconds(lambda: host.ask(request), REPEATS)
        finally:
            host.close()
    name = "subprocess subject in C, op play, releases"
    yield Row(name, SESSIONS * RELEASES / seconds, "per second", 1e5, seconds, None)
