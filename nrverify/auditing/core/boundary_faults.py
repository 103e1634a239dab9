"""What would make a Brownian boundary right that is crossed too often: the mistake it most likely comes of.

It decides no verdict. Each mistake is undone on the curve ψ, and the crossing probability computed again: the first
that comes down to δ, and not far below it, is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from nrverify.auditing.core.faults import Fault, curve
from nrverify.auditing.core.finding import Finding
from nrverify.laws.crossing import crossing_probability

Floats = NDArray[np.float64]
Boundary = Callable[[Floats], Floats]
"""ψ, from log-times."""

EXACT, ON_ONE_SIDE = (0.985, 1.001), (0.4925, 0.5005)
"""Parts of δ with which a tight boundary is crossed, and one that is crossed on the other side as often: not more but
for rounding, and less by what is crossed before the first look and after the last. Wider bands would find mistakes by
chance, in curves that are wrong in another way."""
LEVEL = 0.01
"""A level z = c/√t that varies by less is that of a single look."""
FEWEST_TIMES, MOST_TIMES = 8, 400
"""Times of a curve: with fewer its shape is not known, and more make the splines slow and no better."""
LARGEST = 1e30
"""Beyond it an ε claims nothing."""
NEGLIGIBLE = 16.0
"""Levels that lose so many nats against the lowest are left out."""


@dataclass(frozen=True)
class Undone:
    """The mistake without which a curve would be right, and the numbers that show it."""

    fault: Fault
    numbers: Mapping[str, float] = field(default_factory=dict)
    """`part`: the crossing probability without the mistake, over δ; `own_sensitivity`: the one the curve is right for.
    """

    def explain(self, finding: Finding) -> Finding:
        """The finding with this fault and its numbers."""
        estimate = replace(finding.estimate, numbers={**finding.estimate.numbers, **self.numbers})
        return replace(finding, estimate=estimate).of(self.fault)


def undone(times: Floats, epsilon: Floats, sensitivity: float, delta: float) -> Undone | None:
    """The one mistake without which ψ would be crossed with probability δ; None where none is known."""
    from scipy.interpolate import PchipInterpolator

    grid, log_psi = _thinned(times, epsilon)
    if grid.size < FEWEST_TIMES or delta <= 0:
        return None
    spline = PchipInterpolator(grid, log_psi)

    def boundary(at: Floats) -> Floats:
        return np.asarray(np.exp(spline(at)))

    if _flat(boundary, grid, sensitivity):
        return Undone(curve.SINGLE_LOOK)
    probability = _crossing(boundary, grid, sensitivity, 1.1 * math.sqrt(delta))
    if probability <= delta:
        return None
    # Crossed with 2δ on both sides together is crossed with δ: no mistake.
    if _tight(probability / (2 * delta), (EXACT,)):
        return Undone(curve.DELTA_DOUBLED)
    if _tight(probability / math.sqrt(delta)):
        return Undone(curve.DELTA_ROOTED)
    for fault, mended, own, stretch in _mended(boundary, grid, sensitivity):
        part = _crossing(mended, stretch, own, 1.1 * delta) / delta
        if _tight(part):
            other = {"own_sensitivity": own} if own != sensitivity else {}
            return Undone(fault, {"part": part, **other})
    return None


def _thinned(times: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
    """log t, increasing, and log ψ there, at no more times than a spline needs."""
    usable = (epsilon > 0) & (epsilon < LARGEST)
    log_t, first = np.unique(np.log(times[usable]), return_index=True)
    few = slice(None, None, 1 + log_t.size // MOST_TIMES)
    return log_t[few], np.log(epsilon[usable][first])[few]


def _tight(part: float, bands: tuple[tuple[float, float], ...] = (EXACT, ON_ONE_SIDE)) -> bool:
    return any(low <= part <= high for low, high in bands)


def _mended(boundary: Boundary, grid: Floats, sensitivity: float) -> Iterator[tuple[Fault, Boundary, float, Floats]]:
    """Mistakes, the boundary without them, its sensitivity, and the log-times at which it is known."""
    drift = 0.5 * sensitivity**2

    def plus(term: float) -> Boundary:
        return lambda at: boundary(at) + term * np.exp(-at)

    def raised(factor: float) -> Boundary:
        return lambda at: factor * boundary(at) + (1 - factor) * drift * np.exp(-at)

    yield curve.DRIFT_MISSING, plus(drift), sensitivity, grid
    if sensitivity != 1:
        yield curve.DRIFT_NOT_SQUARED, plus(drift - 0.5 * sensitivity), sensitivity, grid
        for own in (1.0, math.sqrt(sensitivity)):
            yield curve.SENSITIVITY_IGNORED, boundary, own, grid
    yield curve.TIME_AS_DEVIATION, lambda at: boundary(0.5 * at), sensitivity, 2 * grid
    yield curve.ROOT_HALVED, raised(math.sqrt(2)), sensitivity, grid
    yield curve.DECIMAL_LOGARITHM, raised(math.sqrt(math.log(10))), sensitivity, grid


def _level(boundary: Boundary, log_t: Floats, sensitivity: float) -> Floats:
    """z = (τψ − ½)/√τ at τ = t/Δ²."""
    tau = np.exp(log_t) / sensitivity**2
    return np.asarray((tau * boundary(log_t) - 0.5) / np.sqrt(tau))


def _flat(boundary: Boundary, grid: Floats, sensitivity: float) -> bool:
    level = _level(boundary, grid, sensitivity)
    return bool(level.min() > 0 and level.max() < (1 + LEVEL) * level.min())


def _crossing(boundary: Boundary, grid: Floats, sensitivity: float, most: float) -> float:
    """The probability that the loss passes the boundary where that is likeliest; if above `most`, a bound below it."""
    level = _level(boundary, grid, sensitivity)
    single = float(ndtr(-level.min()))
    matters = grid[level <= math.sqrt(max(level.min(), 0.0) ** 2 + 2 * NEGLIGIBLE)]
    if single > most or matters.size < FEWEST_TIMES:
        return single
    square = sensitivity**2

    def height(tau: Floats) -> Floats:
        at = np.asarray(tau, dtype=np.float64)
        return np.asarray(at * boundary(np.log(at * square)) - 0.5)

    return crossing_probability(height, interval=tuple(np.exp(matters[[0, -1]]) / square)).probability


UNDONE = {
    curve.SINGLE_LOOK: "the same quantile at every time, which a path passes sooner or later",
    curve.DELTA_DOUBLED: "it is right for 2δ",
    curve.DELTA_ROOTED: "it is right for √δ",
    curve.DRIFT_MISSING: "with the drift Δ²/2t added it would be {part:.3g} δ",
    curve.DRIFT_NOT_SQUARED: "with the drift Δ²/2t for Δ/2t it would be {part:.3g} δ",
    curve.SENSITIVITY_IGNORED: "for the sensitivity {own_sensitivity:.4g} it would be {part:.3g} δ",
    curve.TIME_AS_DEVIATION: "with the time for a standard deviation it would be {part:.3g} δ",
    curve.ROOT_HALVED: "with twice the square of the curve it would be {part:.3g} δ",
    curve.DECIMAL_LOGARITHM: "with natural for decimal logarithms it would be {part:.3g} δ",
}
"""By fault; the fields are the numbers of `Undone`."""


def with_curve_faults(measure: str, expected: str, observed: str) -> dict[str, tuple[str, str]]:
    """Templates of a check whose finding may be explained by a mistake in a curve, and of one that is not."""
    explained = {fault.id: (expected, f"{observed}; {clause}") for fault, clause in UNDONE.items()}
    return {measure: (expected, observed), **explained}
