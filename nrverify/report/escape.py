"""Escapes untrusted text for the terminal: it is neither markup nor a control sequence."""

from __future__ import annotations

from rich.markup import escape

from nrverify.plain_text import plain_text


def plain(words: str) -> str:
    """The words for a rich console, what could command the terminal or CI shown by its escape."""
    return escape(plain_text(words))
