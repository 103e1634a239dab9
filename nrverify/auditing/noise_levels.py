"""How much noise there is at each ε: sums over sessions, and the largest level not excluded, at every look at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from nrverify.auditing.cases import FINE_EPSILONS
from nrverify.auditing.check import Batch
from nrverify.auditing.single_looks import SMALLER
from nrverify.statistics.wealth import EFFECTS

Floats = NDArray[np.float64]

LARGER: Floats = EFFECTS[EFFECTS > 0]
FARTHEST = 1e3
MOST_LEVELS = 2 * FINE_EPSILONS
"""Noise levels bounded at once: the grid in two dimensions, fixed in advance so that α is divided alike each time."""


class NoiseLevels:
    """Sums of the noise's sizes (Laplace) or squares at each (d, ε); one release of a session counts for each."""

    def __init__(self, laplace: bool) -> None:
        self._laplace = laplace
        self._sums: dict[tuple[int, float], tuple[float, int]] = {}

    def add(self, batch: Batch) -> None:
        """Takes in transcripts of a fixed schedule."""
        size = np.abs(batch.noise) if self._laplace else batch.noise**2
        d = size.shape[2]
        asked = batch.asked
        for epsilon in np.unique(asked[np.isfinite(asked)]):
            # A repeated ε repeats its release: the first occurrence in a session counts.
            hit = asked == epsilon
            first = hit & (np.cumsum(hit, axis=1) == 1)
            self._count((d, float(epsilon)), float(size[first].sum()), int(first.sum()) * d)

    def merge(self, other: NoiseLevels) -> None:
        """Takes in what another has added up."""
        for key, (total, count) in other._sums.items():
            self._count(key, total, count)

    def _count(self, key: tuple[int, float], total: float, count: int) -> None:
        if key in self._sums or len(self._sums) < MOST_LEVELS:
            before = self._sums.get(key, (0.0, 0))
            self._sums[key] = (before[0] + total, before[1] + count)

    def largest(self, alpha: float) -> dict[tuple[int, float], float]:
        """For each (d, ε) the largest t not excluded, all at once with error α at every look."""
        return self._limits(alpha, SMALLER)

    def smallest(self, alpha: float) -> dict[tuple[int, float], float]:
        """For each (d, ε) the smallest t not excluded, all at once with error α at every look."""
        return self._limits(alpha, LARGER)

    def _limits(self, alpha: float, effects: Floats) -> dict[tuple[int, float], float]:
        level = -np.log(alpha / MOST_LEVELS)
        seen = {key: sums for key, sums in self._sums.items() if sums[1]}
        counts = np.array([count for _, count in seen.values()], dtype=float)
        ratios = _last_ratios(counts, 1.0 if self._laplace else 0.5, level, effects)
        return {key: total / float(ratio) for (key, (total, _)), ratio in zip(seen.items(), ratios, strict=True)}

    def resolution(self, alpha: float) -> float:
        """How far the upper confidence limit of the noise lies above it, where it was seen most at each ε."""
        counts: dict[float, int] = {}
        for (_, epsilon), (_, count) in self._sums.items():
            counts[epsilon] = max(count, counts.get(epsilon, 0))
        shape = (1.0 if self._laplace else 0.5) * min(counts.values(), default=0)
        return float(shape / gammaincinv(shape, alpha / MOST_LEVELS) - 1) if shape > 1 else float("inf")


def _last_ratios(counts: Floats, shape: float, level: float, effects: Floats) -> Floats:
    """The total/t farthest from its count that is not excluded (shape ½: squares, 1: sizes), valid at every look.

    Bets on less noise than t (all effects below 0) exclude small ratios, bets on more exclude large ones.
    """

    def excluded(ratios: Floats) -> NDArray[np.bool_]:
        log_wealth = -shape * counts[:, None] * effects - shape * ratios[:, None] * np.expm1(-effects)
        return np.asarray(np.logaddexp.reduce(log_wealth, axis=1) - np.log(effects.size) >= level)

    allowed = counts.copy()
    beyond = np.full_like(counts, 1e-300) if effects[0] < 0 else FARTHEST * (counts + level / shape)
    some = excluded(beyond)
    refused = beyond.copy()
    while np.any(np.abs(refused - allowed) > 1e-14 * np.maximum(allowed, refused)):
        middle = 0.5 * (allowed + refused)
        out = excluded(middle)
        allowed, refused = np.where(out, allowed, middle), np.where(out, middle, refused)
    return np.where(some, allowed, beyond)
