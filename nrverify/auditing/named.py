"""Named faults of the law as exact likelihood ratios: they find their fault fastest and say what it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]

FLOOR = 0.02
"""Share of the null in every alternative, so that one odd release cannot ruin a bet."""


def _student(degrees: float) -> Callable[[Floats], Floats]:
    """Student's t of unit variance over the normal: the log of the ratio of densities."""
    constant = gammaln(0.5 * (degrees + 1)) - gammaln(0.5 * degrees) - 0.5 * np.log(0.5 * (degrees - 2))

    def log_ratio(square: Floats) -> Floats:
        return np.asarray(constant - 0.5 * (degrees + 1) * np.log1p(square / (degrees - 2)) + 0.5 * square)

    return log_ratio


def _contaminated(share: float, deviation: float) -> Callable[[Floats], Floats]:
    """A share of the releases with a larger deviation, over the normal."""
    narrowing = 0.5 * (1 - deviation**-2)

    def log_ratio(square: Floats) -> Floats:
        return np.asarray(np.log(1 - share + share / deviation * np.exp(narrowing * square)))

    return log_ratio


def _logistic(square: Floats) -> Floats:
    """The logistic law of unit variance over the normal."""
    x = np.sqrt(square) * (np.pi / np.sqrt(3))
    constant = np.log(np.pi / np.sqrt(3)) + 0.5 * np.log(2 * np.pi)
    return np.asarray(constant - x - 2 * np.log1p(np.exp(-x)) + 0.5 * square)


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "heavy tails (Student t, 3 degrees of freedom)": _student(3),
    "heavy tails (Student t, 5 degrees of freedom)": _student(5),
    "heavy tails (Student t, 12 degrees of freedom)": _student(12),
    "heavy tails (logistic)": _logistic,
    "one release in a hundred with three times the deviation": _contaminated(0.01, 3.0),
    "one release in a thousand with ten times the deviation": _contaminated(0.001, 10.0),
}
"""Alternatives to N(0, 1), even and of about the same variance, as log density ratios in terms of z²."""


def shape_ratios(z: Floats) -> dict[str, float]:
    """Σ log of the alternative's density over the normal density, for each shape."""
    square = z * z
    return {name: float(_floored(log_ratio(square)).sum()) for name, log_ratio in SHAPES.items()}


def fresh_ratio(log_ratio: Floats) -> float:
    """Σ of the floored log-likelihood ratios of a fresh draw to the bridge."""
    return float(_floored(log_ratio).sum())


def _floored(log_ratio: Floats) -> Floats:
    return np.asarray(np.log(FLOOR + (1 - FLOOR) * np.exp(np.minimum(log_ratio, 600.0))))
