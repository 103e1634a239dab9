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

from nrverify.laws.laplace_convolution import forward_step, local_integrals
from nrverify.laws.panels import (
    DEGREE,
    Array,
    Extended,
    Mask,
    Panels,
    laplace_cdf,
    laplace_density,
    laplace_survival,
)

_REACH = 45.0  # e^{-45} = 3e-20 is lost at each end


def log_halting_law(margins: Extended, threshold_scales: Array, query_scales: Array) -> Extended:
    """log P(N = 1), …, log P(N = n), log P(N > n)."""
    rounds = len(margins)
    law = np.empty(rounds + 1, dtype=np.longdouble)
    for n, (arrived, survived) in enumerate(_rounds(margins, threshold_scales, query_scales, range(rounds))):
        law[n] = _log_halt(arrived, margins[n], threshold_scales[n], query_scales[n])
        law[rounds] = _log_mean(survived, threshold_scales[n]) if n == rounds - 1 else -np.inf
    return law


def log_halt(margins: Extended, threshold_scales: Array, query_scales: Array) -> np.longdouble:
    """log P(N = n) for the last round n alone."""
    last = len(margins) - 1
    for arrived, _ in _rounds(margins, threshold_scales, query_scales, range(last, last + 1)):
        pass
    return _log_halt(arrived, margins[last], threshold_scales[last], query_scales[last])


def log_survival(margins: Extended, threshold_scales: Array, query_scales: Array) -> np.longdouble:
    """log P(N > n) for the last round n alone."""
    for _, survived in _rounds(margins, threshold_scales, query_scales, range(0)):
        pass
    return _log_mean(survived, threshold_scales[-1])


def log_halting_law_redrawn(margins: Extended, threshold_scales: Array, query_scales: Array) -> Extended:
    """The law when ζ_n ~ Lap(b_n) is drawn afresh in every round; b_n = 0 is no threshold noise at all."""
    law = np.empty(len(margins) + 1, dtype=np.longdouble)
    so_far = np.longdouble(0)
    for n, (a, b, c) in enumerate(zip(margins, threshold_scales, query_scales, strict=True)):
        law[n] = so_far + log_tail(-a, b, c)
        so_far = so_far + log_tail(a, b, c)
    law[-1] = so_far
    return law


def log_tail(x: np.longdouble, b: float, c: float) -> np.longdouble:
    """log P(Lap(b) + Lap(c) > x) for independent summands, one of them possibly 0.

    For x ≥ 0 and b < c it is (c² e^{-x/c} − b² e^{-x/b}) / 2(c² − b²), written without a difference.
    """
    if x < 0:
        return np.log1p(-np.exp(log_tail(-x, b, c)))
    b, c = min(b, c), max(b, c)
    if b == 0.0:
        return -np.log(np.longdouble(2)) - x / c
    excess = x * (c - b) / b / c
    mean_decay = -np.expm1(-excess) / excess if excess > 0 else np.longdouble(1)
    return -np.log(np.longdouble(2)) - x / c + np.log1p(x / (b + c) * b / b / c * b * mean_decay)


def _rounds(margins: Extended, b: Array, c: Array, halts_wanted: range) -> Iterator[tuple[Panels, Panels]]:
    """(A_n, h_n) for each round n, on panels that also resolve A_n(1 − G_n) in the rounds of `halts_wanted`."""
    h = _one(margins, _REACH * max(b.max(), c.max()))
    fastest = 0.0
    for n, a in enumerate(margins):
        h = _graded(h, a, c[n])
        fastest += 1.0 / c[n]
        t = b[n - 1] if n else b[0]
        floor = 0.05 / (fastest + 1.0 / t)
        moves = n > 0 and b[n] < t
        stay = (b[n] / t) ** 2
        if moves:
            local = local_integrals(h, t, np.ones(len(h.shapes), dtype=bool))
        while True:
            arrived = forward_step(h, local, t, stay) if moves else h
            survived = arrived.times(laplace_cdf(h.edges, a, c[n]))
            coarse = survived.unresolved()
            if n in halts_wanted:
                coarse |= arrived.times(laplace_survival(h.edges, a, c[n])).unresolved()
            coarse &= h.widths > floor
            if not coarse.any():
                break
            h = h.split(coarse)
            if moves:
                fresh = np.repeat(coarse, 1 + coarse.astype(np.int64))
                local = local.split(coarse, local_integrals(h, t, fresh))
        yield arrived, survived
        h = survived


def _one(margins: Extended, reach: float) -> Panels:
    """The constant 1 on panels between 0 and the margins, and `reach` beyond them."""
    inner = np.unique(np.append(margins, np.longdouble(0)))
    edges = np.concatenate([[inner[0] - reach], inner, [inner[-1] + reach]])
    return Panels(edges, np.zeros(len(edges), dtype=np.longdouble), np.ones((len(edges) - 1, DEGREE + 1)))


def _graded(h: Panels, centre: np.longdouble, scale: float) -> Panels:
    """The same function on panels no wider than their distance to `centre`, or than `scale`."""
    while True:
        distance = np.maximum(np.maximum(h.edges[:-1] - centre, centre - h.edges[1:]), 0)
        wide: Mask = h.widths > np.maximum(1.5 * distance, scale)
        if not wide.any():
            return h
        h = h.split(wide)


def _log_halt(arrived: Panels, margin: np.longdouble, b: float, c: float) -> np.longdouble:
    return _log_mean(arrived.times(laplace_survival(arrived.edges, margin, c)), b)


def _log_mean(f: Panels, scale: float) -> np.longdouble:
    """log E f(Lap(scale))."""
    return f.times(laplace_density(f.edges, scale)).log_integral()
