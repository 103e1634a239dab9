"""Attributes of a subject: what each may be, how it is read, what is said when it is wrong, and how it is documented.

The table itself is the body of `Description`: one row, made by `attribute(…)`, declares a field there and everything
else about it. Python subjects, replies to `describe`, records and replay files are all read by that table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Literal, TypeVar

from nrverify.closest import LIKENESS, closest
from nrverify.subjects.errors import SubjectFailed

T = TypeVar("T")

LONGEST_TEXT = 200
"""Room for a name and a version on one or two lines; more, from a subject nobody vouches for, would flood a report."""
NEARLY = 0.9
"""A name as like as this to an attribute that is not given is warned about: `ranges` is, `interval_length` is not."""
SAME_WORD = 0.8
"""A name as like as this to that of a missing attribute is taken for it: `sensitivty` is, `data` is not `delta`."""


@dataclass(frozen=True)
class AttributeKind(Generic[T]):
    """A type of attribute."""

    must: str
    """What it must be, as the end of a sentence."""
    read: Callable[[Any], T]
    """The value, checked; raises TypeError, ValueError or OverflowError for everything that it must not be."""
    names: tuple[str, ...] = ()
    """The allowed values, where there are few."""
    many: bool = False
    """Whether it is a list."""


@dataclass(frozen=True)
class Attribute:
    """One row of the table."""

    kind: AttributeKind[Any]
    words: str
    """What it means, in a sentence for the documentation."""
    applies: tuple[str, ...] = ()
    """The mechanisms it is for; none is all of them."""
    elsewhere: Literal["ignored", "refused", "unread"] = "ignored"
    """What becomes of it with another mechanism; "unread" is not even looked at, since it may be something else."""
    default: Any = None
    required: bool = False
    recorded: bool = True
    """Whether a record may hold it; what says where to ask cannot."""
    since: str = "0.1"
    likeness: float = LIKENESS
    """How like an allowed value must be to one that is not, to be suggested."""
    remedy: str = ""
    """What else may help where a value is none of those allowed, as the end of a sentence."""
    name: str = ""

    def parse(self, value: Any, mechanism: str | None) -> Any:
        """The value, checked; `SubjectFailed` in the words `attribute NAME is VALUE: it must be …`."""
        if self.elsewhere == "refused" and mechanism is not None and self.applies and mechanism not in self.applies:
            raise self.error(value, f"left out: it is for {', '.join(self.applies)}, and this is {mechanism}")
        try:
            return self.kind.read(value)
        except (TypeError, ValueError, OverflowError):
            raise self.error(value) from None

    def error(self, value: Any, must: str | None = None) -> SubjectFailed:
        """The error that the value is not what it must be, with the allowed one that may have been meant."""
        close = closest(str(value), self.kind.names, self.likeness)
        hint = f"; did you mean {close!r}?" if close is not None and must is None else ""
        hint += f"; {self.remedy}" if self.remedy and close is None and must is None else ""
        return SubjectFailed(f"attribute {self.name} is {value!r:.100}: it must be {must or self.kind.must}{hint}")


def attribute(kind: AttributeKind[Any], words: str, **more: Any) -> Any:
    """A field of a dataclass that is a row of the table; `more` are the fields of `Attribute`."""
    row = Attribute(kind, words, **more)
    if row.required:
        return field(metadata={"attribute": row})
    return field(default=row.default, metadata={"attribute": row})


def table(of: type) -> dict[str, Attribute]:
    """The rows of a dataclass by their names, in its order."""
    rows = {part.name: part.metadata["attribute"] for part in fields(of) if "attribute" in part.metadata}
    return {name: replace(row, name=name) for name, row in rows.items()}


def parse(rows: Mapping[str, Attribute], given: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are given, checked; None is absent, and names that are not in the table are ignored."""
    found: dict[str, Any] = {}
    for name, row in rows.items():
        if row.elsewhere == "unread" and found.get("mechanism") not in row.applies:
            continue
        if given.get(name) is not None:
            found[name] = row.parse(given[name], found.get("mechanism"))
        elif row.required:
            raise missing(row, given, f"it must be {row.kind.must}")
    return found


def missing(row: Attribute, given: Iterable[str], why: str) -> SubjectFailed:
    """The error that an attribute is not given, with the name that may have been meant for it."""
    near = closest(row.name, [name for name in given if name != row.name], SAME_WORD)
    hint = f"; is {near!r} meant for it?" if near is not None else ""
    return SubjectFailed(f"attribute {row.name} is missing: {why}{hint}")


def misspelt(rows: Mapping[str, Attribute], names: Iterable[str], given: Any, mechanism: str) -> tuple[Any, ...]:
    """Names that are read nowhere and nearly those of attributes that `given` lacks, each with that attribute."""
    lacking = [
        name
        for name, row in rows.items()
        if getattr(given, name, None) in (None, row.default) and (not row.applies or mechanism in row.applies)
    ]
    unread = [name for name in names if name not in rows]
    pairs = [(name, closest(name, lacking, NEARLY)) for name in unread]
    return tuple((printable(name), meant) for name, meant in pairs if meant is not None)


def markdown(rows: Mapping[str, Attribute]) -> str:
    """The table for the documentation."""
    lines = ["| attribute | for | must be | meaning |", "|---|---|---|---|"]
    for name, row in rows.items():
        where = ", ".join(f"`{mechanism}`" for mechanism in row.applies) or "all"
        if row.elsewhere == "refused":
            where += " only"
        must = row.kind.must
        for allowed in row.kind.names:
            must = must.replace(f" {allowed}", f" `{allowed}`")
        usual = f" (default `{row.default}`)" if isinstance(row.default, str) else ""
        since = "" if row.since == "0.1" else f" Since {row.since}."
        lines.append(f"| `{name}` | {where} | {must}{usual} | {row.words}{since} |")
    return "\n".join(lines) + "\n"


def printable(words: object) -> str:
    """At most 200 characters, none of which moves a terminal's cursor or ends a line."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(words)[:LONGEST_TEXT])


TEXT = AttributeKind("text", printable)


def one_of(*names: str) -> AttributeKind[str]:
    """One of some words."""

    def read(value: Any) -> str:
        # The word itself, and not the value: a member of an enumeration shows its name.
        return names[names.index(value)]

    return AttributeKind(f"one of {', '.join(names)}", read, names)


def number(must: str, allowed: Callable[[float], bool]) -> AttributeKind[float]:
    """A finite number that is allowed."""

    def read(value: Any) -> float:
        found = real(value)
        if not math.isfinite(found) or not allowed(found):
            raise ValueError(found)
        return found

    return AttributeKind(must, read)


POSITIVE = number("a positive finite number", lambda x: x > 0)
NOT_NEGATIVE = number("a finite number of at least 0", lambda x: x >= 0)
PROBABILITY = number("a number of at least 0 and below 1", lambda x: 0 <= x < 1)


def pair(finite: bool) -> AttributeKind[tuple[float, float]]:
    """(smallest, largest) of positive numbers; the largest may be infinite unless it must be `finite`."""

    def read(value: Any) -> tuple[float, float]:
        low, high = (real(end) for end in value)
        if not 0 <= low < high or (finite and math.isinf(high)):
            raise ValueError(value)
        return low, high

    ends = "finite numbers" if finite else "numbers"
    return AttributeKind(f"a pair (smallest, largest) of {ends} with 0 ≤ smallest < largest", read, many=True)


def integer_from(least: int) -> AttributeKind[int]:
    """An integer that is not smaller."""

    def read(value: Any) -> int:
        found = real(value)
        if not found.is_integer() or found < least:
            raise ValueError(value)
        return int(found)

    return AttributeKind(f"an integer of at least {least}", read)


def integers(most: int) -> AttributeKind[tuple[int, ...]]:
    """Some integers from 1 on, in order and each once."""

    def read(value: Any) -> tuple[int, ...]:
        found = sorted({real(entry) for entry in value})
        if not found or not all(1 <= entry <= most and entry.is_integer() for entry in found):
            raise ValueError(value)
        return tuple(int(entry) for entry in found)

    return AttributeKind(f"a list of integers from 1 to {most}", read, many=True)


def real(value: Any) -> float:
    """A number; texts that look like one and truth values are not."""
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(value)
    return float(value)


def count(most: int) -> AttributeKind[int]:
    """One integer from 1 on."""

    def read(value: Any) -> int:
        found = real(value)
        if not (1 <= found <= most and found.is_integer()):
            raise ValueError(value)
        return int(found)

    return AttributeKind(f"an integer from 1 to {most}", read)
