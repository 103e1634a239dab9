"""Rows of a benchmark in words: numbers in their units, the same on a terminal and in a document."""

from __future__ import annotations

from nrverify.benchmark.row import Growth, Row, Unit

MEGABYTE = 2**20
"""In bytes, as memory is counted."""

SIGNS: dict[Unit, str] = {"seconds": " s", "times": " ×", "microseconds": " µs"}
"""After a number that is written as it is."""

HEADINGS = ("what", "measured", "to reach", "verdict", "seconds", "peak memory")
GROWTH_HEADINGS = ("as the work grows", "samples", "ns per sample", "peak memory")


def row_words(row: Row) -> tuple[str, ...]:
    """A row under the headings."""
    sign = "≥" if row.at_least else "≤"
    seconds = "" if row.seconds is None else f"{row.seconds:.3g}"
    target = f"{sign} {_number(row.target, row.unit)}"
    return (row.name, _number(row.measured, row.unit), target, row.verdict, seconds, memory(row.peak_bytes))


def growth_words(point: Growth) -> tuple[str, ...]:
    """A point under its headings."""
    return (point.name, f"{point.samples:.0e}", f"{point.nanoseconds:,.0f}", memory(point.peak_bytes))


def memory(held: int | None) -> str:
    """Megabytes."""
    return "" if held is None else f"{held / MEGABYTE:,.1f} MB"


def _number(value: float, unit: Unit) -> str:
    if unit == "bytes":
        return f"{value / MEGABYTE:,.0f} MB"
    if unit == "per second":
        return f"{value / 1e6:.3g} M/s"
    if unit == "relative error":
        return f"{value:.1e}"
    return f"{value:.3g}{SIGNS.get(unit, '')}"
