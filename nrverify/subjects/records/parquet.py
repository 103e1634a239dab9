"""Records in Parquet: one row for each release, turned into the arrays of an .npz record.

A Parquet reader is a large program in C++; it runs in a process of its own, with limits on memory and time, so that no
file can take the audit down with it. Run as `python -m nrverify.subjects.records.parquet FILE OUT.npz`.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.archive import MOST_BYTES
from nrverify.subjects.records.rows import arrays_from_rows
from nrverify.subjects.records.transcripts import MOST_DIMENSIONS

Arrays = dict[str, NDArray[Any]]

SECONDS = 120
"""Of wall clock and of CPU: generous for the largest record allowed, and a hostile file cannot hold an audit up for
longer."""
MEMORY = 8 * 2**30
"""Of address space: four times the two gigabytes that a record may hold, for copies made while columns become
arrays."""
MOST_HEADER = 2**20
"""Bytes of JSON: the largest header, a schedule and two values of 1000 numbers each, needs less than a tenth."""
SIDES = ("value", "neighbour")
UNUSABLE = 3
"""Exit code: unlike 1 and 2, which Python itself uses for an exception and for wrong arguments."""


@contextmanager
def as_npz(path: Path) -> Iterator[Path]:
    """The same record as an .npz file, there for the time being."""
    if importlib.util.find_spec("pyarrow") is None:
        raise SubjectFailed("reading Parquet needs pyarrow: pip install 'nrverify[parquet]'")
    if not path.is_file():
        raise SubjectFailed("there is no such file" if not path.exists() else "this is not an ordinary file")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "record.npz"
        command = [sys.executable, "-P", "-m", "nrverify.subjects.records.parquet", str(path.resolve()), str(out)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            raise SubjectFailed(f"reading it took longer than {SECONDS} seconds") from None
        if done.returncode == UNUSABLE:
            raise SubjectFailed(" ".join(done.stdout.split())[:500])
        if done.returncode != 0:
            ended = f"by signal {signal.Signals(-done.returncode).name}" if done.returncode < 0 else "with an error"
            last = (done.stderr.strip().splitlines() or [""])[-1][:200]
            raise SubjectFailed(f"the Parquet reader ended {ended}: {last}".rstrip(": "))
        yield out


def arrays_of(path: Path) -> Arrays:
    """The arrays of a record from its rows; `SubjectFailed` when the rows do not make one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path, thrift_string_size_limit=10**8, thrift_container_size_limit=10**6)
        arrays = _header((file.schema_arrow.metadata or {}).get(b"nrverify"))
        columns = _columns(file)
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        raise SubjectFailed(f"it cannot be read as Parquet: {' '.join(str(error).split())[:160]}") from None
    return arrays_from_rows(arrays, columns)


def _header(text: bytes | None) -> Arrays:
    """The header from the metadata of the file: a JSON object of text, numbers and lists of numbers."""
    if text is None or len(text) > MOST_HEADER:
        raise SubjectFailed("its metadata has no key 'nrverify' with the header of the record as a JSON object")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise SubjectFailed("the header under the metadata key 'nrverify' is not JSON") from None
    if not isinstance(header, dict):
        raise SubjectFailed("the header under the metadata key 'nrverify' is not a JSON object")
    return {name: _entry(name, entry) for name, entry in header.items() if entry is not None}


def _entry(name: str, entry: Any) -> NDArray[Any]:
    if isinstance(entry, (str, bool)):
        return np.array(entry)
    numbers = entry if isinstance(entry, list) else [entry]
    if not all(type(number) in (int, float) and abs(number) < 2**63 for number in numbers if number == number):
        raise SubjectFailed(
            f"{name!r:.60} in the header is neither text nor a number, a truth value or a list of numbers"
        )
    array = np.array([float(number) for number in numbers])
    return array if isinstance(entry, list) else array.reshape(())


def _columns(file: Any) -> Arrays:
    """The columns of numbers as arrays, and the side of each row as whether it is the value's."""
    import pyarrow as pa

    schema, metadata = file.schema_arrow, file.metadata
    if len(schema.names) > MOST_DIMENSIONS + 8 or len(set(schema.names)) < len(schema.names):
        raise SubjectFailed("it has too many columns, or two of one name")
    if metadata.num_rows * 8 * max(len(schema.names), 1) > MOST_BYTES:
        raise SubjectFailed(f"it says it has {metadata.num_rows} rows: that is more than {MOST_BYTES} bytes")
    for field in schema:
        text = pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        text = text or (pa.types.is_dictionary(field.type) and pa.types.is_string(field.type.value_type))
        plain = pa.types.is_integer(field.type) or pa.types.is_float64(field.type)
        if (field.name == "side") != text or not (text or plain):
            wanted = "text" if field.name == "side" else "float64 or integers"
            raise SubjectFailed(f"column {field.name!r:.60} is of type {str(field.type)[:60]}: {wanted} is needed")
    pieces: dict[str, list[NDArray[Any]]] = {name: [] for name in schema.names}
    seen = 0
    for batch in file.iter_batches(batch_size=65_536, use_threads=False):
        seen += batch.num_rows
        if seen > metadata.num_rows:
            raise SubjectFailed("it has more rows than it says")
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.null_count:
                raise SubjectFailed(f"column {name!r:.60} has empty entries")
            pieces[name].append(_side(column) if name == "side" else column.to_numpy(zero_copy_only=False))
    if seen == 0:
        raise SubjectFailed("it has no rows")
    return {name: np.concatenate(parts) for name, parts in pieces.items()}


def _side(column: Any) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    words = column.cast(pa.large_string())
    own, other = (pc.equal(words, side).to_numpy(zero_copy_only=False) for side in SIDES)
    if not (own | other).all():
        odd = words[int(np.argmin(own | other))].as_py()
        raise SubjectFailed(f"column side has {odd!r:.60}: 'value' or 'neighbour' is needed")
    return np.asarray(own, dtype=bool)


def _limit_this_process() -> None:
    import resource

    for name, most in (("RLIMIT_AS", MEMORY), ("RLIMIT_CPU", SECONDS), ("RLIMIT_CORE", 0)):
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (ValueError, OSError):
            continue


def _convert(path: str, out: str) -> int:
    _limit_this_process()
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    try:
        np.savez(out, **arrays_of(Path(path)))  # type: ignore[arg-type]
    except SubjectFailed as failure:
        print(failure)
        return UNUSABLE
    return 0


if __name__ == "__main__":
    sys.exit(_convert(*sys.argv[1:]))
