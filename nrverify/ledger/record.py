"""The record of one run of a piece of evidence: its steps, in words and in LaTeX, and what it used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

By = Literal["words", "exact", "sympy", "ball", "search", "sample", "kernel"]
"""Exact polynomial or rational arithmetic; sympy's simplification, integration or assumptions; ball arithmetic; a
search over exact examples; a statistical test; the kernel of Coq."""


@dataclass(frozen=True)
class DerivationStep:
    """One step: its name, the formula as plain text and as LaTeX."""

    name: str
    text: str
    latex: str = ""
    by: By = "words"
    """What checked it; "words" for a definition or an argument that no machine checked."""
    tools: tuple[str, ...] = ()
    """Functions of sympy that computed it and whose answer is taken over."""

    @property
    def mark(self) -> str:
        """What a reader must know of how it was checked; empty where exact arithmetic or balls did."""
        if self.by == "words":
            return "in words"
        if self.by == "sympy":
            return f"by sympy's {', '.join(self.tools)}" if self.tools else "by sympy"
        return ""

    @property
    def checked(self) -> bool:
        """Whether a machine checked it."""
        return self.by != "words"


def counted(steps: Iterable[DerivationStep]) -> str:
    """How many steps were checked by machine, and how many are in words."""
    checked, words = 0, 0
    for step in steps:
        checked, words = (checked + 1, words) if step.checked else (checked, words + 1)
    said = f"{checked} step{'' if checked == 1 else 's'} checked"
    return f"{said}, {words} in words" if words else said


@dataclass
class Record:
    """Steps in the order they were verified, and the samples drawn."""

    steps: list[DerivationStep] = field(default_factory=list)
    samples: int = 0
    written: bool = True
    """Whether the formulas of steps are wanted; a run that nobody explains saves the printing."""

    def note(self, name: str, text: str, latex: str = "", by: By = "words", tools: tuple[str, ...] = ()) -> None:
        """Adds a step and what checked it."""
        self.steps.append(DerivationStep(name, text, latex, by, tools))
