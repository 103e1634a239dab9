"""Comma-separated data files, plain or gzipped: every line is checked, and a fault names its file and line."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_GZIP = b"\x1f\x8b"
"""The first two bytes of every gzip file (RFC 1952): the content tells, whatever the name says."""
_BLOCK = 20_000
"""Lines parsed at once: it bounds memory and affects nothing else."""
FEWEST_ROWS = 100
"""No task is run on fewer records."""


class DataError(Exception):
    """A data file that cannot be used: the file, the line where there is one, and what was expected."""

    def __init__(self, path: Path, problem: str, line: int | None = None) -> None:
        super().__init__(path, problem, line)

    def __str__(self) -> str:
        path, problem, line = self.args
        return f"{path}: {problem}" if line is None else f"{path}, line {line}: {problem}"


def sha256(path: Path) -> str:
    """The checksum of a file's bytes as they are."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def lines_of(path: Path) -> list[str]:
    """The lines of a text file, gunzipped where its first bytes say so; blank lines at the end are dropped."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(path, f"cannot be read: {error.strerror or error}") from error
    if content.startswith(_GZIP):
        content = _gunzip(path, content)
    if b"\0" in content[:4096]:
        raise DataError(path, "expected comma-separated text, plain or gzipped, found binary bytes", 1)
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        before = content[: error.start].count(b"\n")
        raise DataError(path, "expected text, found bytes that are not UTF-8", before + 1) from error
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _gunzip(path: Path, content: bytes) -> bytes:
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        sound = _sound_part(content)
        raise DataError(
            path,
            f"the gzip file is truncated or damaged ({error}); expected more after this line",
            sound.count(b"\n") + 1,
        ) from error


def _sound_part(content: bytes) -> bytes:
    """What can be gunzipped before the fault."""
    inflater = zlib.decompressobj(wbits=31)
    found = b""
    try:
        for start in range(0, len(content), 65536):
            found += inflater.decompress(content[start : start + 65536])
    except zlib.error:
        pass
    return found


def require_fields(path: Path, lines: Sequence[str], fields: int, first_line: int, what: str) -> None:
    """Every line has as many comma-separated fields."""
    for number, line in enumerate(lines, first_line):
        if line.count(",") != fields - 1:
            found = line.count(",") + 1 if line.strip() else 0
            last = " (the last line: is the file truncated?)" if number == first_line + len(lines) - 1 else ""
            raise DataError(path, f"expected {fields} comma-separated fields ({what}), found {found}{last}", number)


def chosen_numbers(
    path: Path,
    lines: Sequence[str],
    columns: Sequence[int],
    names: Sequence[str],
    samples: Sequence[npt.NDArray[np.int64]],
    first_line: int,
    count: str | None = None,
) -> list[Floats]:
    """The numbers in the columns of each sample of lines; every line is parsed, so that every fault is found.

    With `count`, a name for it, the last column must not be negative.
    """
    chosen = np.unique(np.concatenate(samples))
    picked = []
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        try:
            table = np.loadtxt(block, delimiter=",", usecols=columns, comments=None, ndmin=2)
        except ValueError:
            table = None
        if table is None or not np.isfinite(table).all():
            _name_the_fault(path, block, columns, names, first_line + start)
        assert table is not None
        if count is not None and (table[:, -1] < 0).any():
            row = int(np.argmax(table[:, -1] < 0))
            raise DataError(
                path,
                f"expected a {count} of at least 0 in the last field, found {table[row, -1]:g}",
                first_line + start + row,
            )
        inside = chosen[(chosen >= start) & (chosen < start + _BLOCK)] - start
        picked.append(table[inside])
    numbers = np.concatenate(picked)
    return [numbers[np.searchsorted(chosen, sample)] for sample in samples]


def _name_the_fault(
    path: Path, block: Sequence[str], columns: Sequence[int], names: Sequence[str], first_line: int
) -> None:
    for number, line in enumerate(block, first_line):
        fields = line.split(",")
        for column in columns:
            if not is_number(fields[column]):
                raise DataError(
                    path,
                    f"expected a finite number in field {column + 1} ({names[column]}), found {fields[column]!r}",
                    number,
                )
    raise DataError(path, "expected finite numbers only", first_line)


def is_number(text: str) -> bool:
    """Whether a field reads as a finite number; 1_000, which Python would take for one, does not."""
    try:
        return bool(np.isfinite(float(text))) and "_" not in text
    except ValueError:
        return False


def subsamples(
    path: Path, available: int, rows: int, rngs: Sequence[np.random.Generator], what: str, first_line: int
) -> list[npt.NDArray[np.int64]]:
    """`rows` of the available lines, without replacement, in file order; one such sample for each generator."""
    if available < rows:
        fewer = f", or use fewer rows with --rows {available}" if available >= FEWEST_ROWS else ""
        raise DataError(
            path,
            f"expected at least {rows:,} rows of {what}, found {available:,}; give the whole file{fewer}",
            first_line + available,
        )
    return [np.sort(rng.choice(available, rows, replace=False)).astype(np.int64) for rng in rngs]
