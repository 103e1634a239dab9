"""Brownian releases stopped by ReducedAboveThreshold: what both cost together (Corollary aug_bm).

Utilities depend on the data and on the releases; the threshold mechanism runs at ε_n = ψ(T_n). The loss of releases and
bits together is the loss of the last release plus that of the bits given the releases, both exactly known here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from nrverify.experiments.batches import batches
from nrverify.laws.boundary import Linear
from nrverify.laws.brownian import Brownian
from nrverify.laws.threshold import privacy_loss
from nrverify.ledger import statistic, supports
from nrverify.ledger.experiment import Experiment
from nrverify.reference.simulate import simulate
from nrverify.reference.threshold_batches import halting_rounds
from nrverify.statistics.multiplicity import p_value
from nrverify.statistics.proportions import binomial
from nrverify.statistics.wealth import TieWealth

Floats = npt.NDArray[np.float64]

DELTA = 0.01
"""Small enough to be a δ, large enough for 120,000 sessions to tell it from 0.014."""
PSI = Linear.tightest_at(epsilon=2.0, delta=DELTA, sensitivity=1.0)
"""At an ε of 2, where an error in the loss of the releases or of the bits shows in their sum."""
TIMES = PSI.b / PSI.a * np.array([1.4, 1.25, 1.1, 1.0, 0.92])
"""Around b/a, where the line is tightest and most passages happen."""
EPSILONS = PSI(TIMES)
ROUNDS = TIMES.size
VALUE, NEIGHBOUR = 0.5, -0.5
"""Exactly the sensitivity apart."""
SHOWN = (-2.0, 0.0)
"""The part of the utilities that all may know, after a first release below and above 0."""
FAVOURED = np.array([-0.5, -0.5, -0.5, -0.5, 0.5])
"""What f(x) adds to the utilities and f(x') takes away: sensitivity 1, with the signs that cost most at the end."""


@cache
def losses_of_bits() -> Floats:
    """log P(bits | f(x)) − log P(bits | f(x')) by what was shown and the halting round, 0 for none."""
    table = np.empty((len(SHOWN), ROUNDS + 1))
    for row, shown in enumerate(SHOWN):
        for halt in range(ROUNDS + 1):
            n = halt or ROUNDS
            table[row, halt] = privacy_loss(
                [0] * (n - 1) + [int(halt > 0)],
                utilities=shown + FAVOURED[:n],
                neighbour=shown - FAVOURED[:n],
                epsilons=EPSILONS[:n],
            )
    return table


@dataclass(frozen=True)
class Stopped:
    """Where sessions stopped: the loss of their releases, that of their bits, and ψ(T_N)."""

    releases: Floats
    bits: Floats
    bound: Floats


def sessions(value: float, sign: int, size: int, seed: int) -> Stopped:
    """Sessions at f(x) (sign +1) or f(x') (sign −1), stopped by the threshold mechanism or after the last round."""
    seen = simulate("brownian", value, TIMES, size, seed)[:, :, 0]
    large = (seen[:, 0] > 0).astype(int)
    halts = np.zeros(size, np.int64)
    for row, shown in enumerate(SHOWN):
        here = large == row
        if here.any():
            halts[here] = halting_rounds(shown + sign * FAVOURED, EPSILONS, 0.0, 1.0, int(here.sum()), seed + 1 + row)
    last = np.where(halts > 0, halts, ROUNDS) - 1
    loss = Brownian().loss(TIMES[last], VALUE, NEIGHBOUR, seen[np.arange(size), last])
    return Stopped(loss, losses_of_bits()[large, halts], EPSILONS[last])


def together(stopped: Stopped) -> Floats:
    """The loss of releases and bits."""
    return stopped.releases + stopped.bits


def releases_alone(stopped: Stopped) -> Floats:
    """The bits left out, as if stopping told nothing."""
    return stopped.releases


@statistic(
    {"R11": supports, "R10": supports, "R05": supports},
    rejects={"stopping costs nothing: ψ(T_N)": {"factor": 1.0}},
    share=0.03,
)
def cost_of_private_stopping(experiment: Experiment, factor: float = 2.0) -> None:
    """Releases and bits together lose at most 2ψ(T_N), except with probability δ; ψ(T_N) alone is exceeded more often.

    δ = 0.01; 120,000 sessions refute a failure probability of 0.014 with power 1 − 1e-6.
    """
    count = total = 0
    for batch in batches(experiment, 120_000):
        stopped = sessions(VALUE, 1, batch.size, batch.seed)
        count, total = count + int((together(stopped) > factor * stopped.bound).sum()), total + batch.size
    experiment.test(f"{count} of {total} above {factor:g}·ψ(T_N)", binomial(count, total, DELTA, "greater"))


@statistic(
    {"R11": supports, "R05": supports, "R03": supports},
    rejects={"the releases alone": {"loss": releases_alone}},
    share=0.03,
)
def loss_of_private_stopping(experiment: Experiment, loss: Callable[[Stopped], Floats] = together) -> None:
    """The odds of f(x) given releases and bits are e^L with L the two losses added: bets on the coin cannot win.

    24,000 sessions see a loss of the bits wrong by half with power 1 − 1e-6.
    """
    rivals = (together, releases_alone)
    coin = [TieWealth() for _ in range(1 + len(rivals))]
    for batch in batches(experiment, 24_000):
        label = batch.rng.random(batch.size) < 0.5
        count = int(label.sum())
        sides = (sessions(VALUE, 1, count, batch.seed), sessions(NEIGHBOUR, -1, batch.size - count, batch.seed + 9))
        coins = np.repeat([True, False], [count, batch.size - count])
        odds = np.concatenate([loss(side) for side in sides])
        for wealth, rival in zip(coin[1:], rivals, strict=True):
            wealth.bet(coins, expit(odds), np.concatenate([rival(side) for side in sides]) - odds)
        coin[0].bet(coins, expit(odds), np.tanh(odds))
    experiment.test("the coin has the odds e^L", p_value(*(wealth.log_e for wealth in coin)))
