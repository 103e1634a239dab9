"""The increments of Laplace and Skellam noise when the times behind an ε are not known: coins that need no scale.

In growing time the process moves by independent symmetric steps (N04, N14). Released at times t₁ > t₂ > … as X₁, X₂, …,
the step X_k − X_{k+1} is symmetric given X_{k+1} and all noise at smaller times, so whether it has the sign of X_{k+1}
is a fair coin given those: walked up from the last release the coins are independent, whatever the times are.
"""

from __future__ import annotations

import numpy as np

from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import Need, form
from nrverify.auditing.core.faults.noise import FRESH_NOISE
from nrverify.auditing.core.finding import Size
from nrverify.auditing.noise_reduction.checks.law_topics import LONGEST
from nrverify.auditing.noise_reduction.context import LAW_BUILT_IN, SEVERAL_RELEASES, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw
from nrverify.auditing.noise_reduction.unknown_times.needs import GRID_FINE, TIMES_UNKNOWN
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import TieWealth

SIGNS = "equal signs of a release and the step to it"
POOLED = Topic(SIGNS, FRESH_NOISE)
CLOSE = Topic(f"{SIGNS}, at close ε's", FRESH_NOISE)
CLOSE_RATIO = 1.4
"""ε's so near each other have noise of nearly the same size, which shows most if it is fresh: the nearest two different
ε's of the designed schedules are 1.32 apart by default."""


def at_release(number: int) -> Topic:
    """The signs at one release of a session, the first being 1."""
    return Topic(f"{SIGNS}, at release {number}", FRESH_NOISE)


@form(
    IncrementLaw,
    claims=("N04", "N14"),
    needs=(
        TIMES_UNKNOWN,
        GRID_FINE,
        SEVERAL_RELEASES,
        LAW_BUILT_IN,
        Need(lambda context: not context.description.family.increments, "Gaussian increments are judged by their law"),
    ),
    expected="a release's noise and the step to it have equal signs by a fair coin",
    templates={},
)
class SignIncrements(PortfolioCheck):
    """A less noisy release and the step to the noisier one before it are independent, whatever their sizes.

    The step is symmetric, so it has the sign of the less noisy noise by a fair coin, at each release, coordinate and
    session anew. Catches noise drawn afresh, and a bridge that follows the release before too much or too little, when
    the times behind an ε are not known. Misses dependence that leaves the signs fair, wrong sizes and shapes, and what
    shows in adaptive sessions alone.
    """

    any_value = True

    def __init__(self) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {POOLED: (4.0, TieWealth()), CLOSE: (2.0, TieWealth())}
        for position in range(1, LONGEST + 1):
            bets[at_release(position + 1)] = (0.25, TieWealth())
        super().__init__(bets)

    @classmethod
    def build(cls, context: NoiseReductionContext) -> SignIncrements:
        """The same for every subject."""
        return cls()

    def observe(self, batch: Batch) -> None:
        """Bets on the signs at every rise of ε in a fixed schedule; in adaptive ones times depend on noise."""
        asked = batch.asked[0]
        rising = np.flatnonzero(asked[1:] > asked[:-1]) + 1
        if not batch.case.fixed or rising.size == 0:
            return
        self.sessions += batch.sessions
        steps, less = batch.steps, batch.noise[:, 1:]
        agree, usable = (steps > 0) == (less > 0), (steps != 0) & (less != 0)
        coins = {int(position): agree[:, position - 1][usable[:, position - 1]] for position in rising}
        every = np.concatenate(list(coins.values()))
        self.count += every.size
        self.events(POOLED).bet(every, 0.5)
        for position, heads in coins.items():
            if asked[position] < CLOSE_RATIO * asked[position - 1]:
                self.events(CLOSE).bet(heads, 0.5)
            if position <= LONGEST:
                self.events(at_release(position + 1)).bet(heads, 0.5)

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A shift of the fair coin outside its confidence limits."""
        return self.coin_size(POOLED, "agreement of the signs of a step and of the release after it", alpha)
