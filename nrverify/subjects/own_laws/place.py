"""Where a law of one's own is written, for other processes: they load it from there, if it is the same file.

A law's class belongs to a module that another machine may not have under that name, and a law is trusted only as the
file that was tested: so a process that is sent one gets the address and the hash, never the object.
"""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from nrverify.subjects.noise_families import NoiseFamily
    from nrverify.subjects.own_laws.process import OwnProcess


@dataclass(frozen=True)
class Place:
    """The address of a law as another process can use it, the hash of its file, and what tells it from others."""

    address: str | None = None
    sha256: str | None = None
    folder: str = ""
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    @classmethod
    def of(cls, source: Mapping[str, str | None]) -> Place:
        """Of a law with this source; a file is named by its whole path."""
        address, folder = source.get("address"), os.getcwd()
        file, colon, name = (address or "").removeprefix("python:").rpartition(":")
        if colon and file.endswith(".py"):
            address = f"python:{Path(folder, file)}:{name}"
        return cls(address, source.get("sha256"), folder)


Key = tuple[str | None, str | None]
"""An address and a hash."""
_HERE: WeakValueDictionary[str | Key, OwnProcess] = WeakValueDictionary()
"""The processes that were made here, or before this process was forked."""
_LOADED: dict[Key, tuple[str, NoiseFamily]] = {}
"""The names and rows of the laws that were loaded because another process sent them."""
_USED: dict[str, dict[str, Place]] = {}
"""The laws by which audits on this worker judge: by name and audit."""
_LOCK = RLock()
"""A worker of a cluster has several threads, and one table of families."""


def remember(place: Place, process: OwnProcess) -> None:
    """That this process was made here: should it come back, it is the same."""
    _HERE[place.token] = process
    if place.sha256 is not None:
        _HERE[(place.address, place.sha256)] = process


def found_at(place: Place) -> OwnProcess:
    """The process of the law at this place; `ValueError` where it is another file than it was."""
    here = _HERE.get(place.token) or _HERE.get((place.address, place.sha256))
    return here if here is not None else cast("OwnProcess", _row_at(place)[1].process(1.0))


def use(place: Place, audit: str) -> None:
    """Takes the law into the table of families here for an audit; `ValueError` where another of that name is in use."""
    from nrverify.subjects.noise_families import FAMILIES

    with _LOCK:
        name, row = _row_at(place)
        others = _USED.setdefault(name, {})
        if any(other.sha256 != place.sha256 for other in others.values()):
            raise ValueError(
                f"another audit on this worker judges by another law called {name!r}: wait until it is over"
            )
        others[audit] = place
        FAMILIES[name] = row


def leave(audit: str) -> None:
    """That an audit is over."""
    from nrverify.subjects.noise_families import FAMILIES

    with _LOCK:
        for name, audits in list(_USED.items()):
            if audits.pop(audit, None) is not None and not audits:
                del _USED[name]
                with suppress(KeyError):
                    del FAMILIES[name]


def _row_at(place: Place) -> tuple[str, NoiseFamily]:
    from nrverify.subjects.own_laws.loading import row_at

    with _LOCK:
        key = (place.address, place.sha256)
        if key not in _LOADED:
            module = (place.address or "").removeprefix("python:").rpartition(":")[0]
            if any(address == place.address for address, _ in _LOADED) and module in sys.modules:
                raise ValueError(f"{place.address} was another file when this worker loaded it: restart the worker")
            if place.folder and place.folder not in sys.path:
                sys.path.append(place.folder)
            _LOADED[key] = row_at(place.address or "", place.sha256)
        return _LOADED[key]
