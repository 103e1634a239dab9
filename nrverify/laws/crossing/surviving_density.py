"""The law of a Brownian path that has not crossed yet, carried from one time to the next.

Write y = W_t/√t and h(y) = P(no crossing so far | W_t = y√t), so that the sub-density of surviving paths is φ(y)h(y).
Given y at time t, the path at s < t is normal around r·y with standard deviation √(1−r²), r = √(s/t): h is carried by
averaging under this *backward* kernel, and the mass that crosses is an integral of φ times a number in [0, 1].
Nothing is ever subtracted from one, so an absolute error in h is a relative error in the crossing probability,
however small that is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr

Floats = NDArray[np.float64]

NODES = 16
"""Of a Legendre panel: sixteen reach rounding where h is smooth, and panels are shortened where it is not."""
NODE, WEIGHT = legendre.leggauss(NODES)
_TO_COEFFICIENTS = (legendre.legvander(NODE, NODES - 1) * WEIGHT[:, None]).T * (np.arange(NODES) + 0.5)[:, None]
"""Legendre coefficients from values at the nodes, by orthogonality."""
_LOCAL_NODE, _LOCAL_WEIGHT = legendre.leggauss(40)
"""Over the whole reach of ±8.5 deviations forty nodes integrate a normal density to 4e-15."""
REACH = 8.5  # standard deviations of the kernel kept: φ(8.5)/φ(0) = 2e-16
FLOOR = -9.0  # lowest y kept: Φ(−9) = 1e-19
_SMOOTH = 3.0  # longest panel: h varies over lengths of order one even far from every cliff
_PANEL = 2.0  # panel length in units of the distance to, or the width of, the nearest cliff
_ROUNDING = 2e-16  # of a place y, in units of the kernel of a step
_SMALL = 3.5  # panels up to this many kernel widths are integrated at their own nodes


class Cliff(NamedTuple):
    """A place where h falls within `width`: the curve at an earlier time, smoothed since."""

    at: float
    width: float


class Survivors(NamedTuple):
    """h on Legendre panels over [edges[0], edges[-1]], zero above.

    `error` estimates its largest interpolation error, added up over all steps; `leak` the probability misplaced by it:
    two bounds on what is lost, the first relative to the chance of crossing, the second absolute.
    """

    t: float
    edges: Floats
    values: Floats
    cliffs: tuple[Cliff, ...]
    error: float
    leak: float

    @property
    def floor(self) -> float:
        """h at and below the lowest edge, where the curve is out of reach."""
        return float(self.values[0, 0])

    @property
    def top(self) -> float:
        return float(self.edges[-1])


class Bend(NamedTuple):
    """Deviation of the curve from its chord over a step of length T, in units of √T.

    c(τ) = chord(τ) + √T·u(1−u)·(parabola + cubic·(u−½)), u = τ/T.
    """

    parabola: float
    cubic: float


STRAIGHT = Bend(0.0, 0.0)
"""A chord: the crossing probability over it is exact."""


def panels(low: float, high: float, cliffs: tuple[Cliff, ...], largest: float) -> Floats:
    """Edges of panels over [low, high], each short against its distance to every cliff or that cliff's width."""
    edges = [low]
    todo = [(low, high)] if high > low else []
    while todo:
        a, b = todo.pop()
        size = b - a
        limit = largest
        for cliff in cliffs:
            limit = min(limit, _PANEL * max(cliff.width, a - cliff.at, cliff.at - b))
        if size <= limit or size < 1e-13 * (1.0 + abs(a)):
            edges.append(b)
        else:
            middle = 0.5 * (a + b)
            todo.append((middle, b))
            todo.append((a, middle))
    return np.array(edges)


def nodes(edges: Floats) -> Floats:
    """Gauss–Legendre nodes of each panel, one row a panel."""
    half = 0.5 * np.diff(edges)[:, None]
    return np.asarray(edges[:-1, None] + half * (1.0 + NODE))


def integral(edges: Floats, values: Floats) -> float:
    """∫ of a function given at the nodes of the panels."""
    return float(0.5 * np.diff(edges) @ (values @ WEIGHT))


def normal_density(y: Floats) -> Floats:
    """φ(y)."""
    return np.asarray(np.exp(-0.5 * y * y) / math.sqrt(2.0 * math.pi))


def tail_edges(low: float, cliffs: tuple[Cliff, ...]) -> Floats:
    """Panels over [low, ∞), cut where φ has fallen by e⁻³³ from its largest value there."""
    peak = max(low, 0.0)
    return panels(low, math.sqrt(peak * peak + 66.0), cliffs, _resolved(low))


def _resolved(level: float) -> float:
    # φ changes by e^(level·length) over a panel; sixteen nodes integrate e^8 to the last digit.
    return min(2.0, 8.0 / max(1.0, level))


def start(t: float, top: float) -> Survivors:
    """All paths below `top`·√t at time t, none killed before: h = 1."""
    edges = np.array([min(FLOOR, top - 1.0), top])
    return Survivors(t, edges, np.ones((1, NODES)), (Cliff(top, 0.0),), 0.0, 0.0)


def cut(state: Survivors, top: float) -> tuple[Survivors, float]:
    """Kill at once everything at or above `top`: the survivors, and the mass killed."""
    if top >= state.top:
        return state, 0.0
    below = panels(min(FLOOR, top - 1.0), top, (*state.cliffs, Cliff(state.top, 0.0)), _resolved(top))
    above = panels(top, state.top, (*state.cliffs, Cliff(state.top, 0.0)), _resolved(top))
    mass = integral(above, normal_density(nodes(above)) * interpolate(state, nodes(above)))
    values = interpolate(state, nodes(below))
    error, leak = _roughness(below, values)
    cliffs = (*state.cliffs, Cliff(top, 0.0))
    return Survivors(state.t, below, values, cliffs, state.error + error, state.leak + leak), mass


def interpolate(state: Survivors, y: Floats) -> Floats:
    """h(y); zero above the top, and its lowest panel extended below."""
    flat = y.ravel()
    which = np.clip(np.searchsorted(state.edges, flat, side="right") - 1, 0, len(state.edges) - 2)
    length = np.diff(state.edges)
    x = 2.0 * (np.maximum(flat, state.edges[0]) - state.edges[which]) / length[which] - 1.0
    h = _clenshaw(state.values @ _TO_COEFFICIENTS.T, which, x[:, None])[:, 0]
    return np.where(flat <= state.top, h, 0.0).reshape(y.shape)


def _clenshaw(coefficients: Floats, which: NDArray[np.intp], x: Floats) -> Floats:
    """Σ_k coefficients[which, k]·P_k(x), one row of x for each entry of `which`."""
    rows = coefficients.T[:, which, None]
    last = np.zeros_like(x)
    value = np.broadcast_to(rows[-1], x.shape).copy()
    work = np.empty_like(x)
    for k in range(NODES - 2, -1, -1):
        np.multiply(x, value, out=work)
        work *= (2 * k + 1) / (k + 1)
        last *= -(k + 1) / (k + 2)
        work += last
        work += rows[k]
        last, value, work = value, work, last
    return value


def _roughness(edges: Floats, values: Floats) -> tuple[float, float]:
    """The largest of the last Legendre coefficients, and their sum weighted by the normal law of each panel."""
    last = np.abs((values @ _TO_COEFFICIENTS.T)[:, -2:]).max(axis=1)
    return float(last.max()), float(last @ np.diff(ndtr(edges)))


def advance(
    state: Survivors, t: float, top: float, *, watched: bool, level: float = math.inf, bend: Bend = STRAIGHT
) -> tuple[Survivors, float, float]:
    """Carry the survivors to time t, where the curve is at top·√t: the new survivors, the mass crossing, its error.

    Unwatched: paths are looked at only on arrival. Watched: they cross anywhere on the step, the curve running from
    level·√s at its start s to its end along a chord with the given bend; a straight chord is exact.
    """
    s = state.t
    r = math.sqrt(s / t)
    spread = math.sqrt((t - s) / t)
    cliffs = _carried(state, r, spread)
    if watched:
        cliffs = _prune([*cliffs, Cliff(top, 0.7 * spread)])
    lowest = min((state.edges[0] - REACH * spread) / r, top - 1.0)  # h is constant below: the curve is out of reach
    bottom = max(float(lowest), min(FLOOR, top - 1.0))
    above = tail_edges(top, cliffs)
    y_above = nodes(above)
    arriving, _ = _transport(state, y_above.ravel(), r, spread, None)
    mass = integral(above, normal_density(y_above) * arriving.reshape(y_above.shape))
    if watched:
        # φ is integrated below the curve only as far as a path that has crossed can fall back from it.
        touched = max(bottom, min(top, level / r) - REACH * spread / r)
        far, near = panels(bottom, touched, cliffs, _SMOOTH), panels(touched, top, cliffs, _resolved(top))
        y_near = nodes(near)
        h_far, _ = _transport(state, nodes(far).ravel(), r, spread, None)
        h_near, killed = _transport(state, y_near.ravel(), r, spread, (level, top, bend))
        mass += integral(near, normal_density(y_near) * killed.reshape(y_near.shape))
        below, h = np.concatenate((far, near[1:])), np.concatenate((h_far, h_near))
    else:
        below = panels(bottom, top, cliffs, _SMOOTH)
        h, _ = _transport(state, nodes(below).ravel(), r, spread, None)
    values = h.reshape(-1, NODES)
    error, leak = _roughness(below, values)
    rounding = _ROUNDING * (1.0 + abs(top)) / spread
    rough = state.error + error + rounding
    reached = _reach_mass(top, level, watched)
    return _trimmed(Survivors(t, below, values, cliffs, rough, state.leak + leak + rounding)), mass, rough * reached


def _trimmed(state: Survivors) -> Survivors:
    """Drop the lowest panels on which h is the constant `floor` to rounding."""
    flat = np.abs(state.values - state.floor).max(axis=1) <= 4e-16
    first = min(int(np.argmin(flat)), len(flat) - 1) if not flat.all() else len(flat) - 1
    return state._replace(edges=state.edges[first:], values=state.values[first:])


def _reach_mass(top: float, level: float, watched: bool) -> float:
    lowest = min(top, level) if watched else top
    return 0.5 * math.erfc(lowest / math.sqrt(2.0)) * (2.0 if watched else 1.0)


def _carried(state: Survivors, r: float, spread: float) -> tuple[Cliff, ...]:
    moved = [Cliff(c.at / r, math.hypot(c.width, spread) / r) for c in state.cliffs]
    return _prune([*moved, Cliff(state.top / r, spread / r)])


def _prune(cliffs: list[Cliff]) -> tuple[Cliff, ...]:
    kept: list[Cliff] = []
    for cliff in sorted(cliffs, key=lambda c: c.width):
        if cliff.width < 2.0 and not any(abs(cliff.at - k.at) <= cliff.width for k in kept):
            kept.append(cliff)
    return tuple(kept)


def _transport(
    state: Survivors, y: Floats, r: float, spread: float, chord: tuple[float, float, Bend] | None
) -> tuple[Floats, Floats]:
    """E[h(X)·S] and E[h(X)·(1−S)] for X ~ N(r·y, spread²), S the chance that the bridge stays below the chord."""
    survived = state.floor * ndtr((state.edges[0] - r * y) / spread)
    killed = np.zeros_like(y)
    lengths = np.diff(state.edges)
    small = lengths <= _SMALL * spread
    if small.any():
        x = nodes(state.edges)[small].ravel()
        weight = (0.5 * lengths[small][:, None] * WEIGHT * state.values[small]).ravel()
        u = (x - r * y[:, None]) / spread
        kernel = normal_density(u) * (weight / spread)
        if chord is None:
            survived += kernel.sum(axis=1)
        else:
            stays, crosses = _bridge(x[None, :], y[:, None], r, spread, chord)
            survived += (kernel * stays).sum(axis=1)
            killed += (kernel * crosses).sum(axis=1)
    # In units of the kernel: differences x − r·y would lose the digits of a short step.
    reach = (state.edges - r * y[:, None]) / spread
    low, high = np.maximum(reach[:, :-1], -REACH), np.minimum(reach[:, 1:], REACH)
    target, panel = np.nonzero((high > low) & ~small)
    if target.size:
        half = 0.5 * (high - low)[target, panel][:, None]
        u = low[target, panel][:, None] + half * (1.0 + _LOCAL_NODE)
        x = r * y[target][:, None] + spread * u
        local = 2.0 * (x - state.edges[panel][:, None]) / lengths[panel][:, None] - 1.0
        h = _clenshaw(state.values @ _TO_COEFFICIENTS.T, panel, local)
        kernel = normal_density(u) * h * half
        if chord is None:
            np.add.at(survived, target, kernel @ _LOCAL_WEIGHT)
        else:
            stays, crosses = _bridge(x, y[target][:, None], r, spread, chord)
            np.add.at(survived, target, (kernel * stays) @ _LOCAL_WEIGHT)
            np.add.at(killed, target, (kernel * crosses) @ _LOCAL_WEIGHT)
    return survived, killed


def _bridge(x: Floats, y: Floats, r: float, spread: float, chord: tuple[float, float, Bend]) -> tuple[Floats, Floats]:
    """P(bridge from x to y stays below the curve) and P(it crosses).

    With gaps α, β at the two ends in units of √T a straight chord is crossed with probability e^(−2αβ). A bend q(τ)
    changes this by −2∫q(τ)p_α(τ)p_β(T−τ)dτ to first order, p the first-passage densities of the gaps; for the
    parabola the integral is αβQ(α+β), for the cubic ½αβ(α−β)(φ(α+β) − (α+β)Q(α+β)), over the bridge's own density.
    """
    level, top, bend = chord
    alpha = np.maximum(level - x, 0.0) * (r / spread)
    beta = np.maximum(top - y, 0.0) / spread
    rate = 2.0 * alpha * beta
    if bend != STRAIGHT:
        total = alpha + beta
        mills = math.sqrt(0.5 * math.pi) * erfcx(total / math.sqrt(2.0))
        shift = bend.parabola * mills
        if bend.cubic:
            shift = shift + 0.5 * bend.cubic * (alpha - beta) * (1.0 - total * mills)
        rate = rate * np.maximum(1.0 + shift, 0.0)
    return -np.expm1(-rate), np.exp(-rate)
