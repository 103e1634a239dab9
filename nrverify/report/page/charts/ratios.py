"""A chart of ratios to a limit: rows from the least to the most on a logarithmic axis, and what is to be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from nrverify.report.page.charts.axes import WIDTH, Scale, drawing, label, number, point, proper, segment

ROW, TOP, BELOW = 26.0, 6.0, 40.0
"""A line of text above a mark; the first label not cut off; numbers and the name of the axis, 33 units down."""


@dataclass(frozen=True)
class Ratio:
    """A ratio, with the least and the most that were seen."""

    label: str
    value: float
    least: float
    most: float


def draw_ratios(rows: Sequence[Ratio], goal: float, quantity: str, words: str) -> Markup:
    """One row each; beyond the goal in another colour."""
    seen = [end for row in rows for end in (row.least, row.most, row.value) if math.isfinite(end) and end > 0]
    low, high = proper(min([1.0, *seen]) / 1.2, max([goal, *seen]) * 1.2, True)
    scale = Scale(low, high, 14.0, WIDTH - 14.0, True)
    bottom = TOP + ROW * len(rows)
    parts = []
    for tick in scale.ticks(5):
        parts.append(segment(scale(tick), TOP, scale(tick), bottom, "grid"))
        parts.append(label(scale(tick), bottom + 15, number(tick), "tick middle"))
    parts.append(segment(scale.start, bottom, scale.end, bottom, "axis"))
    parts.append(segment(scale(1.0), TOP, scale(1.0), bottom, "claim"))
    parts.append(segment(scale(goal), TOP, scale(goal), bottom, "goal"))
    parts.append(label((scale.start + scale.end) / 2, bottom + 33, quantity, "name middle"))
    for index, row in enumerate(rows):
        y = TOP + ROW * index + 19
        style = "out" if row.value > goal else "seen"
        parts.append(label(scale.start, y - 8, row.label, "row"))
        parts.append(segment(scale(row.least), y, scale(row.most), y, f"thick {style}"))
        parts.append(point(scale(row.value), y, style, f"{row.label}: {number(float(f'{row.value:.3g}'))}"))
    return drawing(parts, words, bottom + BELOW)
