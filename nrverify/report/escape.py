"""Words of strangers on a terminal: neither markup nor commands to it."""

from __future__ import annotations

import re

from rich.markup import escape

COMMANDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but the tab and the end of a line, what turns the direction of writing, halves of characters."""


def plain(words: str) -> str:
    """The words for a rich console, what could command the terminal shown by its escape."""
    return escape(COMMANDING.sub(lambda found: found[0].encode("unicode_escape").decode(), words))
