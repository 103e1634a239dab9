"""Addresses: `python:module:Name`, `python:path/to/file.py:Name`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nrverify.subjects.errors import SubjectFailed, UnknownScheme

SCHEMES = ("python", "cmd", "records")


@dataclass(frozen=True)
class Address:
    """A scheme and what follows it."""

    scheme: str
    rest: str

    def __str__(self) -> str:
        return f"{self.scheme}:{self.rest}"


def parse(text: str) -> Address:
    """The address in its parts; `UnknownScheme` when it has no known scheme."""
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in SCHEMES:
        raise UnknownScheme(
            f"{text!r} is not the address of a subject: use python:package.module:Name, python:path/to/file.py:Name, "
            "cmd:COMMAND or records:FILE"
        )
    return Address(scheme, rest)


def load_python(rest: str) -> Any:
    """The subject at `module:Name` or `file.py:Name`: an instance, made by calling a class or factory."""
    place, colon, name = rest.rpartition(":")
    if not colon or not place or not name:
        raise SubjectFailed(f"python:{rest} does not name an object: write python:module:Name")
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    try:
        found = getattr(module, name)
    except AttributeError:
        known = ", ".join(sorted(n for n in vars(module) if not n.startswith("_"))[:12])
        raise SubjectFailed(f"{place} has no attribute {name!r}; it has {known}") from None
    return instance_of(found)


def instance_of(found: Any) -> Any:
    """A class is called without arguments, and so is a function, which may return a class; else the subject itself."""
    made = found
    for _ in range(2):
        if isinstance(made, type) or (made is found and callable(made) and getattr(made, "mechanism", None) is None):
            try:
                made = made()
            except Exception as error:
                raise SubjectFailed(f"calling {made!r} to make the subject raised {describe_error(error)}") from error
    if made is None or isinstance(made, str | bytes | int | float):
        came = "" if made is found else f", which {found!r:.100} returned,"
        raise SubjectFailed(
            f"{made!r:.100}{came} is not a subject: it must be a class, an instance or a function that returns one"
        )
    return made


def describe_error(error: BaseException) -> str:
    """An exception in one line."""
    try:
        words = " ".join(str(error).split())[:300]
    except Exception:
        # An exception may fail to describe itself.
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _load_module(name: str) -> Any:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise SubjectFailed(f"importing {name} raised {describe_error(error)}") from error


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise SubjectFailed(f"there is no file {str(path)!r}")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise SubjectFailed(f"loading {path} raised {describe_error(error)}") from error
    return module
