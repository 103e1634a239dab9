"""How plots are made of what a check has added up: estimates, with exact limits for all of them at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, logit, ndtr, ndtri, stdtrit

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.plots.data import (
    USUAL,
    Bar,
    Bars,
    Dot,
    Dots,
    Limits,
    Matrix,
    Plot,
    Quantiles,
    Table,
    Tradeoff,
    Uniformity,
)
from nrverify.auditing.core.plots.sums import Correlations, Frequencies
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import clopper_pearson
from nrverify.statistics.wealth import ExponentialWealth, MeanWealth, ScaleWealth

Floats = NDArray[np.float64]

FEWEST_SHOWN = 30
"""Estimates that rest on fewer have limits wider than a plot can use, and are left out."""
MOST_ROWS = 12
"""Of one chart: about as many as fit a screen; the farthest from the claim are kept. Only the plot depends on it."""
WIDEST = 8.0
"""A row whose limits are so many times wider than the narrowest says little, and is shown only if it stands out."""
POINTS = 128
"""Of a distribution curve, evenly and again in the tails: finer than a chart of 380 units shows. Only the plot
depends on it."""


@dataclass(frozen=True)
class PlotRow:
    """A number, its limits at any error probability, and what is claimed of it."""

    label: str
    value: float
    limits: Callable[[float], Limits]
    claimed: float
    told: bool = False
    """Whether the finding is about it: it is drawn however few numbers it rests on."""


def dots_of(rows: Sequence[PlotRow], alpha: float) -> tuple[Dot, ...]:
    """The estimates with limits for all of them at once; of many, what is told and those that stand out most."""
    if not rows:
        return ()
    narrow, wide = USUAL / len(rows), alpha / len(rows)
    dots = [Dot(row.label, row.value, row.limits(narrow), row.limits(wide), row.claimed) for row in rows]
    width = {dot.label: max(dot.wide[1] - dot.wide[0], 1e-300) for dot in dots}
    told = {row.label for row in rows if row.told}
    most = WIDEST * min(width.values())
    far = {dot.label: abs(dot.value - dot.claimed) / width[dot.label] for dot in dots}
    outside = {dot.label for dot in dots if not dot.wide[0] <= dot.claimed <= dot.wide[1]}
    kept = [dot for dot in dots if width[dot.label] <= most or dot.label in told | outside]
    shown = sorted(kept, key=lambda dot: (dot.label not in told, -far[dot.label]))[:MOST_ROWS]
    return tuple(dot for dot in dots if dot in shown)


def uniformity(counts: Floats, alpha: float, what: str) -> tuple[Plot, ...]:
    """Two plots of counts in bins of equal probability under the claim: of F̂(u) − u, and of quantiles."""
    total = int(counts.sum())
    if total < FEWEST_SHOWN:
        return ()
    reached = np.cumsum(counts)[:-1] / total
    levels = np.arange(1, counts.size) / counts.size
    even = _evenly(counts.size, np.arange(1, POINTS) / POINTS)
    tails = _evenly(counts.size, ndtr(np.linspace(-3.1, 3.1, POINTS)))
    tails = tails[(reached[tails] > 0) & (reached[tails] < 1)]
    narrow, wide = massart(total, USUAL), massart(total, alpha)
    note = f"{total} {what}. Limits by the Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant."
    return (
        Uniformity(
            "Distribution", _numbers(levels[even]), _numbers((reached - levels)[even]), narrow, wide, total, note
        ),
        Quantiles(
            "Quantiles",
            _numbers(ndtri(reached[tails])),
            _numbers(ndtri(levels[tails])),
            _about_the_diagonal(reached[tails], narrow),
            _about_the_diagonal(reached[tails], wide),
            total,
            note,
        ),
    )


def _evenly(bins: int, at: Floats) -> NDArray[np.intp]:
    """The edges of bins of equal probability nearest to these probabilities."""
    return np.unique(np.clip(np.rint(at * bins).astype(np.intp) - 1, 0, bins - 2))


def massart(count: int, alpha: float) -> float:
    """√(log(2/α)/2n): an empirical distribution function stays so close to the true one, but for α."""
    return min(1.0, math.sqrt(math.log(2 / alpha) / (2 * max(count, 1))))


def _about_the_diagonal(reached: Floats, band: float) -> tuple[Limits, ...]:
    """Between which quantiles the distribution function may take the value it takes."""
    low, high = ndtri(np.clip(reached - band, 0.0, 1.0)), ndtri(np.clip(reached + band, 0.0, 1.0))
    return tuple(zip(_numbers(low), _numbers(high), strict=True))


def estimates(bets: Mapping[Topic, Wealth], alpha: float, told: Topic | None = None) -> tuple[Plot, ...]:
    """What the bets estimate: scales against 1, centres and slopes against 0; `told` is what a finding is about."""
    scales, slopes = [], []
    for topic, wealth in bets.items():
        name, fewest = topic.quantity, 1 if topic == told else FEWEST_SHOWN
        if isinstance(wealth, ScaleWealth) and wealth.count >= fewest:
            scales.append(PlotRow(name, wealth.ratio, _variance_limits(wealth), 1.0, topic == told))
        if isinstance(wealth, ExponentialWealth) and wealth.count >= fewest:
            scales.append(PlotRow(name, wealth.ratio, _scale_limits(wealth), 1.0, topic == told))
        if isinstance(wealth, MeanWealth) and wealth.energy >= fewest:
            slopes.append(PlotRow(name, wealth.slope, _slope_limits(wealth), 0.0, topic == told))
    found = (
        Dots("Scale of the noise", "over the claimed", dots_of(scales, alpha), "Limits by the χ² and gamma laws."),
        Dots("Centre and memory", "standard deviations", dots_of(slopes, alpha), "Limits by the normal law."),
    )
    return tuple(plot for plot in found if plot.rows)


def _variance_limits(wealth: ScaleWealth) -> Callable[[float], Limits]:
    """ΣZ² over the variance is χ² with n degrees of freedom."""
    n, squares = wealth.count, wealth.squares
    return lambda alpha: (
        0.5 * squares / float(gammainccinv(0.5 * n, alpha / 2)),
        0.5 * squares / float(gammaincinv(0.5 * n, alpha / 2)),
    )


def _scale_limits(wealth: ExponentialWealth) -> Callable[[float], Limits]:
    """ΣX over the scale has the gamma law with shape n."""
    n, total = wealth.count, wealth.total
    return lambda alpha: (total / float(gammainccinv(n, alpha / 2)), total / float(gammaincinv(n, alpha / 2)))


def _slope_limits(wealth: MeanWealth) -> Callable[[float], Limits]:
    """Σhz/Σh² is normal with variance 1/Σh² about the slope."""
    slope, deviation = wealth.slope, 1 / math.sqrt(wealth.energy)
    return lambda alpha: (slope + float(ndtri(alpha / 2)) * deviation, slope - float(ndtri(alpha / 2)) * deviation)


def correlations(sums: Correlations, alpha: float) -> tuple[Plot, ...]:
    """The matrix of correlations, for columns of which there are any, with Student's limits about 0."""
    values = sums.values
    kept = np.flatnonzero(np.isfinite(np.diag(values))).tolist()
    if len(kept) < 2:
        return ()
    counts = sums.counts[np.ix_(kept, kept)]
    pairs = len(kept) * (len(kept) - 1) // 2
    note = f"Limits by Student's law of a correlation about a known centre, divided over {pairs} pairs."
    return (
        Matrix(
            sums.title,
            tuple(f"{sums.column} {index + 1}" for index in kept),
            _table(values[np.ix_(kept, kept)]),
            _table(_correlation_limit(counts, USUAL / pairs)),
            _table(_correlation_limit(counts, alpha / pairs)),
            note,
        ),
    )


class Correlated(Protocol):
    """Pairs that were counted and correlated."""

    count: int

    @property
    def correlation(self) -> float:
        """Between the two."""


def correlation_limits(pairs: Correlated) -> Callable[[float], Limits]:
    """Limits that hold 0 just when the correlation is within Student's limits about 0."""
    correlation, count = pairs.correlation, np.array(float(pairs.count))

    def limits(alpha: float) -> Limits:
        half = float(_correlation_limit(count, alpha))
        return correlation - half, correlation + half

    return limits


def _correlation_limit(counts: Floats, alpha: float) -> Floats:
    """r√(n−1)/√(1−r²) has Student's law with n − 1 degrees of freedom when one of the two is normal, independent."""
    freedom = np.maximum(counts - 1, 1)
    t = -stdtrit(freedom, alpha / 2)
    return np.asarray(t / np.sqrt(t**2 + freedom))


def frequencies(sums: Frequencies, alpha: float) -> tuple[Plot, ...]:
    """How often events happened, in bins of their probability, against its mean in the bin."""
    bins = np.flatnonzero(sums.counts >= FEWEST_SHOWN)
    bars = shares(
        [(f"{bin / sums.bins:.2f}–{(bin + 1) / sums.bins:.2f}", *_share(sums, bin)) for bin in bins.tolist()], alpha
    )
    note = "Limits by Clopper and Pearson, which hold for events of different probabilities too."
    return (Bars(sums.title, sums.axis, "probability", bars, note),) if bars else ()


def _share(sums: Frequencies, bin: int) -> tuple[int, int, float]:
    count = int(sums.counts[bin])
    return int(sums.happened[bin]), count, float(sums.foreseen[bin]) / count


def shares(rows: Sequence[tuple[str, int, int, float]], alpha: float) -> tuple[Bar, ...]:
    """Bars of (label, happened, of how many, exact probability), with limits for all of them at once."""
    return tuple(
        Bar(
            label,
            happened / count,
            clopper_pearson(happened, count, USUAL / len(rows)),
            clopper_pearson(happened, count, alpha / len(rows)),
            exact,
        )
        for label, happened, count, exact in rows
    )


def losses(rows: Sequence[tuple[str, int, int, float]], alpha: float) -> tuple[Dot, ...]:
    """log(P(event | value)/P(event | neighbour)) for (label, seen at the value, at the neighbour, bound).

    A fair coin chose between the two, so given the event it came from the value with probability σ(loss).
    """
    found = []
    for label, own, other, bound in rows:
        if own + other >= FEWEST_SHOWN:
            value = math.log((own + 0.5) / (other + 0.5))
            found.append(PlotRow(label, value, _loss_limits(own, own + other), bound))
    return dots_of(found, alpha)


def _loss_limits(own: int, both: int) -> Callable[[float], Limits]:
    def limits(alpha: float) -> Limits:
        low, high = clopper_pearson(own, both, alpha)
        return float(logit(low)), float(logit(high))

    return limits


def tradeoff(counts: Floats, totals: Floats, epsilon: float, delta: float, alpha: float) -> Plot:
    """Events {stop with this claim, score above c} from counts (label, bin of the score) of all sessions by label."""
    above = counts[:, ::-1].cumsum(axis=1) / np.maximum(totals, 1)[:, None]
    kept = np.flatnonzero(np.diff(above.sum(axis=0), prepend=-1.0) > 0)
    least = int(totals.min())
    events = 4 * counts.shape[1]
    note = (
        f"{int(counts.sum())} sessions. Limits by the Hoeffding–Azuma inequality, divided over {events} events: "
        "the score is learned from earlier sessions."
    )
    return Tradeoff(
        f"What tells the two values apart where ε = {epsilon:.3g} is claimed",
        epsilon,
        delta,
        (0.0, *_numbers(above[0, kept])),
        (0.0, *_numbers(above[1, kept])),
        massart(least, 2 * USUAL / events),
        massart(least, 2 * alpha / events),
        note,
    )


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _table(values: Floats) -> Table:
    return tuple(tuple(float(x) if np.isfinite(x) else None for x in row) for row in values)
