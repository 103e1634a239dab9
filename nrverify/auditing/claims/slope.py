"""A guess of the label from one number with few parameters: log odds that rise between two medians and are flat beyond.

That is the log likelihood ratio of Laplace noise, and near that of other noise with one mode: it is learned from some
dozen runs, where a table of ranges needs hundreds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nrverify.auditing.claims.columns import Floats
from nrverify.auditing.claims.sample import Sample
from nrverify.statistics.labels import fit_logistic, predict_logistic

MOST_FITTED = 12_000
"""Runs it is fitted to: more would hardly improve four parameters."""
MOST_COLUMNS = 8
"""Columns that are tried."""
FEWEST_NUMBERS = 0.5
"""Of a column, that must be numbers."""


@dataclass(frozen=True)
class Slope:
    """Log odds of label 1 by a number: linear between `low` and `high`, constant outside, 0 at non-numbers."""

    PARAMETERS: ClassVar[int] = 4
    """Two ends and two coefficients."""

    column: int
    low: float
    high: float
    coefficients: Floats

    def odds(self, values: Floats) -> Floats:
        """Of each value."""
        return np.where(
            np.isnan(values), 0.0, predict_logistic(_between(values, self.low, self.high), self.coefficients)
        )


def _between(values: Floats, low: float, high: float) -> Floats:
    """Where values lie between two numbers, from −½ to ½; as a column."""
    placed = (np.clip(np.where(np.isnan(values), low, values), low, high) - low) / (high - low) - 0.5
    return np.asarray(placed[:, None])


def steepest(sample: Sample, columns: Sequence[int]) -> Slope | None:
    """The slope that guesses best, over columns of numbers whose medians differ between the labels; None where none."""
    best: tuple[float, Slope] | None = None
    rows = slice(max(0, sample.size - MOST_FITTED), None)
    label = sample.label[rows]
    for column in columns[:MOST_COLUMNS]:
        values = sample.values[rows, column]
        number = np.isfinite(values)
        if number.mean() < FEWEST_NUMBERS or not (number & label).any() or not (number & ~label).any():
            continue
        low, high = sorted(float(np.median(values[number & side])) for side in (label, ~label))
        if not (low < high and np.isfinite(high - low)):
            continue
        coefficients = fit_logistic(_between(values[number], low, high), label[number], steps=6)
        slope = Slope(column, low, high, coefficients)
        odds = slope.odds(values)
        likelihood = -float(np.logaddexp(0.0, np.where(label, -odds, odds)).sum())
        if best is None or likelihood > best[0]:
            best = likelihood, slope
    return None if best is None else best[1]
