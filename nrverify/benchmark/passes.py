"""What numpy alone takes for the passes that no audit of noise can leave out: a limit of the CPU for a number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.benchmark.measure import median_seconds
from nrverify.benchmark.row import Row

Floats = NDArray[np.float64]

SESSIONS, RELEASES, COORDINATES = 2048, 4, 2
"""16,384 numbers: a block that stays in a processor's cache, as large lots of an audit do."""
REPEATS = 25
"""Of some milliseconds each: the median ignores those that were disturbed."""
SHAPES = 10
"""Alternatives of the shape of noise that are bet on by their likelihood ratio."""


def bare_passes() -> Row:
    """Each number once through the bridge to its normal score, the density, Φ, one order by size to find equal ones,
    sums with the release, the session and the coordinate before, and the ratios of ten shapes.

    That this is itself below the microsecond to reach says that the number is no limit of the machine.
    """
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((SESSIONS, RELEASES, COORDINATES)).cumsum(axis=1)
    n = noise.size
    seconds = median_seconds(lambda: passes(noise), REPEATS)
    name = "bare numpy passes that the checks of a number of Brownian noise cannot leave out"
    return Row(name, 1e6 * seconds / n, "microseconds", 1.0, seconds, None)


def passes(noise: Floats) -> float:
    """Their sums, of noise (n, k, d)."""
    z = np.diff(noise, axis=1, prepend=0.0)
    square = z * z
    density = -0.5 * square - 0.9189385332046727
    folded = np.abs(ndtr(z) - 0.5)
    close = np.diff(np.sort(folded.reshape(len(z), -1), axis=1), axis=1) < 1e-7
    sums = [square.sum(), density.sum(), close.sum()]
    for left, right in ((z[:-1], z[1:]), (z[:, :-1], z[:, 1:]), (z[..., :-1], z[..., 1:])):
        sums.append((left * right).sum())
    boost = np.exp(0.5 * square)
    for degrees in range(3, 3 + SHAPES):
        ratio = 0.98 * boost / (1 + square / degrees) + 0.02
        # As many are multiplied before each logarithm as the checks do.
        sums.append(np.log(ratio.reshape(16, -1).prod(axis=0)).sum())
    return float(sum(sums))
