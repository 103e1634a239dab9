"""The record of one run of a piece of evidence: its steps, in words and in LaTeX, and what it used."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One verified step: its name, the formula as plain text and as LaTeX."""

    name: str
    text: str
    latex: str = ""


@dataclass
class Record:
    """Steps in the order they were verified, and the samples drawn."""

    steps: list[Step] = field(default_factory=list)
    samples: int = 0
    written: bool = True
    """Whether the formulas of steps are wanted; a run that nobody explains saves the printing."""

    def note(self, name: str, text: str, latex: str = "") -> None:
        """Adds a verified step."""
        self.steps.append(Step(name, text, latex))
