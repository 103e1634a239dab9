"""Seeds in pairs that a seed cut short takes for the same, so that single runs tell whether it was."""

from __future__ import annotations

from collections.abc import Sequence

LAST_BITS = 24
"""Twins agree in so many: a seed of 32 bits, which many generators have, still tells them apart."""
STEP: int = 2**LAST_BITS * 5**6
"""A multiple of 2^24 and of a million: twins also agree modulo 10, 100, …, a million."""
MOST_STEPS = 8191
"""Twins are apart by an odd number of steps below twice this: less than half of 2^53."""


def twin(seed: int) -> int:
    """The twin of a seed below 2^53, another one below 2^53."""
    away = STEP * (2 * (seed % MOST_STEPS) + 1)
    return seed + away if seed + away < 2**53 else seed - away


def with_twins(seeds: Sequence[int]) -> list[int]:
    """The seeds, followed by the twin of each."""
    return [*seeds, *map(twin, seeds)]
