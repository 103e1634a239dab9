"""Exact calculations against the time they may take."""

from __future__ import annotations

import math

import numpy as np

from nrverify.benchmark.measure import median_seconds, peak_bytes
from nrverify.benchmark.row import Row

REPEATS = 5
"""The median of five ignores two that were disturbed."""


def threshold_law() -> Row:
    """The exact law of ReducedAboveThreshold, ten rounds at ten different ε's: at most 50 ms."""
    from nrverify.laws.threshold import probability

    epsilons = [0.1 * 1.3**n for n in range(10)]
    utilities = [0.5 * (-1) ** n for n in range(10)]

    def work() -> object:
        return probability([0] * 9 + [1], utilities=utilities, epsilons=epsilons, threshold=0.0, sensitivity=1.0)

    time = median_seconds(work, REPEATS)
    return Row("exact threshold law, 10 rounds", time, "seconds", 0.05, time, peak_bytes(work))


def crossing_probability() -> Row:
    """A Brownian path meeting the mixture curve of δ = 1e-6 at one of 100 looks: at most half a second."""
    from nrverify.laws.crossing import crossing_probability

    looks = np.geomspace(1.0, 1000.0, 100)
    log_inverse_delta, rho = math.log(1e6), 10.0

    def curve(t: float) -> float:
        return math.sqrt((t + rho) * (2 * log_inverse_delta + math.log1p(t / rho)))

    def work() -> object:
        return crossing_probability(curve, times=looks.tolist())

    time = median_seconds(work, REPEATS)
    return Row("crossing probability, 100 looks", time, "seconds", 0.5, time, peak_bytes(work))
