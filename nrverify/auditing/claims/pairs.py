"""Pairs of neighbouring data: those the subject names, or vectors made where it says `neighbours = "one-differs"`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nrverify.subjects.description import Description
from nrverify.subjects.generated_strategies import generated
from nrverify.subjects.neighbour_data import FROM_QUERIES, GENERATED
from nrverify.subjects.outputs import json_text

LONGEST_NAME = 60
"""Characters of data that a report quotes; longer data are cut in the middle."""


@dataclass(frozen=True)
class Case:
    """Two neighbouring data, and for an interactive subject the strategy by which it is asked."""

    first: Any
    second: Any
    strategy: int | None = None
    strategy_name: str = ""

    @property
    def sides(self) -> tuple[Any, Any]:
        """The first, label 0, and the second, label 1."""
        return self.first, self.second

    @property
    def name(self) -> str:
        """The pair in words."""
        return f"{shown(self.first)} and {shown(self.second)}{self.asking}"

    @property
    def asking(self) -> str:
        """By which strategy, as the end of a sentence; empty for runs without queries."""
        return f", asked by {self.strategy_name}" if self.strategy is not None else ""


def shown(data: Any) -> str:
    """Data as JSON, cut where they are long."""
    text = json_text(data)
    half = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]}…{text[-half:]}"


def cases_of(description: Description) -> tuple[Case, ...]:
    """Every pair, run as it is or asked by every strategy."""
    pairs = _pairs(description)
    plain = {"run", "run_many"} & set(description.methods)
    found = [Case(first, second) for first, second in pairs] if plain else []
    if "open" in description.methods:
        for number, name in enumerate(_strategies(description)):
            found += [Case(first, second, number, name) for first, second in pairs]
    return tuple(found)


def _strategies(description: Description) -> list[str]:
    """Every strategy in words."""
    if description.strategies == FROM_QUERIES:
        return [one.words for one in generated(description.queries or ())]
    return [one if isinstance(one, str) else f"the queries {shown(one)}" for one in description.strategies or ()]


def _pairs(description: Description) -> Sequence[tuple[Any, Any]]:
    found = description.neighbours
    if found in GENERATED:
        assert description.size is not None
        assert description.sensitivity is not None
        return one_differs(description.size, description.sensitivity)
    assert isinstance(found, tuple)
    return found


def one_differs(size: int, sensitivity: float) -> list[tuple[list[Any], list[Any]]]:
    """Vectors and their neighbours, in which one entry differs by the sensitivity, upwards or downwards.

    The vectors: all equal; the entry that moves alone above or below; a ramp; one half above the other; alternating
    (after the patterns of StatDP, Ding et al. 2018, as far as one entry differs).
    """
    step: Any = int(sensitivity) if float(sensitivity).is_integer() else float(sensitivity)
    patterns: list[tuple[Callable[[int], int], int]] = [
        (lambda i: 0, 1),
        (lambda i: 0, -1),
        (lambda i: 1 if i else 0, 1),
        (lambda i: -1 if i else 0, 1),
        (lambda i: i, 1),
        (lambda i: -i, -1),
        (lambda i: 2 * (i >= size // 2), 1),
        (lambda i: i % 2, 1),
    ]
    found = []
    for pattern, direction in patterns:
        vector = [pattern(place) * step for place in range(size)]
        neighbour = [vector[0] + direction * step, *vector[1:]]
        if (vector, neighbour) not in found:
            found.append((vector, neighbour))
    return found
