"""Samplers that a release gives away: noise that is a transform of uniforms on a lattice, undone and looked up."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nrverify.auditing.numerics.reachable import Flags

Floats = NDArray[np.float64]
Bins = NDArray[np.int64]
Extended = NDArray[np.longdouble]

ANSWERS = 3
"""Of a lattice: no, yes, and not to be told because rounding is too coarse for it."""
TOLD = 0.2
"""A point of the lattice must be known to so much of its spacing, or nothing is said."""
MOST_CANDIDATES = 24
"""Uniforms that may give one release: with more, nearly every release is given by some."""
UNIFORM_BITS = 53
"""Of the uniforms in the unit interval that numpy, Python, Java and most others make."""

_LOG = np.frompyfunc(math.log, 1, 1)
"""The C library's, which numpy's samplers call; np.log differs from it in the last bit of some results."""


def laplace_uniform(value: ArrayLike, release: ArrayLike, scale: ArrayLike) -> tuple[Extended, Extended]:
    """The uniform whose logarithm the noise of a first release would be, and how exactly it is known."""
    y, z = np.asarray(release, dtype=float), _difference(release, value)
    b = np.asarray(scale, dtype=np.longdouble)
    uniform = np.exp(-np.abs(z) / b)
    return uniform, uniform / b * _error(y, z)


def normal_uniform(
    value: ArrayLike, releases: tuple[ArrayLike, ArrayLike], times: tuple[ArrayLike, ArrayLike]
) -> tuple[Extended, Extended]:
    """The uniform of which Box and Muller's formula would make the first two innovations, and how exactly it is known.

    One pair of normals has e^{−(g² + h²)/2} uniform, by the polar method too.
    """
    (y, later), (t, s) = releases, (np.asarray(time, dtype=np.longdouble) for time in times)
    first, second = _difference(y, value), _difference(later, value)
    spread = np.sqrt(s * (t - s) / t)
    g, h = first / np.sqrt(t), (second - first * (s / t)) / spread
    uniform = np.exp(-(g * g + h * h) / 2)
    own, other = _error(np.asarray(y, dtype=float), first), _error(np.asarray(later, dtype=float), second)
    return uniform, uniform * (np.abs(g) * own / np.sqrt(t) + np.abs(h) * (other + own * (s / t)) / spread)


def on_lattice(uniform: Extended, error: Extended, points: float) -> Bins:
    """Whether a uniform is a multiple of 1/points up to its error: 0 no, 1 yes, 2 not to be told."""
    place = uniform * np.longdouble(points)
    tolerance = error * np.longdouble(points) + place * np.longdouble(2.0**-50)
    with np.errstate(invalid="ignore"):
        hit = np.abs(place - np.rint(place)) <= tolerance
        return np.where(~(tolerance <= TOLD), 2, hit.astype(np.int64))


def by_logarithm(value: ArrayLike, release: ArrayLike, scale: ArrayLike) -> Flags:
    """Whether release = fl(value ± scale·log(K·2^-53)) for an integer K, as numpy's `laplace` computes it.

    True too where so many K would do that the answer says nothing.
    """
    y, v, b = (np.array(x, dtype=float) for x in np.broadcast_arrays(release, value, scale))
    uniforms = np.exp(-np.abs(y - v) / b) * 2.0**UNIFORM_BITS
    with np.errstate(invalid="ignore"):
        width = uniforms / b * (np.spacing(np.abs(y)) + 2 * np.spacing(np.abs(y - v)))
        found = ~(width <= MOST_CANDIDATES) | (uniforms < 1)
    rows = np.flatnonzero(~found)
    if rows.size == 0:
        return np.asarray(found)
    sign = np.where(y[rows] >= v[rows], -1.0, 1.0)
    middle = np.rint(uniforms[rows])
    reach = math.ceil(width[rows].max()) + 2
    hit = np.zeros(rows.size, dtype=bool)
    for step in range(-reach, reach + 1):
        k = np.clip(middle + step, 1, 2.0**UNIFORM_BITS)
        hit |= v[rows] + sign * (b[rows] * _LOG(k / 2.0**UNIFORM_BITS).astype(float)) == y[rows]
    found[rows] = hit
    return np.asarray(found)


def _difference(release: ArrayLike, value: ArrayLike) -> Extended:
    return np.asarray(release, dtype=np.longdouble) - np.asarray(value, dtype=np.longdouble)


def _error(release: Floats, noise: Extended) -> Extended:
    """How far the noise of a release may be from what a sampler made: its own rounding, and that of the sum."""
    own = np.spacing(np.abs(release)).astype(np.longdouble) / 2
    return np.asarray(own + np.abs(noise) * np.longdouble(2.0**-51), dtype=np.longdouble)
