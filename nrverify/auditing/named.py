"""Named faults of the law as exact likelihood ratios: they find their fault fastest and say what it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import logistic, norm, t

Floats = NDArray[np.float64]

FLOOR = 0.02
"""Share of the null in every alternative, so that one odd release cannot ruin a bet."""


def _student(degrees: float) -> Callable[[Floats], Floats]:
    scale = np.sqrt((degrees - 2) / degrees)
    return lambda z: t.logpdf(z, degrees, scale=scale)


def _contaminated(share: float, deviation: float) -> Callable[[Floats], Floats]:
    return lambda z: np.logaddexp(np.log1p(-share) + norm.logpdf(z), np.log(share) + norm.logpdf(z, scale=deviation))


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "heavy tails (Student t, 3 degrees of freedom)": _student(3),
    "heavy tails (Student t, 5 degrees of freedom)": _student(5),
    "heavy tails (Student t, 12 degrees of freedom)": _student(12),
    "heavy tails (logistic)": lambda z: logistic.logpdf(z, scale=np.sqrt(3) / np.pi),
    "one release in a hundred with three times the deviation": _contaminated(0.01, 3.0),
    "one release in a thousand with ten times the deviation": _contaminated(0.001, 10.0),
}


def shape_ratios(z: Floats) -> dict[str, float]:
    """Σ log of the alternative's density over the normal density, for each shape."""
    null = norm.logpdf(z)
    return {name: float(_floored(logpdf(z) - null).sum()) for name, logpdf in SHAPES.items()}


def fresh_ratio(log_ratio: Floats) -> float:
    """Σ of the floored log-likelihood ratios of a fresh draw to the bridge."""
    return float(_floored(log_ratio).sum())


def _floored(log_ratio: Floats) -> Floats:
    return np.asarray(np.logaddexp(np.log1p(-FLOOR) + log_ratio, np.log(FLOOR)))
