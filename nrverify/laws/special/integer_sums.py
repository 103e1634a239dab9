"""Sums and draws of log-concave laws on the integers whose pmf is smooth between them: tails of Skellam laws."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.validation.times import Floats

Rows = NDArray[np.intp]
LogPmf = Callable[[Rows, Floats], Floats]
"""The log-pmfs of a family of laws: given rows (n,) of the family and points (n, m), the values (n, m)."""

NODES = 32  # of a panel
_SMOOTH = 6.5  # at smaller deviations a pmf is smooth only on the integers, and added point by point
_STEPS = 4  # panels come in so many lengths between one and its double
_FALL = 40.0  # beyond a fall of so many nats nothing matters
_NEAR = 32  # so few points between two tails are added one by one
_ROWS_AT_ONCE = 4096  # bounds the memory, whatever the number of laws
_SPAN, _CODES = 2**24, 2**62  # of the integers that stand for values, and for rows
_FEW = 128  # numbers that are worked out sooner than it is found which of them are equal
_LONG = 8  # a table of so many codes for each row is made as fast as the rows are sorted
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
    if linked.any():
        shorter[linked] = _between(log_pmf, order[linked], start[linked], direction[linked], gap[linked])
    length = np.diff(np.append(outer, shorter.size))
    for step in range(1, int(length.max(initial=0))):
        # All chains at once, each summed up from its outer end.
        here = outer[length > step] + step
        shorter[here] += shorter[here - 1]
    result = np.empty(x.shape)
    result[order] = shorter
    return np.where(rising == upper, 1 - result, result)


def distinct(*columns: Floats) -> tuple[list[Floats], Rows]:
    """The distinct rows of the columns, as columns, and where each row is among them: on a lattice few differ."""
    where = np.zeros(columns[0].size, dtype=np.intp)
    first = where[:1]
    count = 1
    for column in columns:
        if column.size and np.all(column == column[0]):
            continue
        code, values = _codes(column)
        if count * values > _CODES:
            first, where = _numbered(where, count)
            count = first.size
        where, count = where * values + code, count * values
    if count > 1:
        first, where = _numbered(where, count)
    return [column[first] for column in columns], where


def of_distinct(function: Callable[..., Floats], *columns: Floats) -> Floats:
    """The function of arrays, worked out once for each of their distinct rows; of few, at once."""
    arrays = np.broadcast_arrays(*columns)
    shape, size = arrays[0].shape, arrays[0].size
    if size <= _FEW:
        return np.asarray(function(*columns))
    some, where = distinct(*(array.reshape(-1) for array in arrays))
    return np.asarray(function(*some))[where].reshape(shape)


def _numbered(codes: Rows, count: int) -> tuple[Rows, Rows]:
    """Where each of the distinct codes, all below `count`, is met, in their order; and the number of each among them.

    By a table of all codes where that is not much longer than the codes themselves: faster than to sort them.
    """
    if count > _LONG * codes.size:
        _, first, where = np.unique(codes, return_index=True, return_inverse=True)
        return first, where
    place = np.full(count, -1)
    place[codes] = np.arange(codes.size)
    met = place >= 0
    first = place[met]
    place[met] = np.arange(first.size)
    return first, place[codes]


def _codes(column: Floats) -> tuple[Rows, int]:
    """A number for each value, equal for equal values, and how many numbers there are: of integers their distance."""
    low = column.min()
    span = float(column.max() - low)
    if span < _SPAN and np.all(column == np.rint(column)):
        return (column - low).astype(np.intp), int(span) + 1
    values, code = np.unique(column, return_inverse=True)
    return code, len(values)


def _between(log_pmf: LogPmf, rows: Rows, start: Floats, direction: Floats, gap: Floats) -> Floats:
    """Σ_{0<=m<gap} p(start + direction·m) for each row, point by point."""
    count = gap.astype(np.intp)
    first = np.cumsum(count) - count
    step = np.arange(count.sum()) - np.repeat(first, count)
    points = np.repeat(start, count) + np.repeat(direction, count) * step
    return np.asarray(np.add.reduceat(np.exp(log_pmf(np.repeat(rows, count), points[:, None])[:, 0]), first))


def tail(log_pmf: LogPmf, start: Floats, direction: Floats, decay: Floats, deviation: Floats) -> Floats:
    """Σ_{m>=0} p(start + direction·m) for each row, with relative accuracy.

    `start` lies on the falling side; `decay` >= 0 is the slope of -log p there and `deviation` the scale of its
    curvature. A panel reaches as far as p matters, by these two: a narrow law is added point by point, a wide
    one is so smooth that a discrete Gauss rule is exact to rounding. Where p falls more slowly than that, more follow.
    """
    with np.errstate(all="ignore"):
        length = 2 * _FALL / (decay + np.sqrt(decay**2 + 2 * _FALL / deviation**2)) * (1 + 3 / deviation)
    wide = np.rint(np.exp2(np.ceil(_STEPS * np.log2(np.maximum(length, 1.0))) / _STEPS))
    width = np.where((deviation < _SMOOTH) | (length <= 2 * NODES), NODES, wide)
    total = np.empty(start.shape)
    for begin in range(0, start.size, _ROWS_AT_ONCE):
        rows = np.arange(begin, min(begin + _ROWS_AT_ONCE, start.size))
        total[rows] = _panels(log_pmf, rows, start[rows], direction[rows], width[rows])
    return total


def _panels(log_pmf: LogPmf, rows: Rows, start: Floats, direction: Floats, width: Floats) -> Floats:
    """The sums panel by panel, until what is left is nothing by log-concavity."""
    widths, which = np.unique(width, return_inverse=True)
    rules = [gauss_rule(int(panel)) for panel in widths]
    nodes, weights = (np.array(part)[which] for part in zip(*rules, strict=True))
    total, top = np.zeros(rows.shape), np.full(rows.shape, np.nan)
    active = np.arange(rows.size)
    passed = np.zeros(rows.shape)
    while active.size:
        points = start[active, None] + direction[active, None] * (passed[active, None] + nodes[active])
        height = log_pmf(rows[active], points)
        top[active] = np.where(np.isnan(top[active]), np.maximum(height[:, 0], _LOG_ZERO), top[active])
        value = np.exp(height - top[active, None])
        total[active] += (value * weights[active]).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            fall = (height[:, -2] - height[:, -1]) / (nodes[active, -1] - nodes[active, -2])
            left = np.where(value[:, -1] > 0, value[:, -1] / -np.expm1(-fall), 0.0)
        passed[active] += width[active]
        active = active[left > 1e-17 * total[active]]
    return np.asarray(total * np.exp(top))


@cache
def gauss_rule(width: int) -> tuple[Floats, Floats]:
    """Nodes and weights with Σ_{0<=j<width} f(j) = Σ w f(node) for every polynomial f of degree < 64.

    The Gauss rule of the uniform measure on {0, …, width-1}: its orthogonal polynomials (Chebyshev's, discrete) have
    recurrence coefficients k²(width²-k²)/4(4k²-1).
    """
    from scipy.linalg import eigh_tridiagonal

    if width == NODES:
        return np.arange(float(width)), np.ones(width)
    k = np.arange(1.0, NODES)
    off_diagonal = np.sqrt(k**2 * (float(width) ** 2 - k**2) / (4 * (4 * k**2 - 1)))
    nodes, _ = eigh_tridiagonal(np.zeros(NODES), off_diagonal)
    # The outermost weights are small and the most important: as 1/Σ p_k(node)² they keep their digits.
    before, polynomial, squares = np.zeros(NODES), np.ones(NODES), np.ones(NODES)
    for k_before, k_next in zip([0.0, *off_diagonal[:-1]], off_diagonal, strict=True):
        before, polynomial = polynomial, (nodes * polynomial - k_before * before) / k_next
        squares += polynomial**2
    return np.asarray(nodes + 0.5 * (width - 1)), np.asarray(float(width) / squares)


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


def tabled(log_pmf: LogPmf) -> LogPmf:
    """The same for rows that all have one law: worked out once for each integer that the points reach over."""

    def looked_up(rows: Rows, points: Floats) -> Floats:
        low, high = points.min(), points.max()
        if high - low >= points.size:
            return log_pmf(rows, points)
        return np.asarray(log_pmf(rows[:1], np.arange(low, high + 1.0)[None])[0][(points - low).astype(np.intp)])

    return looked_up


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
