"""Integrals of densities that may have kinks: panels are halved until two rules agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)
"""Exact for polynomials of degree 23: smooth densities are done in a few panels, and others cost halvings alone."""
AGREE = 1e-10
"""Of two rules on a panel, in probability: far below the 1e-6 to which laws are compared."""
MOST_HALVINGS = 40
"""Of a panel: a kink or a jump inside it is then of no weight."""
MOST_PANELS = 20_000
"""Panels that are looked at together, so that a wild density ends as a wrong one and not as a long wait."""


@np.errstate(invalid="ignore", over="ignore")  # a density may be infinite: it then integrates to what is none
def integral(density: Callable[[Floats], Floats], edges: Floats) -> float:
    """∫ of a function between the first and the last edge."""
    low, high = edges[:-1], edges[1:]
    total = 0.0
    for _ in range(MOST_HALVINGS):
        middle = 0.5 * (low + high)
        whole = _rule(density, low, high)
        halves = _rule(density, low, middle) + _rule(density, middle, high)
        done = ~(np.abs(whole - halves) > AGREE)
        total += float(np.sum(halves[done]))
        low, high = (
            np.concatenate([low[~done], middle[~done]]),
            np.concatenate([middle[~done], high[~done]]),
        )
        if low.size == 0 or low.size > MOST_PANELS:
            break
    return total + (float(np.sum(_rule(density, low, high))) if low.size else 0.0)


def _rule(density: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    half = 0.5 * (high - low)
    points = 0.5 * (high + low)[:, None] + half[:, None] * NODES
    return np.asarray((density(points) * WEIGHTS).sum(axis=1) * half)
