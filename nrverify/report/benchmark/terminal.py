"""The benchmark on a terminal: measured, to reach, verdict."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from nrverify.benchmark.row import Growth, Row
from nrverify.report.benchmark.text import GROWTH_HEADINGS, HEADINGS, growth_words, row_words

TO_THE_LEFT = ("what", "verdict", "as the work grows")


def print_rows(rows: Iterable[Row], console: Console) -> None:
    """The numbers to reach."""
    table = _table(HEADINGS)
    for row in rows:
        words = list(row_words(row))
        words[3] = f"[{'green' if row.verdict == 'met' else 'red'}]{row.verdict}[/]"
        table.add_row(*words)
    console.print(table)


def print_growth(points: Iterable[Growth], console: Console) -> None:
    """The cost of one sample as the work grows."""
    table = _table(GROWTH_HEADINGS)
    for point in points:
        table.add_row(*growth_words(point))
    console.print(table)


def _table(headings: Iterable[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in TO_THE_LEFT else "right")
    return table
