"""Differences between a loss and ε, free of rounding: at the largest loss a divergence is as small as they are."""

from __future__ import annotations

import numpy as np

from nrverify.laws.validation.times import Floats

_SPLIT = 2.0**27 + 1
"""Veltkamp's constant for 53 bits: the product with it separates the upper 26 bits from the lower."""
_LARGEST_FACTOR = 2.0**500
"""Products of factors up to this size can be split into halves without overflow."""


def gaps(totals: Floats, epsilons: Floats, time: float) -> Floats:
    """totals − ε·time, relative to the exact difference of the doubles given to about 2^-52, however close they are."""
    high = epsilons * time
    low = _product_error(epsilons, time, high)
    return np.asarray((totals - high) - low)


def _product_error(a: Floats, b: float, product: Floats) -> Floats:
    """a·b − fl(a·b), exactly (Dekker); 0 where a factor is beyond the range of the method."""
    inside = (np.abs(a) < _LARGEST_FACTOR) & (abs(b) < _LARGEST_FACTOR)
    a = np.where(inside, a, 0.0)
    b = b if abs(b) < _LARGEST_FACTOR else 0.0
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(np.asarray(b))
    error = a_low * b_low - (((np.where(inside, product, 0.0) - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return np.asarray(error)


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """x as the sum of two numbers of 26 bits."""
    scaled = _SPLIT * x
    high = scaled - (scaled - x)
    return high, x - high
