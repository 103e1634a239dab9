"""Plots: what a check saw, as plain numbers that a page can draw; no verdict rests on them.

Wherever a plot has limits there are two: a narrow pair that holds for everything in the plot at once with
probability 95 %, and a wide pair at the error probability of the check. Both are for one look; the bets that decide are
valid at every look.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

USUAL = 0.05
"""The error probability of the narrow limits, as is usual; the wide ones have that of the check."""

Numbers = tuple[float, ...]
Limits = tuple[float, float]
Table = tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Uniformity:
    """How far the distribution of transforms lies from the one claimed: F̂(u) − u at levels u, with bands about 0."""

    title: str
    levels: Numbers
    difference: Numbers
    narrow: float
    wide: float
    count: int
    note: str


@dataclass(frozen=True)
class Quantiles:
    """Observed quantiles against claimed ones (in standard deviations); the bands are about the diagonal."""

    title: str
    claimed: Numbers
    observed: Numbers
    narrow: tuple[Limits, ...]
    wide: tuple[Limits, ...]
    count: int
    note: str


@dataclass(frozen=True)
class Dot:
    """An estimate with its limits, and what is claimed of it."""

    label: str
    value: float
    narrow: Limits
    wide: Limits
    claimed: float


@dataclass(frozen=True)
class Dots:
    """Estimates below each other, each against what is claimed."""

    title: str
    quantity: str
    rows: tuple[Dot, ...]
    note: str
    at_most: bool = False
    """Whether the claim is a bound: below it all is well."""


@dataclass(frozen=True)
class Bound:
    """Estimates with a bound on either side, such as losses against ±ε."""

    title: str
    quantity: str
    rows: tuple[Dot, ...]
    """`claimed` is the bound, which holds for −value too."""
    note: str


@dataclass(frozen=True)
class Matrix:
    """Correlations; None where there is nothing to correlate."""

    title: str
    labels: tuple[str, ...]
    values: Table
    narrow: Table
    wide: Table
    """Limits about 0, entry by entry."""
    note: str


@dataclass(frozen=True)
class Bar:
    """A share that was seen, its limits, and its exact probability."""

    label: str
    share: float
    narrow: Limits
    wide: Limits
    exact: float


@dataclass(frozen=True)
class Bars:
    """Shares side by side, each against its exact probability."""

    title: str
    axis: str
    each: str
    """What one bar stands for."""
    bars: tuple[Bar, ...]
    note: str


@dataclass(frozen=True)
class Tradeoff:
    """Events: their probability at the neighbour and at the value, measured, and the curve the claim does not allow.

    Every event {stop with this claim, score above c}, c falling from +∞ to −∞; the last event is the stop itself.
    """

    title: str
    epsilon: float
    delta: float
    neighbour: Numbers
    value: Numbers
    narrow: float
    wide: float
    note: str


@dataclass(frozen=True)
class WealthPlot:
    """The logarithm of the wealth of the bets after each look, and where it refutes."""

    title: str
    samples: tuple[int, ...]
    log_wealth: Numbers
    log_goal: float
    note: str


@dataclass(frozen=True)
class Line:
    """A curve; `dotted` for what it is compared with."""

    name: str
    x: Numbers
    y: Numbers
    dotted: bool = False


@dataclass(frozen=True)
class Lines:
    """Curves over a logarithmic axis."""

    title: str
    x_axis: str
    y_axis: str
    lines: tuple[Line, ...]
    note: str
    mark: float | None = None
    """A place on the x-axis."""
    goal: tuple[str, float] | None = None
    """A height that must not be passed, and its name."""


Plot = Uniformity | Quantiles | Dots | Bound | Matrix | Bars | Tradeoff | WealthPlot | Lines


@runtime_checkable
class Pictured(Protocol):
    """A check that can show what it saw."""

    id: str

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """What it saw, with limits at its error probability."""


def _pictured(check: object) -> TypeGuard[Pictured]:
    """Whether it can show what it saw; `isinstance` of a protocol takes as long as a bet, and every look asks."""
    return hasattr(check, "plots") and hasattr(check, "id")


class PlotCollector:
    """The checks of a run and the wealth of their bets look by look, until plots are asked for."""

    def __init__(self) -> None:
        self._checks: dict[str, Pictured] = {}
        self._paths: dict[str, list[tuple[int, float]]] = {}

    def look(self, checks: Iterable[object], drawn: int) -> None:
        """Takes down where the bets stand after a look."""
        for check in checks:
            if _pictured(check):
                self._checks[check.id] = check
                if (log_wealth := _log_wealth(check)) is not None:
                    self._paths.setdefault(check.id, []).append((drawn, log_wealth))

    def add(self, checks: Iterable[object]) -> None:
        """Takes in checks that are drawn for outside the looks."""
        self._checks |= {check.id: check for check in checks if _pictured(check)}

    def plots(self, level: Callable[[Any], float]) -> dict[str, tuple[Plot, ...]]:
        """What every check saw, with limits at its error probability, and what its bets came to."""
        # A subject may have answered with absurd numbers: their plots overflow too.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            levels = {id: level(check) for id, check in self._checks.items()}
            return {id: (*check.plots(levels[id]), *self._wealth(id, levels[id])) for id, check in self._checks.items()}

    def _wealth(self, id: str, alpha: float) -> tuple[Plot, ...]:
        path = self._paths.get(id)
        if not path:
            return ()
        samples, wealth = tuple(n for n, _ in path), tuple(value for _, value in path)
        return (WealthPlot("Wealth of the bets", samples, wealth, -math.log(alpha), WEALTH_NOTE),)


WEALTH_NOTE = (
    "The bets refute when their wealth reaches 1/α, at whatever look: if the claim holds, this ever happens with "
    "probability at most α."
)


def _log_wealth(check: object) -> float | None:
    """A check's bets are its portfolio, its wealth, or its own."""
    for bets in (getattr(check, "portfolio", None), getattr(check, "wealth", None), check):
        if (log_e := getattr(bets, "log_e", None)) is not None:
            return float(log_e)
    return None
