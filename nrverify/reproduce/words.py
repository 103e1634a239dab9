"""Numbers in sentences: three digits, and words where there is no number."""

from __future__ import annotations

import math

from nrverify.reproduce.intervals import Interval


def number(x: float) -> str:
    """Three digits; a level that was never reached, and one that is not known, in words."""
    if math.isnan(x):
        return "unknown"
    if math.isinf(x):
        return "beyond the last level" if x > 0 else "−∞"
    return f"{x:.3g}"


def with_interval(interval: Interval) -> str:
    """The number and its limits."""
    low, high = (f"{limit:.3g}".replace("-inf", "−∞").replace("inf", "∞") for limit in (interval.low, interval.high))
    return f"{number(interval.value)} [{low}, {high}]"


def percentage(x: float) -> str:
    """A share in whole per cent."""
    return "an unknown share" if math.isnan(x) else f"{x:.0%}"
