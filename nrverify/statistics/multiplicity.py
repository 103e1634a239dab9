"""From bets to p-values, and from many p-values to one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nrverify.statistics.wealth import log_average


def p_value(*log_e: float) -> float:
    """1/e for the average e of e-values given by their logarithms: P(e ≥ 1/α) ≤ α (Markov), at most 1."""
    return float(np.exp(min(0.0, -log_average(np.array(log_e)))))


def smallest_adjusted(p_values: Iterable[float]) -> float:
    """min(1, k·smallest of k p-values), the least after Holm's correction: a p-value that all k hypotheses hold."""
    collected = [float(p) for p in p_values]
    if not collected or not all(0 <= p <= 1 for p in collected):
        raise ValueError(f"p-values are {collected!r}: they must be numbers in [0, 1], at least one")
    return min(1.0, len(collected) * min(collected))
