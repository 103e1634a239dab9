"""Where nrverify runs: Linux and macOS. Subjects are run in processes of their own, by a system that can `fork`."""

from __future__ import annotations

import os

UNSUPPORTED = (
    "nrverify runs on Linux and macOS: it runs subjects in forked processes, which Windows does not have; "
    "use it in the Windows Subsystem for Linux (WSL)"
)


def unsupported() -> str | None:
    """Why nrverify cannot run here; None where it can."""
    return UNSUPPORTED if os.name == "nt" else None
