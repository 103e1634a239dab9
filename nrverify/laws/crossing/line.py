"""The probability that a Brownian path meets a straight line, in log-space: the line-crossing lemma of the paper."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr, logsumexp

from nrverify.laws.crossing.surviving_density import WEIGHT, Cliff, nodes, panels


def log_line_crossing(a: float, b: float, lo: float, hi: float) -> float:
    """log P(W_t ≥ a·t + b for some t in [lo, hi], t > 0).

    P = P(W_lo ≥ a·lo+b) + J(a) + e^(−2ab)·J(−a), where J(a) = P(W_lo < a·lo+b, W_hi > a·hi+b); by reflection, and by
    completing the square in the tilted term. All t > 0 gives e^(−2ab).
    """
    if lo == 0.0 and b <= 0.0:
        return 0.0
    if math.isinf(hi) and a <= 0.0:
        return 0.0
    already = -math.inf if lo == 0.0 else float(log_ndtr(-(a * lo + b) / math.sqrt(lo)))
    terms = [already, _log_from_below_to_above(a, b, lo, hi), -2.0 * a * b + _log_from_below_to_above(-a, b, lo, hi)]
    return min(0.0, float(np.logaddexp.reduce(terms)))


def _log_from_below_to_above(a: float, b: float, lo: float, hi: float) -> float:
    """log P(W_lo < a·lo+b, W_hi > a·hi+b)."""
    if math.isinf(hi):
        if a > 0.0:
            return -math.inf
        return 0.0 if lo == 0.0 else float(log_ndtr((a * lo + b) / math.sqrt(lo)))
    end = (a * hi + b) / math.sqrt(hi)
    if lo == 0.0:
        return float(log_ndtr(-end))
    return _log_orthant((a * lo + b) / math.sqrt(lo), end, lo, hi)


def _log_orthant(below: float, above: float, lo: float, hi: float) -> float:
    """log ∫_{y > above} φ(y)·Φ((below − r·y)/s) dy, r² = lo/hi, s² = 1 − r²."""
    r = math.sqrt(lo / hi)
    spread = math.sqrt((hi - lo) / hi)
    mode = max(above, min(0.0, r * below))
    low, high = max(above, mode - 12.0), mode + 12.0  # the integrand is at least as concave as φ
    steep = max(1.0, abs(above), abs(r * above - below) * r / spread**2, r / spread)
    cliffs = (Cliff(below / r, spread / r), Cliff(low, 1.0 / steep), Cliff(mode, min(1.0, spread / r)))
    edges = panels(low, high, cliffs, 1.0)
    y = nodes(edges)
    log_weight = np.log(0.5 * np.diff(edges)[:, None] * WEIGHT)
    log_integrand = -0.5 * y * y - 0.5 * math.log(2.0 * math.pi) + log_ndtr((below - r * y) / spread)
    return float(logsumexp(log_integrand + log_weight))
