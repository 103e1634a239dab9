"""Escapes untrusted text: no control sequence, no invisible character, no command to the machine that runs CI."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any

COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|[\U000e0000-\U000e007f]"
)
"""Control characters but the tab and the end of a line, what turns the direction of writing or is not seen, halves of
characters."""
WORKFLOW = re.compile(
    r"::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice|remove-matcher"
    r"|save-state|set-env|set-output|stop-commands|warning)\b)|##(?=[\w ]*\[)",
    re.IGNORECASE,
)
"""Where a command to GitHub, Azure Pipelines or TeamCity begins: it is obeyed wherever a line is broken before it."""


def plain_text(words: str, one_line: bool = False) -> str:
    """The words, what commands shown by its escape; in one line if asked for."""
    if one_line:
        words = " ".join(words.split())
    words = COMMANDING.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), words)
    return WORKFLOW.sub(lambda found: f"{found[0][0]} {found[0][1]}", words)


def plain_json(document: str) -> str:
    """The same JSON document, in which what commands is written by JSON's own escapes."""
    document = COMMANDING.sub(lambda found: _escaped(found[0]), document)
    return WORKFLOW.sub(lambda found: found[0][0] + _escaped(found[0][1:]), document)


def _escaped(words: str) -> str:
    """In UTF-16, as JSON has it."""
    return "".join(f"\\u{unit:04x}" for unit in memoryview(words.encode("utf-16-le", "surrogatepass")).cast("H"))


def plain(value: Any) -> Any:
    """The value with every text in it made plain, however deep; itself where nothing commands, else a copy."""
    if type(value) is str:
        words = plain_text(value)
        return value if words == value else words
    if isinstance(value, Mapping):
        pairs = [(plain(key), plain(part)) for key, part in value.items()]
        same = all(key is old and part is value[old] for (key, part), old in zip(pairs, value, strict=True))
        return value if same else dict(pairs)
    if type(value) in (tuple, list):
        parts = [plain(part) for part in value]
        return value if all(map(is_, parts, value)) else type(value)(parts)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {name: part for name, old in _fields(value) if (part := plain(old)) is not old}
        return replace(value, **changed) if changed else value
    return value


def _fields(record: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(record, field.name)) for field in fields(record) if field.init)
