"""From privacy levels to times: how much noise a level ε buys, under each boundary and each accounting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from nrverify.laws.boundary import HalfNormalMixture, Linear
from nrverify.laws.crossing import crossing_probability
from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.sensitivities import Sensitivity, cross, gram, pair
from nrverify.reproduce.settings import DELTA, TUNED, Split

Boundary = Literal["linear", "half-normal", "grid"]
Process = Literal["brownian", "laplace"]
Schedule = tuple[float, ...]


def brownian_times(levels: Sequence[float], l2: float, boundary: Boundary = "linear") -> Schedule:
    """t = ψ⁻¹(ε) at δ = 1e-6 for the linear or half-normal boundary tuned at ε = 0.3, or calibrated to these looks."""
    if boundary == "grid":
        return _grid_times(levels, l2)
    family = Linear if boundary == "linear" else HalfNormalMixture
    tuned = family.tightest_at(epsilon=TUNED, delta=DELTA, sensitivity=l2)
    return tuple(tuned.inverse(np.array(levels)).tolist())


def laplace_times(levels: Sequence[float], l1: float) -> Schedule:
    """t = Δ₁/ε: the bound that holds with probability 1."""
    return tuple(l1 / level for level in levels)


def laplace_times_with_delta(levels: Sequence[float], sensitivity: Sensitivity) -> Schedule:
    """The smaller of Δ₁/ε and the t with Δ₂²/2t² + (Δ₂/t)√(2 log(K/δ)) = ε, K the number of looks.

    At a fixed t the loss exceeds that sum with probability at most δ/K (E06). A union bound over the K looks, whose
    times are fixed in advance, makes it an ex-post bound at δ, as for the Brownian mechanism; Δ₁/ε never fails.
    """
    quantile = math.sqrt(2 * math.log(len(levels) / DELTA))
    return tuple(
        min(pure, sensitivity.l2 / _root(quantile, level))
        for level, pure in zip(levels, laplace_times(levels, sensitivity.l1), strict=True)
    )


def ridge_schedules(levels: Sequence[float], d: int, split: Split, process: Process) -> tuple[Schedule, Schedule]:
    """Times for XᵀX and for Xᵀy with the printed sensitivities, the pair sharing ε as `split` says.

    "joint": one vector with the sensitivities of the pair. "halves": ε/2 and δ/2 each, boundaries tuned at 0.15, so
    that the two add up to (ε, δ) (E13). "whole": ε and δ each, as if each were released alone.
    """
    if split == "joint":
        both = pair(d)
        times = brownian_times(levels, both.l2) if process == "brownian" else laplace_times(levels, both.l1)
        return times, times
    share = 0.5 if split == "halves" else 1.0
    shared = [share * level for level in levels]
    parts = (gram(d), cross(d))
    if process == "laplace":
        first, second = (laplace_times(shared, part.l1) for part in parts)
        return first, second
    boundaries = (Linear.tightest_at(epsilon=share * TUNED, delta=share * DELTA, sensitivity=part.l2) for part in parts)
    first, second = (tuple(boundary.inverse(np.array(shared)).tolist()) for boundary in boundaries)
    return first, second


def _root(quantile: float, level: float) -> float:
    """The x > 0 with x²/2 + x·quantile = level, without cancellation."""
    return 2 * level / (math.sqrt(quantile * quantile + 2 * level) + quantile)


def _grid_times(levels: Sequence[float], l2: float) -> Schedule:
    """Times t_k with Δ²/2t_k + Δz/√t_k = ε_k, where z is such that W meets z√t at one of them with probability δ.

    Both depend on each other: z fixes the times, the times fix the crossing probability. Rounded up, to the safe side.
    """

    def times(z: float) -> Floats:
        return np.array([1 / _root(z, level) ** 2 for level in levels])

    def excess(z: float) -> float:
        return math.log(crossing_probability(lambda t: z * np.sqrt(t), times=times(z)).probability / DELTA)

    z = float(brentq(excess, 4.7, 7.5, xtol=1e-7)) + 2e-7
    return tuple((l2 * l2 * times(z)).tolist())
