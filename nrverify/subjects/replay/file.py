"""The file of a record: a zip of its header, its requests, and the numbers of their answers."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nrverify.subjects.records.archive import PIECE
from nrverify.subjects.replay.recording import FULL

SCHEMA = "nrverify/replay/1"
"""Raised when an old record could not be replayed any more."""
MEMBERS = frozenset({"header.json", "requests.json", "floats.npy", "integers.npy"})
"""Exactly these: anything else in the file would be from elsewhere."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The earliest date of the zip format: with no real dates the same answers make the same file."""


class TooLarge(Exception):
    """The answers are more than a record may hold."""


def write_replay(path: Path, header: dict[str, Any], folder: Path, most: int) -> None:
    """The logs of a folder as one record, whole or not at all; `TooLarge` when they hold more than `most` bytes."""
    if any(folder.glob(f"*.{FULL}")) or sum(log.stat().st_size for log in folder.glob("*")) > most:
        raise TooLarge
    # The numbers of the answers follow one another as the requests do: log by log.
    logs = sorted(folder.glob("*.requests"))
    if not logs:
        raise OSError("its requests could not be written down in the folder for temporary files")
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".nrverify-")
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as zipped:
            sums = {"requests.json": _pack(zipped, "requests.json", _requests(logs))}
            for name, descr in (("floats", "<f8"), ("integers", "<i8")):
                numbers = [log.with_suffix(f".{name}") for log in logs]
                sums[f"{name}.npy"] = _pack(zipped, f"{name}.npy", _array(numbers, descr))
            whole = {"schema": SCHEMA, **header, "sums": sums}
            words = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
            _pack(zipped, "header.json", [words.encode("utf-8", "backslashreplace")])
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _requests(logs: Sequence[Path]) -> Iterator[bytes]:
    """The lines of the logs as one JSON list."""
    before = b"["
    for log in logs:
        with log.open("rb") as lines:
            for line in lines:
                yield before + line.rstrip(b"\n")
                before = b",\n"
    yield b"[]" if before == b"[" else b"]"


def _array(files: Sequence[Path], descr: str) -> Iterator[bytes]:
    """The numbers of the logs as one .npy list."""
    there = [file for file in files if file.exists()]
    head = io.BytesIO()
    count = sum(file.stat().st_size for file in there) // 8
    np.lib.format.write_array_header_1_0(head, {"descr": descr, "fortran_order": False, "shape": (count,)})
    yield head.getvalue()
    for file in there:
        with file.open("rb") as numbers:
            while piece := numbers.read(PIECE):
                yield piece


def _pack(zipped: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> str:
    """Packs a member, and returns its SHA-256."""
    info = zipfile.ZipInfo(name, LONG_AGO)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    total = hashlib.sha256()
    with zipped.open(info, "w", force_zip64=True) as member:
        for piece in pieces:
            total.update(piece)
            member.write(piece)
    return total.hexdigest()
