"""What the catalogue holds: mutants, which an audit must refute, and benign variants, which it must never refute."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Effect = Literal["leak", "inaccuracy"]
"""A leak: some transcript tells more than the law it claims allows. Inaccuracy: only the analyst suffers."""


@dataclass(frozen=True)
class Mutant:
    """A faulty implementation: its id, the subject, the mistake in one sentence, and what comes of it."""

    name: str
    subject: type[Any]
    mistake: str
    effect: Effect


@dataclass(frozen=True)
class Benign:
    """An unusual implementation that is right: its id, the subject, and what is unusual in one sentence."""

    name: str
    subject: type[Any]
    variation: str


def mutants(effect: Effect, subjects: Iterable[tuple[str, type[Any]]]) -> tuple[Mutant, ...]:
    """Entries whose mistake is the docstring of the subject, so that it is written once, beside the code."""
    return tuple(Mutant(name, subject, _sentence(subject), effect) for name, subject in subjects)


def benign(subjects: Iterable[tuple[str, type[Any]]]) -> tuple[Benign, ...]:
    """Entries whose variation is the docstring of the subject."""
    return tuple(Benign(name, subject, _sentence(subject)) for name, subject in subjects)


def _sentence(subject: type[Any]) -> str:
    return " ".join((inspect.getdoc(subject) or "").split())
