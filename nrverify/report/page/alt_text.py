"""What a plot shows, in one sentence: for those who do not see it, and those who want to be told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from nrverify.auditing.core.plots.data import (
    Bars,
    Bound,
    Dots,
    Lines,
    Matrix,
    Quantiles,
    Table,
    Tradeoff,
    Uniformity,
    WealthPlot,
)
from nrverify.report.page.charts.axes import number

MOST_NAMED = 4
"""In one sentence; a listener loses track of more."""


class Reading(NamedTuple):
    """A sentence, and whether something lies beyond even the wide limits."""

    words: str
    beyond: bool


def read_uniformity(plot: Uniformity) -> Reading:
    """The largest distance and where it lies."""
    largest = max(plot.difference, key=abs)
    at = plot.levels[plot.difference.index(largest)]
    beyond = abs(largest) > plot.wide
    where = _place(abs(largest), plot.narrow, plot.wide)
    return Reading(f"Furthest from the claim by {_short(largest)}, at u = {_short(at)}: {where}.", beyond)


def _place(size: float, narrow: float, wide: float) -> str:
    if size > wide:
        return f"beyond even the wide limits, ±{_short(wide)}"
    if size > narrow:
        return f"between the narrow limits ±{_short(narrow)} and the wide ones ±{_short(wide)}"
    return f"within the narrow limits, ±{_short(narrow)}"


def read_quantiles(plot: Quantiles) -> Reading:
    """Whether quantiles leave their limits, and how wide the noise is."""
    inside = all(low <= y <= high for y, (low, high) in zip(plot.observed, plot.wide, strict=True))
    energy = sum(y * y for y in plot.observed)
    scale = sum(x * y for x, y in zip(plot.claimed, plot.observed, strict=True)) / energy if energy else math.nan
    where = "All quantiles lie within" if inside else "Some quantiles lie beyond"
    spread = 1 / scale if scale else math.nan
    return Reading(
        f"{where} the wide limits; the middle of the noise is {_short(spread)} times as wide as claimed.", not inside
    )


def read_matrix(plot: Matrix) -> Reading:
    """The correlation that stands out most."""
    size = len(plot.labels)
    pairs = [(i, j) for i in range(size) for j in range(i) if plot.values[i][j] is not None]
    i, j = max(pairs, key=lambda at: abs(_entry(plot.values, at)) / _entry(plot.wide, at))
    value, narrow, wide = (_entry(table, (i, j)) for table in (plot.values, plot.narrow, plot.wide))
    where = _place(abs(value), narrow, wide)
    words = f"The one that stands out most, {plot.labels[i]} with {plot.labels[j]}, is {_short(value)}: {where}."
    return Reading(words, abs(value) > wide)


def _entry(table: Table, at: tuple[int, int]) -> float:
    value = table[at[0]][at[1]]
    return math.nan if value is None else value


def read_tradeoff(plot: Tradeoff) -> Reading:
    """Whether an event passes the claim."""
    e = math.exp(min(plot.epsilon, 700.0))
    gap = max(y - plot.wide - e * (x + plot.wide) - plot.delta for x, y in zip(plot.neighbour, plot.value, strict=True))
    claimed = f"the claimed e^{{{_short(plot.epsilon)}}} to one"
    if gap > 0:
        return Reading(f"An event passes {claimed} beyond the wide limits, by {_short(gap)}.", True)
    return Reading(f"No event passes {claimed} beyond the wide limits.", False)


def read_wealth(plot: WealthPlot) -> Reading:
    """What the bets came to."""
    last, goal = plot.log_wealth[-1], _short(math.exp(plot.log_goal))
    wealth = "more than 10³⁰⁰" if last > 690 else _short(math.exp(last))
    reached = [n for n, value in zip(plot.samples, plot.log_wealth, strict=True) if value >= plot.log_goal]
    if reached:
        return Reading(
            f"The bets turned 1 into {wealth}; they passed {goal} at the look after {number(reached[0])} draws.", True
        )
    return Reading(f"The bets turned 1 into {wealth}; {goal} would refute.", False)


def read_lines(plot: Lines) -> Reading:
    """What is compared, or the highest point."""
    if plot.goal is None:
        names = " against ".join(line.name for line in plot.lines)
        return Reading(f"{names[:1].upper() if names[:1].isascii() else names[:1]}{names[1:]}.", False)
    highest = max((y for line in plot.lines for y in line.y if math.isfinite(y)), default=math.nan)
    beyond = highest > plot.goal[1] * (1 + 1e-3)
    passed = "passes" if beyond else "does not pass"
    return Reading(f"The highest point, {_short(highest)}, {passed} {plot.goal[0]}.", beyond)


def read_rows(plot: Dots) -> Reading:
    """Which estimates leave their limits."""
    out = [row.label for row in plot.rows if not row.wide[0] <= row.claimed <= row.wide[1]]
    far = [row.label for row in plot.rows if not row.narrow[0] <= row.claimed <= row.narrow[1]]
    if out:
        return Reading(f"Beyond even the wide limits: {_named(out)}.", True)
    return Reading(f"Beyond the narrow limits only: {_named(far)}." if far else "All within the narrow limits.", False)


def read_bound(plot: Bound) -> Reading:
    """Which estimates pass their bound."""
    out = [row.label for row in plot.rows if row.wide[0] > row.claimed or row.wide[1] < -row.claimed]
    if out:
        return Reading(f"Certainly beyond the bound: {_named(out)}.", True)
    nearest = max(plot.rows, key=lambda row: abs(row.value) / row.claimed)
    share = f"{_short(nearest.value)} of {_short(nearest.claimed)}"
    return Reading(f"None is certainly beyond its bound; nearest is {nearest.label}, {share}.", False)


def read_bars(plot: Bars) -> Reading:
    """Where the exact probability leaves the limits."""
    out = [bar.label for bar in plot.bars if not bar.wide[0] <= bar.exact <= bar.wide[1]]
    far = [bar.label for bar in plot.bars if not bar.narrow[0] <= bar.exact <= bar.narrow[1]]
    if out:
        return Reading(f"The exact probability is beyond even the wide limits at {plot.each} {_named(out)}.", True)
    where = (
        f"beyond the narrow limits only at {plot.each} {_named(far)}" if far else "within the narrow limits everywhere"
    )
    return Reading(f"The exact probability is {where}.", False)


def _named(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _short(value: float) -> str:
    return number(float(f"{value:.3g}")) if math.isfinite(value) else number(value)
