"""Outputs of any kind in normal form: numbers, text, True, False, None, and lists or dictionaries of these."""

from __future__ import annotations

import inspect
import json
import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

from nrverify.subjects.errors import SubjectFailed

DEEPEST = 32
"""Lists within lists: deeper ones are a mistake, or a list that holds itself."""
MOST_ENTRIES = 100_000
"""Entries of one output: it is held in memory with thousands of others."""
MUST = "it must be a number, text, True, False, None, or a list of these or a dictionary with text keys"


@dataclass(frozen=True)
class Outputs:
    """Some outputs with what belongs to each: the ε it is said to have cost, and numbers an attacker would look at."""

    outputs: list[Any]
    spent: list[float] | None = None
    features: list[list[float]] | None = None


def normal(output: Any, what: str) -> Any:
    """The output in normal form; `SubjectFailed` where it is none."""
    if type(output) in (float, int, str, bool, type(None)):
        return output
    if inspect.iscoroutine(output):
        output.close()
        raise SubjectFailed(f"{what} is async, and returned a coroutine: {MUST}, from a plain method")
    left = [MOST_ENTRIES]
    return _normal(output, what, DEEPEST, left)


def _normal(output: Any, what: str, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise SubjectFailed(f"{what} returned more than {MOST_ENTRIES} entries in one output: return fewer")
    if output is None or isinstance(output, (bool, str)):
        return str(output) if isinstance(output, str) else output
    if isinstance(output, int):
        return int(output)
    if isinstance(output, float):
        return float(output)
    if hasattr(output, "tolist") and hasattr(output, "dtype"):
        if output.dtype.kind not in "biufUO":
            raise _refused(output, what)
        return _normal(output.tolist(), what, depth, left)
    if isinstance(output, Number) and not isinstance(output, complex):
        return float(output)  # type: ignore[arg-type]
    if depth == 0:
        raise SubjectFailed(f"{what} returned lists more than {DEEPEST} deep: return flatter ones")
    if isinstance(output, (list, tuple)):
        return [_normal(entry, what, depth - 1, left) for entry in output]
    if isinstance(output, dict) and all(isinstance(name, str) for name in output):
        return {str(name): _normal(entry, what, depth - 1, left) for name, entry in output.items()}
    raise _refused(output, what)


def _refused(output: Any, what: str) -> SubjectFailed:
    shown = " ".join(reprlib.repr(output).split())[:100]
    return SubjectFailed(f"{what} returned {shown} ({type(output).__name__}): {MUST}")


def copied(output: Any) -> Any:
    """An output in normal form whose lists are its own."""
    if isinstance(output, list):
        return [copied(entry) for entry in output]
    if isinstance(output, dict):
        return {name: copied(entry) for name, entry in output.items()}
    return output


def many(answer: Any, runs: int) -> list[Any]:
    """The outputs of so many runs at once, in normal form."""
    if isinstance(answer, (str, bytes, dict)) or not hasattr(answer, "__len__") or not hasattr(answer, "__iter__"):
        raise SubjectFailed(f"run_many() returned {type(answer).__name__}: a list or array of {runs} outputs is needed")
    if len(answer) != runs:
        raise SubjectFailed(f"run_many() returned {len(answer)} outputs: {runs} are needed, one for each run")
    if hasattr(answer, "tolist") and getattr(getattr(answer, "dtype", None), "kind", "") in tuple("biuf"):
        found: list[Any] = answer.tolist()
        return found
    return [normal(output, "run_many()") for output in answer]


def charge(answer: Any, smallest: float, output: Any) -> float:
    """The ε that spent(output) says; `SubjectFailed` unless it is a finite number of at least `smallest`."""
    shown = reprlib.repr(output)[:60]
    try:
        if isinstance(answer, (str, bytes, bool)):
            raise TypeError(answer)
        found = float(answer)
    except OverflowError:
        found = math.inf
    except (TypeError, ValueError):
        raise SubjectFailed(f"spent({shown}) is {reprlib.repr(answer)[:60]}: it must be a number") from None
    if not (math.isfinite(found) and found >= smallest):
        raise SubjectFailed(
            f"spent({shown}) is {found!r}: it must be finite and at least smallest_epsilon, which is {smallest!r}"
        )
    return found


def feature_rows(answers: Sequence[Any]) -> list[list[float]]:
    """The numbers of features(output) for each output, of which there may be more or fewer; else `SubjectFailed`."""
    rows: list[list[float]] = []
    for answer in answers:
        plain = normal(answer, "features()")
        row = plain if isinstance(plain, list) else [plain]
        if not all(type(entry) in (int, float, bool) for entry in row):
            raise SubjectFailed(
                f"features() returned {reprlib.repr(plain)[:80]}: it must be a number or a list of numbers"
            )
        rows.append([_float(entry) for entry in row])
    return rows


def _float(entry: float) -> float:
    try:
        return float(entry)
    except OverflowError:
        return math.inf if entry > 0 else -math.inf


def json_value(data: Any) -> Any:
    """A copy of data as JSON holds it; `ValueError` where it cannot."""
    try:
        return json.loads(json_text(data))
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def json_text(data: Any) -> str:
    """The one JSON text of data: equal data have equal texts."""
    _text_keys(data)
    return json.dumps(data, allow_nan=False, sort_keys=True, separators=(",", ":"))


def _text_keys(data: Any) -> None:
    """`ValueError` where a dictionary has keys that are no text: JSON would change them."""
    if isinstance(data, dict):
        if not all(isinstance(name, str) for name in data):
            raise ValueError("a key that is not text")
        for entry in data.values():
            _text_keys(entry)
    elif isinstance(data, (list, tuple)):
        for entry in data:
            _text_keys(entry)
