"""What the exact mechanisms accept besides value and time."""

from __future__ import annotations

import math
import operator
from numbers import Real
from typing import Any


def granularity(g: Any) -> float | None:
    """A positive finite float, or None for releases rounded to doubles."""
    if g is None:
        return None
    if not isinstance(g, Real) or isinstance(g, bool) or not (0 < float(g) < math.inf):
        raise ValueError(
            f"granularity is {g!r}: it must be a positive finite float; give the step of the grid, such as 2**-20, "
            "or None to round to doubles"
        )
    return float(g)


def precision(p: Any) -> int:
    """A positive integer."""
    try:
        digits = operator.index(p)
    except TypeError:
        digits = 0
    if digits < 1:
        raise ValueError(f"precision is {p!r}: it must be a positive integer; omit it, releases do not depend on it")
    return digits
