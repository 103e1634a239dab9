"""Values that sessions are asked for: those of the cases, turned and shifted, and others drawn anew at every look."""

from __future__ import annotations

import numpy as np

SMALLEST, LARGEST = 1e-3, 1e5
"""Magnitudes are drawn between these, evenly in their logarithms: beyond, rounding would blur small noise."""
ANEW = 0.5
"""The share of looks at which a case has a value of its own; at the others its designed one, turned and shifted."""

Value = tuple[float, ...]


def moved(value: Value, integer: bool, rng: np.random.Generator) -> Value:
    """Its sign by a coin, and by another a fraction added; 0 stays 0, a value of its own."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    fraction = float(rng.random()) if rng.random() < 0.5 and not integer else 0.0
    return tuple(sign * x + fraction for x in value) if any(value) else value


def drawn(d: int, integer: bool, largest: float, rng: np.random.Generator) -> Value:
    """Coordinates of any magnitude up to the largest and either sign: integers by a coin, for integer noise always."""
    smallest = min(1.0 if integer else SMALLEST, largest)
    sizes = smallest * (largest / smallest) ** rng.random(d)
    if integer or rng.random() < 0.5:
        sizes = np.maximum(np.rint(sizes), 1.0)
    return tuple(float(x) for x in np.where(rng.random(d) < 0.5, -sizes, sizes))
