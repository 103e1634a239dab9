"""Charts made of curves: distributions, quantiles, correlations, trade-offs, wealth, boundaries."""

from __future__ import annotations

import math

from markupsafe import Markup

from nrverify.auditing.core.plots.data import Lines, Matrix, Quantiles, Tradeoff, Uniformity, WealthPlot
from nrverify.report.page.charts.axes import box, drawing, frame, label, number, point, segment


def draw_uniformity(plot: Uniformity, words: str) -> Markup:
    """F̂(u) − u with its bands, what lies outside in another colour."""
    largest = max(1.15 * plot.wide, 1.1 * max(map(abs, plot.difference)))
    area = frame((0.0, 1.0), (-largest, largest))
    parts = [
        area.area((0.0, 1.0), (-plot.wide,) * 2, (plot.wide,) * 2, "wide"),
        area.area((0.0, 1.0), (-plot.narrow,) * 2, (plot.narrow,) * 2, "narrow"),
        area.axes("level u", "share below u, less u"),
        area.level(0.0, "claim"),
        area.path(plot.levels, plot.difference, "line"),
    ]
    beyond = [(u, d) for u, d in zip(plot.levels, plot.difference, strict=True) if abs(d) > plot.wide]
    parts += [point(area.x(u), area.y(d), "out", radius=2.2) for u, d in beyond]
    return drawing(parts, words)


def draw_quantiles(plot: Quantiles, words: str) -> Markup:
    """Quantile against quantile with its bands."""
    ends = (-3.3, 3.3)
    area = frame(ends, ends)
    parts = [
        area.area(plot.claimed, *_sides(plot.wide), "wide"),
        area.area(plot.claimed, *_sides(plot.narrow), "narrow"),
        area.axes("claimed quantile (sd)", "observed quantile"),
        area.path(ends, ends, "claim"),
        area.path(plot.claimed, plot.observed, "line"),
    ]
    parts += [
        point(area.x(x), area.y(y), "out", radius=2.2)
        for x, y, (low, high) in zip(plot.claimed, plot.observed, plot.wide, strict=True)
        if not low <= y <= high
    ]
    return drawing(parts, words)


def _sides(limits: tuple[tuple[float, float], ...]) -> tuple[list[float], list[float]]:
    return [low for low, _ in limits], [high for _, high in limits]


def draw_matrix(plot: Matrix, words: str) -> Markup:
    """Correlations below the diagonal, as squares that fill their cell at the narrow limits."""
    size = len(plot.labels)
    cell = min(34.0, 290.0 / size)
    left, top = 84.0, 8.0
    parts = []
    for i in range(1, size):
        parts.append(label(left - 6, top + (i - 0.35) * cell, plot.labels[i], "tick end"))
        for j in range(i):
            value, narrow, wide = (table[i][j] for table in (plot.values, plot.narrow, plot.wide))
            if value is None or narrow is None or wide is None:
                continue
            style = "cell-out" if abs(value) > wide else "cell-far" if abs(value) > narrow else "cell"
            at = (left + j * cell, top + (i - 1) * cell)
            words_here = f"{plot.labels[i]} with {plot.labels[j]}: {number(value)}, limits ±{number(wide)}"
            parts.append(box(*at, cell - 2, cell - 2, style, words_here))
            shade = min(1.0, abs(value) / narrow) * (cell - 8)
            parts.append(
                box(at[0] + (cell - 2 - shade) / 2, at[1] + (cell - 2 - shade) / 2, shade, shade, f"{style} ink")
            )
    for j in range(size - 1):
        parts.append(
            label(left + (j + 0.5) * cell, top + (size - 1) * cell + 14, _short(plot.labels[j]), "tick middle")
        )
    return drawing(parts, words, top + (size - 1) * cell + 24)


def _short(words: str) -> str:
    return words.rsplit(" ", 1)[-1]


def draw_tradeoff(plot: Tradeoff, words: str) -> Markup:
    """Every event's probability at both values, and the corner that the claim does not allow."""
    q0, q1 = plot.neighbour[-1], plot.value[-1]
    reach = 1.04 * max(q0, q1) or 1.0
    area = frame((0.0, reach), (0.0, reach), 300.0)
    e = math.exp(min(plot.epsilon, 700.0))
    corner = _corner(e, plot.delta, q0, q1)
    upper = [(0.0, min(plot.delta, q1)), corner, (q0, q1)]
    low = [max(0.0, y - plot.wide) for y in plot.value]
    high = [min(reach, y + plot.wide) for y in plot.value]
    parts = [
        area.area(plot.neighbour, low, high, "wide"),
        area.axes("probability at the neighbour", "probability at the value"),
        area.path([x for x, _ in upper], [y for _, y in upper], "bound"),
        area.path((0.0, reach), (0.0, reach), "claim"),
        area.path(plot.neighbour, plot.value, "line"),
        label(area.x(corner[0]) + 8, area.y(corner[1]) + 14, f"claimed limit, ε = {number(plot.epsilon)}", "key"),
    ]
    return drawing(parts, words, 300.0)


def _corner(e: float, delta: float, q0: float, q1: float) -> tuple[float, float]:
    """Where p₁ = e^ε p₀ + δ meets q₀ − p₀ = e^ε(q₁ − p₁) + δ: the claim from both ends."""
    if e * e - 1 < 1e-12:
        return q0 / 2, q1 / 2
    x = (e * q1 - e * delta - q0 + delta) / (e * e - 1)
    x = min(max(x, 0.0), q0)
    return x, min(e * x + delta, q1)


def draw_wealth(plot: WealthPlot, words: str) -> Markup:
    """The wealth after each look, as a power of ten."""
    heights = [value / math.log(10) for value in plot.log_wealth]
    goal = plot.log_goal / math.log(10)
    finite = [height for height in heights if math.isfinite(height)]
    top = max(goal * 1.15, min(max(finite, default=0.0) * 1.1, 4 * goal))
    bottom = max(min([0.0, *finite]) * 1.1, -goal) - 0.3
    shown = next((index + 1 for index, height in enumerate(heights) if height > top), len(heights))
    samples, heights = plot.samples[:shown], heights[:shown]
    first, last = max(samples[0], 1), max(samples[-1], 2)
    area = frame((first * 0.9, max(last * 1.1, first * 2)), (bottom, top), log_x=True)
    ticks = [(tick, number(tick)) for tick in area.x.ticks(5)]
    parts = [
        area.axes("samples", "wealth, as a power of ten", ticks),
        area.level(0.0, "claim"),
        area.level(goal, "goal"),
        label(area.x.start + 6, area.y(goal) - 5, f"1/α = {number(math.exp(plot.log_goal))}", "key goal-key"),
        area.path(samples, heights, "line"),
    ]
    parts += [
        point(
            area.x(n), area.y(h), "out" if h >= goal else "seen", f"{n} samples: {number(10.0 ** min(h, 300.0))}", 2.6
        )
        for n, h in zip(samples, heights, strict=True)
    ]
    if heights[-1] > top:
        beyond = number(10.0 ** heights[-1]) if heights[-1] < 300 else "more than 10³⁰⁰"
        end = area.x(samples[-1]) > (area.x.start + area.x.end) / 2
        place = (area.x(samples[-1]) + (-8 if end else 8), area.y(top) + 6)
        parts.append(label(*place, f"↑ {beyond}", "key end" if end else "key"))
    return drawing(parts, words)


def draw_lines(plot: Lines, words: str) -> Markup:
    """Curves on logarithmic axes."""
    xs = [x for line in plot.lines for x in line.x if x > 0]
    ys = [y for line in plot.lines for y in line.y if y > 0 and math.isfinite(y)]
    if plot.goal is not None:
        ys.append(plot.goal[1])
    low, high = min(ys, default=1.0), max(ys, default=1.0)
    area = frame(
        (min(xs, default=1.0), max(xs, default=1.0)),
        (max(min(low, high / 10) / 1.3, high * 1e-20), high * 2),
        280.0,
        log_x=True,
        log_y=True,
    )
    parts = [area.axes(plot.x_axis, plot.y_axis)]
    if plot.mark is not None:
        parts.append(segment(area.x(plot.mark), area.y.start, area.x(plot.mark), area.y.end, "mark"))
    if plot.goal is not None:
        parts.append(area.level(plot.goal[1], "goal"))
        parts.append(label(area.x.end - 4, area.y(plot.goal[1]) - 5, plot.goal[0], "key goal-key end"))
    for index, line in enumerate(plot.lines):
        kept = [(x, y) for x, y in zip(line.x, line.y, strict=True) if x > 0 and y > 0 and math.isfinite(y)]
        parts.append(area.path([x for x, _ in kept], [y for _, y in kept], "claim" if line.dotted else "line"))
        y = 26.0 + 16 * index
        parts.append(segment(area.x.end - 22, y - 4, area.x.end - 2, y - 4, "claim" if line.dotted else "line"))
        parts.append(label(area.x.end - 28, y, line.name, "key end"))
    return drawing(parts, words, 280.0)
