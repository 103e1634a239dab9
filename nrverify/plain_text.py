"""Words of strangers made harmless: no command to a terminal, to a reader's eyes, or to the machine that runs CI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|[\U000e0000-\U000e007f]"
)
"""Control characters but the tab and the end of a line, what turns the direction of writing or is not seen, halves of
characters."""
WORKFLOW = re.compile(
    r"::(?=(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|notice|remove-matcher|save-state|set-env"
    r"|set-output|stop-commands|warning)\b)|##(?=[\w ]*\[)",
    re.IGNORECASE,
)
"""Where a command to GitHub, Azure Pipelines or TeamCity begins: it is obeyed wherever a line is broken before it."""


def plain_text(words: str, one_line: bool = False) -> str:
    """The words, what commands shown by its escape; in one line if asked for."""
    if one_line:
        words = " ".join(words.split())
    words = COMMANDING.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode(), words)
    return WORKFLOW.sub(lambda found: f"{found[0][0]} {found[0][1]}", words)


def plain_fields(record: Any) -> None:
    """Every text in the fields of a dataclass made plain, in place, however deep."""
    for field in fields(record):
        object.__setattr__(record, field.name, _plain(getattr(record, field.name)))


def _plain(value: Any) -> Any:
    if type(value) is str:
        return plain_text(value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(part) for key, part in value.items()}
    if type(value) in (tuple, list):
        return type(value)(_plain(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        plain_fields(value)
    return value
