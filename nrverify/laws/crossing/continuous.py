"""The probability that a Brownian path meets a black-box curve somewhere on an interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nrverify.laws.crossing.curve_sampling import (
    NARROWEST,
    envelope,
    level_of,
    level_where_defined,
    pieces,
    require_values,
)
from nrverify.laws.crossing.piecewise import segment_bound, segment_crossing
from nrverify.laws.crossing.surviving_density import Floats
from nrverify.laws.crossing.volterra import smooth_crossing

_SCAN = 0.125  # step in log t of the search for where the curve is low
_FAR, _FARTHEST = 92.0, 700.0  # |log t| searched at first, and where z has not risen by then
_NEGLIGIBLE = 34.0  # a level z whose φ(z) is e⁻³⁴ of the largest is never reached, to double precision
_UNREACHABLE = 40.0  # 1400 e-folds, each with less than z²φ(z), are less than the smallest number
_MANY = 600  # pieces: so many jumps are enclosed rather than followed one by one, nor forgiven as noise
_TOLERANCES = (1e-11, 1e-9, 1e-7)
"""Of the fit to the level: the first is near rounding; the others are for curves with errors of their own, such as
solved or tabulated ones. The one used enters the error given."""


class _Scan(NamedTuple):
    """Levels z = curve(t)/√t over a grid of log-times; `open_end` where z stays low to the end of the numbers."""

    log_t: Floats
    level: Floats
    open_end: bool


def continuous_crossing(curve: Callable[[Any], Any], lo: float, hi: float) -> tuple[float, float]:
    """P(W_t ≥ curve(t) for some t in (lo, hi)) and its estimated absolute error."""
    scan = _scan(curve, lo, hi)
    if np.isneginf(scan.level).any():
        return 1.0, 0.0
    lowest = float(scan.level.min())
    if lowest == math.inf:
        return 0.0, 0.0
    probability, error = _crossing(curve, scan, lowest) if lowest < _UNREACHABLE else (0.0, 0.0)
    probability = min(probability, 1.0)
    if scan.open_end:
        # By the law of the iterated logarithm a level that stays bounded for ever is crossed for certain.
        return 1.0, 1.0 - probability + error
    return probability, error


def _crossing(curve: Callable[[Any], Any], scan: _Scan, lowest: float) -> tuple[float, float]:
    ceiling = math.sqrt(max(lowest, 0.0) ** 2 + 2.0 * _NEGLIGIBLE)

    def level(log_t: Floats) -> Floats:
        return np.clip(level_of(curve, log_t), -ceiling - 10.0, 2.0 * ceiling + 10.0)

    runs = _runs(scan, ceiling)
    for tolerance in _TOLERANCES:
        found = [pieces(level, low, high, tolerance) for low, high in runs]
        parts = [piece for run, _ in found for piece in run]
        resolved = all(fine for _, fine in found)
        if resolved or len(parts) > _MANY:
            break
    if not resolved or len(parts) > _MANY:
        return _enclosure(level, runs)
    if len(parts) == 1:
        atom = bool(runs[0][0] <= scan.log_t[0] and scan.level[0] <= ceiling)
        probability, error = smooth_crossing(parts[0], atom=atom)
    else:
        probability, error = segment_crossing(parts)
    # An error dz in the level changes the probability by a factor of about 1 + z·dz; so does a break misplaced by dz/z.
    misplaced = 4.0 * NARROWEST * (len(parts) - 1)
    return probability, error + probability * (1e-11 + (tolerance + misplaced) * (1.0 + max(lowest, 0.0)) ** 2)


def _enclosure(level: Callable[[Floats], Floats], runs: list[tuple[float, float]]) -> tuple[float, float]:
    sides = [envelope(level, low, high) for low, high in runs]
    upper, upper_error = segment_bound([piece for below, _ in sides for piece in below])
    lower, lower_error = segment_bound([piece for _, above in sides for piece in above])
    return 0.5 * (upper + lower), 0.5 * (upper - lower) + max(upper_error, lower_error)


def _scan(curve: Callable[[Any], Any], lo: float, hi: float) -> _Scan:
    near = _sampled(curve, lo, hi, _FAR)
    # A level still low at the ends of the first search may rise later: only then is the rest of the numbers searched.
    far = _sampled(curve, lo, hi, _FARTHEST) if near.open_end else near
    return near if far.open_end else far


def _sampled(curve: Callable[[Any], Any], lo: float, hi: float, far: float) -> _Scan:
    """The levels from lo to hi, as far as |log t| = far, or that much beyond the other end."""
    start = math.log(lo) if lo > 0.0 else -math.inf
    end = math.log(hi) if math.isfinite(hi) else math.inf
    low = max(start if lo > 0.0 else min(-far, end - far), -_FARTHEST)
    high = min(end if math.isfinite(hi) else max(far, start + far), _FARTHEST)
    if low >= high:
        raise ValueError(
            f"interval is {(lo, hi)!r}: it must hold times from e^(-{_FARTHEST:g}) to e^{_FARTHEST:g}; change the unit"
        )
    log_t = np.linspace(low, high, max(257, math.ceil((high - low) / _SCAN) + 1))
    level = level_where_defined(curve, log_t)
    lowest = float(np.fmin.reduce(level))
    ceiling = math.sqrt(max(lowest, 0.0) ** 2 + 2.0 * _NEGLIGIBLE)
    # Beyond a level that is out of reach, a curve may overflow: it is not needed there.
    defined = np.flatnonzero(~np.isnan(level))
    if defined.size:
        first = defined[0] if lo == 0.0 and level[defined[0]] > ceiling else 0
        last = defined[-1] if math.isinf(hi) and level[defined[-1]] > ceiling else len(level) - 1
        log_t, level = log_t[first : last + 1], level[first : last + 1]
    require_values(np.exp(log_t), level)
    open_end = (lo == 0.0 and level[0] <= ceiling) or (math.isinf(hi) and level[-1] <= ceiling)
    return _Scan(log_t, level, bool(open_end))


def _runs(scan: _Scan, ceiling: float) -> list[tuple[float, float]]:
    """Stretches of log-time on which the level is below the ceiling, one scanned point wider on each side."""
    low = np.flatnonzero(scan.level <= ceiling)
    starts = [low[0], *low[1:][np.diff(low) > 8]]
    ends = [*low[:-1][np.diff(low) > 8], low[-1]]
    last = len(scan.log_t) - 1
    return [
        (float(scan.log_t[max(a - 1, 0)]), float(scan.log_t[min(b + 1, last)]))
        for a, b in zip(starts, ends, strict=True)
    ]
