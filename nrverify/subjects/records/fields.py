"""The fields of a record, one by one: text, numbers and arrays as they must be, or a sentence that says what they are.

A record is a table from names to arrays, however it was stored; `Fields` takes them out and refuses what is left over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.closest import closest
from nrverify.subjects.attributes import LONGEST_TEXT, Attribute
from nrverify.subjects.errors import SubjectFailed

Floats = NDArray[np.float64]

TRANSCRIPTS = (
    *("value", "neighbour", "schedule", "times", "releases", "asked", "seeds"),
    *("times_neighbour", "releases_neighbour", "asked_neighbour", "seeds_neighbour"),
)
"""The arrays of recorded transcripts, beside the attributes."""
RUNS = (
    *("sensitivity", "threshold", "epsilons", "utilities", "rounds", "seeds"),
    *("utilities_neighbour", "rounds_neighbour", "seeds_neighbour"),
)
"""The arrays of recorded runs, beside the attributes."""
OUTPUTS = (
    *("neighbours", "outputs", "spent", "seeds"),
    *("outputs_neighbour", "spent_neighbour", "seeds_neighbour"),
)
"""The arrays of recorded outputs, beside the attributes."""
MOST_SAID = 10_000
"""Entries of an attribute: as many as there may be dimensions."""


class Fields:
    """Named arrays of a file, each checked as it is taken."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = dict(arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def attributes(self, rows: Mapping[str, Attribute], usual_name: str) -> dict[str, Any]:
        """What the record says of the implementation, unchecked but for the kind of array it stands in."""
        said = {name: self._said(name, row.kind.many) for name, row in rows.items() if name in self._arrays}
        return {**said, "name": said.get("name") or usual_name}

    def _said(self, name: str, many: bool) -> Any:
        array = self._arrays[name]
        if array.dtype.kind == "U":
            return self.text(name)
        if array.size > MOST_SAID:
            raise SubjectFailed(f"array {name} is {_words(array)}: an attribute has at most {MOST_SAID} entries")
        return array.item() if array.size == 1 and not many else array.tolist()

    def array(self, name: str) -> NDArray[Any]:
        """An array as it is."""
        if name not in self._arrays:
            raise SubjectFailed(f"there is no array {name}: it is needed")
        return self._arrays[name]

    def allow(self, names: tuple[str, ...]) -> None:
        """Refuses a name that means nothing here: it may be one that was meant to matter."""
        for name in self._arrays:
            if name not in names:
                close = closest(name, names)
                hint = f"; did you mean {close!r}?" if close else f"; the names are {', '.join(names)}"
                raise SubjectFailed(f"there is no use for an array {name!r:.60}{hint}")

    def text(self, name: str) -> str | None:
        """A short text, or None."""
        if name not in self._arrays:
            return None
        array = self._arrays[name]
        if array.dtype.kind != "U" or array.size != 1:
            raise SubjectFailed(f"array {name} is {_words(array)}: one text is needed")
        found = str(array.reshape(())[()])
        if len(found) > LONGEST_TEXT or not found.isprintable():
            raise SubjectFailed(f"array {name} is a text of {len(found)} characters: at most {LONGEST_TEXT} plain ones")
        return found

    def number(self, name: str) -> float | None:
        """One finite number, or None."""
        if name not in self._arrays:
            return None
        array = self._numbers(name, "one number")
        if array.size != 1 or not np.isfinite(array).all():
            raise SubjectFailed(f"array {name} is {_words(array)}: one finite number is needed")
        return float(array.reshape(())[()])

    def vector(self, name: str, length: int | None = None) -> Floats:
        """A list of finite numbers, at least one; a single number is a list of one."""
        array = self._numbers(name, "a list of numbers")
        array = array.reshape(1) if array.ndim == 0 else array
        if array.ndim != 1 or array.size == 0 or (length is not None and array.size != length):
            wanted = "at least one number" if length is None else f"{length} numbers"
            raise SubjectFailed(f"array {name} is {_words(array)}: a list of {wanted} is needed")
        if not np.isfinite(array).all():
            raise SubjectFailed(f"array {name} has an entry that is NaN or infinite at {_first(~np.isfinite(array))}")
        return array.astype(np.float64)

    def block(self, name: str, shape: tuple[int | None, ...], words: str) -> NDArray[Any]:
        """Numbers of that shape (None is any length but 0), in double precision or whole; kept as they are stored."""
        array = self._numbers(name, f"numbers of shape {words}")
        if array.ndim == len(shape) - 1 and shape[-1] == 1:
            array = array[..., None]
        fits = array.ndim == len(shape) and all(
            have == want if want is not None else have > 0 for have, want in zip(array.shape, shape, strict=True)
        )
        if not fits:
            raise SubjectFailed(f"array {name} is {_words(self._arrays[name])}: shape {words} is needed")
        if array.dtype.kind == "f" and array.dtype.itemsize != 8:
            raise SubjectFailed(
                f"array {name} is {array.dtype}: float64 is needed, for what is lost in single precision is a finding"
            )
        return array

    def whole(self, name: str, length: int | None, least: int, most: int) -> NDArray[np.int64]:
        """Whole numbers between bounds, one for each session."""
        array = self._numbers(name, "integers")
        if array.ndim != 1 or array.size == 0 or (length is not None and array.size != length):
            raise SubjectFailed(f"array {name} is {_words(array)}: one number for each session is needed")
        bad = ~((array >= least) & (array <= most) & (array == np.round(array)))
        if bad.any():
            index = _first(bad)
            raise SubjectFailed(
                f"array {name} has {array[index]} at {index}: integers from {least} to {most} are needed"
            )
        return array.astype(np.int64)

    def table(self, name: str, columns: int, least: int, most: int) -> NDArray[np.int64]:
        """Whole numbers between bounds, so many for each session."""
        array = self._numbers(name, f"integers of shape (runs, {columns})")
        if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] != columns:
            raise SubjectFailed(f"array {name} is {_words(array)}: shape (runs, {columns}) is needed")
        bad = ~((array >= least) & (array <= most) & (array == np.round(array)))
        if bad.any():
            index = _first(bad)
            raise SubjectFailed(
                f"array {name} has {array[index]} at {index}: integers from {least} to {most} are needed"
            )
        return array.astype(np.int64)

    def seeds(self, sessions: int, others: int) -> None:
        """Seeds, where they are recorded, differ between all sessions of both sides: equal seeds are equal noise."""
        lengths = {"seeds": sessions, "seeds_neighbour": others}
        found = [self.whole(name, length, 0, 2**63 - 1) for name, length in lengths.items() if name in self._arrays]
        if not found:
            return
        numbers, counts = np.unique(np.concatenate(found), return_counts=True)
        if (counts > 1).any():
            raise SubjectFailed(
                f"the seed {int(numbers[np.argmax(counts > 1)])} occurs more than once in seeds or seeds_neighbour: "
                "every session needs a seed of its own, also across the two values"
            )

    def _numbers(self, name: str, wanted: str) -> NDArray[Any]:
        if name not in self._arrays:
            raise SubjectFailed(f"there is no array {name}: {wanted} under that name is needed")
        array = self._arrays[name]
        if array.dtype.kind not in "iuf":
            raise SubjectFailed(f"array {name} is {_words(array)}: {wanted} is needed")
        return array


def _first(where: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(axis[0]) for axis in np.nonzero(where))


def _words(array: NDArray[Any]) -> str:
    return f"of {array.dtype} and shape {array.shape}"
