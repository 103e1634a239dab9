"""Recording: every request to a subject and its answer, written down so that the audit can be replayed without it.

Each host has a log of its own, whichever process it serves; the logs lie in one folder and are gathered at the end.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrverify.subjects.description import Description
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.replay.exchanges import Exchange, ExchangeHost, outcome_of
from nrverify.subjects.replay.packing import PACKINGS
from nrverify.subjects.requests import Request, ScalarRequest

PARTS = ("requests", "floats", "integers")
FULL = "full"


class Log:
    """The exchanges of one host as they come, appended to files; beyond the limit nothing is kept."""

    def __init__(self, folder: Path, most: int) -> None:
        self._most = most
        self._size = 0
        self._stem = folder / f"{os.getpid()}-{uuid.uuid4().hex}"

    def add(self, request: Request[Any], found: Exchange) -> None:
        """Writes an exchange down, whole before the next: a host may end at any time."""
        if self._size > self._most:
            return
        line: dict[str, Any] = {"method": request.method, "digest": request.digest, "seconds": found.seconds}
        numbers = b"", b""
        try:
            if found.outcome != "answered" or isinstance(found.answer, str):
                line[found.outcome] = found.answer
            else:
                answer = (request.numbers, found.answer) if isinstance(request, ScalarRequest) else found.answer
                shape, floats, integers = PACKINGS[request.method].pack(answer)
                line |= (
                    {"shape": shape, "of": request.function} if isinstance(request, ScalarRequest) else {"shape": shape}
                )
                numbers = floats.astype("<f8", copy=False).tobytes(), integers.astype("<i8", copy=False).tobytes()
            words = json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
            self._append(words.encode("utf-8", "backslashreplace"), *numbers)
        except (OSError, OverflowError):
            # No room on the disk, or a subject that prints numbers beyond 2^63 for bits: there will be no record.
            self._size = self._most + 1
        if self._size > self._most:
            self._give_up()

    def _append(self, *parts: bytes) -> None:
        self._stem.parent.mkdir(mode=0o700, exist_ok=True)
        for name, content in zip(PARTS, parts, strict=True):
            if content:
                with self._stem.with_suffix(f".{name}").open("ab") as file:
                    file.write(content)
                self._size += len(content)

    def _give_up(self) -> None:
        try:
            self._stem.with_suffix(f".{FULL}").touch()
            for name in PARTS:
                self._stem.with_suffix(f".{name}").unlink(missing_ok=True)
        except OSError:
            return


@dataclass
class Recording:
    """Opens hosts, each with a log of its own."""

    open_host: Callable[[float], Host | RecordsFile]
    folder: Path
    most: int
    description: Description | None = None
    """Of the subject, once a host was opened in this process."""
    host: ExchangeHost | None = None
    """The last that was."""

    def __call__(self, timeout: float) -> Host:
        """A host that answers as the one behind it does, and writes every exchange down."""
        host = self.open_host(timeout)
        if isinstance(host, RecordsFile):
            raise ValueError("a records: subject needs no record of its audit: the file can be audited again as it is")
        self.description = host.description
        self.host = recording_host(host, Log(self.folder, self.most))
        return self.host


def recording_host(host: Host, log: Log) -> ExchangeHost:
    """The host that asks another, and writes down what it answers."""

    def exchange(request: Request[Any]) -> Exchange:
        before = host.seconds
        outcome, answer = outcome_of(host, request)
        found = Exchange(outcome, answer, host.seconds - before)
        log.add(request, found)
        return found

    return ExchangeHost(host.description, host.timeout, exchange, host.close)
