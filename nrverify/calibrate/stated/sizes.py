"""Whether the stated sizes are true: faults planted at the smallest detectable size, a third of it, and somewhat above.

A statement promises too much where a fault of its size is refuted in less than half of the trials, or one somewhat
larger in less than nine tenths; and too little where a third of it is already refuted in more than half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from nrverify.calibrate.jobs import Job
from nrverify.calibrate.stated import (
    any_order,
    claims,
    computed,
    counted,
    digits,
    epsilon,
    halts,
    noise,
    privacy,
    streams,
)
from nrverify.calibrate.stated.planted import Planted

ALPHA = 1e-6
"""Of a default run; a check has its share of it."""
UNLIKELY, MISSED = 0.01, 0.05
"""A share is below what it must be where so few would be seen with no more probability than the first: so often is a
true statement called broken. A false one, of the next size, is to be passed no more often than the second."""
PROMISED = ((1 / 2, 1 / 3), (9 / 10, 3 / 4))
"""Shares that are promised at the size and above it, and those from which on a statement is called broken."""


def _fewest(promised: float, broken: float) -> int:
    """The fewest trials that tell two shares apart with these error probabilities."""
    for trials in range(10, 1000):
        most = next(seen for seen in range(trials + 1) if bdtr(seen, trials, promised) >= UNLIKELY) - 1
        if most >= 0 and bdtr(most, trials, broken) >= 1 - MISSED:
            return trials
    raise AssertionError("so close shares are not told apart")


TRIALS = max(_fewest(*shares) for shares in PROMISED)
"""Of each size."""


@dataclass(frozen=True)
class Stated:
    """A statement, and how many of so many trials refuted a third of its size, the size, and somewhat more."""

    name: str
    quantity: str
    unit: str
    size: float
    factor: float
    trials: int
    third: int
    at: int
    above: int

    @property
    def too_much(self) -> bool:
        """Whether it promises more than it keeps; what is tried once is kept for certain."""
        if self.trials == 1:
            return not (self.at and self.above)
        half, most = bdtr(self.at, self.trials, 0.5), bdtr(self.above, self.trials, 0.9)
        return bool(min(half, most) < UNLIKELY)

    @property
    def too_little(self) -> bool:
        """Whether a third of it would have been promised rightly."""
        return self.third > self.trials / 2

    @property
    def met(self) -> bool:
        """Whether it is neither."""
        return not self.too_much and not self.too_little


PLANTED: tuple[Planted, ...] = (
    *noise.PLANTED,
    *any_order.PLANTED,
    *halts.PLANTED,
    *privacy.PLANTED,
    *epsilon.PLANTED,
    *claims.PLANTED,
    *streams.PLANTED,
    *digits.PLANTED,
    *counted.PLANTED,
    *computed.PLANTED,
)
"""All statements of checks."""


def measured(index: int, seed: int, trials: int = TRIALS) -> Stated:
    """One statement, tried: the size is that which the check states after right transcripts."""
    planted = PLANTED[index]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7, index)))
    right = planted.seen(planted.none, rng)
    alpha = ALPHA * right.declaration.weight
    size = [size for size in right.conclude(alpha).sizes if size.unit == planted.unit][planted.place]
    draw = None if planted.named is None else planted.named(right, alpha)
    trials = trials if planted.sampled else 1
    third, at, above = (
        sum(bool(planted.seen(value, rng, draw).refuted(alpha)) for _ in range(trials))
        for value in planted.sizes(size.value)
    )
    return Stated(planted.name, size.quantity, size.unit, size.value, planted.factor, trials, third, at, above)


def size_jobs(seed: int, trials: int = TRIALS) -> list[Job]:
    """One for each statement."""
    return [
        Job(f"stated size of {planted.name}", measured, (index, seed, trials), 1.0)
        for index, planted in enumerate(PLANTED)
    ]
