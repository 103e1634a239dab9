"""How much noise there is at each ε: sums over sessions, and the largest level not excluded, at every look at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, gammaincinv

from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import FINE_EPSILONS
from nrverify.auditing.noise_reduction.epsilon.capped_sums import CappedSums
from nrverify.auditing.noise_reduction.epsilon.single_release import LESS_NOISE
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.statistics.additive import Additive
from nrverify.statistics.wealth import EFFECT_SIZES

Floats = NDArray[np.float64]
Key = TypeVar("Key")

LARGER: Floats = EFFECT_SIZES[EFFECT_SIZES > 0]
"""Bets on more noise, where `LESS_NOISE` are those on less."""
FARTHEST = 1e3
"""Noise so many times larger than what was seen is never excluded: where no limit is found below, it is the limit."""
MOST_LEVELS = 2 * FINE_EPSILONS
"""Noise levels bounded at once: the grid in two dimensions, fixed in advance so that α is divided alike each time."""
MOST_PLACES = 512
"""Places of schedules kept apart, and bounded at once."""
MANY = 8
"""So many different ε's in a schedule are many looks."""
COMPARISONS = 8
"""Of one look with many, at most: ε's and dimensions."""

Schedule = tuple[float, ...]
"""The ε's of a session, in the order asked."""
Level = tuple[int, Schedule, float]
"""Dimension, schedule, and the ε in it."""


class NoiseLevels(Additive):
    """Sums of the noise's sizes (Laplace) or squares, and their counts, at each ε of each schedule, by dimension."""

    configuration = ("laplace",)

    def __init__(self, laplace: bool) -> None:
        self.laplace = laplace
        self.sums: CappedSums[Level] = CappedSums(MOST_PLACES)

    def observe(self, batch: Batch) -> None:
        """Takes in transcripts of a fixed schedule."""
        size = np.abs(batch.noise) if self.laplace else batch.noise**2
        sessions, _, d = size.shape
        schedule = tuple(batch.asked[0].tolist())
        # A repeated ε repeats its release: the first occurrence in a session counts.
        for epsilon in dict.fromkeys(schedule):
            total = float(size[:, schedule.index(epsilon)].sum())
            self.add((d, schedule, epsilon), total, sessions * d)

    def add(self, level: Level, total: float, count: int) -> None:
        """Takes in a sum over so many numbers."""
        self.sums.add(level, np.array([total, count], dtype=float))

    def largest(self, alpha: float) -> dict[tuple[int, float], float]:
        """For each (d, ε) the largest t not excluded, all at once with error α at every look."""
        return self._limits(self._pooled(), alpha / MOST_LEVELS, LESS_NOISE)

    def smallest(self, alpha: float) -> dict[tuple[int, float], float]:
        """For each (d, ε) the smallest t not excluded, all at once with error α at every look."""
        return self._limits(self._pooled(), alpha / MOST_LEVELS, LARGER)

    def by_schedule(self, alpha: float) -> dict[tuple[int, Schedule], dict[float, float]]:
        """For each schedule the largest t not excluded at each of its ε's, all at once with error α at every look."""
        found: dict[tuple[int, Schedule], dict[float, float]] = {}
        for (d, schedule, epsilon), t in self._limits(self.sums.sums, alpha / MOST_PLACES, LESS_NOISE).items():
            found.setdefault((d, schedule), {})[epsilon] = t
        return found

    def alike(self, alpha: float, spared: Callable[[float, int], float]) -> bool:
        """Whether the noise at an ε is seen to be the same for one look and for many, with error α at every look.

        `spared` says how many times the noise of one look many looks need: noise that suits itself to the schedule
        differs by as much.
        """
        places = [(d, epsilon) for d, schedule, epsilon in self.sums.sums if len(set(schedule)) == 1]
        found = [
            self._same(d, epsilon, spared(epsilon, MANY), alpha / (2 * MOST_LOOKS * COMPARISONS))
            for d, epsilon in list(dict.fromkeys(places))[:COMPARISONS]
        ]
        return True in found and False not in found

    def _same(self, d: int, epsilon: float, apart: float, alpha: float) -> bool | None:
        """Whether one look and many have the same noise, and not noise that far apart; None if that is not known."""
        one, many = self._sum(d, epsilon, 1, 1), self._sum(d, epsilon, MANY, None)
        if not (one[0] and many[0]):
            return None
        low, high = _ratio_limits(many, one, alpha)
        if not low <= 1.0 <= high:
            return False
        return True if 1 / apart < low and high < apart else None

    def _sum(self, d: int, epsilon: float, fewest: int, most: int | None) -> tuple[float, float]:
        """Over the schedules with at least and at most so many different ε's."""
        found = [
            sums
            for (dimension, schedule, at), sums in self.sums.sums.items()
            if (dimension, at) == (d, epsilon) and fewest <= len(set(schedule)) <= (most or len(schedule))
        ]
        return sum(float(total) for total, _ in found), sum(float(count) for _, count in found)

    def _pooled(self) -> dict[tuple[int, float], Floats]:
        """The sums at each (d, ε), whatever the schedule."""
        pooled: CappedSums[tuple[int, float]] = CappedSums(MOST_LEVELS)
        for (d, _, epsilon), sums in self.sums.sums.items():
            pooled.add((d, epsilon), sums)
        return pooled.sums

    def _limits(self, sums: dict[Key, Floats], alpha: float, effects: Floats) -> dict[Key, float]:
        """The farthest t not excluded for each, with error α each."""
        seen = {key: found for key, found in sums.items() if found[1]}
        counts = np.array([count for _, count in seen.values()], dtype=float)
        ratios = _last_ratios(counts, 1.0 if self.laplace else 0.5, -np.log(alpha), effects)
        return {key: float(total / ratio) for (key, (total, _)), ratio in zip(seen.items(), ratios, strict=True)}

    def shortfall(self, alpha: float, *, scheduled: bool = False) -> float:
        """How far noise lies below the largest t not excluded half of the time, relative to that, at any one ε.

        At each ε where it was seen most: in whatever schedules or, if each is judged by itself, in one of them.
        """
        counts: dict[float, float] = {}
        for place, (_, count) in (self.sums.sums if scheduled else self._pooled()).items():
            epsilon = place[-1]
            counts[epsilon] = max(float(count), counts.get(epsilon, 0.0))
        least = min(counts.values(), default=0.0)
        shape = 1.0 if self.laplace else 0.5
        if shape * least <= 1:
            return 1.0
        level = -np.log(alpha / (MOST_PLACES if scheduled else MOST_LEVELS))
        ratio = float(_last_ratios(np.array([least]), shape, level, LESS_NOISE)[0])
        return 1 - ratio / (float(gammaincinv(shape * least, 0.5)) / shape)


def _ratio_limits(over: tuple[float, float], under: tuple[float, float], alpha: float) -> tuple[float, float]:
    """Between these lies the ratio of two variances, from independent sums of squares, but for α on either side."""
    (total, count), (below, number) = over, under
    ratio = (total / count) / (below / number)
    return ratio * float(fdtri(number, count, alpha)), ratio / float(fdtri(count, number, alpha))


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
    while np.any(np.abs(refused - allowed) > 1e-10 * np.maximum(allowed, refused)):
        middle = 0.5 * (allowed + refused)
        out = excluded(middle)
        allowed, refused = np.where(out, allowed, middle), np.where(out, middle, refused)
    return np.where(some, allowed, beyond)
