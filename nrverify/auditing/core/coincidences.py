"""Exact coincidences: noise that agrees up to its sign, to more digits than independent noise ever does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.core.transforms.rosenblatt import Innovations
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.proportions import binomial

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

CHANCE = 2.0**-20
"""Granted to every pair of numbers. At most half of it is needed, see `WINDOW` and `FINEST`."""
WINDOW = 2.0**-24
"""Probabilities folded about ½ are uniform on [0, ½]: two are so close with probability 2^-22, and with as much again
for rounding on each side 2^-21. Half of what is granted: so the binomial tail also bounds pairs that share a number."""
FINEST = 2.0**-26
"""Numbers are compared where the grid of doubles is no larger a share of the noise, and of the step to it."""
ROUNDINGS = 4
"""Noise is a difference of two doubles: equal noises of two values differ by so many units in the last place."""
MOST_COORDINATES = 16
"""All pairs of so many coordinates are compared; of more, those of the first."""
LARGEST_SCORE = 4.5
"""In standard deviations: larger scores, which noise of a wrong scale has by the hundred, are not compared."""
SMALLEST_SCORE = 2.0**-20
"""Smaller scores are steps without noise, which coordinates have in common without sharing any."""
LEAST_SHARE = 1 / 16
"""Of the level of a check that also bets: so little is lost to its bets, and a coincidence needs little."""


class Coincidences(Additive):
    """How many of so many pairs agree."""

    def __init__(self) -> None:
        self.hits = 0
        self.pairs = 0

    def add(self, hits: int, pairs: int) -> None:
        """Takes in pairs, and how many of them agree; of numbers that all agree only neighbours are counted."""
        self.hits += int(hits)
        self.pairs += int(pairs)

    @property
    def p_value(self) -> float:
        """The binomial tail of as many hits."""
        return binomial(self.hits, self.pairs, CHANCE, "greater") if self.hits else 1.0

    def estimate(self) -> Estimate:
        """How many pairs agree, and how many would by the chance that is granted."""
        return Estimate(Measure.COUNT, CHANCE * self.pairs, float(self.hits), None, self.pairs)


def least(kinds: Mapping[str, Coincidences]) -> tuple[str, float]:
    """The kind with the smallest p-value, times how many kinds there are."""
    name = min(kinds, key=lambda name: kinds[name].p_value)
    return name, min(1.0, len(kinds) * kinds[name].p_value)


def declared_grid(description: Any) -> float:
    """The grid that a subject says its releases are on; 0 where it says none."""
    return float(getattr(description, "granularity", None) or 0.0)


def comparable(noise: Floats, scale: Floats, grid: float = 0.0) -> Bools:
    """Which numbers of noise (n, k, d) are known to so many digits that coincidences mean something.

    `scale` is |value| + |release|; a `grid` that releases are declared to be on takes the place of a finer one of
    doubles. An innovation has at least half the variance of the smaller one of the noise and of
    the step to it; the medians of both, over sessions and coordinates, stand for their sizes.
    """
    sizes = _medians(np.abs(noise))
    steps = np.abs(noise[:, 1:] - noise[:, :-1])
    moved = _medians(np.where(steps > 0, steps, np.nan))
    least = sizes.copy()
    least[1:] = np.fmin(sizes[1:], moved)
    return np.asarray(np.maximum(np.spacing(scale), grid) <= FINEST * least[:, None])


def _medians(numbers: Floats) -> Floats:
    """Of numbers (n, k, d) at each of the k places, leaving out NaN; NaN where nothing is left."""
    if not numbers.size:
        return np.full(numbers.shape[1], np.nan)
    rows = np.moveaxis(numbers, 1, 0).reshape(numbers.shape[1], -1)
    count = np.count_nonzero(~np.isnan(rows), axis=1)
    # Missing numbers come last: only the places of the medians are put in order.
    low, high = np.maximum(count - 1, 0) // 2, np.minimum(count // 2, rows.shape[1] - 1)
    ordered = np.partition(rows, sorted({*low.tolist(), *high.tolist()}), axis=1)
    place = np.arange(len(ordered))
    middle = 0.5 * (ordered[place, low] + ordered[place, high])
    return np.where(count > 0, middle, np.nan)


def folded(found: Innovations, usable: Bools) -> Floats:
    """|Φ(z) − ½| of every innovation that can be compared: uniform on [0, ½] and independent; NaN elsewhere."""
    z = np.abs(found.z)
    return np.where(usable & (z <= LARGEST_SCORE) & (z > SMALLEST_SCORE), 0.5 - ndtr(-z), np.nan)


def agreeing(numbers: Floats, window: Floats | float = WINDOW) -> int:
    """Neighbours in size along the last axis that are as close as the window: so n equal numbers count n − 1 times."""
    return int(np.count_nonzero(_steps(np.sort(numbers, axis=-1)) <= window))


def _steps(ordered: Floats) -> Floats:
    """From each number to the next along the last axis; `np.diff` takes longer to begin than small batches do."""
    return np.asarray(ordered[..., 1:] - ordered[..., :-1])


def agreeing_of_two(numbers: Floats, owners: NDArray[np.int64]) -> int:
    """The same of rows, of neighbours that belong to different owners."""
    # Hardly any row has neighbours so close: of the others the order is not needed.
    some = (_steps(np.sort(numbers, axis=-1)) <= WINDOW).any(axis=-1)
    if not some.any():
        return 0
    numbers = numbers[some]
    order = np.argsort(numbers, axis=-1)
    close = _steps(np.take_along_axis(numbers, order, axis=-1)) <= WINDOW
    own = owners[order]
    return int((close & (own[..., 1:] != own[..., :-1])).sum())


def in_one_release(scores: Floats) -> tuple[int, int]:
    """Scores (n, k, d) that two coordinates of a release have in common, and how many pairs there are."""
    n, k, d = scores.shape
    return agreeing(scores), n * k * d * (d - 1) // 2


def in_two_releases(scores: Floats) -> tuple[int, int]:
    """Scores (n, k, d) that two coordinates have in common at any releases of a session."""
    n, k, d = scores.shape
    owners = np.tile(np.arange(d), k)
    return agreeing_of_two(scores.reshape(n, k * d), owners), n * k * k * d * (d - 1) // 2


def in_two_sessions(scores: Floats) -> tuple[int, int]:
    """Scores (n, k, d) that a session has in common with the one before it, at any release and coordinate."""
    n, k, d = scores.shape
    if n < 2:
        return 0, 0
    rows = scores.reshape(n, k * d)
    owners = np.repeat([0, 1], k * d)
    return agreeing_of_two(np.concatenate([rows[:-1], rows[1:]], axis=1), owners), (n - 1) * (k * d) ** 2


def of_noise(noise: Floats, scale: Floats, usable: Bools) -> tuple[int, int]:
    """Noise (n, k, d) whose size two coordinates of a release have in common, to the last digits."""
    n, k, d = noise.shape
    tolerance = ROUNDINGS * np.spacing(scale.max(axis=2, keepdims=True))
    sizes = np.where(usable & (noise != 0), np.abs(noise), np.nan)
    return agreeing(sizes, tolerance), n * k * d * (d - 1) // 2


def of_unknown_scale(noise: Floats, scale: Floats, grid: float = 0.0) -> tuple[int, int]:
    """Noise (n, d) of one release whose size two coordinates have in common, to the last digits.

    A symmetric law with one peak has a density of at most 1/2x at x, whatever its scale: noise of size x is met to
    within e by other noise with probability at most 2e/(x − e), so both must be large against the grid of doubles.
    """
    n, d = noise.shape
    tolerance = ROUNDINGS * np.spacing(scale.max(axis=1, keepdims=True))
    sizes = np.abs(noise)
    told = CHANCE * sizes >= 8 * np.maximum(tolerance, grid)
    return agreeing(np.where(told, sizes, np.nan), tolerance), n * d * (d - 1) // 2
