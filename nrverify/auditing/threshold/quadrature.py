"""Nodes of integrals over the threshold's noise whose integrands change within the scale of the query's noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODE, _WEIGHT = np.polynomial.legendre.leggauss(12)
"""Panels are at most a unit long, over which 12 nodes integrate a normal or Laplace density to rounding."""
EVERYWHERE = 1 / 32
"""Steps at least this long divide the whole interval. Shorter ones do so near the corners alone: their number must not
grow without bound as the query's noise shrinks."""
NEAR = np.arange(-40.0, 41.0)
"""Steps around a corner: 40 scales away a Laplace tail is e⁻⁴⁰, and a normal one less."""


def nodes(reach: float, corners: Floats, finest: float) -> tuple[Floats, Floats]:
    """Nodes and lengths of an integral over ±reach whose integrand varies over `finest` around the corners."""
    step = max(finest, EVERYWHERE)
    edges = np.concatenate([np.arange(-reach, reach + step, step), np.clip(corners, -reach, reach)])
    if finest < EVERYWHERE:
        around = np.add.outer(np.asarray(corners), finest * NEAR).ravel()
        edges = np.append(edges, np.clip(around, -reach, reach))
    edges = np.unique(edges)
    half = 0.5 * np.diff(edges)[:, None]
    return (edges[:-1, None] + half * (1 + _NODE)).ravel(), (half * _WEIGHT).ravel()
