"""Sums and draws of log-concave laws on the integers whose pmf is smooth between them: tails of Skellam laws."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from nrverify.laws.arguments import Floats

Rows = NDArray[np.intp]
LogPmf = Callable[[Rows, Floats], Floats]
"""The log-pmfs of a family of laws: given rows (n,) of the family and points (n, m), the values (n, m)."""

DIRECT = 16  # panels of so many points are added one by one
NODES = 12
_NEAR = 32  # so few points between two tails are added one by one
_ROWS_AT_ONCE = 8192  # bounds the memory, whatever the number of laws
_LOG_ZERO = -750.0  # e to this power is 0 in double precision


def distribution(log_pmf: LogPmf, x: Floats, family: Rows, slope: Floats, deviation: Floats, upper: bool) -> Floats:
    """P(X > x) where `upper`, else P(X <= x), for integers x, one for each row: from the smaller tail.

    Rows of the same `family` have the same law. `slope` is that of log p at x + ½, to leading order, and `deviation`
    the scale of its curvature.
    """
    rising = slope >= 0
    direction = np.where(rising, -1.0, 1.0)
    start = np.where(rising, x, x + 1)
    # Rows of one law and direction, from the outside in: each tail is the one before and the few points between.
    order = np.lexsort((-direction * start, rising, family))
    start, direction = start[order], direction[order]
    same = (np.diff(family[order]) == 0) & (np.diff(direction) == 0)
    gap = np.concatenate([[np.inf], np.where(same, np.abs(np.diff(start)), np.inf)])
    linked = gap <= _NEAR
    shorter = np.empty(x.shape)
    outer = np.flatnonzero(~linked)
    shorter[outer] = tail(
        lambda rows, points: log_pmf(order[outer[rows]], points),
        start[outer],
        direction[outer],
        np.abs(slope[order][outer]),
        deviation[order][outer],
    )
    for width in np.unique(gap[linked]):
        between = np.flatnonzero(gap == width)
        points = start[between, None] + direction[between, None] * np.arange(width)
        shorter[between] = np.exp(log_pmf(order[between], points)).sum(axis=1)
    for begin, end in zip(outer, np.append(outer[1:], len(shorter)), strict=True):
        if end - begin > 1:
            np.cumsum(shorter[begin:end], out=shorter[begin:end])
    result = np.empty(x.shape)
    result[order] = shorter
    return np.where(rising == upper, 1 - result, result)


def distinct(*columns: Floats) -> tuple[list[Floats], Rows]:
    """The distinct rows of the columns, as columns, and where each row is among them: on a lattice few differ."""
    where = np.zeros(columns[0].size, dtype=np.intp)
    first = where[:1]
    for column in columns:
        if column.size and np.all(column == column[0]):
            continue
        # Codes below the number of rows, so that their products do not overflow.
        values, code = np.unique(column, return_inverse=True)
        _, first, where = np.unique(where * len(values) + code, return_index=True, return_inverse=True)
    return [column[first] for column in columns], where


def tail(log_pmf: LogPmf, start: Floats, direction: Floats, decay: Floats, deviation: Floats) -> Floats:
    """Σ_{m>=0} p(start + direction·m) for each row, with relative accuracy.

    `start` lies on the falling side; `decay` >= 0 is the slope of -log p there and `deviation` the scale of its
    curvature. The sum goes in panels over which p is so smooth that a discrete Gauss rule of 12 nodes is exact to
    rounding, until a panel adds nothing.
    """
    total = np.zeros(start.shape)
    smooth = np.minimum(2.5 * deviation, 6 / np.maximum(decay, 1e-300))
    width = np.exp2(np.floor(np.log2(np.maximum(DIRECT, smooth))))
    for panel in np.unique(width):
        members = np.flatnonzero(width == panel)
        for chunk in np.array_split(members, -(-members.size // _ROWS_AT_ONCE)):
            total[chunk] = _panels(log_pmf, chunk, start[chunk], direction[chunk], int(panel))
    return total


def _panels(log_pmf: LogPmf, rows: Rows, start: Floats, direction: Floats, width: int) -> Floats:
    nodes, weights = _rule(width)
    first = log_pmf(rows, start[:, None])
    total = np.zeros(rows.shape)
    active = np.flatnonzero(first[:, 0] > _LOG_ZERO)
    offset = 0
    while active.size:
        points = start[active, None] + direction[active, None] * (offset + nodes)
        added = np.exp(log_pmf(rows[active], points) - first[active]) @ weights
        total[active] += added
        active = active[added > 1e-18 * total[active]]
        offset += width
    return np.asarray(total * np.exp(first[:, 0]))


@cache
def _rule(width: int) -> tuple[Floats, Floats]:
    """Nodes and weights with Σ_{0<=j<width} f(j) = Σ w f(node) for every polynomial f of degree < 24.

    The Gauss rule of the uniform measure on {0, …, width-1}: its orthogonal polynomials (Chebyshev's, discrete) have
    recurrence coefficients k²(width²-k²)/4(4k²-1).
    """
    if width <= DIRECT:
        return np.arange(float(width)), np.ones(width)
    k = np.arange(1.0, NODES)
    off_diagonal = np.sqrt(k**2 * (float(width) ** 2 - k**2) / (4 * (4 * k**2 - 1)))
    nodes, vectors = eigh_tridiagonal(np.zeros(NODES), off_diagonal)
    return np.asarray(nodes + 0.5 * (width - 1)), np.asarray(width * vectors[0] ** 2)


def draw(log_pmf: LogPmf, guess: Floats, rng: np.random.Generator) -> Floats:
    """An exact draw from each row, by rejection from the hat min(1, e^{1-p(mode)|j-mode|}) p(mode) of log-concave laws.

    `guess` is a point near the mode. About four tries a draw, whatever the law.
    """
    drawn = np.empty(guess.shape)
    for rows in np.array_split(np.arange(guess.size), max(1, -(-guess.size // _ROWS_AT_ONCE))):
        mode = _mode(log_pmf, rows, guess[rows])
        log_top = log_pmf(rows, mode[:, None])[:, 0]
        top = np.exp(log_top)
        flat = 1 + 0.5 * top
        pending = np.arange(rows.size)
        while pending.size:
            p, w = top[pending], flat[pending]
            in_plateau = rng.random(pending.size) * (1 + w) <= w
            distance = (
                np.where(in_plateau, rng.random(pending.size) * w, w + rng.standard_exponential(pending.size)) / p
            )
            point = mode[pending] + np.where(rng.random(pending.size) < 0.5, -1.0, 1.0) * np.rint(distance)
            log_height = log_pmf(rows[pending], point[:, None])[:, 0] - log_top[pending]
            accepted = -rng.standard_exponential(pending.size) + np.minimum(0, w - p * distance) <= log_height
            drawn[rows[pending[accepted]]] = point[accepted]
            pending = pending[~accepted]
    return drawn


def _mode(log_pmf: LogPmf, rows: Rows, guess: Floats) -> Floats:
    """The mode of each row, climbed to from the guess: a log-concave pmf has no other summit."""
    mode = guess.copy()
    climbing = np.arange(rows.size)
    while climbing.size:
        here = mode[climbing]
        heights = log_pmf(rows[climbing], here[:, None] + np.array([-1.0, 0.0, 1.0]))
        step = np.where(heights[:, 2] > heights[:, 1], 1.0, np.where(heights[:, 0] > heights[:, 1], -1.0, 0.0))
        mode[climbing] = here + step
        climbing = climbing[step != 0]
    return mode
