"""All files of vectors, as texts; the same bytes whatever the number of workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

from nrverify.vectors.catalogue import FUNCTIONS
from nrverify.vectors.document import SCHEMA, text

Progress = Callable[[int, int, str], None]
"""Called with the number of files done, of all files, and the name of the one just done."""


def file_texts(executor: Executor | None = None, progress: Progress | None = None) -> dict[str, str]:
    """The text of each file by its name."""
    names = [function.name for function in FUNCTIONS]
    done: Iterator[str] = executor.map(_text, range(len(names))) if executor else map(_text, range(len(names)))
    texts = {}
    for count, (name, content) in enumerate(zip(names, done, strict=True), start=1):
        texts[f"{name}.json"] = content
        if progress:
            progress(count, len(names), name)
    return texts


def _text(index: int) -> str:
    return text(FUNCTIONS[index])


def is_vectors(content: bytes) -> bool:
    """Whether a file says that it is one of vectors."""
    found = _parsed(content)
    return isinstance(found, dict) and found.get("schema") == SCHEMA


def difference(expected: str, found: bytes) -> str | None:
    """Where a file differs from what is generated: the first case, or the first line; None where it does not."""
    if expected.encode() == found:
        return None
    old, new = _parsed(found), json.loads(expected)
    if isinstance(old, dict) and isinstance(old.get("cases"), list) and isinstance(new.get("cases"), list):
        before = {case.get("id"): case for case in old["cases"] if isinstance(case, dict)}
        for case in new["cases"]:
            if before.get(case["id"]) != case:
                return f"case {case['id']}"
    lines = zip(expected.encode().splitlines(), found.splitlines(), strict=False)
    number = next((n for n, (ours, theirs) in enumerate(lines, start=1) if ours != theirs), None)
    return f"line {number}" if number else "its end"


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
