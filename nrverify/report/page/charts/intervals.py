"""Charts made of rows or columns of estimates: dots with limits against what is claimed, and bars of shares."""

from __future__ import annotations

import math

from markupsafe import Markup

from nrverify.auditing.core.plots.data import Bars, Bound, Dot, Dots, Limits
from nrverify.report.page.charts.axes import (
    WIDTH,
    Scale,
    box,
    drawing,
    frame,
    label,
    number,
    point,
    proper,
    segment,
    spread,
)

ROW = 32.0
"""A line of text above a mark with its limits."""
TOP = 6.0
"""So that the first label is not cut off."""
BELOW = 40.0
"""Numbers and the name of the axis, 33 units down."""


def draw_dots(plot: Dots, words: str) -> Markup:
    """Estimates below each other, the claimed value a line through all of them."""
    ends = [end for row in plot.rows for end in (*row.wide, row.claimed)]
    scale = Scale(*proper(*spread(ends, 0.04), False), 14.0, WIDTH - 14.0)
    bottom = TOP + ROW * len(plot.rows)
    parts = _axis(scale, bottom, plot.quantity)
    claims = {row.claimed for row in plot.rows}
    if len(claims) == 1:
        at = scale(claims.pop())
        parts.append(segment(at, TOP, at, bottom, "claim"))
    for index, row in enumerate(plot.rows):
        out = row.wide[0] > row.claimed or (row.wide[1] < row.claimed and not plot.at_most)
        parts += _row(scale, index, row, "out" if out else "seen")
    return drawing(parts, words, bottom + BELOW)


def draw_bound(plot: Bound, words: str) -> Markup:
    """Estimates below each other, what the bound allows shaded."""
    ends = [end for row in plot.rows for end in (*_finite(row.wide), row.claimed, -row.claimed)]
    scale = Scale(*proper(*spread(ends, 0.04), False), 14.0, WIDTH - 14.0)
    bottom = TOP + ROW * len(plot.rows)
    parts = _axis(scale, bottom, plot.quantity)
    for index, row in enumerate(plot.rows):
        y = TOP + ROW * index
        left, right = scale(-row.claimed), scale(row.claimed)
        parts.append(box(left, y + 15, right - left, 14, "allowed", f"allowed: ±{number(row.claimed)}"))
        parts += [segment(at, y + 15, at, y + 29, "bound") for at in (left, right)]
    for index, row in enumerate(plot.rows):
        out = row.wide[0] > row.claimed or row.wide[1] < -row.claimed
        parts += _row(scale, index, row, "out" if out else "seen")
    return drawing(parts, words, bottom + BELOW)


def _axis(scale: Scale, bottom: float, quantity: str) -> list[Markup]:
    parts = []
    for tick in scale.ticks(5):
        parts.append(segment(scale(tick), TOP, scale(tick), bottom, "grid"))
        parts.append(label(scale(tick), bottom + 15, number(tick), "tick middle"))
    parts.append(segment(scale.start, bottom, scale.end, bottom, "axis"))
    parts.append(label((scale.start + scale.end) / 2, bottom + 33, quantity, "name middle"))
    return parts


def _row(scale: Scale, index: int, row: Dot, style: str) -> list[Markup]:
    top = TOP + ROW * index
    y = top + 22
    words = f"{row.label}: {number(row.value)}, limits {_limits(row.narrow)} and {_limits(row.wide)}"
    return [
        label(scale.start, top + 11, row.label, "row"),
        segment(scale(row.wide[0]), y, scale(row.wide[1]), y, f"thin {style}"),
        segment(scale(row.narrow[0]), y, scale(row.narrow[1]), y, f"thick {style}"),
        point(scale(row.value), y, style, words),
    ]


def draw_bars(plot: Bars, words: str) -> Markup:
    """Shares with limits, on columns as high as the exact probability."""
    count = len(plot.bars)
    highest = max(max(bar.exact, bar.wide[1]) for bar in plot.bars)
    area = frame((0.0, float(count)), (0.0, min(1.08 * highest, 1.0) or 1.0))
    every = math.ceil(count / 12)
    ticks = [(index + 0.5, bar.label) for index, bar in enumerate(plot.bars) if index % every == 0]
    parts = [area.axes(plot.axis, "share", [(at, words.split("–")[0]) for at, words in ticks])]
    step = area.x(1.0) - area.x(0.0)
    for index, bar in enumerate(plot.bars):
        left, middle = area.x(index), area.x(index + 0.5)
        style = "seen" if bar.wide[0] <= bar.exact <= bar.wide[1] else "out"
        top = area.y(bar.exact)
        parts.append(box(left + 0.14 * step, top, 0.72 * step, area.y.start - top, "column"))
        parts.append(segment(left + 0.14 * step, top, left + 0.86 * step, top, "bound"))
        parts.append(segment(middle, area.y(bar.wide[0]), middle, area.y(bar.wide[1]), f"thin {style}"))
        parts.append(segment(middle, area.y(bar.narrow[0]), middle, area.y(bar.narrow[1]), f"thick {style}"))
        seen = f"{bar.label}: {number(bar.share)}, exact {number(bar.exact)}, limits {_limits(bar.wide)}"
        parts.append(point(middle, area.y(bar.share), style, seen))
    return drawing(parts, words)


def _limits(limits: Limits) -> str:
    return f"{number(limits[0])} to {number(limits[1])}"


def _finite(limits: Limits) -> tuple[float, ...]:
    return tuple(end for end in limits if math.isfinite(end))
