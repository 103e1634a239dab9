"""Each plot of an audit as a chart, and in one sentence what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from nrverify.auditing.core.plots.data import (
    Bars,
    Bound,
    Dots,
    Lines,
    Matrix,
    Plot,
    Quantiles,
    Tradeoff,
    Uniformity,
    WealthPlot,
)
from nrverify.report.page import alt_text as readings
from nrverify.report.page.alt_text import Reading
from nrverify.report.page.charts import curves
from nrverify.report.page.charts import intervals as rows
from nrverify.report.page.inline_math import set_prose


@dataclass(frozen=True)
class Chart:
    """A chart with its title, what it shows in one sentence, and what its limits are."""

    title: str
    drawing: Markup
    reading: Markup
    note: Markup
    beyond: bool
    """Whether something in it lies beyond even the wide limits."""


def chart(plot: Plot) -> Chart:
    """The chart of any plot."""
    draw, read = DRAWN[type(plot)]
    reading = read(plot)
    drawn = draw(plot, reading.words)
    return Chart(plot.title, drawn, Markup(set_prose(reading.words)), Markup(set_prose(plot.note)), reading.beyond)


DRAWN: dict[type, tuple[Callable[[Any, str], Markup], Callable[[Any], Reading]]] = {
    Uniformity: (curves.draw_uniformity, readings.read_uniformity),
    Quantiles: (curves.draw_quantiles, readings.read_quantiles),
    Dots: (rows.draw_dots, readings.read_rows),
    Bound: (rows.draw_bound, readings.read_bound),
    Matrix: (curves.draw_matrix, readings.read_matrix),
    Bars: (rows.draw_bars, readings.read_bars),
    Tradeoff: (curves.draw_tradeoff, readings.read_tradeoff),
    WealthPlot: (curves.draw_wealth, readings.read_wealth),
    Lines: (curves.draw_lines, readings.read_lines),
}
"""How each kind of plot is drawn, and read."""
