"""Change of measure at a stopping time: the label of a transcript is as uncertain as the specified loss says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nrverify.auditing.core.bets.portfolio_check import FEWEST_SESSIONS, WORST_PROBABILITY, PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.faults.noise import EARLIER_RELEASES_ADD
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.plots.sums import Frequencies
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_ANY_LAW,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.neighbours import Labelled
from nrverify.laws.process import Process
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]

LABEL = Topic("label", EARLIER_RELEASES_ADD)
LAST_LOSS = Topic("label against the loss of the last release", EARLIER_RELEASES_ADD)
EARLIER_LOSSES = Topic("label against the losses of earlier releases", EARLIER_RELEASES_ADD)
RELEASES = Topic("label against the number of releases", EARLIER_RELEASES_ADD)


@check(
    id="loss.stopping",
    kind=CheckKind.LAW,
    sentence="A transcript says of the value just what its last release says.",
    claims=("B01", "B03", "N08"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=70,
    needs=(TIMES_KNOWN,),
    expected="the label has log odds equal to the loss of the last release",
    implied_by=OF_ANY_LAW,
)
class ChangeOfMeasure(PortfolioCheck):
    """E_x[g e^{−L}] = E_{x'}[g] at a stopping time, as: given a transcript, it came from x with probability σ(L).

    For each session a fair coin chooses x or its neighbour; if both laws are as claimed, the coin given the transcript
    up to the stop has log odds exactly L, the loss of the last release. Catches transcripts that say more (or less)
    about the value than their last release does. Misses faults that change both laws alike.
    """

    configuration = ("process",)

    def __init__(self, process: Process) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {
            LABEL: (1.0, TieWealth()),
            LAST_LOSS: (1.0, TieWealth(along=True)),
            EARLIER_LOSSES: (2.0, TieWealth(along=True)),
            RELEASES: (1.0, TieWealth(along=True)),
        }
        super().__init__(bets)
        self.process = process
        self.frequencies = Frequencies("Which of the two values it was", "probability that the loss implies")

    @classmethod
    def build(cls, context: NoiseReductionContext) -> ChangeOfMeasure:
        """For the noise that is claimed."""
        return cls(context.description.claimed_process)

    def observe_labelled(self, drawn: Labelled) -> None:
        """Takes in sessions of a fair coin: label 1 came from the value, 0 from its neighbour."""
        if drawn.times is None:
            return
        releases, times = drawn.releases, drawn.times
        value, neighbour = drawn.pair.case.array, np.array(drawn.pair.neighbour)
        n = releases.shape[0]
        self.sessions += n
        self.count += n
        rows = np.arange(n)
        present = np.isfinite(times)
        last = present.sum(axis=1) - 1
        losses = np.zeros(times.shape)
        losses[present] = self.process.loss(times[present], value, neighbour, releases[present])
        loss = losses[rows, last]
        earlier = np.where(last > 0, (losses.sum(axis=1) - loss) / np.maximum(last, 1), 0.0)
        came, odds = drawn.label, expit(loss)
        assert self.frequencies is not None
        self.frequencies.add(came, odds)
        covariates = {
            LABEL: np.ones(n),
            LAST_LOSS: np.tanh(loss),
            EARLIER_LOSSES: np.tanh(earlier),
            RELEASES: (last - last.mean()) / 4.0 if n > 1 else np.zeros(n),
        }
        for topic, covariate in covariates.items():
            self.events(topic).bet(came, odds, covariate)

    def enough(self, alpha: float) -> bool:
        """Whether the probability of the label is known well enough."""
        return self.sessions >= FEWEST_SESSIONS and half_width(self.count, alpha) <= WORST_PROBABILITY

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A shift of the label's probability."""
        return self.coin_size(LABEL, "probability of the label given the transcript", alpha)
