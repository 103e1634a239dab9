"""The crossing probability of a black-box boundary for Skellam noise, as an enclosure on the lattice.

The loss log I_|X|(μ)/I_|X+Δ|(μ), μ = 2·rate·t, increases with X, so that a loss above ψ(t) means X_t ≥ B(t), the first
integer whose loss is above. Between changes of B the walk, whose steps up are of size 1, is absorbed at a constant
barrier: by reflection it meets one d above with probability P(X ≥ d) + P(X > d).
"""

from __future__ import annotations

import math
import operator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.boundary.brownian_enclosure import CrossingEnclosure
from nrverify.auditing.boundary.queries import Asker, log_grid
from nrverify.laws.boundary.skellam_crossing import least_tilt
from nrverify.laws.special.bessel import log_ratio, log_scaled

Floats = NDArray[np.float64]

MOST_TIMES, FEWEST_TIMES = 3000, 300
"""Times at which the stretch that matters is sampled; fewer where the subject is slow."""
SECONDS_A_SCAN = 0.9
"""A slow subject is asked for as many as it answers in so long."""
NEGLIGIBLE = 16.0
"""Barriers whose bound is e⁻¹⁶ of the largest are left out, and their probability bounded."""
BISECTIONS = 8
"""Of the bracket of a change of the barrier: it is then too short to matter."""
MOST_PIECES = 1500
"""Steps of constant barrier: each costs a convolution."""
LOSS_ROUNDING = 1e-8
"""A value of ψ this near to the loss of an integer allows it: right boundaries are such losses, rounded."""
RAREST = 60.0
"""Jumps of a probability below e⁻⁶⁰ of the most likely crossing are left out."""
DEEPEST = 600.0
"""Crossings less likely than e⁻⁶⁰⁰ are not followed: products of their masses are no floating-point numbers."""
MOST_SUMMED = 2**20
"""Integers in a lower bound: below a variance of 10¹¹ nothing that matters lies beyond."""
TOO_MANY = "the noise takes too many values to follow each where the boundary matters (a variance of {:.3g})"
MOST_PRODUCTS, MOST_INTEGERS = 1e10, 2**23
"""Of masses and jumps, some twenty seconds; and masses in memory, some hundred megabytes with what is made of them."""
LARGEST = 1e15
"""A barrier as far away as this is never reached; integers beyond are not all floating-point numbers."""


class _Barrier(NamedTuple):
    """The barrier is `low` at least and `high` at most from μ = start to end."""

    start: float
    end: float
    low: float
    high: float


class Barrier:
    """B(t) of a subject's ψ."""

    def __init__(self, asker: Asker, sensitivity: int, rate: float, interval: tuple[float, float]) -> None:
        self._asker, self._sensitivity, self._rate, self._interval = asker, sensitivity, rate, interval

    def at(self, log_mu: Floats) -> Floats:
        """The first integer whose loss is above ψ; 10¹⁵ and more is never reached."""
        mu = np.exp(log_mu)
        epsilon = self._asker.epsilon(np.clip(mu / (2 * self._rate), *self._interval))
        return first_above(epsilon * (1 + LOSS_ROUNDING), mu, self._sensitivity)


def first_above(epsilon: Floats, mu: Floats, sensitivity: int) -> Floats:
    """The smallest integer X with log I_|X|(μ)/I_|X+Δ|(μ) > ε, elementwise; the loss is about Δ·asinh((X + Δ/2)/μ)."""

    def loss(x: Floats) -> Floats:
        return np.asarray(log_ratio(np.abs(x), np.abs(x + sensitivity), mu))

    with np.errstate(over="ignore"):
        guess = np.floor(np.minimum(mu * np.sinh(np.minimum(epsilon / sensitivity, 700.0)) - sensitivity / 2, LARGEST))
    low, high = np.maximum(guess - 2, -float(sensitivity)), guess + 3
    step = np.full(mu.shape, 4.0)
    while np.any(outside := (loss(low) > epsilon) & (low > -sensitivity)):
        low = np.where(outside, np.maximum(low - step, -float(sensitivity)), low)
        step *= 2
    step = np.full(mu.shape, 4.0)
    while np.any(outside := (loss(high) <= epsilon) & (high < LARGEST)):
        high = np.where(outside, high + step, high)
        step *= 2
    while True:
        middle = np.floor(0.5 * (low + high))
        # Beyond 2^53 neighbouring doubles are more than 1 apart, with none between them.
        open_ = (low < middle) & (middle < high)
        if not np.any(open_):
            break
        above = loss(middle) > epsilon
        high, low = np.where(open_ & above, middle, high), np.where(open_ & ~above, middle, low)
    return high


def skellam_enclosure(asker: Asker, sensitivity: int, rate: float, scan: tuple[Floats, Floats]) -> CrossingEnclosure:
    """The probability that the loss passes ψ(t) for some t, for neighbours exactly Δ apart.

    `scan` holds times that cover the interval, and ψ there.
    """
    times, epsilon = scan
    barrier = Barrier(asker, sensitivity, rate, (float(times[0]), float(times[-1])))
    mu = 2 * rate * times
    heights = first_above(epsilon * (1 + LOSS_ROUNDING), mu, sensitivity)
    exponent = _exponent(heights, mu)
    at = float(times[int(np.argmin(exponent))])
    least = float(exponent.min())
    if least > 745:
        return CrossingEnclosure(0.0, 0.0, at)
    bounds = _bounds(mu, heights)
    first, last = _relevant(exponent)
    count = max(FEWEST_TIMES, min(MOST_TIMES, int(SECONDS_A_SCAN / asker.pace)))
    pieces = _pieces(barrier, log_grid(float(mu[first]), float(mu[last]), count))
    rarest = least + RAREST
    if least > DEEPEST or not _affordable(pieces, rarest):
        look = int(np.argmin(exponent))
        low = _beyond(float(heights[look]), float(mu[look]))
        return CrossingEnclosure(low, min(float(bounds.sum()), 1.0), at, why=TOO_MANY.format(mu[last]))
    outside = float(bounds[:first].sum() + bounds[last:].sum())
    above = _absorbed(pieces, rarest, lowest=True)
    exact = all(piece.low == piece.high for piece in pieces)
    below = above if exact else _absorbed(pieces, rarest, lowest=False)
    return CrossingEnclosure(below * (1 - 1e-5), min(above * (1 + 1e-5) + outside, 1.0), at)


def _exponent(height: Floats, mu: Floats) -> Floats:
    """−log of Chernoff's bound on P(X_μ ≥ height)."""
    x = np.maximum(height, 0.0)
    return np.asarray(x * np.arcsinh(x / mu) - x * (x / (np.hypot(x, mu) + mu)))


def _bounds(mu: Floats, heights: Floats) -> Floats:
    """A bound on crossing in each step between two times: 2P(X ≥ min B) at its end."""
    return np.asarray(2 * np.exp(-_exponent(np.minimum(heights[:-1], heights[1:]), mu[1:])))


def _relevant(exponent: Floats) -> tuple[int, int]:
    """The stretch of the scan that matters."""
    matters = np.flatnonzero(exponent <= exponent.min() + NEGLIGIBLE)
    return max(int(matters[0]) - 1, 0), min(int(matters[-1]) + 1, exponent.size - 1)


def _affordable(pieces: list[_Barrier], rarest: float) -> bool:
    """Whether following all masses takes some seconds, and not hours or all memory."""
    integers = [2 * _reach(piece.end, rarest) + 1 for piece in pieces]
    jumps = [2 * _reach(piece.end - piece.start, rarest) + 1 for piece in pieces]
    return max(integers) <= MOST_INTEGERS and sum(map(operator.mul, integers, jumps)) <= MOST_PRODUCTS


def _beyond(height: float, mu: float) -> float:
    """A lower bound on P(X_μ ≥ height), and so on crossing: the sum of what comes next."""
    return float(np.exp(log_scaled(height + np.arange(MOST_SUMMED), mu)).sum()) * (1 - 1e-5)


def _pieces(barrier: Barrier, log_mu: Floats) -> list[_Barrier]:
    """Stretches of constant barrier, their ends located; where there are too many, several share one, in bounds."""
    heights = barrier.at(log_mu)
    for _ in range(BISECTIONS):
        change = np.flatnonzero(np.diff(heights) != 0)
        wide = change[np.abs(np.diff(heights))[change] >= 1]
        if wide.size == 0 or wide.size > MOST_PIECES:
            break
        middle = 0.5 * (log_mu[wide] + log_mu[wide + 1])
        log_mu = np.insert(log_mu, wide + 1, middle)
        heights = np.insert(heights, wide + 1, barrier.at(middle))
        keep = np.ones(heights.size, dtype=bool)
        keep[1:-1] = (heights[1:-1] != heights[:-2]) | (heights[1:-1] != heights[2:])
        log_mu, heights = log_mu[keep], heights[keep]
    mu = np.exp(log_mu)
    size = max(1, math.ceil(mu.size / (2 * MOST_PIECES)))
    edges = [*range(0, mu.size - 1, size), mu.size - 1]
    pieces: list[_Barrier] = []
    for first, last in pairwise(edges):
        inside = heights[first : last + 1]
        narrow = mu[last] <= mu[first] * (1 + 5e-5)
        # Inside a bracket around a change the later barrier holds: the bracket is too short to matter.
        low, high = (inside[-1],) * 2 if narrow else (inside.min(), inside.max())
        if pieces and (pieces[-1].low, pieces[-1].high) == (low, high):
            pieces[-1] = pieces[-1]._replace(end=float(mu[last]))
        else:
            pieces.append(_Barrier(float(mu[first]), float(mu[last]), float(low), float(high)))
    return pieces


def _absorbed(pieces: list[_Barrier], rarest: float, *, lowest: bool) -> float:
    """P(the walk meets the barrier on one of the pieces), jumps rarer than e^−rarest left out."""
    mu = pieces[0].start
    reach = _reach(mu, rarest)
    masses, bottom = np.exp(log_scaled(np.arange(-reach, reach + 1), mu)), -reach
    crossed = 0.0
    for piece in pieces:
        barrier = min(
            int(piece.low if lowest else piece.high), bottom + masses.size + 2 * _reach(piece.end, rarest) + 1
        )
        cut = max(barrier - bottom, 0)
        crossed += float(masses[cut:].sum())
        masses = masses[:cut]
        if not masses.size:
            break
        reach = _reach(piece.end - piece.start, rarest)
        masses, bottom, met = _watched(masses, bottom, barrier, piece.end - piece.start, reach)
        crossed += met
        # A barrier far above leaves room for masses that never arrive: without a cut the array grows with every piece.
        below, above = (_negligible(side, crossed) for side in (masses, masses[::-1]))
        masses, bottom = masses[below : masses.size - above], bottom + below
    return crossed


def _negligible(masses: Floats, crossed: float) -> int:
    """How many of the first masses are together a billionth of what has crossed, at most."""
    return int(np.searchsorted(np.cumsum(masses), 1e-9 * max(crossed, 1e-290)))


def _watched(masses: Floats, bottom: int, barrier: int, step: float, reach: int) -> tuple[Floats, int, float]:
    """The masses below a constant barrier after a step in μ of jumps within reach, and the mass that met it."""
    pmf = np.exp(log_scaled(np.arange(2 * reach + 2), step))
    tail = np.cumsum(pmf[::-1])[::-1]
    distance = barrier - bottom - np.arange(masses.size)
    near = distance <= reach
    met = float(masses[near] @ (tail[distance[near]] + tail[distance[near] + 1]))
    kernel = np.concatenate([pmf[reach:0:-1], pmf[: reach + 1]])
    moved = np.convolve(masses, kernel)
    kept = barrier - bottom + reach
    moved = np.pad(moved, (0, max(kept - moved.size, 0)))[:kept]
    # From d below the barrier to e below it, the reflected path makes a step of d + e.
    mirrored = np.zeros(reach + 1)
    mirrored[distance[near]] = masses[near]
    reflected = np.convolve(mirrored[::-1], kernel[reach:])[reach + 1 :]
    count = min(reflected.size, kept)
    moved[kept - count :] -= reflected[:count][::-1]
    return np.maximum(moved, 0.0), bottom - reach, met


def _reach(mu: float, rarest: float) -> int:
    """The j with P(X_μ ≥ j) ≤ e^−rarest, by Chernoff's bound."""
    return math.ceil(mu * math.sinh(least_tilt(rarest, mu))) + 1
