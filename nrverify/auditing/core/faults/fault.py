"""What a fault is, and the table of all of them by their permanent ids."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """What a refutation means for privacy."""

    LEAK = "leak"
    """A loss above the claim was measured, or follows from the named fault by calculation."""
    INACCURACY = "inaccuracy"
    """It is proved that nothing more is learned than claimed."""
    UNPROVED = "unproved"
    """The law is wrong; whether the claim is violated was not shown."""


@dataclass(frozen=True)
class Fault:
    """One row of the table. Ids are permanent: rows are added, never renamed."""

    id: str
    cause: str
    """The likely mistake, as a noun phrase or clause."""
    consequence: str
    """What it gives to an attacker, or costs the analyst, if that is the mistake."""
    effect: Effect = Effect.UNPROVED
    """What it means for privacy where nothing was computed for the subject at hand."""
    look: str = ""
    """Where to look in the code."""
    title: str = ""
    """What the fault is called where laws are compared, if it is an alternative law."""
    specific: bool = True
    """Whether it is one mistake; otherwise the row stands for whatever shows in that way."""

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True)
class Alternative:
    """A law that a check compares with the claimed one: what it is called, and the fault it stands for."""

    id: str
    title: str
    fault: Fault


_TABLE: dict[str, Fault] = {}
_ALTERNATIVES: dict[str, Alternative] = {}


def fault(
    id: str,
    cause: str,
    consequence: str,
    effect: Effect = Effect.UNPROVED,
    look: str = "",
    title: str = "",
    specific: bool = True,
) -> Fault:
    """Adds a row to the table."""
    if id in _TABLE:
        raise ValueError(f"fault {id!r} is in the table already")
    _TABLE[id] = Fault(id, cause, consequence, effect, look, title, specific)
    if title:
        alternative(id, title, _TABLE[id])
    return _TABLE[id]


def alternative(id: str, title: str, fault: Fault) -> Alternative:
    """Names a law that checks compare with the claimed one; several may stand for one fault."""
    if id in _ALTERNATIVES:
        raise ValueError(f"alternative {id!r} is named already")
    _ALTERNATIVES[id] = Alternative(id, title, fault)
    return _ALTERNATIVES[id]


def alternative_of(id: str) -> Alternative:
    """The alternative with this id."""
    return _ALTERNATIVES[id]


def known_faults() -> dict[str, Fault]:
    """The whole table."""
    return dict(_TABLE)


def fault_of(id: str) -> Fault:
    """The row with this id; a `KeyError` with the id if there is none."""
    return known_faults()[id]
