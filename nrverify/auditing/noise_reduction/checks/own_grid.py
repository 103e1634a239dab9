"""A grid in units of the noise, another at each time: found by some first releases, tested by others.

Rounding to a multiple of the deviation leaves a grid that is no power of two or ten, and that no fixed list has.
Divided by the deviation, releases of all times lie on one grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.value_in_clear import MOST
from nrverify.auditing.noise_reduction.checks.multiples import TELLING

Floats = NDArray[np.float64]

FINDING, TESTING = 12, 8
"""Numbers that a grid is found by, and the fewest others that test it: eight, each by chance on it in less than one of
64 cases, have a probability below 1e-14."""
FINEST_OF_EUCLID = 2.0**-18
"""Of the largest number: Euclid's algorithm on doubles finds no finer divisor than about the root of their last bit,
2^-26, and knows one of 2^-18 well enough to count its multiples."""
ROUNDINGS = 8
"""Units in the last place within which a number is a multiple: the release, the division by a deviation, and a grid
known by its largest multiple each add some."""
PEAK = 1.0
"""Above the height of the density of normal and Laplace noise in units of their deviation (0.4 and 0.71)."""
LARGEST = 2.0**10
"""Of numbers beyond so many deviations too few digits are left of the noise to find a grid."""


@dataclass(frozen=True)
class OwnGrid:
    """So many numbers on a grid in units of their noise, with the logarithm of the probability of as many."""

    grid: float
    hits: int
    count: int
    log_p: float


def own_grid(numbers: Floats, sizes: Floats) -> OwnGrid | None:
    """The grid of numbers in units of their noise; None where there is none. `sizes` are |value| + |release| of each.

    Numbers of different sessions are independent, so that those that do not find the grid test it.
    """
    usable = np.isfinite(numbers) & (numbers != 0) & (sizes <= LARGEST)
    numbers, sizes = numbers[usable], sizes[usable]
    found, tested = numbers[:FINDING], numbers[FINDING:]
    grid = common_divisor(found) if tested.size >= TESTING else None
    if grid is None:
        return None
    largest = float(np.max(np.abs(found)))
    grid = largest / max(round(largest / grid), 1)
    if np.unique(np.abs(np.rint(numbers / grid))).size < 2:
        # One number again and again, which repeated streams give as well, is no grid.
        return None
    # The grid is known to some units of its last place, which a large multiple has too.
    tolerance = ROUNDINGS * np.spacing(sizes[FINDING:] + np.abs(tested) + largest)
    told = 2 * tolerance * (1 / grid + PEAK) <= TELLING
    at, tolerance = tested[told], tolerance[told]
    hits = int((np.abs(at - grid * np.rint(at / grid)) <= tolerance).sum())
    if at.size < TESTING or hits <= MOST * at.size:
        return None
    chance = float(np.max(2 * tolerance)) * (1 / grid + PEAK)
    return OwnGrid(grid, hits, at.size, math.log(math.comb(at.size, hits)) + hits * math.log(chance))


def common_divisor(numbers: Floats) -> float | None:
    """A number of which all these are multiples, by Euclid's algorithm; None where they have none that is not tiny."""
    parts = np.unique(np.abs(numbers[numbers != 0]))
    if parts.size < 2:
        return None
    least = FINEST_OF_EUCLID * float(parts[-1])
    divisor = float(parts[0])
    for part in parts[1:].tolist():
        larger, rest = part, divisor
        while rest > least:
            # The remainder nearest to 0, so that a multiple that rounding left just below is one.
            larger, rest = rest, abs(math.remainder(larger, rest))
        divisor = larger
        if divisor <= 2 * least:
            return None
    return divisor
