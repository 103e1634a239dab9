"""The terms of reports and documents, read from the glossary."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_ENTRY = re.compile(r"^\*\*(?P<terms>[^*]+)\*\* — (?P<words>.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


@cache
def terms() -> dict[str, tuple[str, str]]:
    """Each term, and each of its other spellings, in lower case: how the glossary writes it, and what it says."""
    text = (files("nrverify") / "GLOSSARY.md").read_text("utf-8")
    found = {}
    for entry in _ENTRY.finditer(text):
        words = _plain(" ".join(entry["words"].split()))
        for spelling in _spellings(entry["terms"]):
            found[spelling] = (entry["terms"], words)
    return found


def _spellings(written: str) -> set[str]:
    """`α (alpha)` is found as α and as alpha, `covered, not covered` as either, `boundary ψ` as boundary too."""
    whole = written.replace("`", "").lower()
    parts = [part.strip() for part in re.split(r"[,()]", whole) if part.strip()]
    short = {word for part in parts if (word := re.sub(r" (ψ|δ|t)$", "", part)) != part}
    return {whole, *parts, *short}


def _plain(text: str) -> str:
    """Without the marks of Markdown, and links by their words."""
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).replace("`", "").replace("*", "")
