"""How long a user waits for the help page."""

from __future__ import annotations

import subprocess
import sys

from nrverify.benchmark.measure import median_seconds
from nrverify.benchmark.row import Row

REPEATS = 7
"""Starts of a process vary with the state of the disk cache: the median of seven ignores three slow ones."""


def help_page() -> Row:
    """`nrverify --help` in a new process, the interpreter's own start included: at most 0.3 s."""

    def work() -> object:
        command = [sys.executable, "-c", "from nrverify.cli import main; main()", "--help"]
        return subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    time = median_seconds(work, REPEATS)
    return Row("nrverify --help", time, "seconds", 0.3, time, None)
