"""The knob: the range of what a release is asked for, a time or an ε, and which way it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.noise_families import BUILT_IN, HARDLY_LESS

DEFAULT_EPSILONS = (0.2, 5.0)
"""Asked of an ε-knob that gives no range of its own: where ε is used in practice."""
EPSILONS = 24
"""An ε-knob is asked on a grid of so many ε's, so that the noise at each is seen often."""
FINE_EPSILONS = 4 * (EPSILONS - 1) + 1
"""Where the times of Brownian noise are not known the grid is finer: many looks leave a claim less slack than few."""
SMALLEST = 1e-12
"""No request is smaller, whatever range a subject gives: logarithms need a positive number."""

LOST = 8.0
"""Noise that is smaller than the grid by this factor is not asked for: from the middle of a cell to its edge are four
deviations, so that releases on the grid hardly ever show it."""


@dataclass(frozen=True)
class Knob:
    """The range of what a release is asked for, and which way it runs: times fall, ε's rise."""

    low: float
    high: float
    falling: bool
    closest: float = 1.0
    """Times whose ratio lies between this and 1 are not asked for one after the other: doubles cannot hold the step."""

    def apart(self, schedule: Sequence[float]) -> tuple[float, ...]:
        """The schedule without times that lie too close to the one before; equal ones stay."""
        kept = [schedule[0]]
        for at in schedule[1:]:
            if at == kept[-1] or not self.falling or at <= self.closest * kept[-1]:
                kept.append(at)
        return tuple(kept)

    def at(self, position: float) -> float:
        """A request between the noisiest (position 0) and the least noisy (position 1), evenly in its logarithm."""
        start, end = (self.high, self.low) if self.falling else (self.low, self.high)
        if not self.falling:
            position = round(position * (EPSILONS - 1)) / (EPSILONS - 1)
        return float(start * (end / start) ** position)

    def steps(self, start: float, factors: Sequence[float]) -> tuple[float, ...]:
        """A schedule from a position, each request the last one times (or divided by) a factor, kept in the range."""
        first = self.at(start)
        room = math.log(first / self.low) if self.falling else math.log(self.high / first)
        drops = np.cumsum([0.0, *(math.log(1 / factor) for factor in factors)])
        scale = min(1.0, room / drops[-1]) if drops[-1] > 0 else 1.0
        if self.falling:
            return tuple(float(min(max(first * math.exp(-drop), self.low), self.high)) for drop in drops * scale)
        whole = math.log(self.high / self.low)
        return tuple(self.at((math.log(first / self.low) + float(drop)) / whole) for drop in drops * scale)


def knob_of(description: Description) -> Knob:
    """The range a subject is asked in: its own, or the default of its knob; within that of a law of one's own."""
    times = description.family.times(description.rate or 1.0)
    low, high = description.range or (DEFAULT_EPSILONS if description.knob == "epsilon" else times)
    if description.mechanism not in BUILT_IN and description.knob == "time":
        low, high = max(low, times[0]), min(high, times[1])
        if low >= high:
            raise SubjectFailed(
                f"range is {description.range}: it must overlap with the times of the law, {times[0]:g} to {times[1]:g}"
            )
    low = max(low, SMALLEST)
    if description.granularity is not None and description.knob == "time":
        low = max(low, _least_seen(description, description.granularity, high))
    closest = description.family.hardly_less
    return Knob(low, high, description.knob == "time", closest if closest < HARDLY_LESS else 1.0)


def _least_seen(description: Description, grid: float, high: float) -> float:
    """The least time whose noise is not lost in the grid; `SubjectFailed` where there is none below `high`."""
    pure = description.family.pure
    least = grid / LOST if pure else (grid / LOST) ** 2
    if least >= high:
        noise = high if pure else math.sqrt(high)
        raise SubjectFailed(
            f"attribute granularity is {grid!r}: it must be below {LOST:g} times the noise, which is {noise:.3g} at "
            f"the largest time, {high:g}: on a coarser grid releases do not show noise; give larger times in `range`"
        )
    return least
