"""What a reproduction says: exhibits of figures, tables and findings, from which every report is a fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | None
"""None where a number does not apply; an infinite number where a run never reached its target."""

Scale = Literal["linear", "log"]
Role = Literal["brownian", "laplace", "linear", "mixture", "half-normal", "grid", "neutral"]
Verdict = Literal["reproduced", "not reproduced", "undecided"]
DataKind = Literal["original", "stand-in", "synthetic", "exact"]
"""What a figure or finding rests on: the paper's data, a stand-in for them, a synthetic set, or no data at all."""


@dataclass(frozen=True)
class Curve:
    """y against x, with a band from `low` to `high` where one is given; points, where they are not to be joined."""

    label: str
    role: Role
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    joined: bool = True


@dataclass(frozen=True)
class Distribution:
    """A sample, drawn as a histogram over these edges and its quantiles; infinite values never reached the target."""

    label: str
    role: Role
    values: tuple[float, ...]
    edges: tuple[float, ...]


@dataclass(frozen=True)
class Quantity:
    """A number with its interval, one row of a panel: `row` names the row, `label` the legend entry."""

    row: str
    label: str
    role: Role
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """A reference: a horizontal or vertical line with words at it, above or below a horizontal one."""

    axis: Literal["x", "y"]
    at: float
    label: str
    side: Literal["above", "below"] = "above"


@dataclass(frozen=True)
class Span:
    """A shaded range of x, with words at its foot where there are any."""

    low: float
    high: float
    label: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    curves: tuple[Curve, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    estimates: tuple[Quantity, ...] = ()
    lines: tuple[Line, ...] = ()
    spans: tuple[Span, ...] = ()
    legend: bool = False
    """Whether its names stand below its row of panels; the first panel of a row speaks for all."""


@dataclass(frozen=True)
class Table:
    """Rows of numbers and words under a header; `note` says what they are."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Panels in rows, what one sees in them, the data they rest on, and the numbers behind them."""

    name: str
    title: str
    caption: str
    data: str
    panels: tuple[tuple[Panel, ...], ...]
    numbers: Table


@dataclass(frozen=True)
class Observation:
    """A sentence of Section 6 on one task: an estimate, its 95 % interval, whether it was reproduced, and on what."""

    id: str
    task: str
    data: DataKind
    statement: str
    measure: str
    estimate: float
    low: float
    high: float
    verdict: Verdict
    note: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A figure with the tables and findings that rest on the same runs."""

    figure: Figure
    tables: tuple[Table, ...] = ()
    findings: tuple[Observation, ...] = ()


@dataclass(frozen=True)
class Source:
    """The data of a task: `kind` is original, stand-in or synthetic; `label` goes on every figure."""

    task: str
    kind: DataKind
    label: str
    detail: str


@dataclass(frozen=True)
class Reproduction:
    """Everything a run of `nrverify reproduce` has to say."""

    options: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...]
    exhibits: tuple[Exhibit, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(exhibit.figure for exhibit in self.exhibits)

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in order."""
        return tuple(table for exhibit in self.exhibits for table in exhibit.tables)

    @property
    def findings(self) -> tuple[Observation, ...]:
        """All findings, in order."""
        return tuple(finding for exhibit in self.exhibits for finding in exhibit.findings)
