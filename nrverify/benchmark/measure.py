"""Clocks and memory: medians of interleaved measurements, so that a busy moment of the machine falls on both sides."""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Callable
from time import perf_counter

Work = Callable[[], object]


def seconds(work: Work) -> float:
    """The time the work takes, once."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def median_seconds(work: Work, repeats: int) -> float:
    """The median time over the repeats, after one that is not counted."""
    work()
    return statistics.median(seconds(work) for _ in range(repeats))


def speed_ratio(work: Work, limit: Work, repeats: int) -> tuple[float, float]:
    """(speed of the work as a share of the limit's, seconds of the work): medians over pairs taken one after the other.

    Within a pair the limit is measured before and after the work and averaged: a machine that slows down or speeds up
    in between changes the ratio only in second order.
    """
    work()
    limit()
    ratios, times = [], []
    before = seconds(limit)
    for _ in range(repeats):
        time, after = seconds(work), seconds(limit)
        ratios.append((before + after) / 2 / time)
        times.append(time)
        before = after
    return statistics.median(ratios), statistics.median(times)


def peak_bytes(work: Work) -> int:
    """The most memory held at once during the work, above what was held before; numpy's arrays are counted."""
    already = tracemalloc.is_tracing()
    if not already:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        work()
        return max(0, tracemalloc.get_traced_memory()[1] - held)
    finally:
        if not already:
            tracemalloc.stop()
