"""Sums kept for plots alone: they add up when two partial checks are merged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.statistics.additive import Additive

Floats = NDArray[np.float64]


class Correlations(Additive):
    """Second moments of innovations in columns: Σzᵢzⱼ, Σzᵢ² and the count, over the rows where both are present."""

    configuration = ("title", "column")

    def __init__(self, title: str, column: str, columns: int) -> None:
        self.title, self.column = title, column
        self.cross = np.zeros((columns, columns))
        self.squares = np.zeros((columns, columns))
        self.counts = np.zeros((columns, columns))

    @property
    def columns(self) -> int:
        """How many there is room for."""
        return int(self.cross.shape[0])

    def add(self, z: Floats) -> None:
        """Takes in rows (n, k) of innovations, NaN where there is none; columns beyond the room are left out."""
        z = z[:, : self.columns]
        here = np.isfinite(z)
        k = z.shape[1]
        if here.all():
            self.cross[:k, :k] += z.T @ z
            self.squares[:k, :k] += np.einsum("ij,ij->j", z, z)[:, None]
            self.counts[:k, :k] += len(z)
            return
        filled = np.where(here, z, 0.0)
        present = here.astype(float)
        self.cross[:k, :k] += filled.T @ filled
        self.squares[:k, :k] += (filled**2).T @ present
        self.counts[:k, :k] += present.T @ present

    @property
    def values(self) -> Floats:
        """The correlations about the known centre 0; NaN where fewer than ten rows have both."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self.cross / np.sqrt(self.squares * self.squares.T)
        return np.where(self.counts >= 10, found, np.nan)


class Frequencies(Additive):
    """Events of known probability in bins of it: how often they happened, of how many, and the sum of probabilities."""

    bins = 12

    configuration = ("title", "axis")

    def __init__(self, title: str, axis: str) -> None:
        self.title, self.axis = title, axis
        self.happened = np.zeros(self.bins)
        self.counts = np.zeros(self.bins)
        self.foreseen = np.zeros(self.bins)

    def add(self, happened: NDArray[np.bool_], probability: Floats) -> None:
        """Takes in events and their probabilities given the past."""
        bins = np.minimum((probability * self.bins).astype(np.intp), self.bins - 1)
        self.happened += np.bincount(bins, weights=happened.astype(float), minlength=self.bins)
        self.counts += np.bincount(bins, minlength=self.bins)
        self.foreseen += np.bincount(bins, weights=probability, minlength=self.bins)
