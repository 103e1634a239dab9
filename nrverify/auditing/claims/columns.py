"""Outputs of any kind as columns: every entry as a key that tells values apart, and as a number where it is one.

A column is named by its path: the places that lead to an entry (`(1, 0)` is the first entry of the second), or a
property of a list or text, written with a leading `#`. True, 1 and 1.0 have different keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.texts import parts_of

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
Path = tuple[int | str, ...]

MOST_COLUMNS = 256
"""Entries beyond are seen through the whole output and its sum alone: memory and time stay bounded for long lists."""
WHOLE: Path = ("#whole",)
"""The whole output: equal keys are equal outputs."""
CHARGED: Path = ("#charged",)
"""The ε that the subject says an output has cost."""
MISSING = np.uint64(0)
"""The key of an entry that an output does not have."""
TAGS: dict[type, int] = {type(None): 1, bool: 2, int: 3, float: 4, str: 5, list: 6, dict: 7}
"""So that equal values of different types differ."""
_FACTOR, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd constants (of splitmix64 and xxHash): multiplication by them mixes the bits one-to-one."""


@dataclass(frozen=True)
class Columns:
    """Some outputs side by side."""

    size: int
    keys: dict[Path, Keys]
    values: dict[Path, Floats]
    """NaN where an entry is not a number."""

    def rows(self, rows: slice) -> Columns:
        """The columns of some of them."""
        keys = {path: key[rows] for path, key in self.keys.items()}
        return Columns(len(range(self.size)[rows]), keys, {path: value[rows] for path, value in self.values.items()})


def columns_of(outputs: Sequence[Any]) -> Columns:
    """The columns of outputs in normal form (`subjects.outputs`)."""
    kinds = set(map(type, outputs))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind in (int, float, bool) and (numbers := _numbers(outputs)) is not None:
        found = _of_arrays(len(outputs), {(): numbers}, TAGS[kind])
        return Columns(found.size, {**found.keys, WHOLE: found.keys[()]}, {**found.values, WHOLE: numbers})
    if kind is list and (array := _matrix(outputs)) is not None:
        return _of_matrix(array, outputs, TAGS[type(outputs[0][0])])
    return _of_anything(outputs)


def _numbers(outputs: Sequence[Any]) -> Floats | None:
    """Numbers as floats; None where an integer is too large to be one exactly."""
    try:
        found = np.array(outputs, dtype=float)
    except OverflowError:
        return None
    exact = type(outputs[0]) is float or bool(np.all(np.abs(found) < 2**53))
    return found if exact else None


def _matrix(outputs: Sequence[Any]) -> Floats | None:
    """Lists of numbers of one type and length as an array; None where they are not that."""
    length = len(outputs[0])
    if not 1 < length <= MOST_COLUMNS - 4 or any(len(output) != length for output in outputs):
        return None
    kind = type(outputs[0][0])
    if kind not in (int, float) or any(type(entry) is not kind for output in outputs for entry in output):
        return None
    flat = _numbers([entry for output in outputs for entry in output])
    return None if flat is None else flat.reshape(-1, length)


def _of_matrix(array: Floats, outputs: Sequence[Any], tag: int) -> Columns:
    """As `_of_anything` does, for all rows at once."""
    size, length = array.shape
    found = _of_arrays(size, {(place,): array[:, place] for place in range(length)}, tag)
    different = array != array[:, :1]
    change = np.where(different.any(axis=1), different.argmax(axis=1), length).astype(float)
    ordered = np.where(np.isnan(array), -np.inf, array)
    largest = ordered.argmax(axis=1).astype(float)
    integers: dict[Path, Floats] = {
        ("#length",): np.full(size, float(length)),
        ("#change",): change,
        ("#largest",): largest,
    }
    own = _of_arrays(size, integers, TAGS[int])
    sums = _of_arrays(size, {("#sum",): array.sum(axis=1)}, TAGS[float])
    whole = np.array([digest(repr(output)) for output in outputs], dtype=np.uint64)
    keys = {**own.keys, **sums.keys, **found.keys, WHOLE: whole}
    return Columns(size, keys, {**own.values, **sums.values, **found.values, WHOLE: np.full(size, np.nan)})


def _of_arrays(size: int, columns: Mapping[Path, Floats], tag: int) -> Columns:
    return Columns(size, {path: mixed(_bits(value), tag) for path, value in columns.items()}, dict(columns))


def _bits(value: Floats) -> Keys:
    return np.ascontiguousarray(value, dtype=np.float64).view(np.uint64)


def mixed(payload: Keys, tag: int) -> Keys:
    """Keys of payloads under a tag: one-to-one for each tag, and hardly ever equal under two."""
    with np.errstate(over="ignore"):
        found = payload * _FACTOR + np.uint64(tag) * _STEP
        return np.asarray(found ^ (found >> np.uint64(29)))


def _of_anything(outputs: Sequence[Any]) -> Columns:
    """One output after the other: any types, lengths and depths."""
    size = len(outputs)
    found: dict[Path, tuple[list[int], list[Any]]] = {}
    for row, output in enumerate(outputs):
        for path, entry in _entries(output, ()):
            if path not in found:
                if len(found) >= MOST_COLUMNS:
                    continue
                found[path] = [], []
            rows, entries = found[path]
            rows.append(row)
            entries.append(entry)
    keys: dict[Path, Keys] = {}
    values: dict[Path, Floats] = {}
    for path, (rows, entries) in found.items():
        keys[path], values[path] = np.full(size, MISSING), np.full(size, np.nan)
        keys[path][rows], values[path][rows] = _column(entries)
    # Of an output that is one entry, the whole is that entry.
    single = np.array([not isinstance(output, (list, dict)) for output in outputs])
    keys[WHOLE] = np.copy(keys[()]) if () in keys else np.zeros(size, dtype=np.uint64)
    keys[WHOLE][~single] = [digest(repr(output)) for output in outputs if isinstance(output, (list, dict))]
    values[WHOLE] = np.copy(values[()]) if () in values else np.full(size, np.nan)
    return Columns(size, keys, values)


def _column(entries: list[Any]) -> tuple[Keys, Floats]:
    """Keys and values of entries of any types."""
    kinds = set(map(type, entries))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind in (int, float, bool) and (known := _numbers(entries)) is not None:
        return mixed(_bits(known), TAGS[kind]), known
    tags = np.array([TAGS[type(entry)] for entry in entries], dtype=np.uint64)
    numbers = np.array([np.nan if entry is None or type(entry) is str else _float(entry) for entry in entries])
    payload = _bits(numbers).copy()
    for row, entry in enumerate(entries):
        if entry is None:
            payload[row] = 0
        elif type(entry) is str or (type(entry) is int and abs(entry) >= 2**53):
            payload[row] = digest(str(entry))
    with np.errstate(over="ignore"):
        found = payload * _FACTOR + tags * _STEP
    return found ^ (found >> np.uint64(29)), numbers


def _entries(output: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """All entries of an output with their paths, and the properties of its lists and texts."""
    if isinstance(output, list):
        yield (*path, "#length"), len(output)
        if len(output) > 1:
            yield (*path, "#change"), _first_change(output)
            if all(type(entry) in (int, float) for entry in output):
                yield (
                    (*path, "#largest"),
                    int(np.argmax([-np.inf if entry != entry else entry for entry in map(_float, output)])),
                )
                yield (*path, "#sum"), float(sum(map(_float, output)))
        for place, entry in enumerate(output):
            yield from _entries(entry, (*path, place))
    elif isinstance(output, dict):
        yield (*path, "#names"), "\0".join(output)
        for name, entry in output.items():
            yield from _entries(entry, (*path, f"={name}"))
    else:
        yield path, output
        if type(output) is str:
            for step, part in parts_of(output):
                yield (*path, step), part


def _first_change(output: list[Any]) -> int:
    """The place of the first entry unlike the first; the length where all are alike."""
    first = output[0]
    changes = (place for place, entry in enumerate(output) if type(entry) is not type(first) or entry != first)
    return next(changes, len(output))


def _float(entry: float) -> float:
    try:
        return float(entry)
    except OverflowError:
        return np.inf if entry > 0 else -np.inf


@lru_cache(maxsize=4096)
def digest(text: str) -> int:
    """64 bits of a text: the same in any process."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
