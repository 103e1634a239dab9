"""First releases at times that are asked for again and again, each judged by itself.

A sampler that rounds its parameter is wrong upwards at one time and downwards at another, and right on average.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults.noise import WRONG_SCALE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.noise_reduction.checks import law_topics as topics
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import ROUNDED_DOWN
from nrverify.laws.process import Process
from nrverify.statistics.detectable import detectable_variance
from nrverify.statistics.scales_by_key import ScalesByKey
from nrverify.statistics.wealth import EFFECT_SIZES

Floats = NDArray[np.float64]
Sums = dict[float, tuple[int, float]]
"""By what was asked: how many scores, and the sum of their squares."""

USUAL = 64
"""Noise below this has its densities worked out once: right noise of a scale near 1 never reaches it."""


def by_time(asked: Floats, counts: NDArray[np.int64], squares: Floats) -> Sums:
    """The sums over sessions, of which each was asked for one thing first."""
    if asked.size and np.all(asked == asked[0]):
        return {float(asked[0]): (int(counts.sum()), float(squares.sum()))}
    different, where = np.unique(asked, return_inverse=True)
    sums = np.bincount(where, counts), np.bincount(where, squares)
    return {float(at): (int(count), float(square)) for at, count, square in zip(different.tolist(), *sums, strict=True)}


def at_fractions(
    process: Process, batch: Batch, counts: NDArray[np.int64], squares: Floats
) -> Iterator[tuple[Topic, Floats, tuple[int, float]]]:
    """Of integer noise at fractions that are all rounded down: the topic, log ratios for each effect, and the sums.

    Scores serve the estimate alone.
    """
    if batch.times is None:
        return
    asked = batch.times[:, 0]
    for most, topic in topics.ROUNDED_DOWN.items():
        for at in ROUNDED_DOWN[most]:
            here = asked == at
            if here.any():
                sums = int(counts[here].sum()), float(squares[here].sum())
                yield topic, _log_ratios(process, at, batch.noise[here, 0]), sums


def _log_ratios(process: Process, at: float, noise: Floats) -> Floats:
    """Σ log(q_θ/p) for each effect θ, with q_θ the law at e^θ times the time; 0 where p gives noise no weight."""
    points, numbers = np.unique(np.abs(noise), return_counts=True)
    usual = bool(np.all(points < USUAL) and np.all(points == np.floor(points)))
    known = _at_usual(cast(Any, process), at)
    found = known[:, points.astype(int)] if usual else _log_densities(process, at, points)
    possible = np.isfinite(found[0])
    return np.asarray((found[1:, possible] - found[0, possible]) @ numbers[possible])


@lru_cache(maxsize=64)
def _at_usual(process: Any, at: float) -> Floats:
    return _log_densities(process, at, np.arange(float(USUAL)))


def _log_densities(process: Process, at: float, points: Floats) -> Floats:
    """Of the law claimed, and in rows below it of those bet on."""
    factors = (1.0, *np.exp(EFFECT_SIZES).tolist())
    return np.array([np.asarray(process.marginal(at * factor).logpdf(points)) for factor in factors])


def at_the_time(found: Finding, times: ScalesByKey, falling: bool) -> Finding:
    """The finding, which names the time, or the ε, at which most was seen."""
    at = times.leading
    numbers = {**found.estimate.numbers, "time" if falling else "epsilon": at}
    estimate = replace(found.estimate, numbers=numbers)
    return replace(found.of(WRONG_SCALE), quantity=topics.first_at(at, falling), estimate=estimate)


def size_at_any(times: ScalesByKey, needed: float, falling: bool) -> tuple[Size, ...]:
    """The smallest fault at whichever of the times, where all were asked; `needed` is that of their bet."""
    least, several = int(times.counts.min()), len(times.keys)
    if least < 2:
        return ()
    # The factors of the other keys are at least (1 − 1/K) each, together more than 1/e.
    value = detectable_variance(least, needed + float(np.log(several)) + 1.0)
    asked = f"{several} {'times' if falling else 'ε'} asked"
    return (Size(f"variance of the first release at any one of {asked}", value, "relative"),)
