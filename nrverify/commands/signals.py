"""An interrupted command ends what it started and leaves with 128 and the signal's number, which no verdict has."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def leaving_when_told() -> Iterator[None]:
    """Within, an interrupt or a request to terminate unwinds as `SystemExit`, so that every subject is ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _leave) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    click.echo(f"ended by {signal.Signals(number).name}: no verdict", err=True)
    sys.exit(128 + number)
