"""The increments of Laplace and Skellam noise when the times behind an ε are not known: coins that need no scale.

In growing time the process moves by independent symmetric steps (N04, N14). Released at times t₁ > t₂ > … as X₁, X₂, …,
the step X_k − X_{k+1} is symmetric given X_{k+1} and all noise at smaller times, so whether it has the sign of X_{k+1}
is a fair coin given those: walked up from the last release the coins are independent, whatever the times are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.check import Batch
from nrverify.auditing.innovations import ROUNDING
from nrverify.auditing.law import LONGEST
from nrverify.auditing.law_check import LawCheck
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import TieWealth

Bools = NDArray[np.bool_]

POOLED = "correlation of a release and the step to it, signs that agree"
CLOSE = "correlation of a release and the step to it, signs that agree at close ε's"
CLOSE_RATIO = 1.4
"""ε's so near each other have noise of nearly the same size, which shows most if it is fresh: the nearest two different
ε's of the designed schedules are 1.32 apart by default."""


class SignIncrements(LawCheck):
    """A less noisy release and the step to the noisier one before it are independent, whatever their sizes.

    The step is symmetric, so it has the sign of the less noisy noise by a fair coin, at each release, coordinate and
    session anew. Catches noise drawn afresh, and a bridge that follows the release before too much or too little, when
    the times behind an ε are not known. Misses dependence that leaves the signs fair, wrong sizes and shapes, and what
    shows in adaptive sessions alone.
    """

    id = "law.increments"
    kind = "law"
    claims: tuple[str, ...] = ("N04", "N14")
    expectation = "a release's noise and the step to it have equal signs by a fair coin"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {POOLED: (4.0, TieWealth()), CLOSE: (2.0, TieWealth())}
        for position in range(1, LONGEST + 1):
            families[_at(position)] = (0.25, TieWealth())
        super().__init__(families)

    def observe(self, batch: Batch) -> None:
        """Bets on the signs at every rise of ε in a fixed schedule; in adaptive ones times depend on noise."""
        asked = batch.asked[0]
        rising = np.flatnonzero(asked[1:] > asked[:-1]) + 1
        if not batch.case.fixed or rising.size == 0:
            return
        self.sessions += batch.sessions
        agree, usable = _coins(batch)
        for position in rising:
            coins = agree[:, position - 1][usable[:, position - 1]]
            self.count += coins.size
            self._bet(POOLED, coins)
            if asked[position] < CLOSE_RATIO * asked[position - 1]:
                self._bet(CLOSE, coins)
            if position <= LONGEST:
                self._bet(_at(int(position)), coins)

    def _bet(self, name: str, coins: Bools) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, TieWealth)
        wealth.bet(coins, 0.5)

    def _detectable(self, alpha: float) -> str | None:
        """A shift of the fair coin outside its confidence limits."""
        return (
            f"agreement of two signs off by {np.sqrt(-np.log(alpha / 2) / (2 * self.count)):.2g}"
            if self.count
            else None
        )


def _coins(batch: Batch) -> tuple[Bools, Bools]:
    """Whether X_{k+1} and X_k − X_{k+1} have equal signs, and whether both are there, for each k: (n, K − 1, d)."""
    noise = batch.noise
    less = noise[:, 1:]
    step = noise[:, :-1] - less
    # What counts as no step is known from X_{k+1} and the size of the step, so the coins that are left stay fair.
    none = ROUNDING * (np.abs(batch.releases[:, 1:]) + np.abs(batch.case.array))
    return (step > 0) == (less > 0), (np.abs(step) > none) & (less != 0)


def _at(position: int) -> str:
    return f"{POOLED} at release {position + 1}"
