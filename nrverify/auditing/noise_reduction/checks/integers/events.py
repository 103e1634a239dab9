"""Events of integer noise with exact probabilities: noise of 0 or ±1, and in growing time a step of 0.

Where the scale is small an integer sampler shows what it does to 0, to signs and to its parameter in these, and normal
scores, which spread the weight of an integer out at random, show little of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults.noise import CLIPPED, WRONG_SHAPE, WRONG_STAY_PROBABILITY
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.laws.process import Process
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]
Event = tuple[Topic, NDArray[np.bool_], Floats]
"""What it is about, where it happened, and its probability."""

FIRST_ZERO = Topic("first releases without noise", WRONG_SHAPE, alone=True)
FIRST_ONE = Topic("first releases with noise of size 1", WRONG_SHAPE, alone=True)
FAR = {
    0: Topic("first releases with noise far out", CLIPPED, alone=True),
    -1: Topic("last releases with noise far out", CLIPPED, alone=True),
}
"""At either end of a schedule."""
LAST_ZERO = Topic("last releases without noise", WRONG_SHAPE, alone=True)
SMALL_SCALES = Topic("first releases without noise, at a scale below 1", WRONG_SHAPE, alone=True)
STILL = Topic("releases equal to the one before", WRONG_STAY_PROBABILITY)
ALONE = (FIRST_ZERO, FIRST_ONE, LAST_ZERO, SMALL_SCALES, *FAR.values())
"""Topics of single releases, each with a share of their check."""
RARE = 0.004
"""Noise is far out where no more than this lies beyond it: as much as six scales, or three deviations, leave."""
LARGEST = 1 - 1e-12
"""Events that are nearly certain say nothing, and log odds must be finite."""


def alone_bets() -> dict[Topic, tuple[float, TieWealth]]:
    """The bets on single releases, with their weights."""
    return {topic: (2.0, TieWealth()) for topic in ALONE}


def single_releases(process: Process, batch: Batch) -> Iterator[Event]:
    """Events of the first release of every session, and of the last on a schedule fixed in advance."""
    if batch.times is None:
        return
    first, times = np.abs(batch.noise[:, 0]), batch.times[:, 0]
    zero, one = (_weights(process, times, size) for size in (0, 1))
    zero, one = (np.broadcast_to(weight[:, None], first.shape) for weight in (zero, 2 * one))
    yield FIRST_ZERO, (first == 0).ravel(), zero.ravel()
    yield FIRST_ONE, (first == 1).ravel(), one.ravel()
    yield FAR[0], *_far(process, first, times)
    small = np.broadcast_to((times < 1.0)[:, None], first.shape)
    yield SMALL_SCALES, first[small] == 0, zero[small]
    if batch.case.fixed and batch.times.shape[1] > 1:
        last = np.abs(batch.noise[:, -1])
        yield FAR[-1], *_far(process, last, batch.times[:, -1])
        weight = _weights(process, batch.times[:, -1], 0)
        yield LAST_ZERO, (last == 0).ravel(), np.broadcast_to(weight[:, None], last.shape).ravel()


def steps_of_zero(process: Process, batch: Batch) -> Iterator[Event]:
    """Steps in growing time on a schedule fixed in advance: they are independent, whatever the noise before."""
    if batch.times is None or not batch.case.fixed:
        return
    times = batch.times[0]
    for place in range(1, times.size):
        s, t = float(times[place]), float(times[place - 1])
        if s < t:
            same = batch.noise[:, place] == batch.noise[:, place - 1]
            weight = min(float(np.exp(process.forward(s, t, 0).logpdf(0))), LARGEST)
            yield STILL, same.ravel(), np.full(same.size, weight)


def _far(process: Any, sizes: Floats, times: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Where noise of these sizes (n, d) lies far out at its time, and how likely that is."""
    different, where = np.unique(times, return_inverse=True)
    tails = np.array([_tail(process, float(t)) for t in different])[where]
    beyond, weight = (np.broadcast_to(column[:, None], sizes.shape) for column in tails.T)
    return (sizes > beyond).ravel(), weight.ravel()


@lru_cache(maxsize=4096)
def _tail(process: Any, t: float) -> tuple[float, float]:
    """The first size, in growing steps, beyond which there is little noise at a time, and how much there is."""
    law, size = process.marginal(t), 1
    while (weight := 2 * float(law.sf(size))) > RARE:
        size += 1 + size // 16
    return float(size), max(weight, 1e-300)


def _weights(process: Process, times: Floats, point: int) -> Floats:
    """P(X_t = point) at each time."""
    different, where = np.unique(times, return_inverse=True)
    weights = np.exp(np.asarray(process.marginal(different).logpdf(np.full(different.shape, float(point)))))
    return np.asarray(np.minimum(weights[where], LARGEST))
