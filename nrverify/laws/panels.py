"""Positive functions on the line held as panels, on each of which f(y) = exp(linear) · polynomial.

The linear exponents carry the size of the function (f may be e^{-250 000}), the polynomial only its shape, so sums of
exponentials keep their relative accuracy on panels of any width.  Exponents at the panel edges are extended-precision
where the platform has it: a logarithm of 250 000 in double precision is known to 3e-11 only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

Array = NDArray[np.float64]
Extended = NDArray[np.longdouble]
Mask = NDArray[np.bool_]

DEGREE = 20
STEEP = 32.0  # exponents per half panel beyond which the polynomial solution replaces quadrature

# Chebyshev-Lobatto nodes: the end points are nodes, so a boundary layer narrower than a panel cannot hide from them.
NODES: Array = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_END_WEIGHT = np.where((np.arange(DEGREE + 1) % DEGREE) == 0, 2.0, 1.0)
_ANGLES = np.pi * np.outer(np.arange(DEGREE + 1), DEGREE - np.arange(DEGREE + 1)) / DEGREE
_TO_COEFFICIENTS = 2.0 / DEGREE * np.cos(_ANGLES) / np.outer(_END_WEIGHT, _END_WEIGHT)
_FROM_COEFFICIENTS = chebvander(NODES, DEGREE).T
_LEFT_HALF = (chebvander((NODES - 1.0) / 2.0, DEGREE) @ _TO_COEFFICIENTS).T
_RIGHT_HALF = (chebvander((NODES + 1.0) / 2.0, DEGREE) @ _TO_COEFFICIENTS).T
RISING: Array = (1.0 + NODES) / 2.0
FALLING: Array = RISING[::-1].copy()

_GAUSS_NODES, _GAUSS_WEIGHTS = leggauss(48)
_TO_GAUSS = (chebvander(_GAUSS_NODES, DEGREE) @ _TO_COEFFICIENTS).T

LARGEST_BEND = 2.0  # largest |log f − linear| a panel may have
TOLERANCE = 3e-15


@dataclass(frozen=True)
class Panels:
    """f(y) = exp(L(y)) g(y): L linear between the `log_values` at the `edges`, g = `shapes` at NODES, 1 at the edges."""

    edges: Extended
    log_values: Extended
    shapes: Array

    @property
    def widths(self) -> Extended:
        return np.diff(self.edges)

    @property
    def rises(self) -> Extended:
        return np.diff(self.log_values)

    def times(self, other: Panels) -> Panels:
        """The pointwise product with a function on the same panels."""
        return Panels(self.edges, self.log_values + other.log_values, self.shapes * other.shapes)

    def split(self, chosen: Mask) -> Panels:
        """The same function with the chosen panels bisected."""
        counts = 1 + chosen.astype(np.int64)
        first = np.cumsum(counts) - counts
        left = first[chosen]
        middle_factor = self.shapes[chosen] @ _LEFT_HALF[:, -1]
        shapes = np.repeat(self.shapes, counts, axis=0)
        # The children's linear exponents meet at the true midpoint value; their shapes absorb the difference.
        log_factor = np.log(middle_factor)
        shapes[left] = (self.shapes[chosen] @ _LEFT_HALF) * np.exp(-np.outer(log_factor, RISING))
        shapes[left + 1] = (self.shapes[chosen] @ _RIGHT_HALF) * np.exp(-np.outer(log_factor, FALLING))
        shapes[left, 0] = shapes[left, -1] = shapes[left + 1, 0] = shapes[left + 1, -1] = 1.0
        at = np.flatnonzero(chosen) + 1
        midpoints = (self.edges[:-1] + self.edges[1:])[chosen] / 2
        middles = (self.log_values[:-1] + self.log_values[1:])[chosen] / 2 + log_factor
        return Panels(np.insert(self.edges, at, midpoints), np.insert(self.log_values, at, middles), shapes)

    def unresolved(self) -> Mask:
        """The panels whose shape the polynomial does not yet give to rounding."""
        tails = np.abs(self.shapes @ _TO_COEFFICIENTS[-3:].T).max(axis=1)
        largest = self.shapes.max(axis=1)
        bent = (largest > np.exp(LARGEST_BEND)) | (self.shapes.min(axis=1) < np.exp(-LARGEST_BEND))
        size = np.abs(self.log_values).astype(np.float64)
        rounding = 8.0 * float(np.finfo(np.longdouble).eps) * np.maximum(size[:-1], size[1:])
        chosen: Mask = bent | (tails > np.maximum(TOLERANCE, rounding) * largest)
        return chosen

    def log_integral(self) -> np.longdouble:
        """log ∫ f over all panels."""
        half_rises = (self.rises / 2).astype(np.float64)
        steepness = np.abs(half_rises)
        shapes = np.where((half_rises < 0)[:, None], self.shapes[:, ::-1], self.shapes)
        steep = steepness > STEEP
        integrals = np.empty(len(shapes))
        gentle = ~steep
        decay = np.exp(-np.outer(steepness[gentle], 1.0 - _GAUSS_NODES))
        integrals[gentle] = ((shapes[gentle] @ _TO_GAUSS) * decay) @ _GAUSS_WEIGHTS
        if steep.any():
            solution = polynomial_solution(shapes[steep], steepness[steep])
            integrals[steep] = solution[:, -1] - np.exp(-2 * steepness[steep]) * solution[:, 0]
        sizes = np.maximum(self.log_values[:-1], self.log_values[1:]) + np.log(integrals * self.widths / 2)
        top = sizes.max()
        total: np.longdouble = top + np.log(np.exp(sizes - top).sum())
        return total


def polynomial_solution(shapes: Array, rates: Array) -> Array:
    """At NODES, the polynomial g with g' + rate·g = f, for |rate| > STEEP (f by its values at NODES).

    Back substitution in Chebyshev coefficients; ∫_a^x e^{-rate(x-s)} f(s) ds = g(x) − e^{-rate(x-a)} g(a).
    """
    coefficients = shapes @ _TO_COEFFICIENTS.T
    solution = np.empty_like(coefficients)
    derivative = np.zeros((DEGREE + 3, len(shapes)))
    for k in range(DEGREE, 0, -1):
        solution[:, k] = (coefficients[:, k] - derivative[k]) / rates
        derivative[k - 1] = derivative[k + 1] + 2 * k * solution[:, k]
    solution[:, 0] = (coefficients[:, 0] - derivative[0] / 2) / rates
    return solution @ _FROM_COEFFICIENTS


def from_node_logs(edges: Extended, logs: Extended) -> Panels:
    """The function whose logarithm at the nodes of each panel is given."""
    log_values = np.append(logs[:, 0], logs[-1, -1])
    linear = np.multiply.outer(log_values[:-1], FALLING) + np.multiply.outer(log_values[1:], RISING)
    bends = np.clip((logs - linear).astype(np.float64), -50.0, 50.0)
    shapes = np.exp(bends)
    shapes[:, 0] = shapes[:, -1] = 1.0
    return Panels(edges, log_values, shapes)


def laplace_cdf(edges: Extended, centre: np.longdouble, scale: float) -> Panels:
    """G(y) = P(centre + Lap(scale) < y); `centre` must be an edge or outside the panels."""
    distances = (edges - centre) / scale
    above = np.maximum(distances, 0).astype(np.float64)
    log_values = np.where(distances < 0, distances - np.log(np.longdouble(2)), np.log1p(-np.exp(-above) / 2))
    shapes = np.ones((len(edges) - 1, DEGREE + 1))
    upper = distances[:-1] >= 0
    at_nodes = np.outer(above[:-1][upper], FALLING) + np.outer(above[1:][upper], RISING)
    ends = log_values.astype(np.float64)
    linear = np.outer(ends[:-1][upper], FALLING) + np.outer(ends[1:][upper], RISING)
    shapes[upper] = np.exp(np.log1p(-np.exp(-at_nodes) / 2) - linear)
    shapes[:, 0] = shapes[:, -1] = 1.0
    return Panels(edges, log_values, shapes)


def laplace_survival(edges: Extended, centre: np.longdouble, scale: float) -> Panels:
    """1 − G(y) = P(centre + Lap(scale) ≥ y), as the mirror image of the cdf."""
    mirror = laplace_cdf(-edges[::-1], -centre, scale)
    return Panels(edges, mirror.log_values[::-1], mirror.shapes[::-1, ::-1])


def laplace_density(edges: Extended, scale: float) -> Panels:
    """e^{-|y|/scale}/(2 scale); 0 must be an edge."""
    log_values = -np.abs(edges) / scale - np.log(np.longdouble(2 * scale))
    return Panels(edges, log_values, np.ones((len(edges) - 1, DEGREE + 1)))
