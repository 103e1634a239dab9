"""The record an audit leaves behind: what it asked, what was answered, and what it came to."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.settings import Settings
from nrverify.processes.guardian import GUARDIAN
from nrverify.subjects.description import Description
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.replay.file import TooLarge, write_replay
from nrverify.subjects.replay.recording import Recording

SMALL = 64 * 2**20
"""Bytes that a record may hold that nobody asked for by name: it must not fill a disk unasked."""
LARGE = 2**30
"""And one that somebody did: half of what the reader of archives accepts."""
ROOM = Path(".nrverify")
"""In the working folder, hidden, where a user finds it and version control can ignore it whole."""


class Recorder:
    """Writes down what a subject answers, and leaves it in a file once the verdict is known."""

    def __init__(self, file: str | os.PathLike[str] | None = None) -> None:
        """A file that is named is always written; without a name only a refutation is, in `.nrverify/replay`."""
        self.left: Path | None = None
        """The file that was written."""
        self.notice: str | None = None
        """Why none was, where one was wanted."""
        self._file = None if file is None else Path(file)
        self._most = SMALL if file is None else LARGE
        if self._file is not None and not _takes_a_file(self._file):
            where = "name a file in a folder that exists and is writable"
            raise ValueError(f"cannot write the record {str(file)!r}: {where}")
        self._logs: Path | None = None
        self._hosts: Recording | None = None

    @property
    def named(self) -> bool:
        """Whether somebody asked for the record by name."""
        return self._file is not None

    def opening(self, open_host: Callable[[float], Host | RecordsFile]) -> Callable[[float], Host]:
        """What opens hosts that are listened to, here or in other processes of this machine."""
        # Made by the first log that is written to, so that a run that ends before leaves nothing.
        self._logs = Path(tempfile.gettempdir()) / f"nrverify-{uuid.uuid4().hex}"
        GUARDIAN.watch_folder(self._logs)
        self._hosts = Recording(open_host, self._logs, self._most)
        return self._hosts

    def leave(self, report: Report, settings: Settings) -> None:
        """Writes the record, if there is to be one; whatever prevents it is a notice, never another verdict."""
        if self._file is not None or report.verdict == "refuted":
            self._write(report, settings)

    def discard(self) -> None:
        """Lets go of what was written down so far; a record that was left stays."""
        if self._logs is not None:
            shutil.rmtree(self._logs, ignore_errors=True)
            GUARDIAN.release_folder(self._logs)

    def _write(self, report: Report, settings: Settings) -> None:
        description = None if self._hosts is None else self._hosts.description
        if description is None or self._logs is None:
            self.notice = "no record was left: the subject could not be reached"
            return
        path = self._file or _place(description.name, report.subject["address"], settings.seed)
        try:
            if self._file is None:
                _make_room(path)
            host = None if self._hosts is None else self._hosts.host
            header = _header(description, report, settings)
            for name in ("cut", "late_cut"):
                place = getattr(host, name, None)
                header[name] = None if place is None else list(place)
            write_replay(path, header, self._logs, self._most)
            self.left = path
        except TooLarge:
            hint = "" if self._file is not None else f"; --record FILE allows {LARGE // 2**20} MB"
            self.notice = f"no record was left: the answers are larger than {self._most // 2**20} MB{hint}"
        except OSError as error:
            self.notice = f"no record was left in {str(path)!r}: {error.strerror or error}"


def _takes_a_file(path: Path) -> bool:
    """Whether a file may be put there: a folder, a pipe or a device that is there already would be replaced by it."""
    return (path.is_file() or not path.exists()) and os.access(path.resolve().parent, os.W_OK)


def summary(report: Report) -> dict[str, Any]:
    """What of a report a replay is compared with."""
    checks = [
        {key: check[key] for key in ("id", "verdict", "e_value", "p_value")} for check in report.document()["checks"]
    ]
    return {"verdict": report.verdict, "exit_code": report.exit_code, "checks": checks}


def _header(description: Description, report: Report, settings: Settings) -> dict[str, Any]:
    return {
        "versions": report.run["versions"],
        "address": report.subject["address"],
        "settings": asdict(settings),
        "description": description.as_json(),
        "report": summary(report),
    }


def _make_room(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    ignore = ROOM / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def _place(name: str, address: str | None, seed: int) -> Path:
    """The same for the same subject, and another for every other: two classes of one name have two addresses."""
    room = ROOM / "replay"
    if address is not None:
        mark = hashlib.sha256(address.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        return room / f"{_plain(name)}-{mark}-seed{seed}.nrreplay"
    # An object of a running program has no address: no record of an earlier one may be lost.
    names = (f"{_plain(name)}-object{number}-seed{seed}.nrreplay" for number in itertools.count(1))
    return next(room / name for name in names if not (room / name).exists())


def _plain(name: str) -> str:
    """A subject's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:60] or "subject"
