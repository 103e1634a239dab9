"""Sums of a smooth positive function over a range of integers, in log-space: by points, or by discrete Gauss rules."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from nrverify.laws.special.integer_sums import NODES, gauss_rule
from nrverify.laws.validation.times import Floats

_DIRECT = 2**16
"""So many points are added one by one."""


def log_sum(log_term: Callable[[Floats], Floats], start: float, end: float, width: float) -> float:
    """log Σ_{start<=j<=end} e^{log_term(j)}.

    Longer ranges are cut into panels of about `width`, over which the terms are smooth and change by a few powers of e.
    """
    count = end - start + 1
    if count <= _DIRECT:
        logs = log_term(start + np.arange(count))
        return log_total(logs, np.zeros(logs.shape))
    length = max(2 * NODES, math.floor(width))
    panels = math.ceil(count / length)
    nodes, weights = gauss_rule(length)
    points = start + float(length) * np.arange(float(panels))[:, None] + nodes
    return log_total(log_term(points), np.broadcast_to(np.log(weights), points.shape))


def log_total(logs: Floats, log_weights: Floats) -> float:
    """log Σ e^{logs + log_weights}."""
    heights = logs + log_weights
    top = float(heights.max(initial=-np.inf))
    if top == -np.inf:
        return -math.inf
    with np.errstate(under="ignore"):
        return top + math.log(float(np.exp(heights - top).sum()))
