"""The forward step of the Laplace process on panels: h ↦ r²h + (1−r²) h * Lap(t), for positive non-decreasing h.

Given Z_s = y the process sits at time t > s still at y with probability r² = (s/t)² and else at y + Lap(t).
Since h does not decrease, its convolution is at least h/2, so an error small against h(y) is small against the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nrverify.laws.threshold.panels import (
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
    gauss_rule,
    interpolation,
    polynomial_solution,
)

_POINTS = 12  # Gauss points between neighbouring nodes
_gauss_nodes, _gauss_weights = gauss_rule(_POINTS)
_GAPS = np.diff(NODES)
_INNER = (NODES[:-1] + _GAPS / 2)[:, None] + np.outer(_GAPS / 2, _gauss_nodes)
"""Gauss nodes of each gap between neighbouring nodes (gap, point)."""
_INNER_WEIGHTS = np.outer(_GAPS / 2, _gauss_weights)
"""Their weights."""
_TO_INNER = interpolation(_INNER.ravel())
_TO_RIGHT_NODE = NODES[1:, None] - _INNER
"""Distance from each to the right end of its gap, over which the kernel decays."""


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


def local_integrals(h: Panels, t: np.longdouble, rows: Mask) -> LocalIntegrals:
    """The local integrals of the panels in `rows`."""
    widths, rises, shapes = h.widths[rows] / t, h.rises[rows], h.shapes[rows]
    weights = (widths / 4).astype(np.float64)[:, None]
    leftward = (widths + rises) / 2  # never negative, as h does not decrease
    rightward = (widths - rises) / 2  # negative where h outgrows the kernel
    left = _running_integrals(shapes, leftward.astype(np.float64))

    growing = rightward < -STEEP
    right = np.empty_like(shapes)
    growth = np.zeros(shapes.shape, dtype=np.longdouble)
    mirrored = _running_integrals(shapes[~growing][:, ::-1], rightward[~growing].astype(np.float64))
    right[~growing] = mirrored[:, ::-1]
    if growing.any():
        rates = -rightward[growing].astype(np.float64)
        solution = polynomial_solution(shapes[growing], rates)
        right[growing] = solution[:, -1:] - np.exp(-2 * np.outer(rates, FALLING)) * solution
        growth[growing] = -2 * np.multiply.outer(rightward[growing], FALLING)
    with np.errstate(divide="ignore"):
        log_right = np.log(np.maximum(weights * right, 0.0)) + growth
    return LocalIntegrals(weights * np.maximum(left, 0.0), log_right)


def _running_integrals(shapes: Array, rates: Array) -> Array:
    """∫_{−1}^x e^{−rate(x−s)} f(s) ds at the nodes x, for f by its values at NODES and rate ≥ −STEEP."""
    integrals = np.zeros_like(shapes)
    steep = rates > STEEP
    gentle = ~steep
    slow = rates[gentle]
    inner = (shapes[gentle] @ _TO_INNER).reshape(-1, DEGREE, _POINTS)
    kernel = np.exp(-slow[:, None, None] * _TO_RIGHT_NODE) * _INNER_WEIGHTS
    pieces = np.einsum("pjk,pjk->jp", inner, kernel)
    decay = np.exp(-np.outer(_GAPS, slow))
    running = np.zeros((DEGREE + 1, len(slow)))
    for j in range(DEGREE):
        running[j + 1] = running[j] * decay[j] + pieces[j]
    integrals[gentle] = running.T
    if steep.any():
        solution = polynomial_solution(shapes[steep], rates[steep])
        integrals[steep] = solution - np.exp(-2 * np.outer(rates[steep], RISING)) * solution[:, :1]
    return integrals


def forward_step(h: Panels, local: LocalIntegrals, t: np.longdouble, stay: float) -> Panels:
    """stay·h + (1 − stay)·h * Lap(t).

    Beyond the panels h goes on exponentially to the left and flat to the right.
    """
    leftward = h.widths / t + h.rises
    rightward = h.widths / t - h.rises
    left = local.left + _from_left(h, local, t)[:, None] * np.exp(-np.outer(leftward.astype(np.float64), RISING))

    far = _log_from_right(rightward, local)[:, None] - np.multiply.outer(rightward, FALLING)
    correction = np.log1p(np.exp(-np.abs(far - local.log_right).astype(np.float64)))
    log_right = np.maximum(far, local.log_right) + correction

    size = np.maximum(log_right, 0)
    near = stay * h.shapes + (1.0 - stay) * left
    beyond = (1.0 - stay) * np.exp((log_right - size).astype(np.float64))
    relative = near * np.exp(-size.astype(np.float64)) + beyond
    linear = np.multiply.outer(h.log_values[:-1], FALLING) + np.multiply.outer(h.log_values[1:], RISING)
    return from_node_logs(h.edges, linear + size + np.log(relative))


def _from_left(h: Panels, local: LocalIntegrals, t: np.longdouble) -> Array:
    """∫_{−∞}^p h(z)e^{−(p−z)/t}dz/2t relative to h(p), at the left edge p of each panel."""
    fades = np.exp(-(h.widths / t + h.rises).astype(np.float64)).tolist()
    slope = float(h.rises[0] / h.widths[0] * t)
    arriving = [1.0 / (2.0 + 2.0 * slope)]
    for fade, gain in zip(fades[:-1], local.left[:-1, -1].tolist(), strict=True):
        arriving.append(arriving[-1] * fade + gain)
    return np.array(arriving)


def _log_from_right(rates: Extended, local: LocalIntegrals) -> Extended:
    """log of ∫_q^∞ h(z)e^{−(z−q)/t}dz/2t relative to h(q), at the right edge q of each panel."""
    gains = local.log_right[:, 0]
    arriving = np.empty_like(gains)
    arriving[-1] = np.log(np.longdouble(0.5))
    for i in range(len(gains) - 1, 0, -1):
        through = arriving[i] - rates[i]
        gap = float(through - gains[i])
        arriving[i - 1] = max(through, gains[i]) + math.log1p(math.exp(-abs(gap)))
    return arriving
