"""Numbers as text: the CSV behind a figure, the same bytes for the same numbers."""

from __future__ import annotations

import csv
import io
import math

from nrverify.reproduce.result import Cell, Table


def csv_text(table: Table, data: str) -> str:
    """A comment line with what the numbers are and the data they rest on, a header, and rows to six digits."""
    text = io.StringIO()
    for line in (table.title, f"data: {data}", table.note):
        if line:
            text.write(f"# {' '.join(line.split())}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows([_written(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def _written(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
