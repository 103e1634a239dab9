"""One pair of axes: curves with bands, distributions in rows, estimates in rows, reference lines.

Colours are those of Okabe and Ito, distinct under the common kinds of colour blindness; line style and mark say
the same in grey.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.reproduce.result import Curve, Distribution, Line, Panel, Quantity, Role, Scale, Span

GREY = "#595959"
SMALL = 6.5
"""Points: labels inside the axes, below the 8 of the text and still readable in print."""


@dataclass(frozen=True)
class Style:
    """How a role looks."""

    colour: str
    line: Any
    mark: str


STYLES: dict[Role, Style] = {
    "brownian": Style("#0072B2", "-", "o"),
    "laplace": Style("#D55E00", (0, (5, 1.5)), "s"),
    "linear": Style("#0072B2", "-", "o"),
    "mixture": Style("#D55E00", (0, (5, 1.5)), "s"),
    "half-normal": Style("#009E73", (0, (5, 1.2, 1, 1.2)), "^"),
    "grid": Style("#000000", "-", "D"),
    "neutral": Style(GREY, ":", "x"),
}
"""Colours told apart by colour-blind readers (Okabe and Ito); dashes and marks tell them apart in grey."""


def draw(axes: Any, panel: Panel) -> None:
    """The panel on its axes."""
    axes.set_title(panel.title, loc="left")
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    if panel.distributions:
        _draw_distributions(axes, panel.distributions)
    if panel.estimates:
        _draw_estimates(axes, panel.estimates, panel.x_scale)
    for curve in panel.curves:
        _draw_curve(axes, curve)
    if panel.x_limits:
        axes.set_xlim(*panel.x_limits)
    if panel.y_limits:
        axes.set_ylim(*panel.y_limits)
    for span in panel.spans:
        _draw_span(axes, span)
    for line in panel.lines:
        _draw_line(axes, line)
    _set_ticks(axes.xaxis, panel.x_scale, axes.get_xlim())
    if panel.curves:
        _set_ticks(axes.yaxis, panel.y_scale, axes.get_ylim())


def _set_ticks(axis: Any, scale: Scale, limits: tuple[float, float]) -> None:
    """On a logarithmic axis, round numbers written out: the more decades are seen, the fewer to a decade."""
    if scale != "log":
        return
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    low, high = limits
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in ((1, 1.5, 2, 3, 4, 6), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
        if len(ticks) <= 6:
            break
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def _draw_curve(axes: Any, curve: Curve) -> None:
    style = STYLES[curve.role]
    looks: dict[str, Any] = {"color": style.colour, "label": curve.label}
    if not curve.joined:
        axes.plot(curve.x, curve.y, "o", markerfacecolor="none", markersize=2.6, markeredgewidth=0.7, **looks)
        return
    if curve.low:
        axes.fill_between(curve.x, curve.low, curve.high, color=style.colour, alpha=0.25, linewidth=0)
        looks |= {"marker": style.mark, "markersize": 3, "markevery": 6}
    axes.plot(curve.x, curve.y, linestyle=style.line, **looks)


def _draw_span(axes: Any, span: Span) -> None:
    axes.axvspan(span.low, span.high, color="#BBBBBB", alpha=0.3, linewidth=0, zorder=0)
    if span.label:
        middle = float(np.sqrt(span.low * span.high))
        where = axes.get_xaxis_transform()
        axes.text(middle, 0.03, span.label, transform=where, ha="center", va="bottom", fontsize=6, color=GREY)


def _draw_line(axes: Any, line: Line) -> None:
    words = {"textcoords": "offset points", "fontsize": SMALL, "color": GREY}
    if line.axis == "y":
        axes.axhline(line.at, color=GREY, linewidth=0.7, linestyle=":", zorder=1)
        up = line.side == "above"
        place = {"xytext": (0, 1.5 if up else -2.5), "ha": "right", "va": "bottom" if up else "top"}
        axes.annotate(line.label, (0.995, line.at), xycoords=("axes fraction", "data"), **place, **words)
        return
    axes.axvline(line.at, color=GREY, linewidth=0.7, linestyle=":", zorder=1)
    place = {"xytext": (2, 1), "ha": "left", "va": "bottom"}
    axes.annotate(line.label, (line.at, 0.0), xycoords=("data", "axes fraction"), **place, **words)


def _draw_distributions(axes: Any, rows: tuple[Distribution, ...]) -> None:
    """Each sample in a row of its own: a histogram standing on the row, as tall as it is dense, its quantiles below."""
    heights = [_densities(row) for row in rows]
    tallest = max(float(height.max()) for height in heights) or 1.0
    for place, (row, height) in enumerate(zip(reversed(rows), reversed(heights), strict=True)):
        style = STYLES[row.role]
        top = place + 0.72 * height / tallest
        axes.stairs(top, row.edges, baseline=place, fill=True, facecolor=style.colour, alpha=0.35, linewidth=0)
        axes.stairs(top, row.edges, baseline=place, color=style.colour, linewidth=0.5)
        _draw_quantiles(axes, np.array(row.values), place - 0.1, style)
    axes.set_ylim(-0.3, len(rows) - 0.22)
    axes.set_yticks([place + 0.2 for place in range(len(rows))], [row.label for row in reversed(rows)])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _densities(row: Distribution) -> Any:
    """Counts over the widths of their bars on a logarithmic axis."""
    values, edges = np.array(row.values), np.array(row.edges)
    return np.histogram(values[np.isfinite(values)], edges)[0] / np.diff(np.log(edges))


def _draw_quantiles(axes: Any, values: Any, height: float, style: Style) -> None:
    q05, q25, q50, q75, q95 = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
    if not np.isfinite(q05):
        words = {"ha": "center", "va": "center", "fontsize": SMALL, "color": style.colour}
        axes.annotate("target not reached", (0.5, height + 0.3), xycoords=("axes fraction", "data"), **words)
        return
    largest = float(values[np.isfinite(values)].max())
    ends = [float(min(q, largest)) for q in (q05, q25, q75, q95)]
    axes.plot([ends[0], ends[3]], [height, height], color=style.colour, linewidth=0.8, solid_capstyle="butt")
    axes.plot([ends[1], ends[2]], [height, height], color=style.colour, linewidth=3, solid_capstyle="butt")
    if np.isfinite(q50):
        axes.plot([q50], [height], style.mark, color="white", markeredgecolor=style.colour, markersize=4.5)
        place = {"xytext": (0, -4.5), "textcoords": "offset points", "ha": "center", "va": "top"}
        axes.annotate(f"{q50:.3g}", (q50, height), fontsize=SMALL, color=style.colour, **place)


def _draw_estimates(axes: Any, estimates: tuple[Quantity, ...], scale: Scale) -> None:
    """Rows from top to bottom in the order given; within a row one mark for each label, a little apart."""
    names = list(dict.fromkeys(estimate.row for estimate in estimates))
    labels = list(dict.fromkeys(estimate.label for estimate in estimates))
    for estimate in estimates:
        off = 0.3 * (labels.index(estimate.label) - (len(labels) - 1) / 2)
        _draw_estimate(axes, estimate, names.index(estimate.row) + off, estimate.row == names[0])
    known = [number for item in estimates for number in (item.value, item.low, item.high) if 0 < number < np.inf]
    if scale == "log":
        low, high = (min(known), max(known)) if known else (0.1, 10.0)
        axes.set_xlim(low / (high / low) ** 0.08 / 1.05, high * (high / low) ** 0.3 * 1.15)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(names)):
        axes.axhline(place - 0.5, color="#DDDDDD", linewidth=0.5, zorder=0)


def _draw_estimate(axes: Any, estimate: Quantity, height: float, named: bool) -> None:
    style = STYLES[estimate.role]
    words = {"ha": "left", "va": "center", "fontsize": 6, "color": style.colour}
    if not np.isfinite(estimate.value):
        axes.annotate("target not reached", (0.02, height), xycoords=("axes fraction", "data"), **words)
        return
    begin = estimate.low if estimate.low > 0 else estimate.value
    end = estimate.high if np.isfinite(estimate.high) else estimate.value
    axes.plot([begin, end], [height, height], color=style.colour, linewidth=1.4, solid_capstyle="butt")
    label = estimate.label if named else None
    axes.plot([estimate.value], [height], style.mark, color=style.colour, markersize=3.6, label=label)
    axes.annotate(f"{estimate.value:.3g}", (end, height), xytext=(4.5, 0), textcoords="offset points", **words)
