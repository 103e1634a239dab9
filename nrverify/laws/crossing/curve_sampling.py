"""A black-box curve: sampling it, finding where it matters, its jumps and kinks, and smooth pieces between them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from nrverify.laws.crossing.surviving_density import _TO_COEFFICIENTS, NODE, NODES, Floats

_WIDEST = 0.5  # longest panel in log t
NARROWEST = 1e-10  # a curve unresolved on so short a panel jumps there
_SLIVER = 100.0 * NARROWEST  # what lies between two breaks this close hardly counts
_SUSPECT = 2e-3  # panels this short surround a jump or a kink
_MOST_PANELS = 3000
"""A smooth curve needs far fewer; one that needs more is enclosed instead of resolved."""
_ENVELOPE_PANELS, _ENVELOPE_STEP, _ENVELOPE_SAMPLES = 200, 0.05, 33
"""Panels of 0.05 in log-time with 33 samples each, and at most 200 of them: an envelope costs a few thousand
evaluations, and its width is in the error given."""
_SAMPLE = np.concatenate(([-1.0], NODE, [1.0]))  # the ends too, or a jump beyond the last node is not seen
_AT_ENDS = legendre.legvander(np.array([-1.0, 1.0]), NODES - 1).T
"""Values at both ends from Legendre coefficients."""

Level = Callable[[Floats], Floats]


def evaluate(curve: Callable[[Any], Any], times: Floats) -> Floats:
    """curve(t) at every time."""
    values = evaluate_where_defined(curve, times)
    require_values(times, values)
    return values


def evaluate_where_defined(curve: Callable[[Any], Any], times: Floats) -> Floats:
    """curve(t), by one array call where the curve takes arrays, else one float at a time; NaN where it has no value."""
    with np.errstate(all="ignore"):
        values = _by_array(curve, times) if times.size > 3 else None
        if values is None:
            values = np.array([_alone(curve, float(t)) for t in times])
    return values


def require_values(times: Floats, values: Floats) -> None:
    """A number or an infinity at every time."""
    missing = np.isnan(values)
    if missing.any():
        raise ValueError(
            f"the curve has no value (it is NaN or raises an error) at t = {float(times[missing][0])!r}: it must be a "
            "number or infinite there, or the times looked at must leave that one out"
        )


def _alone(curve: Callable[[Any], Any], time: float) -> float:
    try:
        value = curve(time)
    except (ArithmeticError, ValueError):
        return math.nan
    number = value.item() if isinstance(value, (np.ndarray, np.generic)) and value.size == 1 else value
    if not isinstance(number, Real) or isinstance(number, bool):
        raise ValueError(f"the curve is {value!r} at t = {time!r}: it must be a real number there, or infinite")
    try:
        return float(number)
    except OverflowError:
        return math.nan


def _by_array(curve: Callable[[Any], Any], times: Floats) -> Floats | None:
    # A stranger's scalar function may fail on an array in any way, or answer wrongly: then it is called with floats.
    try:
        values = np.asarray(curve(times.copy()), dtype=np.float64)
    except Exception:
        return None
    if values.shape != times.shape:
        return None
    for i in (0, times.size // 2, times.size - 1):
        alone = _alone(curve, float(times[i]))
        if not (values[i] == alone or abs(values[i] - alone) <= 1e-12 * abs(alone) or alone != alone):
            return None
    return values


class Piece(NamedTuple):
    """z(ℓ) = curve(e^ℓ)·e^(−ℓ/2) on consecutive Legendre panels in ℓ = log t, continuous and smooth on each."""

    edges: Floats
    coefficients: Floats

    def level(self, log_t: Floats) -> Floats:
        """z at log-times inside the piece."""
        which = np.clip(np.searchsorted(self.edges, log_t, side="right") - 1, 0, len(self.edges) - 2)
        x = 2.0 * (log_t - self.edges[which]) / np.diff(self.edges)[which] - 1.0
        return np.asarray((legendre.legvander(x, NODES - 1) * self.coefficients[which]).sum(axis=1))

    def slope(self, log_t: Floats) -> Floats:
        """dz/dℓ at log-times inside the piece."""
        which = np.clip(np.searchsorted(self.edges, log_t, side="right") - 1, 0, len(self.edges) - 2)
        length = np.diff(self.edges)[which]
        x = 2.0 * (log_t - self.edges[which]) / length - 1.0
        derivative = legendre.legder(self.coefficients, axis=1)
        return np.asarray((legendre.legvander(x, NODES - 2) * derivative[which]).sum(axis=1) * (2.0 / length))


class _Panel(NamedTuple):
    low: float
    high: float
    coefficients: Floats
    resolved: bool


def level_of(curve: Callable[[Any], Any], log_t: Floats) -> Floats:
    """z(ℓ) = curve(e^ℓ)·e^(−ℓ/2)."""
    t = np.exp(log_t)
    return evaluate(curve, t) / np.sqrt(t)


def level_where_defined(curve: Callable[[Any], Any], log_t: Floats) -> Floats:
    """z(ℓ), NaN where the curve has no value."""
    t = np.exp(log_t)
    return evaluate_where_defined(curve, t) / np.sqrt(t)


def pieces(level: Level, low: float, high: float, tolerance: float) -> tuple[list[Piece], bool]:
    """Smooth pieces covering [low, high] in log t, broken at jumps and kinks; whether all of them are resolved."""
    found = _bisect(level, low, high, tolerance, _MOST_PANELS)
    edges = [low, *_breaks(found), high]
    if len(edges) > 2:
        most = max(2, _MOST_PANELS // len(edges))
        wide = [(a, b) for a, b in itertools.pairwise(edges) if b - a > _SLIVER]
        parts = [_bisect(level, a, b - NARROWEST if b < high else b, tolerance, most) for a, b in wide]
        # Slivers between breaks are left out; a curve that is mostly slivers is too rough to resolve.
        covered = sum(b - a for a, b in wide) > 0.999 * (high - low)
        return [_joined(part) for part in parts], covered and all(map(_all_resolved, parts))
    return [_joined(found)], _all_resolved(found)


def envelope(level: Level, low: float, high: float) -> tuple[list[Piece], list[Piece]]:
    """Straight levels below and above all samples of a curve too rough to resolve, one piece a panel."""
    count = min(_ENVELOPE_PANELS, math.ceil((high - low) / _ENVELOPE_STEP))
    edges = np.linspace(low, high, count + 1)
    fraction = np.linspace(0.0, 1.0, _ENVELOPE_SAMPLES)
    x = edges[:-1, None] + np.diff(edges)[:, None] * fraction
    values = level(x.ravel()).reshape(x.shape)
    fits = np.polynomial.polynomial.polyfit(2.0 * fraction - 1.0, values.T, 1).T
    rest = values - fits[:, :1] - fits[:, 1:] * (2.0 * fraction - 1.0)
    below, above = [], []
    for i, fit in enumerate(fits):
        ends = edges[i : i + 2]
        shape = np.zeros((1, NODES))
        shape[0, :2] = fit
        floor, roof = shape.copy(), shape.copy()
        floor[0, 0] += rest[i].min()
        roof[0, 0] += rest[i].max()
        below.append(Piece(ends, floor))
        above.append(Piece(ends, roof))
    return below, above


def _all_resolved(panels: list[_Panel]) -> bool:
    return all(p.resolved or p.high - p.low <= NARROWEST for p in panels)


def _joined(panels: list[_Panel]) -> Piece:
    return Piece(np.array([p.low for p in panels] + [panels[-1].high]), np.array([p.coefficients for p in panels]))


def _breaks(panels: list[_Panel]) -> list[float]:
    """Right ends of unresolved panels, and of the shortest panel in each run of suspiciously short ones."""
    breaks = []
    run: list[_Panel] = []
    for panel in [*panels, _Panel(0.0, math.inf, np.zeros(0), True)]:
        if panel.high - panel.low < _SUSPECT:
            run.append(panel)
            continue
        jumps = [p.high for p in run if not p.resolved]
        if run and not jumps:
            jumps = [min(run, key=lambda p: p.high - p.low).high]
        breaks.extend(jumps)
        run = []
    mismatched = [a.high for a, b in itertools.pairwise(panels) if _mismatch(a, b)]
    return sorted({*breaks, *mismatched})


def _mismatch(left: _Panel, right: _Panel) -> bool:
    """Whether two neighbouring panels of ordinary length disagree in level or slope where they meet."""
    if min(left.high - left.low, right.high - right.low) < _SUSPECT:
        return False
    ends = [Piece(np.array([p.low, p.high]), p.coefficients[None, :]) for p in (left, right)]
    at = np.array([left.high])
    level = float(ends[0].level(at)[0] - ends[1].level(at)[0])
    slope = float(ends[0].slope(at)[0] - ends[1].slope(at)[0])
    return abs(level) > 1e-7 or abs(slope) > 1e-4


def _bisect(level: Level, low: float, high: float, tolerance: float, most: int) -> list[_Panel]:
    """Panels over [low, high], halved until resolved; jumps are located and get a panel of their own."""
    ends = np.linspace(low, high, max(1, math.ceil((high - low) / _WIDEST)) + 1)
    todo = list(itertools.pairwise(ends.tolist()))
    done: list[_Panel] = []
    while todo:
        a, b = np.array(todo).T
        x = a[:, None] + 0.5 * (b - a)[:, None] * (1.0 + _SAMPLE)
        values = level(x.ravel()).reshape(x.shape)
        coefficients = values[:, 1:-1] @ _TO_COEFFICIENTS.T
        scale = np.maximum(np.abs(values).max(axis=1), 1.0)
        resolved = np.abs(coefficients[:, -3:]).max(axis=1) <= tolerance * scale
        ends_missed = np.abs(coefficients @ _AT_ENDS - values[:, [0, -1]]).max(axis=1)
        resolved &= ends_missed <= 100.0 * tolerance * scale
        full = len(todo) + len(done) > most
        jump_low, jump_high = _jumps(level, x, values, ~resolved & (b - a > 4.0 * NARROWEST) & (not full))
        split = []
        for i, (c, d) in enumerate(todo):
            if resolved[i] or d - c < NARROWEST or full:
                done.append(_Panel(c, d, coefficients[i], bool(resolved[i])))
            elif jump_low[i] < jump_high[i]:
                inside = level(jump_low[i] + 0.5 * (jump_high[i] - jump_low[i]) * (1.0 + NODE))
                done.append(_Panel(jump_low[i], jump_high[i], _TO_COEFFICIENTS @ inside, False))
                split += [(c, float(jump_low[i])), (float(jump_high[i]), d)]
            else:
                middle = 0.5 * (c + d)
                split += [(c, middle), (middle, d)]
        todo = split
    return sorted(done, key=lambda p: p.low)


def _jumps(level: Level, x: Floats, values: Floats, suspects: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Brackets shorter than the narrowest panel around the largest jump of each suspect panel; empty where none."""
    low = np.zeros(len(x))
    high = np.zeros(len(x))
    gaps = np.abs(np.diff(values, axis=1))
    widest = gaps.argmax(axis=1)
    rows = np.arange(len(x))
    rows = rows[suspects & (gaps[rows, widest] > 2.0 * np.sort(gaps, axis=1)[:, -2])]
    a, b = x[rows, widest[rows]], x[rows, widest[rows] + 1]
    at_a, at_b = values[rows, widest[rows]], values[rows, widest[rows] + 1]
    before = np.abs(at_b - at_a)
    while rows.size and (b - a).max() > 0.5 * NARROWEST:
        middle = 0.5 * (a + b)
        at = level(middle)
        left = np.abs(at - at_a) >= np.abs(at_b - at)
        a, at_a = np.where(left, a, middle), np.where(left, at_a, at)
        b, at_b = np.where(left, middle, b), np.where(left, at, at_b)
    real = np.abs(at_b - at_a) > 0.1 * before
    low[rows[real]], high[rows[real]] = a[real], b[real]
    return low, high
