"""Coq on this machine: whether it is there, and runs of it with limits of time and memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

VERSION = "8.16"
"""Of Coq, in Debian 12: names of Coquelicot and Interval, and how statements are printed, differ between versions."""

INSTALL = "apt-get install --no-install-recommends coq libcoq-coquelicot libcoq-interval"
"""On Debian 12."""

CPU_SECONDS, WALL_SECONDS = 120, 600
"""Of one run of coqc: each takes a few seconds; a tactic that does not end must not stop a verification for long, and a
machine with many jobs may let one wait."""

MEMORY_KIB = 4 * 1024 * 1024
"""Of address space: Coq with all its libraries maps about one gibibyte."""

REQUIRE = "NRVERIFY_REQUIRE"
"""An environment variable: tools, separated by commas, whose absence is a failure."""


@dataclass(frozen=True)
class Answer:
    """What coqc said of a file."""

    accepted: bool
    printed: str
    error: str


def missing() -> str:
    """Why Coq cannot be run here, with the remedy; empty where it can."""
    coqc = shutil.which("coqc")
    if coqc is None:
        return f"needs coqc, which is not on PATH; on Debian 12: {INSTALL}"
    return _unfit(coqc)


def required() -> bool:
    """Whether the environment says that Coq must be there."""
    return "coqc" in os.environ.get(REQUIRE, "").split(",")


@lru_cache(maxsize=4)
def _unfit(coqc: str) -> str:
    said = subprocess.run([coqc, "--version"], capture_output=True, text=True, timeout=WALL_SECONDS, check=False).stdout
    found = re.search(r"version (\d+\.\d+)", said)
    if found is None or found[1] != VERSION:
        version = found[1] if found else "unknown"
        return f"needs coqc {VERSION}, and the one on PATH is {version}; on Debian 12: {INSTALL}"
    where = subprocess.run([coqc, "-where"], capture_output=True, text=True, timeout=WALL_SECONDS, check=False).stdout
    libraries = Path(where.strip()) / "user-contrib"
    absent = [name for name in ("Coquelicot", "Interval") if not (libraries / name).is_dir()]
    return f"needs {' and '.join(absent)} for coqc; on Debian 12: {INSTALL}" if absent else ""


def compile_file(folder: Path, name: str) -> Answer:
    """coqc on a file of a folder, whose modules have the prefix `nrverify`."""
    limits = f"ulimit -t {CPU_SECONDS}; ulimit -v {MEMORY_KIB}; exec coqc -q -w -all -Q . nrverify {name}"
    try:
        done = subprocess.run(
            ["sh", "-c", limits], cwd=folder, capture_output=True, text=True, timeout=WALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Answer(False, "", f"no answer within {WALL_SECONDS} s")
    if done.returncode == 0:
        return Answer(True, done.stdout, "")
    words = " ".join(done.stderr.split()) or f"ended with code {done.returncode}: more than {CPU_SECONDS} s, or killed"
    return Answer(False, done.stdout, words[:500])
