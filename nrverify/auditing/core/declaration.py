"""A check is declared in one place, on its class: what it is, what it needs, and what its sentences say.

`@check(...)` declares a check; `@form(...)` declares a further class with the same id, for subjects that need another
test of the same statement. Ids, the catalogue, α, the plan, what is not covered and why, and `nrverify explain` all
derive from these declarations. A class says how it is built from what is known of a subject in `build(context)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Self, TypeVar

C = TypeVar("C", bound="type[Declared]")


class CheckKind(StrEnum):
    """The question a check belongs to, in the order of a report."""

    PROTOCOL = "protocol"
    RANDOMNESS = "randomness"
    LAW = "law"
    PRIVACY = "privacy"
    NUMERICS = "numerics"


@dataclass(frozen=True)
class Need:
    """What a check needs of a subject, and why it is not covered where that is missing."""

    met: Callable[[Any], bool]
    why: str
    of_records: str = ""
    """Why it is not covered for recorded sessions, where that is said in other words."""
    gap: bool = True
    """Whether something stays unexamined; False where nothing of the kind is claimed, or another check judges it."""

    def why_not_covered(self, context: Any) -> str | None:
        """Why it is not covered; None where the need is met."""
        if self.met(context):
            return None
        return self.of_records if self.of_records and recorded(context) else self.why


def recorded(context: Any) -> bool:
    """Whether a context is that of recorded sessions or runs, which cannot be asked for more."""
    return getattr(context, "record", None) is not None


@dataclass(frozen=True)
class Declaration:
    """One form of a check: the statement it tests, for which subjects, at which share of α."""

    id: str
    kind: CheckKind
    sentence: str
    """What holds if the check is not refuted."""
    claims: tuple[str, ...]
    """Claims of the ledger it bears on."""
    weight: float
    """Its share of the run's α; the shares of all checks of a mechanism add up to less than one. 0: calculated."""
    mechanisms: tuple[str, ...]
    order: int
    """Its place in a report."""
    applies: Callable[[str, str], bool]
    """Whether the statement means anything for a mechanism and knob: where it does not, the check is not mentioned."""
    needs: tuple[Need, ...]
    expected: str
    """What is expected, in a few words."""
    templates: Mapping[str, tuple[str, str]]
    """Sentences (expected, observed) for findings by the id of their fault or their measure, where they differ."""
    implied_by: tuple[str, ...]
    """Checks whose refutation explains one of this, so that it needs no cause of its own."""
    decisive: bool
    """Whether a run is inconclusive when every check so marked is."""
    records: str | None
    """Why it is not covered for recorded sessions, where it never is."""
    not_covered: str
    """Why recorded sessions may hold nothing that it can judge."""
    cls: Any = field(compare=False)
    attribute: str = ""
    """The attribute of a subject that asks for it: the check is not mentioned of subjects that do not have it."""

    def asked(self, described: Any) -> bool:
        """Whether the statement means anything for a subject that describes itself so."""
        wanted = not self.attribute or bool(getattr(described, self.attribute))
        return wanted and self.applies(described.mechanism, described.knob or "time")

    @property
    def doc(self) -> str:
        """What it asks, catches and misses: the docstring of its class."""
        return inspect.cleandoc(self.cls.__doc__ or "")

    def why_not_covered(self, context: Any) -> str | None:
        """Why it cannot be asked; None where it can."""
        never = self.records if recorded(context) else None
        return never or next((why for need in self.needs if (why := need.why_not_covered(context)) is not None), None)

    def leaves_gap(self, context: Any) -> bool:
        """Whether something stays unexamined where it cannot be asked."""
        if recorded(context) and self.records:
            return True
        return next((need.gap for need in self.needs if need.why_not_covered(context) is not None), True)


class Declared:
    """Base of the checks: what `@check` and `@form` set on a class, and what a check may say besides."""

    declaration: ClassVar[Declaration]
    id: ClassVar[str]
    kind: ClassVar[str]
    claims: ClassVar[tuple[str, ...]]
    any_value: ClassVar[bool] = False
    """Whether its question is the same at any value, so that it also sees sessions of neighbouring values."""
    sees_grid: ClassVar[bool] = False
    """Whether it sees releases on a declared grid as they are; other checks see the ideal ones behind them."""
    sees_any_order: ClassVar[bool] = False
    """Whether it sees sessions whose times come in any order; other checks see those whose times fall."""
    in_smoke: ClassVar[bool] = False
    """Whether it also sees what the smoke stage draws."""
    planned: ClassVar[str | None] = None
    """What a plan says it looks for, where how little it would find depends on the very numbers that are drawn."""

    @classmethod
    def build(cls, context: Any) -> Self:
        """For a subject, from what is known of it; a check that is the same for every subject leaves it so."""
        return cls()

    @classmethod
    def foreseen(cls, description: Any) -> tuple[Any, ...]:
        """The `Size`s of what a calculated check would catch, which its description tells; () for sampled ones."""
        return ()


def _always(mechanism: str, knob: str) -> bool:
    return True


def check(
    *,
    id: str,
    kind: CheckKind,
    sentence: str,
    mechanisms: Iterable[str],
    weight: float,
    claims: tuple[str, ...] = (),
    order: int = 50,
    applies: Callable[[str, str], bool] = _always,
    needs: tuple[Need, ...] = (),
    expected: str = "",
    templates: Mapping[str, tuple[str, str]] | None = None,
    implied_by: tuple[str, ...] = (),
    decisive: bool = False,
    records: str | None = None,
    not_covered: str = "nothing was recorded that it can judge",
    attribute: str = "",
) -> Callable[[C], C]:
    """Declares the class below as a check."""

    def declared(cls: C) -> C:
        cls.declaration = Declaration(
            id,
            kind,
            sentence,
            claims,
            weight,
            tuple(mechanisms),
            order,
            applies,
            needs,
            expected,
            templates or {},
            implied_by,
            decisive,
            records,
            not_covered,
            cls,
            attribute,
        )
        cls.id, cls.kind, cls.claims = id, kind.value, claims
        return cls

    return declared


def form(of: type[Declared], **changes: Any) -> Callable[[C], C]:
    """Declares the class below as another form of a check that is declared already: the same id, kind and statement."""
    first = of.declaration
    same = {"id": first.id, "kind": first.kind, "sentence": first.sentence, "order": first.order}
    shared = (
        *("mechanisms", "weight", "claims", "applies", "expected", "templates", "implied_by", "decisive"),
        *("not_covered", "attribute"),
    )
    return check(**{**same, **{name: getattr(first, name) for name in shared}, **changes})
