"""Numbers in sentences: short, and never alike where they differ."""

from __future__ import annotations

import math

ALL = 17
"""Significant digits that tell any two doubles apart."""


def told_apart(numbers: tuple[float, ...], least: int) -> list[str]:
    """The numbers with as few digits, at least so many, as tell those that differ from each other."""
    different = len({number for number in numbers if math.isfinite(number)})
    for digits in range(least, ALL):
        said = [f"{number:.{digits}g}" for number in numbers]
        if len({text for text, number in zip(said, numbers, strict=True) if math.isfinite(number)}) == different:
            return said
    return [f"{number:.{ALL}g}" for number in numbers]
