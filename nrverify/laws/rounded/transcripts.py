"""Transcripts of rounded releases, checked: every release on the grid, times that never rise, integer noise refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.validation.boundaries import listed_looks, require_positive
from nrverify.laws.validation.times import Floats, real

_LARGEST_CELL = 2.0**52
"""Beyond, a double has no bit left below the integer, and the nearest cell is not certain."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """One row for each coordinate of each transcript: the integers of its cells, and the value."""

    times: list[float]
    cells: Floats
    values: Floats
    granularity: float
    shape: tuple[int, ...]
    coordinates: bool

    def edges(self, part: slice, look: int) -> tuple[Floats, Floats]:
        """The ends of the cells of a look, in terms of the noise; subtracted in extended precision."""
        g, k = np.longdouble(self.granularity), self.cells[part, look].astype(np.longdouble)
        low, high = (g * (k + side) - self.values[part].astype(np.longdouble) for side in (-0.5, 0.5))
        return low.astype(np.float64), high.astype(np.float64)

    def shaped(self, rows: Floats) -> Floats:
        """An array (rows, looks) in the shape of the releases."""
        if not self.coordinates:
            return rows.reshape(self.shape)
        *sessions, looks, coordinates = self.shape
        return np.moveaxis(rows.reshape(*sessions, coordinates, looks), -1, -2)

    def totals(self, likelihood: Floats) -> Any:
        """The sum over the looks and coordinates of each transcript."""
        axes = (-2, -1) if self.coordinates else -1
        totals = self.shaped(likelihood).sum(axis=axes)
        return float(totals) if totals.ndim == 0 else totals


def checked_transcript(
    process: Any, value: ArrayLike, times: Sequence[float], releases: ArrayLike, granularity: float
) -> Transcript:
    """The arguments of `filtered`, refused where they are none."""
    require_positive(granularity=granularity)
    g, looks = float(granularity), listed_looks(times)
    if any(later > earlier for earlier, later in pairwise(looks)):
        raise ValueError(
            f"times is {looks}: it must not rise: releases become less noisy; give them in the order of release"
        )
    _require_continuous(process)
    centre, numbers = real("value", value), real("releases", releases)
    if centre.ndim > 1 or centre.size == 0:
        raise ValueError(f"value of shape {centre.shape} must be a number or one for each coordinate; pass shape (d,)")
    tail = (len(looks), *centre.shape)
    if numbers.shape[numbers.ndim - len(tail) :] != tail or numbers.ndim < len(tail):
        raise ValueError(
            f"releases of shape {numbers.shape} must end in {tail}: one for each of the times"
            f"{' and coordinates' if centre.ndim else ''}; pass them in that shape"
        )
    if numbers.size == 0:
        raise ValueError(f"releases of shape {numbers.shape} must hold at least one transcript; pass one")
    rows = np.moveaxis(numbers, -1, -2) if centre.ndim else numbers
    values = np.broadcast_to(centre, rows.shape[:-1]).reshape(-1)
    cells = _cells(rows.reshape(-1, len(looks)), g)
    return Transcript(looks, cells, values, g, numbers.shape, centre.ndim == 1)


def _cells(releases: Floats, g: float) -> Floats:
    """The integers k with release = g·k, up to one unit in the last place of the release."""
    with np.errstate(over="ignore"):
        k = np.rint(releases / g)
    if np.any(np.abs(k) > _LARGEST_CELL):
        raise ValueError(
            f"releases must not exceed 2^52 cells of the grid, as {np.abs(releases).max()} does at granularity = {g}; "
            "take a coarser grid"
        )
    off = np.abs(releases - g * k) > np.spacing(np.abs(releases))
    if np.any(off):
        raise ValueError(
            f"releases hold {float(releases[off][0])}, which must be a multiple of granularity = {g}; round it first"
        )
    return k


def _require_continuous(process: Any) -> None:
    """Noise on the integers has no density at ½: it is on a grid of its own."""
    if process.marginal(1.0).logpdf(0.5) == -np.inf:
        raise ValueError(
            f"process is {process!r}: it must have continuous noise; integer noise is on a grid: use its own law"
        )
