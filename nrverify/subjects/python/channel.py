"""What passes between an audit and a Python subject's process: messages within limits of time and size, and its prints.

A subject may write anything anywhere: half a message, one that is no message, commands to the terminal. Messages are
read as they come and never waited for longer than is allowed; only plain values are unpickled; what the subject prints
is passed on in plain text.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import struct
import sys
import time
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum
from multiprocessing.connection import Connection
from typing import Any

from nrverify.plain_text import plain_text

PIECE = 1 << 20
"""Bytes of one read: far above the size of a pipe, and little memory."""
LONGEST = 1 << 31
"""Bytes of a message: a batch is smaller by far."""
LONGEST_LINE = 1 << 16
"""Bytes of a line that are held back until it ends: what a subject prints without line ends takes no more memory."""
GLANCE = 1.0
"""Seconds of waiting at a time: the system's own limits on waiting are then never met."""
NUMPY = {
    (f"numpy.{core}.{module}", name)
    for core in ("core", "_core")
    for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
} | {("numpy", "ndarray"), ("numpy", "dtype")}
"""What the pickle of an array asks for, before and after numpy 2."""


class BadMessage(Exception):
    """What came is not a message of the worker's."""


class Late(Exception):
    """Nothing came, or not all of it, within the time allowed."""


class Channel:
    """The auditor's end of a connection, and of the pipe that takes what the subject prints."""

    def __init__(self, connection: Connection, prints: int) -> None:
        self._connection = connection
        self._descriptor = connection.fileno()
        self._prints: int | None = prints
        self._waiting = bytearray()
        self._line = b""
        """What was printed of a line that has not ended: a command is seen only whole."""
        os.set_blocking(self._descriptor, False)
        os.set_blocking(prints, False)

    def send(self, message: Any, timeout: float) -> None:
        """Sends a message; `Late` when nobody takes it, `OSError` when nobody can."""
        content = pickle.dumps(message)
        rest = memoryview(_header(len(content)) + content)
        deadline = time.monotonic() + timeout
        while rest:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)

    def receive(self, timeout: float) -> Any:
        """The next message; `Late`, `EOFError` when the other end is closed, `BadMessage` when it is none."""
        deadline = time.monotonic() + timeout
        while (found := self._whole()) is None:
            self._wait(select.POLLIN, deadline)
            try:
                part = os.read(self._descriptor, PIECE)
            except BlockingIOError:
                continue
            if not part:
                raise EOFError
            self._waiting += part
        self.pass_on_prints()
        try:
            return _Plain(io.BytesIO(found)).load()
        except Exception as error:
            raise BadMessage(f"{type(error).__name__}: {error}") from None

    def close(self) -> None:
        """Closes both, after what was printed is passed on."""
        self.pass_on_prints()
        if self._line:
            with suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(_shown(self._line + b"\n"))
            self._line = b""
        self._connection.close()
        if self._prints is not None:
            os.close(self._prints)
            self._prints = None

    def pass_on_prints(self) -> None:
        """Writes what the subject printed to standard error, as plain text."""
        while self._prints is not None:
            try:
                part = os.read(self._prints, PIECE)
            except BlockingIOError:
                return
            except OSError:
                part = b""
            lines, end, self._line = (self._line + part).rpartition(b"\n")
            if not part or len(self._line) > LONGEST_LINE:
                lines, end, self._line = lines + end, self._line, b""
            if lines or end:
                with suppress(OSError, ValueError, AttributeError):
                    sys.stderr.write(_shown(lines + end))
                    sys.stderr.flush()
            if not part:
                os.close(self._prints)
                self._prints = None
                return

    def _wait(self, event: int, deadline: float) -> None:
        """Until the connection is ready; passes on what is printed meanwhile."""
        poll = select.poll()
        poll.register(self._descriptor, event)
        if self._prints is not None:
            poll.register(self._prints, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            ready = [descriptor for descriptor, _ in poll.poll(1000 * max(0.0, min(left, GLANCE)))]
            if self._prints in ready:
                ended = self._prints
                self.pass_on_prints()
                if self._prints is None and ended is not None:
                    poll.unregister(ended)
            if self._descriptor in ready:
                return
            if left < 0:
                raise Late

    def _whole(self) -> bytes | None:
        """The first message that has come whole, in the framing of `multiprocessing.Connection`."""
        held = self._waiting
        if len(held) < 4:
            return None
        (size,), start = struct.unpack_from("!i", held), 4
        if size == -1:
            if len(held) < 12:
                return None
            (size,), start = struct.unpack_from("!Q", held, 4), 12
        if not 0 <= size <= LONGEST:
            raise BadMessage(f"a message of {size} bytes")
        if len(held) < start + size:
            return None
        found = bytes(held[start : start + size])
        del held[: start + size]
        return found


_FOUND: dict[tuple[str, str], Any] = {}
"""What is plain, once it was looked up."""


class _Plain(pickle.Unpickler):
    """Numbers, texts, arrays, and records of nrverify's own: nothing that runs."""

    def find_class(self, module: str, name: str) -> Any:
        if (found := _FOUND.get((module, name))) is not None:
            return found
        found = _FOUND[module, name] = self._plain(module, name)
        return found

    def _plain(self, module: str, name: str) -> Any:
        if (module, name) in NUMPY:
            return super().find_class(module, name)
        if module.startswith("nrverify."):
            found = super().find_class(module, name)
            own = isinstance(found, type) and found.__module__ == module
            if own and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


def _header(size: int) -> bytes:
    return struct.pack("!i", size) if size < 2**31 else struct.pack("!iQ", -1, size)


def _shown(part: bytes) -> str:
    """What was printed, with the ends of lines that it had."""
    return plain_text(part.decode(errors="replace").replace("\r\n", "\n"))
