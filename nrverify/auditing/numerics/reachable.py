"""Which doubles floating-point arithmetic can release from a value: by a sum with it, or by a product and a sum.

Everything is elementwise, with NaN (no release) counted as reachable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Bins = NDArray[np.int64]

ZERO_BITS = (1, 2, 9, 21)
"""Edges of the classes of trailing zero bits: noise in single precision has at least 29 of them."""
ZERO_CLASSES = len(ZERO_BITS) + 2
EXPONENTS, TRAILING = 9, 6
"""Classes of the exponent of a release, and of its trailing zero bits, that are told apart without any structure."""


def reachable_by_sum(value: ArrayLike, release: ArrayLike) -> Flags:
    """Whether any double z has fl(value + z) = release.

    If one has, fl(release − value) has: it is nearest to the real difference, so its sum with the value is nearest to
    the release, and what rounds to a double is an interval about it (symmetric but at powers of two).
    """
    value, release = np.asarray(value, dtype=float), np.asarray(release, dtype=float)
    return np.asarray((value + (release - value) == release) | np.isnan(release))


def reachable_by_product(value: ArrayLike, release: ArrayLike, scale: ArrayLike) -> Flags:
    """Whether a double g has fl(value + fl(scale·g)) = release: products by a scale skip some doubles.

    Looked for within two units in the last place of the difference, and one of g: no further one can be it.
    """
    value, release, scale = (np.asarray(x, dtype=float) for x in (value, release, scale))
    found = np.isnan(release)
    for z in _around(release - value, 2):
        sums = value + z == release
        for g in _around(z / scale, 1):
            found = found | (sums & (scale * g == z))
    return np.asarray(found)


def zero_bits(value: ArrayLike, release: ArrayLike) -> Bins:
    """The class of release − value: 0 where it is not a double, else by its trailing zero bits."""
    value, release = np.asarray(value, dtype=float), np.asarray(release, dtype=float)
    difference = release - value
    back = difference - release
    exact = (release - (difference - back)) + (-value - back) == 0  # the error term of the subtraction (TwoSum)
    return np.where(exact, 1 + np.searchsorted(ZERO_BITS, trailing_zeros(difference), side="right"), 0)


def pattern(value: ArrayLike, release: ArrayLike) -> Bins:
    """The exponent of a release against that of the value's size, its trailing zero bits and its sign, as a number."""
    size = np.frexp(np.maximum(np.abs(np.asarray(value, dtype=float)), 1e-300))[1]
    y = np.nan_to_num(np.asarray(release, dtype=float))
    exponent = np.clip(np.frexp(y)[1] - size + 5, 0, EXPONENTS - 1).astype(np.int64)
    return np.asarray((exponent * TRAILING + np.minimum(trailing_zeros(y), TRAILING - 1)) * 2 + (y > 0))


def trailing_zeros(x: ArrayLike) -> Bins:
    """How many of the 53 bits of a double are zero at its end; 53 for 0, and for what is not finite."""
    x = np.asarray(x, dtype=float)
    with np.errstate(invalid="ignore"):
        mantissa = np.where(np.isfinite(x), np.abs(np.ldexp(np.frexp(x)[0], 53)), 0.0).astype(np.int64)
    lowest = np.where(mantissa == 0, 1, mantissa & -mantissa)
    return np.where(mantissa == 0, 53, np.frexp(lowest.astype(float))[1] - 1)


def _around(x: Floats, steps: int) -> Iterator[Floats]:
    """A double and its neighbours on both sides."""
    yield x
    up = down = x
    for _ in range(steps):
        up, down = np.nextafter(up, np.inf), np.nextafter(down, -np.inf)
        yield up
        yield down
