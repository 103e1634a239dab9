"""Crossing probabilities of Brownian motion: monotone, symmetric, below e^(−2ab) for lines (claims M03, B09, B11)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from scipy.special import ndtr

from nrverify.laws.crossing import Crossing, crossing_probability, line_crossing_probability
from nrverify.ledger import property_, supports
from nrverify.ledger.search import Search

from .strategies import UNIT, evenly, integers

PROMISED, SMALL = 1e-8, 1e-6
"""The relative accuracy promised at 100 looks and δ = 1e-6: there the error reported must be within it."""

ROUNDING = 64 * UNIT
"""Of a normal tail beyond 9 deviations: its exponent z²/2 ≤ 45 carries a unit, and so does z."""


@dataclass(frozen=True)
class Looks:
    """Increasing times, each with a level z: the curve has height z√t there."""

    times: tuple[float, ...]
    levels: tuple[float, ...]

    @property
    def heights(self) -> tuple[float, ...]:
        """The curve at the looks."""
        return tuple(z * math.sqrt(t) for t, z in zip(self.times, self.levels, strict=True))


GridLaw = Callable[[Sequence[float], Sequence[float]], Crossing]


def on_grid(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """The law under test: P(W_t ≥ height at some look)."""
    order = np.argsort(times)
    known_times, known_heights = np.array(times)[order], np.array(heights)[order]
    return crossing_probability(lambda t: np.interp(t, known_times, known_heights), times=times)


def independent_looks(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """A wrong law: the looks taken as independent."""
    tails = ndtr(-np.array(heights) / np.sqrt(times))
    return Crossing(float(-np.expm1(np.log1p(-tails).sum())), 0.0)


def union_of_looks(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """A wrong law: the sum over the looks."""
    return Crossing(float(ndtr(-np.array(heights) / np.sqrt(times)).sum()), 0.0)


def last_look(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """A wrong law: the least noisy look alone."""
    first = int(np.argmin(times))
    return Crossing(float(ndtr(-heights[first] / math.sqrt(times[first]))), 0.0)


def two_sided(times: Sequence[float], heights: Sequence[float]) -> Crossing:
    """A wrong law: twice the one-sided one."""
    found = on_grid(times, heights)
    return Crossing(2 * found.probability, 2 * found.error)


def looks() -> SearchStrategy[Looks]:
    """One to five looks over a range of 4000, at levels from below the path's start to nine deviations."""
    drawn = st.lists(
        st.tuples(integers(1, 4000), evenly(-1, 9)), min_size=1, max_size=5, unique_by=lambda look: look[0]
    )
    return drawn.map(sorted).map(lambda pairs: Looks(tuple(t / 8 for t, _ in pairs), tuple(z for _, z in pairs)))


def _error(*found: Crossing) -> float:
    return sum(each.error for each in found) + ROUNDING * max(each.probability for each in found)


@property_(
    {"B11": supports, "B10": supports, "B18": supports},
    rejects={
        "the sum over the looks": {"law": union_of_looks},
        "the last look alone": {"law": last_look},
        "twice the probability": {"law": two_sided},
    },
)
def monotone_in_curve_and_looks(search: Search, law: GridLaw = on_grid) -> None:
    """A higher curve is crossed less, one more look adds, order and repetition do not matter, and p lies between the
    largest single look and independent looks (the path's values are positively correlated)."""

    def check(drawn: Looks, raised: float, time: float, level: float) -> None:
        times, heights = drawn.times, drawn.heights
        found = law(times, heights)
        if found.probability <= SMALL:
            search.require(found.error <= PROMISED * found.probability, f"error {found} at {drawn}")
        higher = law(times, [h + raised * math.sqrt(t) for t, h in zip(times, heights, strict=True)])
        search.require(higher.probability <= found.probability + _error(found, higher), f"higher curve: {drawn}")
        more = law((*times, time), (*heights, level * math.sqrt(time)))
        search.require(more.probability >= found.probability - _error(found, more), f"a look more: {drawn}, {time}")
        again = law((*reversed(times), times[0]), (*reversed(heights), heights[0]))
        search.require(again.probability == found.probability, f"order or repetition matters at {drawn}")
        single = ndtr(-np.array(heights) / np.sqrt(times))
        independent = float(-np.expm1(np.log1p(-single).sum()))
        above = found.probability >= float(single.max()) * (1 - ROUNDING) - found.error
        below = found.probability <= independent * (1 + ROUNDING) + found.error
        search.require(above and below, f"{found} is not between {single.max()} and {independent} at {drawn}")

    # Times halfway between the drawn ones, so that the look added is a new one.
    time = integers(0, 3999).map(lambda k: (k + 0.5) / 8)
    search.for_all("one to five looks", check, looks(), evenly(0, 2), time, evenly(-1, 9), examples=15)


def square(c: float) -> float:
    """c²."""
    return c * c


@property_(
    {"M03": supports, "B09": supports},
    rejects={
        "time goes with the scale": {"clock": lambda c: c},
        "inversion of time without the factor t": {"inverted": lambda h, t: h},
        "inversion of time that multiplies": {"inverted": lambda h, t: h * t},
    },
)
def scaling_and_inversion_of_time(
    search: Search,
    clock: Callable[[float], float] = square,
    inverted: Callable[[float, float], float] = lambda h, t: h / t,
) -> None:
    """c·W_{t/c²} and t·W_{1/t} are Brownian motions: looks and curve transformed with them are crossed as often."""

    def check(drawn: Looks, c: float) -> None:
        found = on_grid(drawn.times, drawn.heights)
        scaled = on_grid([clock(c) * t for t in drawn.times], [c * h for h in drawn.heights])
        # Rounding of a height moves the level z by two units of z ≤ 9, hence p by z² of them: below ROUNDING.
        close = abs(scaled.probability - found.probability) <= 2 * _error(found, scaled)
        search.require(close, f"{scaled} is not {found}: scaled by {c}, {drawn}")
        backwards = on_grid(
            [1 / t for t in drawn.times], [inverted(h, t) for t, h in zip(drawn.times, drawn.heights, strict=True)]
        )
        close = abs(backwards.probability - found.probability) <= 2 * _error(found, backwards)
        search.require(close, f"{backwards} is not {found}: time inverted, {drawn}")

    search.for_all("both symmetries", check, looks(), evenly(0.01, 100), examples=15)


def line_bound(a: float, b: float) -> float:
    """e^(−2ab)."""
    return math.exp(-2 * a * b)


@property_(
    {"M03": supports, "B09": supports},
    rejects={
        "independent looks": {"law": independent_looks},
        "the sum over the looks": {"law": union_of_looks},
        "a line crossed with probability e^(−4ab)": {"bound": lambda a, b: math.exp(-4 * a * b)},
        "a line crossed with probability 2e^(−2ab)": {"continuous": lambda a, b, ends: 2 * line_bound(a, b)},
    },
)
def lines_on_grids(
    search: Search,
    law: GridLaw = on_grid,
    bound: Callable[[float, float], float] = line_bound,
    continuous: Callable[[float, float, tuple[float, float]], float] = line_crossing_probability,
) -> None:
    """A line is crossed at looks less often than on the interval they span, there less often than e^(−2ab) in all, and
    more often on a finer grid."""

    def check(a: float, product: float, width: float) -> None:
        b = product / a
        middle = b / a
        ends = (middle / width, middle * width)
        coarse, fine = np.geomspace(*ends, 5), np.geomspace(*ends, 9)
        few, many = (law(grid.tolist(), (a * grid + b).tolist()) for grid in (coarse, fine))
        search.require(few.probability <= many.probability + _error(few, many), f"finer is less: {a}, {b}, {ends}")
        anywhere = continuous(a, b, ends)
        # A closed form of three normal tails in log-space; its logarithm, of size 2ab ≤ 30, carries a few units.
        slack = 1 + 64 * ROUNDING
        inside = many.probability <= anywhere * slack + many.error
        search.require(inside, f"looks see more than the interval {ends}: {many} and {anywhere}")
        search.require(anywhere <= bound(a, b) * slack, f"the interval {ends} sees {anywhere}, above {bound(a, b)}")

    # b/a, where the line is closest to the path, is the middle; ab sets the probability.
    slope, product, width = evenly(0.01, 100), evenly(0.05, 15), evenly(1.05, 50)
    search.for_all("lines around b/a", check, slope, product, width, examples=12)


@property_(
    {"M03": supports, "B08": supports, "B11": supports},
    rejects={
        "a curve higher by 1e-4": {"seen": lambda curve: lambda t: 1.0001 * curve(t)},
        "a curve lower by 1e-4": {"seen": lambda curve: lambda t: 0.9999 * curve(t)},
    },
)
def continuous_looking(
    search: Search,
    seen: Callable[[Callable[[float], float]], Callable[[float], float]] = lambda curve: curve,
) -> None:
    """For a line the general solver gives the closed form on every interval, and more on a longer one."""

    def check(a: float, product: float, width: float) -> None:
        b = product / a
        middle = b / a
        inner, outer = (middle / width, middle), (middle / width / 2, middle * width)
        found = crossing_probability(seen(lambda t: a * t + b), interval=outer).probability
        closed, part = line_crossing_probability(a, b, outer), line_crossing_probability(a, b, inner)
        # 1e-6 is the relative accuracy promised for smooth curves.
        search.require(abs(found / closed - 1) <= 1e-6, f"{found} is not {closed} for the line {a}t + {b} on {outer}")
        search.require(part <= found * (1 + 1e-6), f"the line {a}t + {b} is crossed more on {inner} than on {outer}")

    search.for_all("lines on intervals", check, evenly(0.01, 100), evenly(0.5, 15), evenly(1.5, 50), examples=3)
