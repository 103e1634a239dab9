"""All checks there are: every class below a mechanism's room that is declared with `@check` or `@form`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection
from functools import cache
from types import ModuleType

from nrverify.auditing.core.declaration import Declaration
from nrverify.subjects.description import NOISE_REDUCTION

ROOMS = {
    **dict.fromkeys(NOISE_REDUCTION, "noise_reduction"),
    "above-threshold": "threshold",
    "reduced-above-threshold": "threshold",
    "boundary": "boundary",
    "private-stopping": "private_stopping",
    "any": "claims",
}
"""The room of each mechanism. Every module below it whose class is declared adds a check."""


@cache
def declarations_in(room: str) -> tuple[Declaration, ...]:
    """All forms of all checks declared in a room, in the order of a report."""
    found: dict[type, Declaration] = {}
    for module in _modules(f"nrverify.auditing.{room}"):
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and "declaration" in value.__dict__:
                found[value] = value.__dict__["declaration"]
    return tuple(sorted(found.values(), key=lambda one: (one.order, one.id)))


def declarations_for(mechanism: str) -> tuple[Declaration, ...]:
    """The forms of the checks of a mechanism; private stopping is asked those of its boundary too."""
    # A law of one's own is judged as every family of noise is, by the checks that are for all of them.
    mechanism = mechanism if mechanism in ROOMS else NOISE_REDUCTION[0]
    rooms = [ROOMS[mechanism]] + (["boundary"] if mechanism == "private-stopping" else [])
    found = [one for room in rooms for one in declarations_in(room) if mechanism in one.mechanisms]
    return tuple(found)


def declarations_by_id(mechanism: str) -> dict[str, Declaration]:
    """The first form of each check of a mechanism."""
    return {one.id: one for one in reversed(declarations_for(mechanism))}


@cache
def all_declarations() -> tuple[Declaration, ...]:
    """Every form of every check."""
    return tuple(one for room in dict.fromkeys(ROOMS.values()) for one in declarations_in(room))


def declaration_of(id: str) -> Declaration | None:
    """The first form with this id; None for an id that no check has."""
    return next((one for one in all_declarations() if one.id == id), None)


def _modules(package: str) -> list[ModuleType]:
    """A package and all modules below it."""
    root = importlib.import_module(package)
    names = sorted(info.name for info in pkgutil.walk_packages(root.__path__, prefix=f"{package}."))
    return [root, *(importlib.import_module(name) for name in names)]


def known_ids() -> tuple[str, ...]:
    """The ids of all checks, in the order of a report."""
    return tuple(dict.fromkeys(one.id for one in all_declarations()))


def check_ids(mechanism: str, knob: str, attributes: Collection[str] = ()) -> tuple[str, ...]:
    """The checks that subjects with this mechanism and knob may be asked, in the order of their report.

    `attributes` are those it has of the ones that ask for a check of their own.
    """
    found = [
        one
        for one in declarations_for(mechanism)
        if one.applies(mechanism, knob) and (not one.attribute or one.attribute in attributes)
    ]
    return tuple(dict.fromkeys(one.id for one in found))


def asking_attributes(mechanism: str) -> frozenset[str]:
    """The attributes of subjects with this mechanism that ask for checks of their own."""
    return frozenset(one.attribute for one in declarations_for(mechanism) if one.attribute)
