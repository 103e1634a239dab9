"""What a file of vectors is made of: a function, the bugs its cases were made to catch, and the cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

Exact = Fraction | float
"""An input: a rational number, or the float inf where the function takes one."""

Kind = Literal["real", "reals", "integer", "integers", "bits"]

Written = str | tuple[str, ...]
"""An input as it is written: a decimal, or several."""


class Invalid(Exception):
    """The function is not defined at this input; an implementation has to refuse it."""


@dataclass(frozen=True)
class Flag:
    """A bug that a case was made to catch, and what it does to privacy or accuracy."""

    bug: str
    effect: str


@dataclass(frozen=True)
class Input:
    """One input of a function; `infinite` where the decimal may be inf."""

    kind: Kind
    meaning: str
    infinite: bool = False


@dataclass(frozen=True)
class Case:
    """One case; its number is permanent."""

    number: int
    comment: str
    flags: tuple[str, ...]
    inputs: Mapping[str, Written]


@dataclass(frozen=True)
class Function:
    """A function, evaluated in ball arithmetic at exact inputs, with its cases.

    `evaluate` takes the inputs by name and returns its outputs by name: exact fractions, balls, or enclosures.
    `roundings` is the number of operations allowed for in the tolerance hint; `logarithms` are the outputs that are
    logarithms of a computed number, whose rounding is an absolute error of theirs.
    """

    name: str
    statement: str
    domain: str
    inputs: Mapping[str, Input]
    outputs: Mapping[str, str]
    flags: Mapping[str, Flag]
    cases: tuple[Case, ...]
    evaluate: Callable[..., Mapping[str, Any]]
    digits: int = 40
    roundings: int = 16
    logarithms: frozenset[str] = frozenset()

    def identifier(self, case: Case) -> str:
        """The permanent id of a case."""
        return f"{self.name}-{case.number:04d}"


SUMMED = 1024
"""Roundings of a function that takes a series, a recursion or an integral."""

SOLVED = 65536
"""Roundings of a function that takes the solution of an integral equation."""


def case(number: int, comment: str, flags: str, **inputs: str | list[str]) -> Case:
    """A case as the families write it: flags in one string, lists of decimals as lists."""
    written = {name: tuple(value) if isinstance(value, list) else value for name, value in inputs.items()}
    return Case(number, comment, tuple(flags.split()), written)


def real(meaning: str, *, infinite: bool = False) -> Input:
    """A real number."""
    return Input("real", meaning, infinite)


def reals(meaning: str) -> Input:
    """A list of real numbers."""
    return Input("reals", meaning)


def integer(meaning: str) -> Input:
    """An integer."""
    return Input("integer", meaning)


def integers(meaning: str) -> Input:
    """A list of integers."""
    return Input("integers", meaning)
