"""First-passage density of Brownian motion through a smooth curve, by a Volterra equation of the second kind.

In log-time ℓ, with z = c(t)/√t, r = √(s/t) and σ² = 1 − r², the density P(ℓ) of the first passage satisfies
P(ℓ) = S(ℓ) + ∫P(ℓ')K(ℓ, ℓ')dℓ',  K = [z' + z/2 − (z − r·z_s)/σ²]·φ((z − r·z_s)/σ)/σ
(Durbin; Buonocore, Nobile and Ricciardi). On a smooth curve K vanishes like √(ℓ−ℓ') on the diagonal, for a straight
line it is zero everywhere. S = (z/2 − z')φ(z) for a path from the origin; looking from lo > 0 on, what is above the
curve at lo has crossed at once and does not come back.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import legendre
from scipy.special import ndtr

from nrverify.laws.crossing.curve_sampling import Piece
from nrverify.laws.crossing.surviving_density import _TO_COEFFICIENTS, NODE, NODES, WEIGHT, Floats, normal_density

_NEAR_NODE, _NEAR_WEIGHT = legendre.leggauss(24)
"""Exact to degree 47: the interpolant has degree 15, which leaves room for a smooth kernel."""
_LARGEST = 0.5
"""In log-time: over it r = e^(−ℓ/2) falls to no less than 0.78, so that 16 nodes resolve the density; steep curves
shorten it further."""
_SMALLEST = 1e-20  # first panel after a start at lo > 0, where the density grows like (t − lo)^(−1/2)


def smooth_crossing(piece: Piece, *, atom: bool, refine: float = 1.0) -> tuple[float, float]:
    """P(W crosses the curve on the piece), and the weight of the last Legendre coefficients of the density.

    `atom`: paths above the curve at the start of the piece cross there; without it there are none to speak of.
    """
    origin = float(piece.edges[0])
    length = float(piece.edges[-1]) - origin
    edges = _edges(piece, length, atom, refine)
    half = 0.5 * np.diff(edges)
    x = edges[:-1, None] + half[:, None] * (1.0 + NODE)
    z = piece.level(origin + x.ravel()).reshape(x.shape)
    slope = piece.slope(origin + x.ravel()).reshape(x.shape)
    start = float(piece.level(np.array([origin]))[0])
    source = _source(x, z, slope, start, atom)
    density = np.zeros_like(x)
    for j in range(len(half)):
        right = source[j].copy()
        if j > 1:
            kernel = _kernel(x[j][:, None], z[j][:, None], slope[j][:, None], x[: j - 1].ravel(), z[: j - 1].ravel())
            right += kernel @ (density[: j - 1] * (half[: j - 1, None] * WEIGHT)).ravel()
        if j > 0:
            right += _near(piece, origin, edges[j - 1], half[j - 1], x[j], z[j], slope[j], edges[j]) @ density[j - 1]
        own = _near(piece, origin, edges[j], half[j], x[j], z[j], slope[j], None)
        density[j] = np.linalg.solve(np.eye(NODES) - own, right)
    mass = float(half @ (density @ WEIGHT))
    tail = np.abs((density @ _TO_COEFFICIENTS.T)[:, -2:]).max(axis=1)
    probability = mass + (float(ndtr(-start)) if atom else 0.0)
    return probability, float(2.0 * half @ tail)


def _edges(piece: Piece, length: float, atom: bool, refine: float) -> Floats:
    """Panels over which log φ(z) changes by little, short after a start with an atom."""
    origin = float(piece.edges[0])
    edges = [0.0]
    if atom:
        edges += np.geomspace(_SMALLEST, 1e-3, 64).tolist() if length > 1e-2 else []
        if length <= 1e-2:
            return np.concatenate(([0.0], np.geomspace(length * 1e-18, length, 80)))
    while edges[-1] < length:
        at = edges[-1]
        size = _LARGEST if not atom else min(_LARGEST, at)
        for _ in range(60):
            ends = np.linspace(at, min(at + size, length), 9)
            z = piece.level(origin + ends)
            change = np.abs(np.diff(0.5 * z * z)).sum() + np.abs(np.diff(z)).sum()
            if change <= 6.0 and np.max(z * z) * size <= 60.0:
                break
            size *= 0.7
        edges.append(min(at + size / refine, length))
    return np.array(edges)


def _source(x: Floats, z: Floats, slope: Floats, start: float, atom: bool) -> Floats:
    free = 0.5 * z - slope
    if not atom:
        return free * normal_density(z)
    r = np.exp(-0.5 * x)
    spread = np.sqrt(-np.expm1(-x))
    gap = (start - r * z) / spread
    return normal_density(z) * (free * ndtr(gap) + r / spread * normal_density(gap))


def _kernel(x: Floats, z: Floats, slope: Floats, earlier: Floats, earlier_z: Floats) -> Floats:
    lag = x - earlier
    variance = -np.expm1(-lag)
    rise = z - np.exp(-0.5 * lag) * earlier_z
    return np.asarray(
        (slope + 0.5 * z - rise / variance) * np.exp(-0.5 * rise * rise / variance) / np.sqrt(2.0 * math.pi * variance)
    )


def _near(
    piece: Piece, origin: float, low: float, half: float, x: Floats, z: Floats, slope: Floats, high: float | None
) -> Floats:
    """Matrix of ∫K(x, ℓ')·(interpolant on the panel)dℓ' over the panel up to `high` or x, with ℓ' = x − v²."""
    first = np.zeros_like(x) if high is None else np.sqrt(np.maximum(x - high, 0.0))
    last = np.sqrt(x - low)
    v = first[:, None] + 0.5 * (last - first)[:, None] * (1.0 + _NEAR_NODE)
    weight = 0.5 * (last - first)[:, None] * _NEAR_WEIGHT * 2.0 * v
    earlier = x[:, None] - v * v
    earlier_z = piece.level(origin + earlier.ravel()).reshape(earlier.shape)
    kernel = _kernel_of_lag(v * v, z[:, None], slope[:, None], earlier_z)
    basis = legendre.legvander((earlier - low) / half - 1.0, NODES - 1) @ _TO_COEFFICIENTS
    return np.asarray(np.einsum("ij,ijk->ik", kernel * weight, basis))


def _kernel_of_lag(lag: Floats, z: Floats, slope: Floats, earlier_z: Floats) -> Floats:
    return _kernel(lag, z, slope, np.zeros_like(lag), earlier_z)
