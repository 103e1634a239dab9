"""The benchmark on a terminal: measured, target, verdict."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from nrverify.benchmark.row import Growth, Row


def print_rows(rows: Iterable[Row], console: Console) -> None:
    """The numbers to reach."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("what", "measured", "target", "verdict", "peak memory"):
        table.add_column(heading, justify="left" if heading in ("what", "verdict") else "right")
    for row in rows:
        sign = "≥" if row.unit == "ratio" else "≤"
        unit = "" if row.unit == "ratio" else " s"
        style = "green" if row.verdict == "met" else "red"
        memory = "" if row.peak_bytes is None else f"{row.peak_bytes / 2**20:.1f} MB"
        table.add_row(
            row.name,
            f"{row.measured:.3g}{unit}",
            f"{sign} {row.target:g}{unit}",
            f"[{style}]{row.verdict}[/]",
            memory,
        )
    console.print(table)


def print_growth(points: Iterable[Growth], console: Console) -> None:
    """The cost of one sample as the work grows."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("as the work grows", "samples", "ns per sample", "peak memory"):
        table.add_column(heading, justify="left" if heading == "as the work grows" else "right")
    for point in points:
        table.add_row(
            point.name, f"{point.samples:.0e}", f"{point.nanoseconds:.0f}", f"{point.peak_bytes / 2**20:.1f} MB"
        )
    console.print(table)
