"""Plots with matplotlib: releases of a session, privacy boundaries, and what the checks of an audit saw.

Each function draws into `ax` (the current axes where it is None) and returns it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nrverify.auditing.core.plots import data as seen
from nrverify.auditing.core.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nrverify.accounting.noise_reduction import NoiseReduction

RED, GREY, BLUE = "#b3261e", "0.6", "#1f5fa8"
"""What refutes, what is claimed, what was seen."""
POINTS = 400
"""Of a curve: more than a figure has columns of pixels to show."""


def releases(session: NoiseReduction, ax: Axes | None = None) -> Axes:
    """The releases of a session over the ε paid for them, with one standard deviation of their noise on either side.

    The standard deviation is √t for Brownian noise and √(2·rate·t) for Skellam noise.
    """
    if not session.history:
        raise ValueError(f"{session!r} has nothing to draw: call refine(epsilon) first")
    ax = _axes(ax)
    epsilons = np.array([look.epsilon for look in session.history])
    values = np.array([np.ravel(look.release) for look in session.history], dtype=float)
    rate = getattr(session.boundary, "rate", 0.5)
    deviations = np.sqrt([2 * rate * look.time for look in session.history])
    for index, column in enumerate(values.T):
        ax.errorbar(epsilons, column, deviations, fmt="o-", capsize=3, label=f"coordinate {index + 1}")
    if values.shape[1] > 1:
        ax.legend()
    ax.set_xlabel("ε paid")
    ax.set_ylabel("released, ± one standard deviation of the noise")
    return ax


def boundaries(*curves: Any, times: Sequence[float] = (0.1, 1000.0), ax: Axes | None = None) -> Axes:
    """Privacy boundaries ψ between two times, on logarithmic axes: the lower, the less is paid.

    A boundary that holds at given looks alone is drawn there, as points.
    """
    low, high = min(times), max(times)
    if not curves or not 0 < low < high < np.inf:
        raise ValueError(
            f"{len(curves)} boundaries at times {times!r}: at least one, and two positive times, are needed"
        )
    ax = _axes(ax)
    grid = np.geomspace(low, high, POINTS)
    for curve in curves:
        looks = getattr(curve, "times", None)
        at, style = (grid, "-") if looks is None else (np.sort(np.array(looks)), "o")
        ax.loglog(at, curve(at), style, label=f"{type(curve).__name__}, δ = {curve.delta:.2g}")
    ax.set_xlabel("time (the variance, for Brownian noise)")
    ax.set_ylabel("ε")
    ax.legend()
    return ax


def audit(report: Report, check: str | None = None, ax: Axes | None = None) -> Axes:
    """The first picture of a check: by default of the first that is refuted, else of the first that has one."""
    known = [result.id for result in report.checks if report.plots.get(result.id)]
    if check is None:
        refuted = [result.id for result in report.checks if result.verdict == "refuted" and result.id in known]
        check = next(iter(refuted or known), None)
    if check is None or check not in known:
        raise ValueError(f"check is {check!r}: it must be one with a picture: {', '.join(known) or 'there is none'}")
    shown = report.plots[check][0]
    ax = _axes(ax)
    _DRAWN[type(shown)](ax, shown)
    ax.set_title(f"{check}: {shown.title}", wrap=True)
    return ax


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    current: Axes = pyplot.gca()
    return current


def _uniformity(ax: Axes, shown: seen.Uniformity) -> None:
    ax.plot(shown.levels, shown.difference, color=BLUE)
    for limit, style in ((shown.narrow, ":"), (shown.wide, "-")):
        for sign in (-1, 1):
            ax.axhline(sign * limit, color=GREY, linestyle=style)
    ax.set_xlabel("level u")
    ax.set_ylabel("share seen below u, less u")


def _quantiles(ax: Axes, shown: seen.Quantiles) -> None:
    low, high = np.transpose(shown.wide)
    ax.fill_between(shown.claimed, low, high, color=GREY, alpha=0.4, label="limits at the check's error")
    ax.plot(shown.claimed, shown.observed, ".", color=BLUE)
    ax.set_xlabel("quantile claimed")
    ax.set_ylabel("quantile seen")


def _dots(ax: Axes, shown: seen.Dots | seen.Bound) -> None:
    places = np.arange(len(shown.rows))[::-1]
    for place, row in zip(places, shown.rows, strict=True):
        ax.plot(row.wide, [place, place], color=GREY)
        ax.plot(row.narrow, [place, place], color=BLUE, linewidth=3)
        ax.plot(row.value, place, "o", color=BLUE)
        for sign in (-1, 1) if isinstance(shown, seen.Bound) else (1,):
            ax.plot(sign * row.claimed, place, "|", color=RED, markersize=12)
    ax.set_yticks(places, [row.label for row in shown.rows])
    ax.set_xlabel(f"{shown.quantity} (red: claimed)")


def _matrix(ax: Axes, shown: seen.Matrix) -> None:
    table = np.array(shown.values, dtype=float)
    image = ax.imshow(table, vmin=-1, vmax=1, cmap="RdBu")
    ax.set_xticks(range(len(shown.labels)), shown.labels, rotation=90)
    ax.set_yticks(range(len(shown.labels)), shown.labels)
    ax.figure.colorbar(image, ax=ax, label="correlation")


def _bars(ax: Axes, shown: seen.Bars) -> None:
    places = np.arange(len(shown.bars))
    ax.bar(places, [bar.share for bar in shown.bars], color=BLUE, alpha=0.6)
    ax.plot(places, [bar.exact for bar in shown.bars], "_", color=RED, markersize=14)
    ax.set_xticks(places, [bar.label for bar in shown.bars])
    ax.set_xlabel(shown.axis)
    ax.set_ylabel("share seen (red: its exact probability)")


def _tradeoff(ax: Axes, shown: seen.Tradeoff) -> None:
    ax.plot(shown.neighbour, shown.value, color=BLUE)
    grid = np.linspace(0, 1, POINTS)
    ax.plot(grid, np.minimum(1, np.exp(shown.epsilon) * grid + shown.delta), color=RED)
    ax.set_xlabel("probability at the neighbour")
    ax.set_ylabel("probability at the value (red: what is allowed)")


def _wealth(ax: Axes, shown: seen.WealthPlot) -> None:
    ax.plot(shown.samples, shown.log_wealth, "o-", color=BLUE)
    ax.axhline(shown.log_goal, color=RED)
    ax.set_xlabel("samples")
    ax.set_ylabel("logarithm of the wealth (red: refutes)")


def _lines(ax: Axes, shown: seen.Lines) -> None:
    for line in shown.lines:
        ax.plot(line.x, line.y, ":" if line.dotted else "-", label=line.name)
    if shown.goal is not None:
        ax.axhline(shown.goal[1], color=RED, label=shown.goal[0])
    ax.set_xscale("log")
    ax.set_xlabel(shown.x_axis)
    ax.set_ylabel(shown.y_axis)
    ax.legend()


_DRAWN: dict[type, Callable[..., None]] = {
    seen.Uniformity: _uniformity,
    seen.Quantiles: _quantiles,
    seen.Dots: _dots,
    seen.Bound: _dots,
    seen.Matrix: _matrix,
    seen.Bars: _bars,
    seen.Tradeoff: _tradeoff,
    seen.WealthPlot: _wealth,
    seen.Lines: _lines,
}
