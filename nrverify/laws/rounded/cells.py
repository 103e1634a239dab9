"""Quadrature on one cell of a grid: panels, divided at 0 where asked, and integrals that end at a node of a panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from nrverify.laws.validation.times import Floats

POINTS = 16
"""Gauss-Legendre nodes of a panel: they integrate e^{±3x}, the most a panel may change by, to rounding."""
_NODES, _WEIGHTS = leggauss(POINTS)
_TO_COEFFICIENTS = np.linalg.inv(legvander(_NODES, POINTS - 1))
"""Legendre coefficients from values at the nodes."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Nodes (rows, panels, POINTS) and log-weights of the same shape, in one cell for each row."""

    x: Floats
    log_weights: Floats
    lows: Floats
    highs: Floats

    @property
    def nodes(self) -> Floats:
        """The nodes of each row, flat."""
        return self.x.reshape(self.x.shape[0], -1)

    @property
    def flat_log_weights(self) -> Floats:
        return self.log_weights.reshape(self.x.shape[0], -1)


@dataclass(frozen=True)
class Resolution:
    """How a cell is divided: `panels`, an even number where half of them lie on each side of 0, of so many points."""

    panels: int
    points: int
    at_zero: bool

    @property
    def nodes(self) -> int:
        return self.panels * self.points


def cells(low: Floats, high: Floats, resolution: Resolution) -> Cells:
    """The panels of each cell; where they are divided at 0 and it lies outside the cell, at the middle."""
    nodes, weights = leggauss(resolution.points)
    if resolution.at_zero:
        lows, highs = _halved(low, high, resolution.panels // 2)
    else:
        lows, highs = _equal(low, high, resolution.panels)
    half = 0.5 * (highs - lows)
    x = lows[..., None] + half[..., None] * (1 + nodes)
    return Cells(x, np.log(half)[..., None] + np.log(weights), lows, highs)


def _equal(low: Floats, high: Floats, panels: int) -> tuple[Floats, Floats]:
    edges = low[:, None] + (high - low)[:, None] * (np.arange(panels + 1) / panels)
    return edges[:, :-1], edges[:, 1:]


def _halved(low: Floats, high: Floats, pieces: int) -> tuple[Floats, Floats]:
    centre = np.where((low < 0) & (high > 0), 0.0, low + 0.5 * (high - low))
    (left_lows, left_highs), (right_lows, right_highs) = _equal(low, centre, pieces), _equal(centre, high, pieces)
    return np.concatenate([left_lows, right_lows], axis=1), np.concatenate([left_highs, right_highs], axis=1)


def _split_rule() -> tuple[Floats, Floats, Floats]:
    """For each node: points on both sides of it, their weights, and the interpolation from the nodes to them."""
    points, weights = np.empty((POINTS, 2 * POINTS)), np.empty((POINTS, 2 * POINTS))
    for index, end in enumerate(_NODES):
        points[index] = np.concatenate([-1 + 0.5 * (end + 1) * (1 + _NODES), end + 0.5 * (1 - end) * (1 + _NODES)])
        weights[index] = np.concatenate([0.5 * (end + 1) * _WEIGHTS, 0.5 * (1 - end) * _WEIGHTS])
    return points, weights, legvander(points, POINTS - 1) @ _TO_COEFFICIENTS


_SPLIT_POINTS, _SPLIT_WEIGHTS, _SPLIT_VALUES = _split_rule()


def split_at_nodes(own: Cells, log_values: Floats) -> tuple[Floats, Floats, Floats]:
    """(x, log-weights, log-values) of shape (rows, panels, POINTS, 2·POINTS): each panel divided at each of its nodes.

    `log_values`, (rows, panels, POINTS), is smooth on a panel and interpolated; integrands may have a kink at the node.
    """
    half = 0.5 * (own.highs - own.lows)
    x = own.lows[..., None, None] + half[..., None, None] * (1 + _SPLIT_POINTS)
    log_weights = np.log(half)[..., None, None] + np.log(_SPLIT_WEIGHTS)
    return x, log_weights, np.einsum("jqi,rpi->rpjq", _SPLIT_VALUES, log_values)
