"""What would make a Brownian boundary right that is crossed too often: the mistake it most likely comes of.

It decides no verdict. Each mistake is undone on the curve ψ, and the crossing probability asked for again: the first
that comes down to δ, and not far below it, is named.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr

from nrverify.laws.crossing import crossing_probability

Floats = NDArray[np.float64]
Boundary = Callable[[Floats], Floats]
"""ψ, from log-times."""

FLAT = "the same quantile at every time"
DOUBLED = "it is right for 2δ"
ROOT = "it is right for √δ"
WITHOUT_DRIFT = "with the drift Δ²/2t added"
DRIFT_NOT_SQUARED = "with the drift Δ²/2t for Δ/2t"
OTHER_SENSITIVITY = "for the sensitivity"
DEVIATION = "with the time for a standard deviation"
HALVED = "with twice the square of the curve"
DECIMAL = "with natural for decimal logarithms"

EXACT = ((0.98, 1.02), (0.49, 0.52))
"""Parts of δ with which tight boundaries are crossed: a mixture is crossed on the other side as often."""
LEVEL = 0.01
"""A level z = c/√t that varies by less is that of a single look."""
FEWEST, MOST = 8, 400
LARGEST = 1e30
"""Beyond it an ε claims nothing."""
NEGLIGIBLE = 16.0
"""Levels that lose so many nats against the lowest are left out."""


def undone(times: Floats, epsilon: Floats, sensitivity: float, delta: float) -> str | None:
    """In words, the one mistake without which ψ would be crossed with probability δ; None where none is known."""
    grid, log_psi = _thinned(times, epsilon)
    if grid.size < FEWEST:
        return None
    spline = PchipInterpolator(grid, log_psi)

    def boundary(at: Floats) -> Floats:
        return np.asarray(np.exp(spline(at)))

    if _flat(boundary, grid, sensitivity):
        return f"{FLAT}, which a path passes sooner or later"
    probability = _crossing(boundary, grid, sensitivity, 1.1 * math.sqrt(delta))
    if probability <= delta:
        return None
    if _tight(probability / (2 * delta)):
        return DOUBLED
    if _tight(probability / math.sqrt(delta)):
        return ROOT
    for words, mended, own, stretch in _mended(boundary, grid, sensitivity):
        part = _crossing(mended, stretch, own, 1.1 * delta) / delta
        if _tight(part):
            return f"{words} it would be {part:.3g} δ"
    return None


def _thinned(times: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
    """log t, increasing, and log ψ there, at no more times than a spline needs."""
    usable = (epsilon > 0) & (epsilon < LARGEST)
    log_t, first = np.unique(np.log(times[usable]), return_index=True)
    few = slice(None, None, 1 + log_t.size // MOST)
    return log_t[few], np.log(epsilon[usable][first])[few]


def _tight(part: float) -> bool:
    return any(low <= part <= high for low, high in EXACT)


def _mended(boundary: Boundary, grid: Floats, sensitivity: float) -> Iterator[tuple[str, Boundary, float, Floats]]:
    """Mistakes in words, the boundary without them, its sensitivity, and the log-times at which it is known."""
    drift = 0.5 * sensitivity**2

    def plus(term: float) -> Boundary:
        return lambda at: boundary(at) + term * np.exp(-at)

    def raised(factor: float) -> Boundary:
        return lambda at: factor * boundary(at) + (1 - factor) * drift * np.exp(-at)

    yield WITHOUT_DRIFT, plus(drift), sensitivity, grid
    if sensitivity != 1:
        yield DRIFT_NOT_SQUARED, plus(drift - 0.5 * sensitivity), sensitivity, grid
        for own in (1.0, math.sqrt(sensitivity)):
            yield f"{OTHER_SENSITIVITY} {own:.4g}", boundary, own, grid
    yield DEVIATION, lambda at: boundary(0.5 * at), sensitivity, 2 * grid
    yield HALVED, raised(math.sqrt(2)), sensitivity, grid
    yield DECIMAL, raised(math.sqrt(math.log(10))), sensitivity, grid


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
    if single > most or matters.size < FEWEST:
        return single
    square = sensitivity**2

    def curve(tau: Floats) -> Floats:
        at = np.asarray(tau, dtype=np.float64)
        return np.asarray(at * boundary(np.log(at * square)) - 0.5)

    return crossing_probability(curve, interval=tuple(np.exp(matters[[0, -1]]) / square)).probability
