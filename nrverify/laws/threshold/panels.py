"""Positive functions on the line held as panels, on each of which f(y) = exp(linear) · polynomial.

The linear exponents carry the size of the function (f may be e^{-250 000}), the polynomial only its shape, so sums of
exponentials keep their relative accuracy on panels of any width.  Exponents at the panel edges are extended-precision
where the platform has it: a logarithm of 250 000 in double precision is known to 3e-11 only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

Array = NDArray[np.float64]
Extended = NDArray[np.longdouble]
Mask = NDArray[np.bool_]

DEGREE = 20
"""Of the polynomial of a panel: at twenty, panels across which log f bends by LARGEST_BEND are resolved to rounding or
halved; a lower degree needs more panels, a higher one larger products."""
STEEP = 32.0  # exponents per half panel beyond which the polynomial solution replaces quadrature


def gauss_rule(points: int) -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights, each to full relative accuracy.

    The eigenvalue routines lose 1e-13 in the outermost weights, which carry steep integrands.
    """
    x = np.cos(np.pi * (np.arange(points, 0, -1) - np.longdouble(0.25)) / (points + 0.5))
    slope = np.ones_like(x)
    for _ in range(6):
        below, value = np.ones_like(x), x
        for k in range(2, points + 1):
            below, value = value, ((2 * k - 1) * x * value - (k - 1) * below) / k
        slope = points * (below - x * value) / ((1 - x) * (1 + x))
        x = x - value / slope
    weights = 2 / ((1 - x) * (1 + x) * slope**2)
    return x.astype(np.float64), weights.astype(np.float64)


# Chebyshev-Lobatto nodes: the end points are nodes, so a boundary layer narrower than a panel cannot hide from them.
NODES: Array = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_END_WEIGHT = np.where((np.arange(DEGREE + 1) % DEGREE) == 0, 2.0, 1.0)
"""The first and the last term of a discrete cosine transform count half."""
_ANGLES = np.pi * np.outer(np.arange(DEGREE + 1), DEGREE - np.arange(DEGREE + 1)) / DEGREE
"""Arguments of the cosine transform from values at NODES to Chebyshev coefficients."""
_TO_COEFFICIENTS = 2.0 / DEGREE * np.cos(_ANGLES) / np.outer(_END_WEIGHT, _END_WEIGHT)
"""Chebyshev coefficients from values at NODES."""
_FROM_COEFFICIENTS = chebvander(NODES, DEGREE).T


def interpolation(points: Array) -> Array:
    """The matrix M for which `shapes @ M` are the values at `points` of the polynomials with these values at NODES."""
    return np.asarray(_TO_COEFFICIENTS.T @ chebvander(points, DEGREE).T)


RISING: Array = np.round((1.0 + NODES) / 2.0 * 2.0**52) / 2.0**52
"""Weights of the right edge in the linear exponent; on a binary grid, so that they and those of the left sum to 1."""
FALLING: Array = 1.0 - RISING
"""Weights of the left edge."""

_GAUSS_NODES, _GAUSS_WEIGHTS = gauss_rule(48)
"""Enough for a polynomial of degree 20 times an exponential with an exponent up to 2·STEEP: 1e-13 at that end."""
_TO_GAUSS = interpolation(_GAUSS_NODES)

LARGEST_BEND = 2.0  # largest |log f − linear| a panel may have
TOLERANCE = 3e-15
"""Of the last coefficients, relative: some thirteen units in the last place; less would chase the rounding of the
values."""
_EXTENDED_ROUNDING = 8.0 * float(np.finfo(np.longdouble).eps)
"""Of a value, for each unit of the exponents it was computed from: a few roundings in extended precision."""


@dataclass(frozen=True)
class Panels:
    """f(y) = exp(L(y)) g(y): L linear between the `log_values` at the `edges`; `shapes`: g at NODES, 1 at the edges."""

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
        midpoints: Extended = (self.edges[:-1] + self.edges[1:])[chosen] / np.longdouble(2)
        return self.refined(midpoints)

    def refined(self, points: Extended) -> Panels:
        """The same function with additional edges at distinct points inside its panels."""
        if len(points) == 0:
            return self
        edges = np.sort(np.concatenate([self.edges, points]))
        parent = np.searchsorted(self.edges, edges[:-1], side="right") - 1
        divided = np.bincount(parent) > 1
        children = divided[parent]
        owner = parent[children]
        start = (edges[:-1][children] - self.edges[owner]) / self.widths[owner]
        stop = (edges[1:][children] - self.edges[owner]) / self.widths[owner]
        places = 2 * (np.multiply.outer(start, FALLING) + np.multiply.outer(stop, RISING)) - 1
        coefficients = self.shapes[owner] @ _TO_COEFFICIENTS.T
        shapes = np.einsum("pk,pjk->pj", coefficients, chebvander(places.astype(np.float64), DEGREE))
        # A child's linear exponent runs through the true values at its ends; its shape absorbs the difference.
        log_start, log_stop = np.log(shapes[:, 0]), np.log(shapes[:, -1])
        shapes *= np.exp(-np.outer(log_start, FALLING) - np.outer(log_stop, RISING))
        shapes[:, 0] = shapes[:, -1] = 1.0
        all_shapes = self.shapes[parent]
        all_shapes[children] = shapes
        log_values = self.log_values[np.append(parent, len(self.edges) - 1)]
        log_values[:-1][children] += start * self.rises[owner] + log_start
        return Panels(edges, log_values, all_shapes)

    def unresolved(self, magnitudes: Array) -> Mask:
        """The panels whose shape the polynomial does not yet give to rounding.

        `magnitudes`: at each edge, the size of the exponents from which the function there was computed.
        """
        tails = np.abs(self.shapes @ _TO_COEFFICIENTS[-3:].T).max(axis=1)
        largest = self.shapes.max(axis=1)
        bent = (largest > np.exp(LARGEST_BEND)) | (self.shapes.min(axis=1) < np.exp(-LARGEST_BEND))
        rounding = _EXTENDED_ROUNDING * np.maximum(magnitudes[:-1], magnitudes[1:])
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
    coefficients = _TO_COEFFICIENTS @ shapes.T
    solution = np.empty_like(coefficients)
    derivative = np.zeros((DEGREE + 2, len(shapes)))
    for k in range(DEGREE, 0, -1):
        solution[k] = (coefficients[k] - derivative[k]) / rates
        derivative[k - 1] = derivative[k + 1] + 2 * k * solution[k]
    solution[0] = (coefficients[0] - derivative[0] / 2) / rates
    return np.asarray(solution.T @ _FROM_COEFFICIENTS)


def from_node_logs(edges: Extended, logs: Extended) -> Panels:
    """The function whose logarithm at the nodes of each panel is given."""
    log_values = np.append(logs[:, 0], logs[-1, -1])
    linear = np.multiply.outer(log_values[:-1], FALLING) + np.multiply.outer(log_values[1:], RISING)
    bends = np.clip((logs - linear).astype(np.float64), -50.0, 50.0)
    shapes = np.exp(bends)
    shapes[:, 0] = shapes[:, -1] = 1.0
    return Panels(edges, log_values, shapes)


def laplace_cdf(edges: Extended, centre: np.longdouble, scale: np.longdouble) -> Panels:
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


def laplace_survival(edges: Extended, centre: np.longdouble, scale: np.longdouble) -> Panels:
    """1 − G(y) = P(centre + Lap(scale) ≥ y), as the mirror image of the cdf."""
    mirror = laplace_cdf(-edges[::-1], -centre, scale)
    return Panels(edges, mirror.log_values[::-1], mirror.shapes[::-1, ::-1])


def laplace_density(edges: Extended, scale: np.longdouble) -> Panels:
    """e^{-|y|/scale}/(2 scale); 0 must be an edge."""
    log_values = -np.abs(edges) / scale - np.log(np.longdouble(2 * scale))
    return Panels(edges, log_values, np.ones((len(edges) - 1, DEGREE + 1)))
