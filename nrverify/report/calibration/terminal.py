"""A calibration on a terminal: the tables that fit, then what was found."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nrverify.calibrate.calibration import Calibration
from nrverify.calibrate.matrix import KillMatrix
from nrverify.report.calibration import tables

GOOD, BAD = "green", "bold red"
NARROW = 100
"""Columns: all of a table fit from here on."""
SPARE = ("nats per sample>", "least>", "most>", "limits>", "which is", "claims it alone bears on")
"""Columns that a narrow terminal does without; the document has them."""


def print_calibration(calibration: Calibration, console: Console) -> None:
    """The tables of the parts that ran, and a line for each finding."""
    if calibration.matrix is not None:
        _print(_kills(calibration.matrix), console)
        if calibration.matrix.whole:
            _print(tables.standings(calibration.matrix), console)
    if calibration.efficiency is not None:
        _print(tables.efficiency(calibration.efficiency, calibration.scope.seeds), console)
    if calibration.empirical is not None:
        _print(tables.empirical(calibration.empirical), console)
    if calibration.alarms is not None:
        _print(tables.false_alarms(calibration.alarms, calibration.scope.audit_samples), console)
    for words, ok in tables.summary(calibration):
        console.print(f"[{GOOD if ok else BAD}]{'as it should be' if ok else 'NOT AS IT SHOULD BE'}[/] {escape(words)}")


def _kills(matrix: KillMatrix) -> tables.Table:
    """One line a mutant: the matrix itself is too wide for a terminal."""
    rows = tuple(
        (
            kill.mutant.name,
            tables.number(kill.first.samples) if kill.first.alarm else "NOT REFUTED",
            "" if kill.ratio is None else f"{kill.ratio:.2f}",
            ", ".join(kill.first.refuted),
        )
        for kill in matrix.kills
    )
    return tables.Table("Mutants", "", ("mutant", "samples>", "ratio>", "refuted first by"), rows)


def _print(table: tables.Table, console: Console) -> None:
    console.print(f"[bold]{escape(table.title)}[/]", highlight=False)
    if table.words:
        console.print(escape(table.words), style="dim", highlight=False)
    shown = [n for n, column in enumerate(table.columns) if console.width >= NARROW or column not in SPARE]
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for place in shown:
        column = table.columns[place]
        right = column.endswith(">")
        drawn.add_column(escape(column.rstrip(">")), justify="right" if right else "left", no_wrap=right or place == 0)
    for row in table.rows:
        drawn.add_row(*(escape(row[place]) for place in shown))
    console.print(drawn)
    console.print()
