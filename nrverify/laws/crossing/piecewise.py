"""Continuous crossing of a piecewise smooth curve with jumps, by steps along chords with a bend.

Exact for piecewise linear curves with jumps; for curved pieces the first effect of the bend is taken in closed form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from nrverify.laws.crossing.curve_sampling import Piece
from nrverify.laws.crossing.surviving_density import STRAIGHT, Bend, Floats, Survivors, advance, cut, start

_LARGEST_BEND = 0.1
"""In standard deviations of a step: the closed form is of first order in the bend, and what it leaves is extrapolated
away and estimated."""
_LONGEST = 1.0
"""Step in log-time: a longer one is divided even where it seems straight, since its bend is judged by three points."""
_ORDER = 3.5
"""The power of the step with which the error of a pass falls; two passes are extrapolated with it."""
_SHORTEST = 1e-8
"""In log-time: the bend of a shorter step, of order (10⁻⁸)^(3/2), is rounding, so the step is straight."""
_QUARTERS = np.array([0.25, 0.5, 0.75])
"""Three points inside a step determine its parabola and its cubic, and leave one residual."""


def segment_crossing(pieces: Sequence[Piece]) -> tuple[float, float]:
    """P(W crosses the curve on the pieces) and its estimated absolute error.

    Straight steps are exact. Halving the curved ones divides the error by about 2^3.5 (measured on the half-normal
    mixture curve, whose crossing probability is known), which is used to extrapolate; the error is the correction made.
    """
    coarse, rough, curved = _pass(pieces, 1)
    if not curved:
        return coarse, rough
    fine, rough, _ = _pass(pieces, 2)
    correction = (fine - coarse) / (2.0**_ORDER - 1.0)
    return fine + correction, abs(correction) + rough


def segment_bound(pieces: Sequence[Piece]) -> tuple[float, float]:
    """One pass without extrapolation, for curves that are themselves bounds; the error of the survivors only."""
    probability, error, _ = _pass(pieces, 1)
    return probability, error


def _pass(pieces: Sequence[Piece], refine: int) -> tuple[float, float, bool]:
    """P(W crosses the curve on the pieces), each curved step divided by `refine`, the interpolation error,
    and whether any step was curved.
    """
    state: Survivors | None = None
    masses: list[float] = []
    error = 0.0
    curved = False
    lowest = min(float(piece.level(piece.edges).min()) for piece in pieces)
    for piece in pieces:
        knots, bends = steps(piece, refine, lowest)
        levels = piece.level(knots)
        curved = curved or any(bend != STRAIGHT for bend in bends)
        first, level = math.exp(knots[0]), float(levels[0])
        if state is None:
            state = start(first, level)
            masses.append(0.5 * math.erfc(level / math.sqrt(2.0)))
        elif first > state.t * (1.0 + 1e-9):
            state, mass, mass_error = advance(state, first, level, watched=False)
            masses.append(mass)
            error += mass_error
        else:
            state, mass = cut(state, level)
            masses.append(mass)
        for knot, start_level, end_level, bend in zip(knots[1:], levels[:-1], levels[1:], bends, strict=True):
            state, mass, mass_error = advance(
                state, math.exp(knot), float(end_level), watched=True, level=float(start_level), bend=bend
            )
            masses.append(mass)
            error += mass_error
    return math.fsum(masses), min(error, state.leak if state else 0.0), curved


def steps(piece: Piece, refine: int, lowest: float) -> tuple[Floats, list[Bend]]:
    """Knots in log t and the bend of the curve over each step: small bends, and each curved step divided again.

    Where the curve is higher than its lowest level, less is crossed by a factor φ(z)/φ(lowest), and since the error
    goes with the 3.5th power of the step, longer steps do there.
    """
    todo = [(float(piece.edges[0]), float(piece.edges[-1]))]
    knots = [todo[0][0]]
    bends = []
    while todo:
        a, b = todo.pop()
        bend, residual = _bend(piece, a, b) if b - a > _SHORTEST else (STRAIGHT, 0.0)
        if bend == STRAIGHT:
            knots.append(b)
            bends.append(bend)
            continue
        level = max(0.0, float(piece.level(np.array([a, 0.5 * (a + b), b])).min()))
        longer = min(8.0, math.exp(0.5 * (level**2 - max(lowest, 0.0) ** 2) / _ORDER))
        size = max(abs(bend.parabola), abs(bend.cubic), 4.0 * residual, _LARGEST_BEND * (b - a) / _LONGEST)
        if size <= _LARGEST_BEND * longer:
            ends = np.linspace(a, b, refine + 1)
            knots += ends[1:].tolist()
            bends += [_bend(piece, c, d)[0] for c, d in itertools.pairwise(ends)]
        else:
            middle = 0.5 * (a + b)
            todo += [(middle, b), (a, middle)]
    return np.array(knots), bends


def _bend(piece: Piece, a: float, b: float) -> tuple[Bend, float]:
    s, t = math.exp(a), math.exp(b)
    times = np.concatenate(([s], s + (t - s) * _QUARTERS, [t]))
    log_times = np.log(times)
    log_times[0], log_times[-1] = a, b
    heights = piece.level(log_times) * np.sqrt(times)
    chord = heights[0] + (heights[-1] - heights[0]) * _QUARTERS
    first, second, third = (heights[1:-1] - chord) / math.sqrt(t - s)
    parabola = (first + third) * (8.0 / 3.0)
    cubic = (third - first) * (32.0 / 3.0)
    scale = float(np.abs(heights).max()) / math.sqrt(t - s)
    if max(abs(first), abs(second), abs(third)) <= 1e-11 * scale:
        return STRAIGHT, 0.0
    return Bend(float(parabola), float(cubic)), abs(float(second) - 0.25 * float(parabola))
