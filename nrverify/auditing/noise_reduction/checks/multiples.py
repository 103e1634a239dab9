"""How many of some numbers are multiples of a grid up to rounding, and with what chance one of them would be."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.value_in_clear import MOST

Floats = NDArray[np.float64]

FINEST = 2.0**-30
"""Of the noise: what is rounded to a finer grid after the noise is in has lost nothing that could be told, so nothing
is said of it. Ordinary arithmetic leaves a grid of 2^-52."""
TELLING = 2.0**-6
"""Numbers are judged by grids that they lie on by chance no more often than this: rounding decides about others."""
OF_COARSER_CELLS = 0.25
"""On a declared grid, numbers are judged whose noise is so wide that its unevenness adds at most this share to the
chance of a multiple of a coarser grid, which would be near 1 for noise as narrow as the grid."""
FEWEST_NUMBERS = 8
"""With fewer numbers of a kind nothing is judged."""
FINER_BITS = 18
"""Grids so many bits below the finest that is judged are known for what they are."""


@dataclass(frozen=True)
class Kept:
    """Numbers of a kind, |value| + |release| of each, and the size of the noise where it was released."""

    numbers: Floats
    sizes: Floats
    units: Floats


def noise_sizes(noise: Floats) -> Floats:
    """The size of the noise (n, k, d) at each release: that of its median, as for normal noise."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        median = np.nanmedian(np.where(noise != 0, np.abs(noise), np.nan), axis=(0, 2))
    return np.broadcast_to(1.5 * np.nan_to_num(median)[:, None], noise.shape)


def grids_of_rounding(unit: float, low: float = 0.0) -> list[float]:
    """Grids that rounding to decimals or to bits leaves: from 1, or the noise, down to the finest, or to `low`."""
    if not 0 < unit < np.inf:
        return [10.0**-k for k in range(9)]
    low, high = low or unit * FINEST, max(unit, 1.0)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    powers = range(math.floor(math.log2(low)), math.ceil(math.log2(high)) + 1)
    return sorted({*(10.0**k for k in exponents), *(2.0**k for k in powers)})


def in_single_precision(kept: Kept) -> tuple[int, int, float]:
    """How many of how many are single-precision numbers, and the chance of one: 29 trailing bits are zero."""
    explained = np.spacing(kept.sizes) / (2.0**29 * np.spacing(np.abs(kept.numbers)))
    told = 4 * explained <= TELLING
    numbers = kept.numbers[told]
    with np.errstate(over="ignore"):
        hits = numbers == numbers.astype(np.float32)
    chance = float(min(1.0, 4 * max(2.0**-29, float(np.max(explained[told], initial=0.0)))))
    return int(hits.sum()), numbers.size, chance


def too_fine_to_judge(kept: Kept, peak: float) -> float:
    """The coarsest grid, too fine to be judged, that most numbers are on; 0 where there is none."""
    if kept.numbers.size < FEWEST_NUMBERS or not 0 < float(np.median(kept.units)) < np.inf:
        return 0.0
    finest = FINEST * float(np.median(kept.units))
    for grid in sorted(grids_of_rounding(float(np.median(kept.units)), finest * 2.0**-FINER_BITS), reverse=True):
        hits, count, _ = on_grid(replace(kept, units=np.zeros_like(kept.units)), grid, peak)
        if count >= FEWEST_NUMBERS and hits > MOST * count:
            return grid if grid < finest else 0.0
    return 0.0


def on_grid(kept: Kept, grid: float, peak: float, fine: float = 0.0, own: float = 0.0) -> tuple[int, int, float]:
    """How many of how many are multiples of the grid up to rounding, and a bound on the chance of one.

    A unimodal density of height at most `peak` puts at most 2·tolerance·(1/grid + peak) of its mass on the grid. Left
    out are numbers whose noise is so large that the grid is finer than what is judged. Of numbers on a `fine` grid,
    which is not judged, a share of fine/grid is on this one too. Of those on a declared grid of their `own` it is the
    mass of cells of that width, own·(1/grid + height): Laplace and normal noise of size u (`units`) have a height of
    about ½/u at most, which is taken twice, and numbers are judged where that is little.
    """
    tolerance = 2 * np.spacing(kept.sizes)
    chance = 2 * tolerance * (1 / grid + peak)
    uneven = max(OF_COARSER_CELLS * own / grid, TELLING)
    told = (own <= uneven * kept.units if own else grid >= FINEST * kept.units) & (chance <= TELLING)
    numbers = kept.numbers[told]
    extra = own / grid + uneven if own else 2 * fine / grid
    with np.errstate(invalid="ignore"):
        hits = np.abs(numbers - grid * np.round(numbers / grid)) <= tolerance[told]
    return int(hits.sum()), numbers.size, min(1.0, float(np.max(chance[told], initial=0.0)) + extra)
