"""What a test of a law says: what is wrong, in words, and to what numbers must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-6
"""To which densities, distribution functions and bridges must agree."""
LEVELS = np.array([1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 0.999, 1 - 1e-4, 1 - 1e-5])
"""Probabilities between whose quantiles a density is integrated, and at whose quantiles other parts are tried."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong, and where."""

    words: str
