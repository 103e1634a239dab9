"""The exact crossing probability of a black-box Brownian boundary, as an enclosure.

Where the curve is high it is crossed with a probability that is bounded and added to the error; where it matters the
curve is sampled densely, and integrated piece by piece where it has many steps, as a smooth curve where it has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.special import log_ndtr

from nrverify.auditing.boundary.queries import Asker, Scaled, log_grid
from nrverify.laws.crossing import crossing_probability
from nrverify.laws.crossing.steps import SHORTEST, stepped_crossing

Floats = NDArray[np.float64]

MOST_TIMES, FEWEST_TIMES = 4000, 400
"""Times at which the stretch that matters, a few decades, is sampled: a dip narrower than a hundredth of one shows.
Fewer where the subject is slow."""
SECONDS_A_SCAN = 0.9
"""A slow subject is asked for as many as it answers in so long."""
NEGLIGIBLE = 16.0
"""A level whose normal density is e⁻¹⁶ of the largest is left out, and its probability bounded."""
MANY_JUMPS, MANY_BENDS = 8, 400
"""Up to so many the quadrature for smooth curves locates by itself; with more the curve is cut into pieces."""
LEAP = 0.05
"""A jump keeps this part of its change between times however close; a bend does not."""
MOST_DEGREE = 110
"""Of a polynomial fit: what needs more is not smooth, and its fit would follow the rounding."""
FITTED = 1e-5
"""Relative error in the probability, about, that a fit may make."""
LONGEST = 0.01
"""A piece spans no more log-time than this: its chord is then as good as the curve."""
BISECTIONS = 14
"""Of the bracket of a jump, which is then a 16,000th of what lies between two samples: too short to matter."""


TOO_ROUGH = "the boundary is too rough to tell"


class CrossingEnclosure(NamedTuple):
    """The crossing probability lies between `low` and `high`; `at` is the time where the curve is lowest."""

    low: float
    high: float
    at: float
    smooth: bool = True
    """Whether the curve has few jumps or none, and not too many bends."""
    why: str = TOO_ROUGH
    """What makes the enclosure wide, if it is."""


class _Scan(NamedTuple):
    log_tau: Floats
    level: Floats


class _Piece(NamedTuple):
    """From τ = start to end, ψ going from `first` to `last`."""

    start: float
    end: float
    first: float
    last: float

    @property
    def level(self) -> float:
        """z at the end, where the curve of a falling ψ is lowest for its time."""
        return (self.end * self.last - 0.5) / math.sqrt(self.end)


def brownian_enclosure(asker: Asker, sensitivity: float, scan: tuple[Floats, Floats]) -> CrossingEnclosure:
    """The probability that L_t > ψ(t) for some t, for neighbours at exactly the sensitivity.

    `scan` holds times that cover the interval, and ψ there.
    """
    times, epsilon = scan
    curve = Scaled(asker, sensitivity, (float(times[0]), float(times[-1])))
    tau = times / sensitivity**2
    coarse = _Scan(np.log(tau), (tau * epsilon - 0.5) / np.sqrt(tau))
    lowest = int(np.argmin(coarse.level))
    at = float(times[lowest])
    if math.isinf(coarse.level[lowest]):
        return CrossingEnclosure(0.0, 0.0, at)
    low, high, outside = _relevant(coarse)
    dense = _dense(curve, asker, low, high, MOST_TIMES)
    fitted = _fitted(dense)
    if fitted is not None:
        found = crossing_probability(fitted, interval=(low, high))
        error = found.error + found.probability * 3 * (1 + abs(float(dense.level.min()))) * fitted.error
        return CrossingEnclosure(max(found.probability - error, 0.0), min(found.probability + error + outside, 1.0), at)
    jumps = _jumps(dense)
    if jumps.size > dense.level.size // 16:
        dense = _dense(curve, asker, low, high, 5 * MOST_TIMES)
        jumps = _jumps(dense)
    smooth = jumps.size <= MANY_JUMPS or (jumps.size <= MANY_BENDS and _leaps(curve, dense, jumps) <= MANY_JUMPS)
    if smooth:
        found = crossing_probability(curve, interval=(low, high))
        below, above = found.probability - found.error, found.probability + found.error
    else:
        below, above = _stepped(curve, dense, jumps)
    single = math.exp(float(log_ndtr(-min(float(dense.level.min()), float(coarse.level.min())))))
    return CrossingEnclosure(max(below, single, 0.0), min(max(above, single) + outside, 1.0), at, smooth)


def _dense(curve: Scaled, asker: Asker, low: float, high: float, count: int) -> _Scan:
    """Levels of the curve on an even grid of log-times, fewer of them where the subject is slow."""
    log_tau = log_grid(low, high, max(FEWEST_TIMES, min(count, int(SECONDS_A_SCAN / asker.pace))))
    return _Scan(log_tau, curve.level(log_tau))


def _relevant(scan: _Scan) -> tuple[float, float, float]:
    """The stretch of τ that matters, and a bound on the probability of crossing outside it.

    Between scanned times s < t a path passes min c with probability at most 2Q(min c/√t).
    """
    floor = max(float(scan.level.min()), 0.0)
    matters = np.flatnonzero(scan.level <= math.sqrt(floor**2 + 2 * NEGLIGIBLE))
    first, last = max(int(matters[0]) - 1, 0), min(int(matters[-1]) + 1, scan.level.size - 1)
    height = scan.level * np.exp(0.5 * scan.log_tau)
    lower = np.minimum(height[:-1], height[1:]) * np.exp(-0.5 * scan.log_tau[1:])
    windows = np.arange(lower.size)
    skipped = (windows < first) | (windows >= last)
    outside = float(np.exp(log_ndtr(-lower[skipped])).sum() * 2)
    return math.exp(scan.log_tau[first]), math.exp(scan.log_tau[last]), outside


@dataclass(frozen=True)
class _Fitted:
    """A polynomial in log τ for the level of a curve that is smooth but for rounding; `error` is its largest miss."""

    polynomial: Chebyshev
    error: float

    def __call__(self, tau: Any) -> Any:
        at = np.asarray(tau, dtype=np.float64)
        return np.asarray(self.polynomial(np.log(at)) * np.sqrt(at))[()]


def _fitted(scan: _Scan) -> _Fitted | None:
    """A polynomial fit whose residuals are at rounding level; None if there is none."""
    degree = min(MOST_DEGREE, int(2 * math.sqrt(scan.level.size)))
    ends = [scan.log_tau[0], scan.log_tau[-1]]
    if not np.isfinite(scan.level).all():
        return None
    polynomial = Chebyshev.fit(scan.log_tau, scan.level, degree, domain=ends)
    error = float(np.abs(polynomial(scan.log_tau) - scan.level).max())
    close = error * (1 + abs(float(scan.level.min()))) <= FITTED
    return _Fitted(polynomial, error) if close else None


def _jumps(scan: _Scan) -> NDArray[np.intp]:
    """Indices i where the curve jumps, or bends sharply, between scanned times i and i + 1.

    In log-time a smooth level has steps that hardly change; a jump stands out from the steps on both sides.
    """
    # Where the curve is infinite there is no step, and nothing to cross.
    with np.errstate(invalid="ignore"):
        step = np.diff(scan.level)
        around = np.stack([np.roll(step, shift) for shift in (-3, -2, 2, 3)])
        typical = np.median(around, axis=0)
        spread = np.abs(around - typical).max(axis=0)
        scale = np.maximum(np.abs(scan.level[1:]), 1.0)
        far = np.abs(step - typical) > 1e-7 * scale + 3 * np.minimum(spread, np.abs(typical) + 1e-9)
    far[:3] = far[-3:] = False
    return np.flatnonzero(far)


def _leaps(curve: Scaled, scan: _Scan, jumps: NDArray[np.intp]) -> int:
    """How many of these are jumps and not bends."""
    left, right = _located(curve, scan.log_tau[jumps], scan.log_tau[jumps + 1])
    change = np.abs(scan.level[jumps + 1] - scan.level[jumps])
    return int((np.abs(curve.level(right) - curve.level(left)) > LEAP * change).sum())


def _stepped(curve: Scaled, scan: _Scan, jumps: NDArray[np.intp]) -> tuple[float, float]:
    """Bounds from straight pieces between located jumps; pieces too short to resolve are joined, below and above."""
    left, right = _located(curve, scan.log_tau[jumps], scan.log_tau[jumps + 1])
    pieces = _resolvable(_straight(curve, scan, left, right))
    times = np.array([group[0].start for group in pieces] + [pieces[-1][-1].end])
    above = below = _crossing_of(pieces, times, min)
    if any(len(group) > 1 for group in pieces):
        below = _crossing_of(pieces, times, max)
    # What is left of a bend over a piece, and of a jump inside its bracket, is far below the resolution asked for.
    return below * (1 - 1e-4), above * (1 + 1e-4)


def _crossing_of(pieces: list[list[_Piece]], times: Floats, extreme: Callable[[Iterable[float]], float]) -> float:
    heights = np.array([_line(group, extreme) for group in pieces])
    return stepped_crossing(times, heights[:, 0], heights[:, 1])


def _located(curve: Scaled, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Brackets around the jumps, halved: the half with the larger change is kept."""
    at_low, at_high = curve.level(low), curve.level(high)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        at = curve.level(middle)
        lower = np.abs(at - at_low) >= np.abs(at_high - at)
        high, at_high = np.where(lower, middle, high), np.where(lower, at, at_high)
        low, at_low = np.where(lower, low, middle), np.where(lower, at_low, at)
    return low, high


def _straight(curve: Scaled, scan: _Scan, left: Floats, right: Floats) -> list[_Piece]:
    """Pieces without jumps, and without much bend: one where ψ is constant, else chords of at most a hundredth."""
    pieces = []
    starts, ends = np.append(scan.log_tau[0], right), np.append(left, scan.log_tau[-1])
    for low, high, nearby in zip(starts, ends, np.append(right, scan.log_tau[-1]), strict=True):
        if not high > low:
            continue
        inner = scan.log_tau[(scan.log_tau > low) & (scan.log_tau < high)]
        knots = np.concatenate([[low], inner[:: max(1, int(LONGEST / (scan.log_tau[1] - scan.log_tau[0])))], [high]])
        epsilon = curve.epsilon(np.exp(knots))
        if np.ptp(epsilon) <= 1e-9 * epsilon[0]:
            knots, epsilon = knots[[0, -1]], epsilon[[0, -1]]
        tau = np.exp(knots)
        # The bracket of the jump that follows belongs to the last piece: it is too short to matter.
        tau[-1] = math.exp(nearby)
        pieces += [_Piece(*four) for four in zip(tau[:-1], tau[1:], epsilon[:-1], epsilon[1:], strict=True)]
    return pieces


def _resolvable(pieces: list[_Piece]) -> list[list[_Piece]]:
    """Groups of pieces no shorter than can be resolved; a long piece gives a short group before it a part.

    Where the curve is high less is crossed, and longer groups do.
    """
    floor = min(piece.level for piece in pieces)
    groups: list[list[_Piece]] = []
    waiting: list[_Piece] = []
    for piece in pieces:
        shortest = math.exp(SHORTEST * math.exp(min((piece.level**2 - max(floor, 0.0) ** 2) / 6, 4.0)))
        rest = piece
        if waiting and rest.end > waiting[0].start * shortest**2:
            cut = max(waiting[0].start * shortest, rest.start)
            if cut > rest.start:
                share = (cut - rest.start) / (rest.end - rest.start)
                middle = rest.first + share * (rest.last - rest.first)
                waiting.append(_Piece(rest.start, cut, rest.first, middle))
                rest = _Piece(cut, rest.end, middle, rest.last)
            groups.append(waiting)
            waiting = []
        waiting.append(rest)
        if waiting[-1].end >= waiting[0].start * shortest:
            groups.append(waiting)
            waiting = []
    if waiting:
        groups.append(waiting)
    return groups


def _line(group: list[_Piece], extreme: Callable[[Iterable[float]], float]) -> tuple[float, float]:
    """Heights at both ends: the chord of a single piece, else the line of the extreme ψ of all of them."""
    if len(group) == 1:
        only = group[0]
        return only.start * only.first - 0.5, only.end * only.last - 0.5
    epsilon = extreme(value for piece in group for value in (piece.first, piece.last))
    return group[0].start * epsilon - 0.5, group[-1].end * epsilon - 0.5
