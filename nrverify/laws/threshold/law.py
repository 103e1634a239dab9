"""The law of the round in which a threshold mechanism halts, for any noise scales.

Round n halts when a_n + ξ_n ≥ ζ_n: a_n = u_n − τ is the margin, ξ_n ~ Lap(c_n) are independent, ζ_n = Z_{b_n} is the
Laplace noise-reduction process at non-increasing times b_n.  With h_n(y) = P(no halt in rounds ≤ n | ζ_n = y) and
G_n(y) = P(a_n + ξ_n < y), Bayes' rule turns the reverse kernel into the forward one:

    h_n = G_n · A_n,   A_1 = 1,   A_n = r² h_{n−1} + (1 − r²) h_{n−1} * Lap(b_{n−1}),   r = b_n/b_{n−1},
    P(N = n) = ∫ Lap_{b_n}(y) A_n(y) (1 − G_n(y)) dy,   P(N > n) = ∫ Lap_{b_n}(y) h_n(y) dy.

Every term is positive, so tiny probabilities keep their relative accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.threshold.convolution import forward_step, local_integrals
from nrverify.laws.threshold.panels import (
    DEGREE,
    Extended,
    Mask,
    Panels,
    laplace_cdf,
    laplace_density,
    laplace_survival,
)

_REACH = 45.0  # e^{-45} = 3e-20 is lost at each end


def log_halting_law(margins: ArrayLike, threshold_scales: ArrayLike, query_scales: ArrayLike) -> Extended:
    """log P(N = 1), …, log P(N = n), log P(N > n), for non-increasing threshold scales."""
    a, b, c = _extended(margins), _extended(threshold_scales), _extended(query_scales)
    rounds = list(_rounds(a, b, c, range(len(a))))
    halts = [_log_halt(arrived, a[n], b[n], c[n]) for n, (arrived, _) in enumerate(rounds)]
    return np.array([*halts, _log_mean(rounds[-1][1], b[-1])])


def log_halt(margins: ArrayLike, threshold_scales: ArrayLike, query_scales: ArrayLike) -> np.longdouble:
    """log P(N = n) for the last round n alone."""
    a, b, c = _extended(margins), _extended(threshold_scales), _extended(query_scales)
    *_, (arrived, _) = _rounds(a, b, c, range(len(a) - 1, len(a)))
    return _log_halt(arrived, a[-1], b[-1], c[-1])


def log_survival(margins: ArrayLike, threshold_scales: ArrayLike, query_scales: ArrayLike) -> np.longdouble:
    """log P(N > n) for the last round n alone."""
    a, b, c = _extended(margins), _extended(threshold_scales), _extended(query_scales)
    *_, (_, survived) = _rounds(a, b, c, range(0))
    return _log_mean(survived, b[-1])


def log_halting_law_redrawn(margins: ArrayLike, threshold_scales: ArrayLike, query_scales: ArrayLike) -> Extended:
    """The law when ζ_n ~ Lap(b_n) is drawn afresh in every round; b_n = 0 is no threshold noise at all."""
    law = []
    so_far = np.longdouble(0)
    for a, b, c in zip(_extended(margins), _extended(threshold_scales), _extended(query_scales), strict=True):
        law.append(so_far + log_tail(-a, b, c))
        so_far = so_far + log_tail(a, b, c)
    return np.array([*law, so_far])


def log_tail(x: np.longdouble, b: np.longdouble, c: np.longdouble) -> np.longdouble:
    """log P(Lap(b) + Lap(c) > x) for independent summands, one of them possibly 0.

    For x ≥ 0 and b < c it is (c² e^{-x/c} − b² e^{-x/b}) / 2(c² − b²), written without a difference.
    """
    distance = abs(x)
    narrow, wide = min(b, c), max(b, c)
    log_share = np.longdouble(0)
    if narrow > 0:
        excess = distance * (wide - narrow) / narrow / wide
        mean_decay = -np.expm1(-excess) / excess if excess > 0 else np.longdouble(1)
        log_share = np.log1p(distance / wide * (narrow / (narrow + wide)) * mean_decay)
    log_upper: np.longdouble = log_share - distance / wide - np.log(np.longdouble(2))
    if x >= 0:
        return log_upper
    log_lower: np.longdouble = np.log1p(-np.exp(log_upper))
    return log_lower


def _rounds(margins: Extended, b: Extended, c: Extended, halts_wanted: range) -> Iterator[tuple[Panels, Panels]]:
    """(A_n, h_n) for each round n, on panels that also resolve A_n(1 − G_n) in the rounds of `halts_wanted`."""
    h = _one(margins, _REACH * max(b.max(), c.max()))
    fastest = np.longdouble(0)
    for n, a in enumerate(margins):
        h = _graded(h, a, c[n])
        fastest += 1.0 / c[n]
        t = b[n - 1] if n else b[0]
        floor = 0.05 / (fastest + 1.0 / t)  # no rate exceeds this sum: what is still unresolved there is rounding
        moves = n > 0 and b[n] < t
        stay = (b[n] / t) ** 2
        if moves:
            local = local_integrals(h, t, np.ones(len(h.shapes), dtype=bool))
        while True:
            arrived = forward_step(h, local, t, stay) if moves else h
            survived = arrived.times(laplace_cdf(h.edges, a, c[n]))
            exponents = np.abs(h.log_values) + np.abs(survived.log_values) + np.abs(h.edges) * (1.0 / t + 1.0 / c[n])
            magnitudes = exponents.astype(np.float64)
            coarse = survived.unresolved(magnitudes)
            if n in halts_wanted:
                coarse |= arrived.times(laplace_survival(h.edges, a, c[n])).unresolved(magnitudes)
            coarse &= h.widths > floor
            if not coarse.any():
                break
            h = h.split(coarse)
            if moves:
                fresh = np.repeat(coarse, 1 + coarse.astype(np.int64))
                local = local.split(coarse, local_integrals(h, t, fresh))
        yield arrived, survived
        h = survived


def _extended(numbers: ArrayLike) -> Extended:
    return np.asarray(numbers, dtype=np.longdouble)


def _one(margins: Extended, reach: np.longdouble) -> Panels:
    """The constant 1 on panels between 0 and the margins, and `reach` beyond them."""
    inner = np.unique(np.append(margins, np.longdouble(0)))
    edges = np.concatenate([[inner[0] - reach], inner, [inner[-1] + reach]])
    return Panels(edges, np.zeros(len(edges), dtype=np.longdouble), np.ones((len(edges) - 1, DEGREE + 1)))


def _graded(h: Panels, centre: np.longdouble, scale: np.longdouble) -> Panels:
    """The same function on panels no wider than about their distance to `centre`, or than `scale`."""
    distance = np.maximum(np.maximum(h.edges[:-1] - centre, centre - h.edges[1:]), 0)
    wide: Mask = h.widths > np.maximum(1.5 * distance, scale)
    span = max(centre - h.edges[0], h.edges[-1] - centre)
    steps = scale * 2.5 ** np.arange(1 + np.ceil(max(np.log(span / scale), 0) / np.log(2.5)))
    points = np.concatenate([centre - steps, centre + steps])
    points = points[(points > h.edges[0]) & (points < h.edges[-1])]
    panel = np.searchsorted(h.edges, points) - 1
    room = np.minimum(points - h.edges[panel], h.edges[panel + 1] - points)
    return h.refined(points[wide[panel] & (room > np.abs(points - centre) / 8)])


def _log_halt(arrived: Panels, margin: np.longdouble, b: np.longdouble, c: np.longdouble) -> np.longdouble:
    return _log_mean(arrived.times(laplace_survival(arrived.edges, margin, c)), b)


def _log_mean(f: Panels, scale: np.longdouble) -> np.longdouble:
    """log E f(Lap(scale))."""
    return f.times(laplace_density(f.edges, scale)).log_integral()
