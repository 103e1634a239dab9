"""The crossing probability of a curve of many straight pieces with jumps between them, as boundaries in steps have.

Where ψ is constant, tψ − ½ is a straight line. Over a straight piece from height a to b in time T a Brownian path that
starts g below it is killed, or cut at the jump to n ≤ b, with probability Q((n−x)/√T) + e^{−2ςg}Φ((n−x−2g)/√T), ς the
slope; it survives to y with density φ((y−x)/√T)(1 − e^{−2(b−y)g/T})/√T. Every term is positive.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

Floats = NDArray[np.float64]

LOWEST = -7.5
"""Where paths are followed down to, in standard deviations: Φ(−7.5) = 3e-14 of them are below."""
HIGHEST = 12.0
"""In standard deviations: Φ(−12) = 2e-33 of the paths are above, less than any probability that matters."""
REACH = 8.5
"""Standard deviations of a step that are kept: φ(8.5)/φ(0) = 2e-16."""
BLOCK = 64
"""Targets of one product: it bounds memory and skips starts out of reach; any size between 16 and 256 would do."""
MOST_NODES = 640
"""Of a step: with so many, pieces down to SHORTEST are resolved; the cost of a step grows with the square."""
SHORTEST = 0.0024
"""The shortest piece in log-time that the most nodes resolve."""

_RULES: dict[int, tuple[Floats, Floats]] = {}
"""Gauss-Legendre rules by their size: computing one costs more than using it."""


def stepped_crossing(times: Floats, starts: Floats, ends: Floats) -> float:
    """P(W ≥ curve somewhere): piece j runs straight from starts[j] at times[j] to ends[j] at times[j + 1]."""
    deviation = math.sqrt(times[0])
    crossed = float(ndtr(-starts[0] / deviation))
    x, weight = _nodes(deviation, float(starts[0]), 200)
    mass = weight * np.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
    for j in range(len(starts)):
        step = float(times[j + 1] - times[j])
        root = math.sqrt(step)
        low = float(min(ends[j], starts[j + 1])) if j + 1 < len(starts) else float(ends[j])
        gap = np.maximum(starts[j] - x, 0.0)
        slope = float(ends[j] - starts[j]) / step
        killed = ndtr((x - low) / root) + np.exp(-2 * slope * gap + log_ndtr((low - x - 2 * gap) / root))
        crossed += float(mass @ np.minimum(killed, 1.0))
        deviation = math.sqrt(times[j + 1])
        spread = root / deviation
        width = min(low / deviation, HIGHEST) - LOWEST
        y, weight = _nodes(deviation, low, int(min(MOST_NODES, 2.2 * max(width, 1.0) / spread + 30)))
        mass = weight * _survivors(x, mass, gap, y, np.maximum(ends[j] - y, 0.0), step)
        x = y
    return crossed


def _survivors(x: Floats, mass: Floats, gap: Floats, y: Floats, room: Floats, step: float) -> Floats:
    """Σ mass(x) φ((y−x)/√T)(1 − e^{−2·room·gap/T})/√T for each y, block by block from the x within reach."""
    root = math.sqrt(step)
    density = np.empty_like(y)
    for first in range(0, y.size, BLOCK):
        block = slice(first, first + BLOCK)
        low, high = np.searchsorted(x, [y[block][0] - REACH * root, y[block][-1] + REACH * root])
        z = (y[block, None] - x[low:high]) / root
        kernel = np.exp(-0.5 * z * z) * -np.expm1(-2 / step * room[block, None] * gap[low:high])
        density[block] = kernel @ mass[low:high]
    return density / (root * math.sqrt(2 * math.pi))


def _nodes(deviation: float, top: float, count: int) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes and weights between the lowest path followed and the curve (or where no path is)."""
    rounded = 16 * math.ceil(count / 16)
    if rounded not in _RULES:
        _RULES[rounded] = legendre.leggauss(rounded)
    node, weight = _RULES[rounded]
    low = min(LOWEST * deviation, top - deviation)
    half = 0.5 * (min(top, HIGHEST * deviation) - low)
    return np.asarray(low + half * (1 + node)), np.asarray(half * weight)
