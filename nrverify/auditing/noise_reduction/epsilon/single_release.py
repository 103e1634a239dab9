"""The claim of an ε-knob at one look alone: the least noise that keeps it, and bets that there is less."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.auditing.noise_reduction.epsilon.capped_sums import CappedSums
from nrverify.laws.skellam import Skellam
from nrverify.statistics.additive import Additive
from nrverify.statistics.wealth import EFFECT_SIZES, log_average
from nrverify.subjects.noise_families import FAMILIES

Floats = NDArray[np.float64]

LESS_NOISE: Floats = EFFECT_SIZES[EFFECT_SIZES < 0]
"""Bets on less noise."""
COLUMNS = 12
"""Positions in a session that are bet on: the longest schedules of the usual designs have as many."""
MOST_ALONE = 256
"""Positions and ε's that are bet on alone, at most."""
LARGEST_SIZE = 20_000
"""Noise beyond this is not tabulated: it speaks for the claim, and is counted as if it did so most strongly."""
LEAST_LOG_RATIO = -1e6
"""Far less than a bet can win back; −∞ would turn into NaN where it is multiplied by 0."""


@lru_cache(maxsize=1024)
def least_time(mechanism: str, epsilon: float, sensitivity: float, delta: float, rate: float) -> float:
    """The smallest t at which P(loss > ε) ≤ δ: with less noise the claim fails at this look alone."""
    if FAMILIES[mechanism].pure:
        return sensitivity / epsilon
    if mechanism == "skellam":
        return _least_skellam(epsilon, int(sensitivity), delta, rate)
    # Φ(Δ/2√t − ε√t/Δ) = δ, solved for Δ/√t.
    z = float(-ndtri(delta))
    root = math.sqrt(z * z + 2 * epsilon)
    return (sensitivity / (2 * epsilon / (root + z) if z > 0 else root - z)) ** 2


def _least_skellam(epsilon: float, sensitivity: int, delta: float, rate: float) -> float:
    """t_k for the first k with P(X_{t_k} ≥ k + 1) ≤ δ, where the loss of noise k at time t_k is ε.

    Between t_k and t_{k+1} exactly the noise k + 1 and above passes ε, and that is least likely at t_k.
    """
    process = Skellam(rate)

    def time_of(k: int) -> float:
        from scipy.optimize import brentq

        def excess(log_t: float) -> float:
            return float(process.loss(math.exp(log_t), 0, -sensitivity, k)) - epsilon

        guess = math.log((k + sensitivity) / (2 * rate * math.sinh(epsilon / sensitivity)))
        low, high = guess - 1.0, guess + 1.0
        while excess(low) < 0:
            low -= 1.0
        while excess(high) > 0:
            high += 1.0
        return math.exp(float(brentq(excess, low, high, xtol=1e-14)))

    def keeps(k: int) -> bool:
        return bool(process.marginal(time_of(k)).sf(k) <= delta)

    low, high = -1, 1
    while not keeps(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(middle) else (middle, high)
    # The lattice makes the probability uneven in k: an earlier time that keeps the claim is looked for.
    return time_of(next((k for k in range(max(high - 3, 0), high) if keeps(k)), high))


@dataclass(frozen=True)
class LeastNoise:
    """The smallest t that keeps a claim at one look alone, by ε."""

    mechanism: str
    sensitivity: float
    delta: float
    rate: float = 1.0

    def __call__(self, epsilon: float, looks: int = 1) -> float:
        """At this ε; with the share of δ that one of several looks has."""
        return least_time(self.mechanism, epsilon, self.sensitivity, self.delta / looks, self.rate)


class Least(Protocol):
    """The smallest t that keeps a claim at an ε, and whose noise it is."""

    @property
    def mechanism(self) -> str:
        """The family of the noise."""

    @property
    def rate(self) -> float:
        """Of Skellam noise."""

    def __call__(self, epsilon: float, /) -> float:
        """At this ε."""


class TooLittle(Additive):
    """Bets that the noise at each ε is less than the least that keeps its claim, by one factor for all of them.

    The likelihood ratio of less noise against the least allowed falls with the size of the noise, and more noise is
    larger: so the wealth has mean at most one for every noise level that keeps the claim. Releases at one position of
    the sessions are independent; the wealths of the positions are averaged. Half of the stake bets on each position and
    ε alone, so that a shortfall at one ε is not lost among those that have noise to spare. Where any noise keeps the
    claim nothing is bet, and where none does it is counted that it was asked for.
    """

    configuration = ("least",)

    def __init__(self, least: Least) -> None:
        self.least = least
        self.log_wealth = np.zeros((COLUMNS, LESS_NOISE.size))
        self.alone: CappedSums[tuple[int, float]] = CappedSums(MOST_ALONE - 1)
        self.count = 0
        self.impossible: CappedSums[float] = CappedSums(MOST_ALONE)

    def bet(self, asked: Floats, noise: Floats) -> None:
        """Takes in sessions of one fixed schedule: what was asked (k,) and the noise (n, k, d)."""
        for column, epsilon in enumerate(asked[:COLUMNS].tolist()):
            least = self.least(epsilon)
            if not math.isfinite(least):
                self.impossible.add(epsilon, np.array(len(noise)))
            if not 0 < least < math.inf:
                continue
            won = _ratios(self.least.mechanism, least, self.least.rate).total(np.abs(noise[:, column]))
            self.log_wealth[column] += won
            self.alone.add((column, epsilon), won)
        self.count += noise.size

    @property
    def log_e(self) -> float:
        """log e-value so far; of the stake on single ε's, what is not bet is kept."""
        together = log_average(self.log_wealth.ravel())
        alone = [log_average(won) for won in self.alone.sums.values()]
        kept = np.log(MOST_ALONE - len(alone))
        return float(np.logaddexp(together, np.logaddexp.reduce([kept, *alone]) - np.log(MOST_ALONE)) - np.log(2))

    @property
    def factor(self) -> float:
        """The leading alternative: the noise level over the least that keeps the claim."""
        won = np.concatenate([self.log_wealth, *(found[None] for found in self.alone.sums.values())])
        return float(np.exp(LESS_NOISE[int(np.argmax(won.max(axis=0)))]))


@dataclass(frozen=True)
class LaplaceRatios:
    """log of the density of Lap(t e^θ) over that of Lap(t), for each θ < 0: −θ − (|x|/t)(e^{−θ} − 1)."""

    t: float

    def total(self, sizes: Floats) -> Floats:
        """Summed over the sizes of the noise."""
        return np.asarray(-sizes.size * LESS_NOISE - float(sizes.sum()) / self.t * np.expm1(-LESS_NOISE))


class IntegerRatios:
    """log of the pmf of integer noise at t e^θ over that at t, for each θ < 0, from a table that grows."""

    def __init__(self, mechanism: str, t: float, rate: float) -> None:
        self._process = FAMILIES[mechanism].process(rate)
        self._t = t
        self._table = np.empty((LESS_NOISE.size, 0))

    def total(self, sizes: Floats) -> Floats:
        """Summed over the sizes of the noise."""
        inside = sizes[sizes <= LARGEST_SIZE].astype(np.int64)
        counts = np.bincount(inside, minlength=1)
        if counts.size > self._table.shape[1]:
            points = np.arange(2 * counts.size)
            allowed = self._process.marginal(self._t).logpdf(points)
            less = [self._process.marginal(self._t * math.exp(effect)).logpdf(points) for effect in LESS_NOISE]
            self._table = np.maximum(np.array(less) - allowed, LEAST_LOG_RATIO)
        return np.asarray(self._table[:, : counts.size] @ counts) + LEAST_LOG_RATIO * (sizes.size - inside.size)


@lru_cache(maxsize=256)
def _ratios(mechanism: str, t: float, rate: float) -> LaplaceRatios | IntegerRatios:
    """Kept in this process: a check that scores one batch of transcripts does not work them out again."""
    return IntegerRatios(mechanism, t, rate) if FAMILIES[mechanism].integer else LaplaceRatios(t)
