"""Ideal releases behind rounded ones: where releases are the ideal ones rounded to a grid, these have the ideal law.

Given the rounded releases before it, a rounded release takes an interval of the distribution function
(`laws.rounded.filtered`); a uniform point of that interval is uniform on (0, 1) and independent of the past. The path
whose own transforms are these points has exactly the claimed law, whatever the grid, if the releases are as claimed. So
what judges real-valued releases judges these. Where the grid is fine against the noise of every step the same is had by
moving each release uniformly within its cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.laws.brownian import Brownian
from nrverify.laws.process import Process
from nrverify.laws.rounded import filtered

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FINE = 0.01
"""Of the deviation of a step: moving releases within cells so small is seen after 1e11 of them."""
FINE_TIED = 1e-4
"""Of the smallest time of noise with ties, whose probability changes with the first power of the grid."""
COARSE = 3.0
"""Steps whose deviation is smaller than the grid by this factor say next to nothing of the noise, and are left out."""
LARGEST_SCORE = 9.0
"""Beyond what normal scores are cut at; a release that is impossible gets it."""


def ideal_releases(
    process: Process, value: Floats, releases: Floats, times: Floats, grid: float, rng: np.random.Generator
) -> Floats:
    """Releases (n, k, d) of the ideal law at times (n, k), NaN after the end, from releases rounded to the grid."""
    found = np.full(releases.shape, np.nan)
    for rows, schedule in _by_schedule(times):
        cells = releases[rows, : len(schedule)]
        found[rows, : len(schedule)] = value + _noise(process, value, cells, schedule, grid, rng)
    return found


def within_cells(releases: Floats, asked: Floats, grid: float, rng: np.random.Generator) -> Floats:
    """Releases (n, k, d) moved uniformly within their cells; one that is the same at the same request stays so."""
    found = releases + grid * (rng.random(releases.shape) - 0.5)
    for at in range(1, releases.shape[1]):
        again = (releases[:, at] == releases[:, at - 1]) & (asked[:, at] == asked[:, at - 1])[:, None]
        found[:, at] = np.where(again, found[:, at - 1], found[:, at])
    return found


def told_apart(process: Process, times: Floats, grid: float) -> NDArray[np.intp]:
    """The releases of a schedule fixed in advance whose step is not lost in the grid."""
    schedule = times[0]
    if not isinstance(process, Brownian):
        return np.arange(schedule.size)
    kept = [0]
    for at in range(1, schedule.size):
        t, s = float(schedule[kept[-1]]), float(schedule[at])
        if s >= t or grid <= COARSE * np.sqrt(s * (t - s) / t):
            kept.append(at)
    return np.array(kept)


def on_grid(releases: Floats, grid: float) -> Bools:
    """Whether releases are multiples of the grid, up to a unit in the last place; NaN is."""
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(releases - grid * np.rint(releases / grid)) > np.spacing(np.abs(releases))
    return np.asarray(~off)


def _by_schedule(times: Floats) -> Iterator[tuple[NDArray[np.intp], list[float]]]:
    """Sessions with the same times together."""
    different, where = np.unique(np.nan_to_num(times, nan=-1.0), axis=0, return_inverse=True)
    for index, row in enumerate(different):
        yield np.flatnonzero(where.ravel() == index), row[row > 0].tolist()


def _noise(
    process: Process, value: Floats, releases: Floats, schedule: list[float], grid: float, rng: np.random.Generator
) -> Floats:
    if not _fine(process, schedule, grid):
        try:
            ends = filtered(process, value, schedule, releases, grid)
        except ValueError:
            # Off the grid, or so far out that no cell can be resolved: of a right subject it is neither.
            pass
        else:
            width = np.maximum(ends.upper - ends.lower, 0.0)
            place = rng.random(width.shape)
            lower, upper = ends.lower + place * width, ends.above + (1 - place) * width
            return _path(process, releases, schedule, lower, upper)
    return _moved(process, releases - value, schedule, grid, rng)


def _fine(process: Process, schedule: list[float], grid: float) -> bool:
    if not isinstance(process, Brownian):
        return grid <= FINE_TIED * min(schedule)
    variances = [schedule[0], *(s * (t - s) / t for t, s in pairwise(schedule) if s < t)]
    return bool(grid <= FINE * np.sqrt(min(variances)))


def _path(process: Process, releases: Floats, schedule: list[float], lower: Floats, upper: Floats) -> Floats:
    """The path (n, k, d) whose transforms are `lower`, with 1 − lower in `upper`."""
    found = np.empty(releases.shape)
    for at, s in enumerate(schedule):
        if at and s == schedule[at - 1]:
            found[:, at] = found[:, at - 1] + (releases[:, at] - releases[:, at - 1])
            continue
        law = process.bridge(s, schedule[at - 1], found[:, at - 1]) if at else process.marginal(s)
        found[:, at] = _quantile(process, law, lower[:, at], upper[:, at])
    return found


def _quantile(process: Process, law: object, lower: Floats, upper: Floats) -> Floats:
    if isinstance(process, Brownian):
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(lower < upper, ndtri(np.clip(lower, 0, 1)), -ndtri(np.clip(upper, 0, 1)))
        z = np.clip(np.nan_to_num(z, nan=LARGEST_SCORE), -LARGEST_SCORE, LARGEST_SCORE)
        return np.asarray(law.mean + law.deviation * z)  # type: ignore[attr-defined]
    level = np.clip(lower, 2.0**-54, 1 - 2.0**-53)
    return np.asarray(law.ppf(level))  # type: ignore[attr-defined]


def _moved(process: Process, noise: Floats, schedule: Sequence[float], grid: float, rng: np.random.Generator) -> Floats:
    """Each release moved uniformly within its cell; with what came before where it may have stayed.

    A subject may say times that rise; no release is judged given a less noisy one.
    """
    found = noise + grid * (rng.random(noise.shape) - 0.5)
    for at in range(1, len(schedule)):
        t, s = schedule[at - 1], schedule[at]
        same = noise[:, at] == noise[:, at - 1]
        if s == t:
            found[:, at] = found[:, at - 1] + (noise[:, at] - noise[:, at - 1])
        elif s < t and same.any() and not isinstance(process, Brownian):
            law = process.bridge(s, t, found[:, at - 1])
            stays = np.asarray(law.atom)
            chance = stays / (stays + grid * np.exp(np.asarray(law.logpdf(found[:, at - 1]))))
            found[:, at] = np.where(same & (rng.random(same.shape) < chance), found[:, at - 1], found[:, at])
    return found
