"""The low-order bits of the numbers in outputs as columns, for claims that are meant to hold to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.columns import TAGS, Columns, Floats, Keys, Path, mixed

MOST_NUMBERS = 8
"""Numbers of an output whose bits are looked at, as for the attack on sums (`last_bits.py`)."""
LOW = 4
"""Bits that are looked at as a pattern: sixteen patterns are learned from some hundred runs."""
PATTERN, ZEROS = "#low bits", "#zero bits"
"""The last steps of the paths: the lowest bits, and how many of the lowest are 0."""
MANTISSA = 52
"""Bits of a double after its leading one."""


def with_low_bits(columns: Columns) -> Columns:
    """The columns, and for each float among the first entries what its lowest bits are."""
    keys, values = dict[Path, Keys](), dict[Path, Floats]()
    numbers = [path for path in columns.values if all(isinstance(step, int) or step.startswith("=") for step in path)]
    for path in [path for path in numbers if _broken(columns.values[path]).any()][:MOST_NUMBERS]:
        value = columns.values[path]
        bits = np.ascontiguousarray(value, dtype=np.float64).view(np.uint64)
        mantissa = bits & np.uint64(2**MANTISSA - 1)
        lowest = mantissa & (~mantissa + np.uint64(1))
        zeros = np.where(mantissa == 0, float(MANTISSA), np.log2(np.maximum(lowest, 1).astype(float)))
        pattern = (bits & np.uint64(2**LOW - 1)).astype(float)
        for step, found in ((PATTERN, pattern), (ZEROS, zeros)):
            there = np.where(np.isfinite(value), found, np.nan)
            values[(*path, step)] = there
            keys[(*path, step)] = mixed(np.ascontiguousarray(there).view(np.uint64), TAGS[int])
    return Columns(columns.size, {**columns.keys, **keys}, {**columns.values, **values})


def _broken(value: Floats) -> NDArray[np.bool_]:
    """Which are finite and no integers: an integer's low bits are its size."""
    return np.asarray(np.isfinite(value) & (value != np.rint(np.where(np.isfinite(value), value, 0.0))))


def words(step: str, place: str) -> str | None:
    """A column of bits in words; None where the step is none."""
    if step == PATTERN:
        return f"the number made of the last {LOW} bits of {place}"
    if step == ZEROS:
        return f"the number of zero bits at the end of {place} (of {MANTISSA})"
    return None
