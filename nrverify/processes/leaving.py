"""Leaving when told to: an interrupt or a request to end unwinds this process, or ends it where that takes too long."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from nrverify.processes import descendants
from nrverify.processes.guardian import GUARDIAN

SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""By which a person or a system ends a program: Ctrl-C, a time limit or a scheduler, and a closed terminal."""
DEADLINE = 1.2
"""Seconds that unwinding may take: a person who pressed Ctrl-C waits at most two."""


class Told(BaseException):
    """The process is to end. No `SystemExit`, which a search for counterexamples would take for one."""


class _State:
    owner = 0
    number: int | None = None
    adopts = False
    abandoned = False


def listen() -> None:
    """From now on a signal to end is heeded in this process; it leaves with 128 + the signal's number."""
    if threading.current_thread() is threading.main_thread():
        _State.owner, _State.number, _State.abandoned = os.getpid(), None, False
        for number in SIGNALS:
            signal.signal(number, _leave)


def listening() -> bool:
    """Whether this process is a command's own, and not one that uses nrverify as a library."""
    return _State.owner == os.getpid()


def adopt() -> None:
    """Has a command's process take the place of parents that end, so that `sweep` finds what they started."""
    if listening():
        _State.adopts = True
        descendants.adopt()


def sweep() -> None:
    """Ends what a command has adopted: by now nothing that it started itself is to run."""
    if _State.adopts and listening():
        for pid in descendants.below(os.getpid()):
            descendants.end(pid)


def told() -> int | None:
    """The signal that told this process to end, if one did."""
    return _State.number if _State.owner == os.getpid() else None


def abandon() -> None:
    """What this process waits for will not come: it is to end without unwinding."""
    _State.abandoned = True


def abandoned() -> bool:
    """Whether this process is to end without unwinding."""
    return _State.abandoned


def end_now(number: int) -> None:
    """Ends this process because of a signal, as `end_with` does."""
    end_with(128 + number)


def end_with(code: int) -> None:
    """Ends what is under care and this process, without unwinding: no thread that waits for the dead is waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    GUARDIAN.end_all()
    sweep()
    os._exit(code)


def _leave(number: int, frame: FrameType | None) -> None:
    if os.getpid() != _State.owner:
        # A fork that has not yet its own way to end: an interrupt is its parent's affair.
        if number == signal.SIGTERM:
            os._exit(128 + number)
        return
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    _State.number = number
    sys.excepthook = sys.unraisablehook = threading.excepthook = _say_nothing
    # Not through sys.stderr: this may have come in the middle of a word there.
    with contextlib.suppress(OSError):
        os.write(2, f"ended by {signal.Signals(number).name}: no verdict\n".encode())
    signal.signal(signal.SIGALRM, lambda *_: end_now(number))
    signal.setitimer(signal.ITIMER_REAL, DEADLINE)
    raise Told


def _say_nothing(*_: Any) -> None:
    """What fails while everything is being left is not worth a word."""
