"""The domains of the functions: what an implementation has to refuse."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from nrverify.vectors.case import Invalid


def positive(**inputs: Fraction) -> None:
    """Every input is above 0."""
    for name, number in inputs.items():
        if number <= 0:
            raise Invalid(f"{name} must be above 0")


def probability(**inputs: Fraction) -> None:
    """Every input lies strictly between 0 and 1."""
    for name, number in inputs.items():
        if not 0 < number < 1:
            raise Invalid(f"{name} must lie strictly between 0 and 1")


def times(s: Fraction, t: Fraction) -> None:
    """0 < s ≤ t."""
    positive(s=s, t=t)
    if s > t:
        raise Invalid("s must not exceed t")


def same_length(**inputs: Sequence[object]) -> None:
    """Lists of one length, at least one entry each."""
    lengths = {len(entries) for entries in inputs.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise Invalid(f"{' and '.join(inputs)} must have the same number of entries, at least one")
