"""Suites: packages of evidence, found through the entry-point group `nrverify.suites`."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import ModuleType

from nrverify.ledger.evidence import Evidence

GROUP = "nrverify.suites"
"""Of entry points: other packages add evidence under this name."""


@dataclass(frozen=True)
class Located:
    """A piece of evidence and where a worker process finds it again."""

    evidence: Evidence
    module: str
    attribute: str


@dataclass(frozen=True)
class Suites:
    """All evidence found, and the modules that could not be imported with their errors."""

    evidence: list[Located]
    broken: dict[str, str]


def load_suites() -> Suites:
    """Imports every module of every suite; a module that fails to import is reported, the others still count."""
    evidence: list[Located] = []
    broken: dict[str, str] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        for name in _modules(entry.value, broken):
            module = _import(name, broken)
            if module is not None:
                evidence.extend(_evidence_of(module))
    return Suites(evidence, broken)


def locate(module: str, attribute: str) -> Evidence:
    """The evidence at a place, imported afresh in a worker."""
    found = getattr(importlib.import_module(module), attribute)
    assert isinstance(found, Evidence)
    return found


def _modules(package_name: str, broken: dict[str, str]) -> list[str]:
    package = _import(package_name, broken)
    if package is None:
        return []
    paths = getattr(package, "__path__", [])
    return [package_name, *sorted(info.name for info in pkgutil.walk_packages(paths, prefix=f"{package_name}."))]


def _import(name: str, broken: dict[str, str]) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception as error:
        broken[name] = f"{type(error).__name__}: {error}"
        return None


def _evidence_of(module: ModuleType) -> list[Located]:
    return [
        Located(value, module.__name__, attribute)
        for attribute, value in vars(module).items()
        if isinstance(value, Evidence)
        and (value.function.__module__ == module.__name__ or value.name.startswith("reading."))
    ]
