"""What a picture shows, in one sentence: for those who do not see it, and those who want to be told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from nrverify.auditing.core.pictures import (
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


def read_uniformity(picture: Uniformity) -> Reading:
    """The largest distance and where it lies."""
    largest = max(picture.difference, key=abs)
    at = picture.levels[picture.difference.index(largest)]
    beyond = abs(largest) > picture.wide
    where = _place(abs(largest), picture.narrow, picture.wide)
    return Reading(f"Furthest from the claim by {_short(largest)}, at u = {_short(at)}: {where}.", beyond)


def _place(size: float, narrow: float, wide: float) -> str:
    if size > wide:
        return f"beyond even the wide limits, ±{_short(wide)}"
    if size > narrow:
        return f"between the narrow limits ±{_short(narrow)} and the wide ones ±{_short(wide)}"
    return f"within the narrow limits, ±{_short(narrow)}"


def read_quantiles(picture: Quantiles) -> Reading:
    """Whether quantiles leave their limits, and how wide the noise is."""
    inside = all(low <= y <= high for y, (low, high) in zip(picture.observed, picture.wide, strict=True))
    energy = sum(y * y for y in picture.observed)
    scale = sum(x * y for x, y in zip(picture.claimed, picture.observed, strict=True)) / energy if energy else math.nan
    where = "All quantiles lie within" if inside else "Some quantiles lie beyond"
    spread = 1 / scale if scale else math.nan
    return Reading(
        f"{where} the wide limits; the middle of the noise is {_short(spread)} times as wide as claimed.", not inside
    )


def read_matrix(picture: Matrix) -> Reading:
    """The correlation that stands out most."""
    size = len(picture.labels)
    pairs = [(i, j) for i in range(size) for j in range(i) if picture.values[i][j] is not None]
    i, j = max(pairs, key=lambda at: abs(_entry(picture.values, at)) / _entry(picture.wide, at))
    value, narrow, wide = (_entry(table, (i, j)) for table in (picture.values, picture.narrow, picture.wide))
    where = _place(abs(value), narrow, wide)
    words = f"The one that stands out most, {picture.labels[i]} with {picture.labels[j]}, is {_short(value)}: {where}."
    return Reading(words, abs(value) > wide)


def _entry(table: Table, at: tuple[int, int]) -> float:
    value = table[at[0]][at[1]]
    return math.nan if value is None else value


def read_tradeoff(picture: Tradeoff) -> Reading:
    """Whether an event passes the claim."""
    e = math.exp(min(picture.epsilon, 700.0))
    gap = max(
        y - picture.wide - e * (x + picture.wide) - picture.delta
        for x, y in zip(picture.neighbour, picture.value, strict=True)
    )
    claimed = f"the claimed e^{{{_short(picture.epsilon)}}} to one"
    if gap > 0:
        return Reading(f"An event passes {claimed} beyond the wide limits, by {_short(gap)}.", True)
    return Reading(f"No event passes {claimed} beyond the wide limits.", False)


def read_wealth(picture: WealthPlot) -> Reading:
    """What the bets came to."""
    last, goal = picture.log_wealth[-1], _short(math.exp(picture.log_goal))
    wealth = "more than 10³⁰⁰" if last > 690 else _short(math.exp(last))
    reached = [n for n, value in zip(picture.samples, picture.log_wealth, strict=True) if value >= picture.log_goal]
    if reached:
        return Reading(f"The bets turned 1 into {wealth}; they passed {goal} after {number(reached[0])} samples.", True)
    return Reading(f"The bets turned 1 into {wealth}; {goal} would refute.", False)


def read_lines(picture: Lines) -> Reading:
    """What is compared, or the highest point."""
    if picture.goal is None:
        names = " against ".join(line.name for line in picture.lines)
        return Reading(f"{names[:1].upper() if names[:1].isascii() else names[:1]}{names[1:]}.", False)
    highest = max((y for line in picture.lines for y in line.y if math.isfinite(y)), default=math.nan)
    beyond = highest > picture.goal[1] * (1 + 1e-3)
    passed = "passes" if beyond else "does not pass"
    return Reading(f"The highest point, {_short(highest)}, {passed} {picture.goal[0]}.", beyond)


def read_rows(picture: Dots) -> Reading:
    """Which estimates leave their limits."""
    out = [row.label for row in picture.rows if not row.wide[0] <= row.claimed <= row.wide[1]]
    far = [row.label for row in picture.rows if not row.narrow[0] <= row.claimed <= row.narrow[1]]
    if out:
        return Reading(f"Beyond even the wide limits: {_named(out)}.", True)
    return Reading(f"Beyond the narrow limits only: {_named(far)}." if far else "All within the narrow limits.", False)


def read_bound(picture: Bound) -> Reading:
    """Which estimates pass their bound."""
    out = [row.label for row in picture.rows if row.wide[0] > row.claimed or row.wide[1] < -row.claimed]
    if out:
        return Reading(f"Certainly beyond the bound: {_named(out)}.", True)
    nearest = max(picture.rows, key=lambda row: abs(row.value) / row.claimed)
    share = f"{_short(nearest.value)} of {_short(nearest.claimed)}"
    return Reading(f"None is certainly beyond its bound; nearest is {nearest.label}, {share}.", False)


def read_bars(picture: Bars) -> Reading:
    """Where the exact probability leaves the limits."""
    out = [bar.label for bar in picture.bars if not bar.wide[0] <= bar.exact <= bar.wide[1]]
    far = [bar.label for bar in picture.bars if not bar.narrow[0] <= bar.exact <= bar.narrow[1]]
    if out:
        return Reading(f"The exact probability is beyond even the wide limits at {picture.each} {_named(out)}.", True)
    where = (
        f"beyond the narrow limits only at {picture.each} {_named(far)}"
        if far
        else "within the narrow limits everywhere"
    )
    return Reading(f"The exact probability is {where}.", False)


def _named(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _short(value: float) -> str:
    return number(float(f"{value:.3g}")) if math.isfinite(value) else number(value)
