"""A docstring in the numpydoc convention as Markdown."""

from __future__ import annotations

import inspect
import re

_SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)


def as_markdown(docstring: str) -> str:
    """The summary, then its sections: lists of names as lists, examples as code, all else as text."""
    text = inspect.cleandoc(docstring)
    found = list(_SECTION.finditer(text))
    ends = [*(one.start() for one in found), len(text)]
    parts = [text[: ends[0]].strip()]
    for one, end in zip(found, ends[1:], strict=True):
        parts.append(_section(one["title"], text[one.end() : end].strip()))
    return "\n\n".join(part for part in parts if part)


def _section(title: str, body: str) -> str:
    if title == "Examples":
        return f"**Examples**\n\n{_examples(body)}"
    if title in ("Parameters", "Attributes", "Returns", "Raises", "Methods"):
        return f"**{title}**\n\n{_named(body)}"
    return f"**{title}**\n\n{body}"


def _named(body: str) -> str:
    """Each name, which stands at the margin, with the text that is indented below it."""
    entries: list[tuple[str, list[str]]] = []
    for line in body.split("\n"):
        if line and not line.startswith(" "):
            entries.append((line.strip(), []))
        elif entries:
            entries[-1][1].append(line.strip())
    return "\n".join(f"- `{name}`: {' '.join(words).strip()}" if any(words) else f"- {name}" for name, words in entries)


def _examples(body: str) -> str:
    """Doctests as code, and the sentences between them as sentences."""
    blocks = re.split(r"\n\s*\n", body)
    return "\n\n".join(f"```pycon\n{block}\n```" if block.startswith(">>>") else block for block in blocks)
