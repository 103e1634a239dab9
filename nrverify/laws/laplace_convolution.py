"""The forward step of the Laplace process on panels: h ↦ r²h + (1−r²) h * Lap(t), for positive non-decreasing h.

Given Z_s = y the process sits at time t > s still at y with probability r² = (s/t)² and else at y + Lap(t).
Since h does not decrease, its convolution is at least h/2, so an error small against h(y) is small against the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.legendre import leggauss

from nrverify.laws.panels import (
    _TO_COEFFICIENTS,
    DEGREE,
    FALLING,
    NODES,
    RISING,
    STEEP,
    Array,
    Extended,
    Mask,
    Panels,
    from_node_logs,
    polynomial_solution,
)

_POINTS = 10  # Gauss points between neighbouring nodes
_gauss_nodes, _gauss_weights = leggauss(_POINTS)
_gaps = np.diff(NODES)
_INNER = (NODES[:-1] + _gaps / 2)[:, None] + np.outer(_gaps / 2, _gauss_nodes)
_INNER_WEIGHTS = np.outer(_gaps / 2, _gauss_weights)
_TO_INNER = (chebvander(_INNER.ravel(), DEGREE) @ _TO_COEFFICIENTS).T
_TO_RIGHT_NODE = NODES[1:, None] - _INNER
_TO_LEFT_NODE = _INNER - NODES[:-1, None]


@dataclass(frozen=True)
class LocalIntegrals:
    """What a panel [p, q] itself adds to the convolution at its nodes y, relative to exp(L(y)).

    `left` is ∫_p^y h(z)e^{-(y−z)/t}dz/2t and `log_right` the logarithm of ∫_y^q h(z)e^{-(z−y)/t}dz/2t.
    """

    left: Array
    log_right: Extended

    def split(self, chosen: Mask, children: LocalIntegrals) -> LocalIntegrals:
        counts = 1 + chosen.astype(np.int64)
        fresh = np.repeat(chosen, counts)
        left = np.repeat(self.left, counts, axis=0)
        log_right = np.repeat(self.log_right, counts, axis=0)
        left[fresh], log_right[fresh] = children.left, children.log_right
        return LocalIntegrals(left, log_right)


def local_integrals(h: Panels, t: float, rows: Mask) -> LocalIntegrals:
    """The local integrals of the panels in `rows`."""
    widths, rises, shapes = h.widths[rows] / t, h.rises[rows], h.shapes[rows]
    weights = (widths / 4).astype(np.float64)[:, None]
    falling = ((widths + rises) / 2).astype(np.float64)  # rate seen looking left: never negative
    rising_exact = (widths - rises) / 2  # rate seen looking right: negative where h outgrows the kernel
    rising = rising_exact.astype(np.float64)
    inner = (shapes @ _TO_INNER).reshape(-1, DEGREE, _POINTS)

    left = np.zeros_like(shapes)
    steep = falling > STEEP
    gentle = ~steep
    pieces = _pieces(inner[gentle], falling[gentle], _TO_RIGHT_NODE)
    decay = np.exp(-np.outer(falling[gentle], _gaps))
    running = np.zeros(len(pieces))
    at_nodes = np.zeros((len(pieces), DEGREE + 1))
    for j in range(DEGREE):
        running = running * decay[:, j] + pieces[:, j]
        at_nodes[:, j + 1] = running
    left[gentle] = at_nodes
    if steep.any():
        solution = polynomial_solution(shapes[steep], falling[steep])
        left[steep] = solution - np.exp(-2 * np.outer(falling[steep], RISING)) * solution[:, :1]

    right = np.zeros_like(shapes)
    growth = np.zeros_like(h.shapes[rows], dtype=np.longdouble)
    gentle = np.abs(rising) <= STEEP
    pieces = _pieces(inner[gentle], rising[gentle], _TO_LEFT_NODE)
    decay = np.exp(-np.outer(rising[gentle], _gaps))
    running = np.zeros(len(pieces))
    at_nodes = np.zeros((len(pieces), DEGREE + 1))
    for j in range(DEGREE - 1, -1, -1):
        running = running * decay[:, j] + pieces[:, j]
        at_nodes[:, j] = running
    right[gentle] = at_nodes
    decaying = rising > STEEP
    if decaying.any():
        solution = -polynomial_solution(shapes[decaying], -rising[decaying])
        right[decaying] = solution - np.exp(-2 * np.outer(rising[decaying], FALLING)) * solution[:, -1:]
    growing = rising < -STEEP
    if growing.any():
        solution = polynomial_solution(shapes[growing], -rising[growing])
        right[growing] = solution[:, -1:] - np.exp(2 * np.outer(rising[growing], FALLING)) * solution
        growth[growing] = -2 * np.multiply.outer(rising_exact[growing], FALLING)
    with np.errstate(divide="ignore"):
        log_right = np.log(np.maximum(weights * right, 0.0)) + growth
    return LocalIntegrals(weights * np.maximum(left, 0.0), log_right)


def _pieces(inner: Array, rates: Array, distances: Array) -> Array:
    """∫ e^{-rate·distance} f between neighbouring nodes."""
    kernel = np.exp(-rates[:, None, None] * distances) * _INNER_WEIGHTS
    pieces: Array = np.einsum("pjk,pjk->pj", inner, kernel)
    return pieces


def forward_step(h: Panels, local: LocalIntegrals, t: float, stay: float) -> Panels:
    """stay·h + (1 − stay)·h * Lap(t), where h falls off exponentially to the left of the panels and is flat to the right."""
    widths = h.widths / t
    fades = np.exp(-(widths + h.rises)).astype(np.float64).tolist()
    gains = local.left[:, -1].tolist()
    slope = float(h.rises[0] / widths[0])
    reaching = [1.0 / (2.0 + 2.0 * slope)]
    for fade, gain in zip(fades, gains, strict=True):
        reaching.append(reaching[-1] * fade + gain)
    left = local.left + np.asarray(reaching[:-1])[:, None] * np.exp(
        -np.multiply.outer((widths + h.rises).astype(np.float64), RISING)
    )

    rates = widths - h.rises
    log_gains = local.log_right[:, 0]
    arriving = np.empty(len(widths), dtype=np.longdouble)
    log_right = np.log(np.longdouble(0.5))
    for i in range(len(widths) - 1, -1, -1):
        arriving[i] = log_right
        log_right = _log_sum(log_right - rates[i], log_gains[i])
    far = arriving[:, None] - np.multiply.outer(rates, FALLING)
    log_right_total = np.maximum(far, local.log_right)
    log_right_total = log_right_total + np.log1p(np.exp(-np.abs(far - local.log_right).astype(np.float64)))

    size = np.maximum(log_right_total, 0)
    near = stay * h.shapes + (1.0 - stay) * left
    relative = near * np.exp(-size.astype(np.float64)) + (1.0 - stay) * np.exp(
        (log_right_total - size).astype(np.float64)
    )
    linear = np.multiply.outer(h.log_values[:-1], FALLING) + np.multiply.outer(h.log_values[1:], RISING)
    return from_node_logs(h.edges, linear + size + np.log(relative))


def _log_sum(x: np.longdouble, y: np.longdouble) -> np.longdouble:
    """log(e^x + e^y)."""
    gap = float(x - y)
    if gap >= 0:
        return x + math.log1p(math.exp(-gap))
    return y + math.log1p(math.exp(gap))
