"""A guess of the label from few numbers with few parameters: log odds that rise between two medians, flat beyond.

That is the log likelihood ratio of Laplace noise, and near that of other noise with one mode: it is learned from some
dozen runs, where a table of ranges needs hundreds. Of independent noise in several entries the log odds add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.claims.sample import Labels, Sample
from nrverify.statistics.labels import fit_logistic, predict_logistic

MOST_FITTED = 12_000
"""Runs it is fitted to: more would hardly improve a few parameters."""
MOST_COLUMNS = 8
"""Columns that are tried."""
MOST_ADDED = 3
"""Columns that are added up: a session of two or three looks."""
GAIN = 4.0
"""Nats by which a further column must tell the labels better: the best of seven wins as much by chance in one of thirty
samples."""
FEWEST_NUMBERS = 0.5
"""Of a column, that must be numbers; of a further one, half as many."""


@dataclass(frozen=True)
class Ramp:
    """A column, and the two medians of its numbers."""

    column: int
    low: float
    high: float

    def between(self, values: Floats) -> Floats:
        """Where numbers of its column lie, from −½ to ½; 0 where there is none."""
        numbers = values[:, self.column]
        placed = (np.clip(numbers, self.low, self.high) - self.low) / (self.high - self.low) - 0.5
        return np.where(np.isnan(numbers), 0.0, placed)


@dataclass(frozen=True)
class Slope:
    """Log odds of label 1 that are a sum over columns: linear between two medians each, and constant outside."""

    ramps: tuple[Ramp, ...]
    coefficients: Floats
    """One for each ramp, and one for all."""

    @property
    def parameters(self) -> int:
        """Two ends and a coefficient for each column, and one more."""
        return 3 * len(self.ramps) + 1

    def odds(self, values: Floats) -> Floats:
        """Of each row of all columns; 0 where none of its own holds a number."""
        known = np.any([~np.isnan(values[:, ramp.column]) for ramp in self.ramps], axis=0)
        return np.where(known, predict_logistic(_together(self.ramps, values), self.coefficients), 0.0)


def _together(ramps: Sequence[Ramp], values: Floats) -> Floats:
    return np.column_stack([ramp.between(values) for ramp in ramps])


def steepest(sample: Sample, columns: Sequence[int]) -> Slope | None:
    """The slope that guesses best, over columns of numbers whose medians differ between the labels; None where none."""
    rows = slice(max(0, sample.size - MOST_FITTED), None)
    values, label = sample.values[rows], sample.label[rows]
    ramps = [ramp for column in columns[:MOST_COLUMNS] if (ramp := _ramp(values[:, column], label, column)) is not None]
    first = [ramp for ramp in ramps if np.isfinite(values[:, ramp.column]).mean() >= FEWEST_NUMBERS]
    best = max((_fitted((ramp,), values, label) for ramp in first), key=lambda one: one[0], default=None)
    while best is not None and len(best[1].ramps) < MOST_ADDED:
        more = [(*best[1].ramps, ramp) for ramp in ramps if ramp not in best[1].ramps]
        better = max((_fitted(one, values, label) for one in more), key=lambda one: one[0], default=None)
        if better is None or better[0] < best[0] + GAIN:
            break
        best = better
    return None if best is None else best[1]


def _ramp(numbers: Floats, label: Labels, column: int) -> Ramp | None:
    """Between the medians under both labels; None where there are too few numbers or no difference."""
    number = np.isfinite(numbers)
    if number.mean() < FEWEST_NUMBERS / 2 or not (number & label).any() or not (number & ~label).any():
        return None
    low, high = sorted(float(np.median(numbers[number & side])) for side in (label, ~label))
    return Ramp(column, low, high) if low < high and np.isfinite(high - low) else None


def _fitted(ramps: tuple[Ramp, ...], values: Floats, label: Labels) -> tuple[float, Slope]:
    """The slope over these ramps, and the log likelihood of the labels under it."""
    known = np.any([np.isfinite(values[:, ramp.column]) for ramp in ramps], axis=0)
    slope = Slope(ramps, fit_logistic(_together(ramps, values[known]), label[known], steps=6))
    odds = slope.odds(values)
    return -float(np.logaddexp(0.0, np.where(label, -odds, odds)).sum()), slope
