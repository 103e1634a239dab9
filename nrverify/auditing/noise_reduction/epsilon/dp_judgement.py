"""What a claim of differential privacy comes to at given noise levels: the hockey-stick divergence against δ."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from nrverify.laws.divergence import hockey_stick
from nrverify.subjects.noise_families import FAMILIES

EPSILON_MARGIN, DELTA_MARGIN = 1 + 1e-9, 1 + 1e-6
"""ε and δ are granted so much: more than the rounding of a time in double precision, such as Δ/ε, can take away."""
FARTHEST = 60.0
"""Logarithms of times between which the least noise is searched: e^±60 is beyond every time that may be asked."""
ROOM = 1e-12
"""Relative: the square of a root of an integer, in double precision, is that integer."""
HARDLY_ANY = 1e-300
"""Stands for 0 where logarithms or ratios are taken: no divergence that anyone can use is smaller."""


@dataclass(frozen=True)
class Divergence:
    """The divergence of everything released when an ε was asked, beside the δ claimed for it."""

    epsilon: float
    time: float
    delta: float
    divergence: float

    @property
    def exceeds(self) -> bool:
        """Whether it is above the δ claimed, by more than rounding."""
        return self.divergence > self.delta * DELTA_MARGIN

    @property
    def excess(self) -> float:
        """Times the δ claimed."""
        return self.divergence / max(self.delta, HARDLY_ANY)


@dataclass(frozen=True)
class DpJudge:
    """Judges the claim that all that has been released when ε was asked is (ε, δ)-differentially private.

    Where the law is that of noise reduction, everything up to a release loses what that release alone does. So the
    divergence is that of the least noise so far: of one release, between values a sensitivity apart in one coordinate,
    or for integers with a Euclidean sensitivity in as many coordinates as tell most.
    """

    mechanism: str
    sensitivity: float
    delta: float | None
    """None where a curve is claimed, whose δ's are told later."""
    rate: float = 1.0
    once: bool = False
    """Whether a session has one release, so that no earlier one counts."""
    curve: Mapping[float, float] = field(default_factory=dict)
    """The δ's of a curve by ε, as far as they were asked for."""
    dimension: int = 1
    """The largest of a value."""

    def delta_at(self, epsilon: float) -> float:
        """The δ claimed at an ε; of a curve that of the next smaller ε known, which is no smaller, or 1."""
        if self.delta is not None:
            return self.delta
        known = sorted(self.curve)
        place = bisect_right(known, epsilon)
        return self.curve[known[place - 1]] if place else 1.0

    def least(self, epsilon: float) -> float:
        """The least noise that keeps the claim at an ε."""
        return least_dp_time(
            self.mechanism, epsilon, self.sensitivity, self.delta_at(epsilon), self.rate, self.dimension
        )

    def divergence(self, epsilon: float, time: float) -> Divergence:
        """Of one release, at the ε asked and the margin granted."""
        found = _divergence(self.mechanism, epsilon, self.sensitivity, time, self.rate, self.dimension)
        return Divergence(epsilon, time, self.delta_at(epsilon), found)

    def worst(self, times: Mapping[float, float]) -> Divergence | None:
        """Of times by ε the one whose divergence is most above its δ; None of none."""
        least, found = math.inf, []
        for epsilon in sorted(times):
            least = times[epsilon] if self.once else min(least, times[epsilon])
            found.append(self.divergence(epsilon, least))
        return max(found, key=lambda one: (one.exceeds, one.excess), default=None)


@lru_cache(maxsize=4096)
def _divergence(mechanism: str, epsilon: float, sensitivity: float, time: float, rate: float, dimension: int) -> float:
    family, process = FAMILIES[mechanism], FAMILIES[mechanism].process(rate)
    shifts = _integer_shifts(sensitivity, family.norm, dimension) if family.integer else [[sensitivity]]
    found = max(float(hockey_stick(process, epsilon * EPSILON_MARGIN, shift=shift, time=time)) for shift in shifts)
    # Of noise whose loss has no bound it is positive, also where arithmetic shows 0.
    return found if family.pure else max(found, HARDLY_ANY)


def _integer_shifts(sensitivity: float, norm: int, dimension: int) -> list[list[int]]:
    """Differences of neighbouring integer vectors: in one coordinate, and where the norm allows it in several alike."""
    most = min(dimension, math.floor(sensitivity**2 * (1 + ROOM))) if norm == 2 else 1
    sizes = {count: math.floor(sensitivity / math.sqrt(count) * (1 + ROOM)) for count in range(1, max(most, 1) + 1)}
    return [[size] * count for count, size in sizes.items()]


@lru_cache(maxsize=1024)
def least_dp_time(
    mechanism: str, epsilon: float, sensitivity: float, delta: float, rate: float, dimension: int = 1
) -> float:
    """The smallest t at which the divergence is at most δ: more noise is more of the same, so it falls with t.

    Infinite where no noise keeps the claim, as Brownian and Skellam noise at δ = 0; 0 where any noise does.
    """
    from scipy.optimize import brentq

    if delta >= 1:
        return 0.0
    if delta < HARDLY_ANY:
        return sensitivity / (epsilon * EPSILON_MARGIN) if FAMILIES[mechanism].pure else math.inf

    def above(log_t: float) -> float:
        found = _divergence(mechanism, epsilon, sensitivity, math.exp(log_t), rate, dimension)
        return math.log(max(found, HARDLY_ANY)) - math.log(delta * DELTA_MARGIN)

    low = high = math.log(sensitivity / epsilon)
    while above(low) <= 0 and low > -FARTHEST:
        low -= 1.0
    while above(high) > 0 and high < FARTHEST:
        high += 1.0
    return math.exp(float(brentq(above, low, high, xtol=1e-12))) if above(low) > 0 else 0.0
