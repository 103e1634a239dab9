"""Where a law of one's own comes from: an address, an object, or an installed package; and the table while in use."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nrverify.subjects.address import load_python
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.noise_families import BUILT_IN, FAMILIES, NoiseFamily
from nrverify.subjects.own_laws.family import family_of
from nrverify.subjects.own_laws.process import LawFailed

GROUP = "nrverify.laws"
"""Of the entry points of installed packages: the name is that of the law."""
LONGEST_NAME = 60
"""Characters of a law's name: it stands in reports."""
TAKEN = (*BUILT_IN, "above-threshold", "reduced-above-threshold", "boundary", "private-stopping", "any")
"""Mechanisms that are built in: no law of one's own has such a name."""
DEFINES_A_LAW = re.compile(r"^\s*def marginal\s*\(|^\s*marginal\s*=", re.MULTILINE)
"""In the file of every law: what it is to be a law is to have a marginal."""


@dataclass(frozen=True)
class Specified:
    """A law of one's own, its name, and where it comes from."""

    law: Any
    name: str
    address: str
    sha256: str | None
    addressed: bool = True
    """Whether the address is one that was given: others can load it from there."""

    @property
    def source(self) -> dict[str, str | None]:
        """As reports have it."""
        return {"address": self.address, "sha256": self.sha256}


def specified(law: Any) -> Specified:
    """The law at an address, or the object itself; `ValueError` says what is wrong with it."""
    address = law if isinstance(law, str) else None
    if address is not None:
        if not address.startswith("python:"):
            raise ValueError(f"law is {address!r:.100}: it must be python:FILE.py:Name or python:package.module:Name")
        try:
            law = load_python(address.removeprefix("python:"))
        except SubjectFailed as failure:
            raise ValueError(f"the law {address} cannot be loaded: {failure}") from None
    elif isinstance(law, type):
        law = law()
    name = getattr(law, "name", None)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"the name of the law is {name!r:.100}: it must be text of 1 to {LONGEST_NAME} characters")
    if name in TAKEN:
        raise ValueError(f"the name of the law is {name!r}: it must be another, for this mechanism is built in")
    if not callable(getattr(law, "marginal", None)):
        raise ValueError(f"the law {name!r} has no method marginal(t): it must have one")
    own = type(law)
    return Specified(
        law, name, address or f"python:{own.__module__}:{own.__qualname__}", _digest(law, address), address is not None
    )


def _digest(law: Any, address: str | None) -> str | None:
    """The hash of the file that the law is written in."""
    place = (address or "").removeprefix("python:").rpartition(":")[0]
    try:
        file = place if place.endswith(".py") else inspect.getsourcefile(type(law))
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (OSError, TypeError):
        return None


@contextmanager
def in_use(law: Specified) -> Iterator[None]:
    """The law as a row of the table of families, for as long as it is used; `ValueError` where it can be none."""
    try:
        row = family_of(law.law, law.source)
    except LawFailed as failure:
        raise ValueError(f"the law {law.name!r} is not one: {failure}") from None
    before = FAMILIES.get(law.name)
    FAMILIES[law.name] = row
    try:
        yield
    finally:
        if before is None:
            del FAMILIES[law.name]
        else:
            FAMILIES[law.name] = before


def installed(name: str) -> Specified | None:
    """The law of an installed package with this name; None where there is none, `ValueError` where there are two."""
    found = _named(name)
    if not found:
        return None
    if len({one.value for one in found}) > 1:
        places = ", ".join(sorted({one.value for one in found}))
        raise ValueError(f"two installed laws are called {name!r} ({places}): uninstall one, or name the law by --law")
    return specified(f"python:{found[0].value}")


def _named(name: str) -> list[EntryPoint]:
    return [one for one in entry_points(group=GROUP) if one.name == name]


def take_installed(name: str) -> None:
    """Takes the law of an installed package into use, where one has this name and is a law.

    Nothing is said here of one that is not, or of two: whoever judges by it says so (`law_of`).
    """
    try:
        for point in _named(name)[:1]:
            found = specified(f"python:{point.value}")
            FAMILIES[name] = family_of(found.law, found.source)
    except (ValueError, LawFailed):
        return


def law_of(law: Any, mechanism: str) -> Specified | None:
    """The law of one's own that judges a subject with this mechanism; None where it is built in.

    `ValueError` where the law that was given is not that of the subject, or two installed laws have its name.
    """
    if law is not None:
        given = law if isinstance(law, Specified) else specified(law)
        if given.name != mechanism:
            raise ValueError(
                f"the name of the law is {given.name!r}: it must be the subject's mechanism, {mechanism!r}"
            )
        return given
    return None if mechanism in TAKEN else installed(mechanism)


def take_recorded(address: str, sha256: str | None) -> None:
    """Takes the law of a recorded audit into use; `ValueError` where it is another than it was.

    A record may be a stranger's, and name any file of this machine whose hash is known: one of Python's own, say, and
    a function there. So nothing is run but a file in which a marginal is defined.
    """
    file = _file_of(address)
    try:
        written = Path(file).read_text("utf-8", "replace") if file else ""
    except (OSError, ValueError):
        written = ""
    if DEFINES_A_LAW.search(written) is None:
        raise ValueError(
            f"the file of {address!r:.100} defines no law: it must be there, and have a method marginal(t)"
        )
    name, row = row_at(address, sha256)
    FAMILIES[name] = row


def row_at(address: str, sha256: str | None) -> tuple[str, NoiseFamily]:
    """The name and the row of the law at an address; `ValueError` where the file there is not the one with this hash.

    Whoever names it may be anybody: the file is loaded only after its hash is found to be the one named.
    """
    now = _file_digest(address)
    if sha256 is None or now != sha256:
        raise ValueError(f"the file of {address!r:.100} is not the recorded one: SHA-256 {now}, and it was {sha256}")
    found = specified(address)
    try:
        return found.name, family_of(found.law, found.source)
    except LawFailed as failure:
        raise ValueError(f"the law {found.name!r} is not one: {failure}") from None


def _file_digest(address: str) -> str | None:
    """The hash of the file at an address, without running it; None where there is none."""
    file = _file_of(address)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None
    except (OSError, ValueError):
        return None


def _file_of(address: str) -> str | None:
    """The file at an address; the packages that a module is in are looked through without importing them."""
    place = address.removeprefix("python:").rpartition(":")[0]
    if place.endswith(".py"):
        return place
    first, *further = place.split(".")
    try:
        spec, name = find_spec(first), first
        for part in further:
            folders = None if spec is None else spec.submodule_search_locations
            name = f"{name}.{part}"
            spec = None if folders is None else PathFinder.find_spec(name, list(folders))
        return None if spec is None else spec.origin
    except (ImportError, OSError, TypeError, ValueError):
        return None
