"""The catalogue of checks as a reader meets them: from their declarations."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.declaration import Declaration
from nrverify.auditing.registry import all_declarations


@dataclass(frozen=True)
class Entry:
    """A check as a reader meets it."""

    id: str
    claim: str
    claims: tuple[str, ...]
    docs: tuple[str, ...]
    """What it asks, catches and misses; one text for each kind of subject it has a form for."""
    forms: dict[tuple[str, ...], str]
    """The same text by the claims that form bears on."""


def catalogue() -> dict[str, Entry]:
    """All checks by id."""
    found: dict[str, list[Declaration]] = {}
    for one in all_declarations():
        found.setdefault(one.id, []).append(one)
    return {id: _entry(id, forms) for id, forms in found.items()}


def _entry(id: str, forms: list[Declaration]) -> Entry:
    bearing = tuple(sorted({claim for one in forms for claim in one.claims}))
    docs = tuple(dict.fromkeys(one.doc for one in forms))
    return Entry(id, forms[0].sentence, bearing, docs, {one.claims: one.doc for one in forms})
