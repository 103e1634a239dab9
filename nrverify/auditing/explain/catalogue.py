"""The catalogue of checks: every class of this package that has an id, with what it catches and misses."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass

import nrverify.auditing
from nrverify.auditing.explain.message import CLAIM


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
    found: dict[str, list[type]] = {}
    for info in pkgutil.walk_packages(nrverify.auditing.__path__, prefix="nrverify.auditing."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and getattr(value, "id", None) in CLAIM and hasattr(value, "conclude"):
                found.setdefault(value.id, []).append(value)
    return {id: _entry(id, found[id]) for id in CLAIM if id in found}


def _entry(id: str, classes: list[type]) -> Entry:
    bearing = tuple(sorted({claim for cls in classes for claim in getattr(cls, "claims", ())}))
    docs = {cls: inspect.cleandoc(cls.__doc__ or "") for cls in classes}
    forms = {tuple(getattr(cls, "claims", ())): doc for cls, doc in docs.items()}
    return Entry(id, CLAIM[id], bearing, tuple(docs.values()), forms)
