"""What the numbers of a subject may be: far beyond any unit of measurement, and near enough for double precision."""

from __future__ import annotations

from nrverify.subjects.errors import SubjectFailed

NUMERICS = ("idealized", "exact")
"""What may be claimed of the last bits of releases: nothing, or that they are safe."""
NUMBERS = (1e-50, 1e50)
"""The product of any five such numbers or their squares stays within double precision (1e-308 to 1e308)."""
EPSILONS = (1e-12, 700.0)
"""e^ε and e^-ε are numbers of double precision, and e^ε − 1 keeps some of its digits."""
TIMES = (1e-100, 1e100)
"""Of a subject's own time for an ε: the square of a sensitivity, and its inverse."""
LARGEST_COUNT = 1e15
"""Integers up to this, and sums of a few, are exact in double precision (2^53 is about 9e15)."""
RATES = (1e-12, 1e12)
"""Counts of a Skellam process at the times that are asked for stay integers of double precision."""


def within(name: str, number: float, limits: tuple[float, float] = NUMBERS) -> float:
    """The number, if calculations with it and its like neither overflow nor vanish; else `SubjectFailed`."""
    smallest, largest = limits
    if not smallest <= number <= largest:
        raise SubjectFailed(f"{name} is {number!r}: it must be between {smallest:g} and {largest:g}")
    return number
