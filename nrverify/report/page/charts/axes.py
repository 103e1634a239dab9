"""Scales, ticks and frames: the bones of a chart in SVG, coloured by the page's own properties."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 380.0
"""In units of the drawing, which the page scales; letters and marks are sized for it."""
MARGIN = {"left": 58.0, "right": 14.0, "top": 12.0, "bottom": 42.0}
"""Room for the numbers on the left, half a number on the right, and numbers and a name below."""


@dataclass(frozen=True)
class Scale:
    """From numbers to places: evenly in the number or in its logarithm; what lies outside is put at the edge."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        if math.isnan(value):
            value = self.low
        value = min(max(value, self.low), self.high)
        low, high, at = (math.log(x) if self.logarithmic else x for x in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (at - low) / (high - low)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers on the scale."""
        return decades(self.low, self.high, most) if self.logarithmic else steps(self.low, self.high, most)


def steps(low: float, high: float, most: int = 6) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [0.0 if index == 0 else index * step for index in range(first, last + 1)]


def decades(low: float, high: float, most: int = 6) -> list[float]:
    """Powers of ten, with 2 and 5 between them where there are few."""
    first, last = math.floor(math.log10(low) + 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first) / most))
    factors = (1, 2, 5) if last - first <= 1 else (1,)
    found = [factor * 10.0**power for power in range(first, last + 1, every) for factor in factors]
    return [tick for tick in found if low * 0.999 <= tick <= high * 1.001]


def spread(values: Iterable[float], pad: float = 0.06) -> tuple[float, float]:
    """A range that holds all finite values, with some room."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    room = pad * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


def number(value: float) -> str:
    """A number as people write it on an axis."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "–")
    size = abs(value)
    if size < 1e6 and value == int(value):
        return f"{int(value):,}".replace("-", "−").replace(",", "\u202f" if size >= 1e4 else "")
    if size >= 1e4 or size < 1e-3:
        mantissa, power = f"{value:.2e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        raised = str(int(power)).translate(RAISED)
        times = "" if mantissa in ("1", "-1") else f"{mantissa.lstrip('-')}·"
        return f"{'−' if value < 0 else ''}{times}10{raised}"
    return f"{value:.4g}".replace("-", "−")


WRITTEN_BY_A_COMPUTER = re.compile(r"\d+(?:\.\d+)?e[-+]?\d+")


def typeset(words: str) -> str:
    """Words whose numbers such as 1e-06 are written as people do."""
    return WRITTEN_BY_A_COMPUTER.sub(lambda found: number(float(found[0])), words)


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Frame:
    """A drawing area with two scales."""

    x: Scale
    y: Scale

    def path(self, xs: Sequence[float], ys: Sequence[float], style: str) -> Markup:
        """A line through points."""
        places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True))
        return Markup('<polyline class="{}" points="{}"/>').format(style, places)

    def area(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], style: str) -> Markup:
        """What lies between two lines."""
        there = [f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, high, strict=True)]
        back = [f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(reversed(xs), reversed(low), strict=True)]
        return Markup('<polygon class="{}" points="{}"/>').format(style, " ".join(there + back))

    def level(self, y: float, style: str) -> Markup:
        """A horizontal line."""
        return segment(self.x.start, self.y(y), self.x.end, self.y(y), style)

    def axes(self, x_name: str, y_name: str, x_ticks: Sequence[tuple[float, str]] | None = None) -> Markup:
        """Grid, numbers and names."""
        parts = []
        for tick in self.y.ticks(5):
            parts.append(segment(self.x.start, self.y(tick), self.x.end, self.y(tick), "grid"))
            parts.append(label(self.x.start - 6, self.y(tick) + 4, number(tick), "tick end"))
        for tick, words in x_ticks if x_ticks is not None else [(tick, number(tick)) for tick in self.x.ticks()]:
            parts.append(label(self.x(tick), self.y.start + 16, words, "tick middle"))
            parts.append(segment(self.x(tick), self.y.start, self.x(tick), self.y.start + 4, "axis"))
        parts.append(segment(self.x.start, self.y.start, self.x.end, self.y.start, "axis"))
        parts.append(label((self.x.start + self.x.end) / 2, self.y.start + 34, x_name, "name middle"))
        middle = (self.y.start + self.y.end) / 2
        parts.append(
            Markup('<text class="name middle" transform="translate(11 {:.1f}) rotate(-90)">{}</text>').format(
                middle, y_name
            )
        )
        return Markup("").join(parts)


def frame(
    x: tuple[float, float], y: tuple[float, float], height: float = 250.0, log_x: bool = False, log_y: bool = False
) -> Frame:
    """A frame of the usual width."""
    return Frame(
        Scale(*proper(*x, log_x), MARGIN["left"], WIDTH - MARGIN["right"], log_x),
        Scale(*proper(*y, log_y), height - MARGIN["bottom"], MARGIN["top"], log_y),
    )


def proper(low: float, high: float, logarithmic: bool) -> tuple[float, float]:
    """A range that has a length: what a plot of absurd numbers asks for may have none."""
    if math.isfinite(low) and math.isfinite(high) and low < high and (low > 0 or not logarithmic):
        return low, high
    middle = high if math.isfinite(high) and (high > 0 or not logarithmic) else 1.0
    return (middle / 2, middle * 2) if logarithmic else (middle - 1, middle + 1)


def segment(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    """A straight line."""
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(style, x1, y1, x2, y2)


def box(x: float, y: float, width: float, height: float, style: str, words: str = "") -> Markup:
    """A rectangle; the words show under the pointer."""
    title = Markup("<title>{}</title>").format(words) if words else ""
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">{}</rect>').format(
        style, x, y, max(width, 0.0), max(height, 0.0), title
    )


def point(x: float, y: float, style: str, words: str = "", radius: float = 3.4) -> Markup:
    """A dot; the words show under the pointer."""
    title = Markup("<title>{}</title>").format(words) if words else ""
    return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:g}">{}</circle>').format(style, x, y, radius, title)


def label(x: float, y: float, words: str, style: str) -> Markup:
    """Words at a place."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>').format(style, x, y, typeset(words))


def drawing(parts: Iterable[Markup], words: str, height: float = 250.0, width: float = WIDTH) -> Markup:
    """The chart; the words are for those who do not see it."""
    return Markup('<svg class="chart" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">{}</svg>').format(
        width, height, words, Markup("").join(parts)
    )
