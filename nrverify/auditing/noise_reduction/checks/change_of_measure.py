"""Change of measure at a stopping time: the label of a transcript is as uncertain as the specified loss says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from nrverify.auditing.core.picture_sums import Frequencies
from nrverify.auditing.core.portfolio_check import FEWEST_SESSIONS, WORST_PROBABILITY, LawCheck
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.neighbours import Labelled
from nrverify.laws.process import Process
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]


class ChangeOfMeasure(LawCheck):
    """E_x[g e^{−L}] = E_{x'}[g] at a stopping time, as: given a transcript, it came from x with probability σ(L).

    For each session a fair coin chooses x or its neighbour; if both laws are as claimed, the coin given the transcript
    up to the stop has log odds exactly L, the loss of the last release. Catches transcripts that say more (or less)
    about the value than their last release does. Misses faults that change both laws alike.
    """

    id = "loss.stopping"
    kind = "privacy"
    claims: tuple[str, ...] = ("B01", "B03", "N08")
    expectation = "the label has log odds equal to the loss of the last release"

    def __init__(self, process: Process) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "label": (1.0, TieWealth()),
            "label against the loss of the last release": (1.0, TieWealth()),
            "label against the losses of earlier releases": (2.0, TieWealth()),
            "label against the number of releases": (1.0, TieWealth()),
        }
        super().__init__(families)
        self.process = process
        self.frequencies = Frequencies("Which of the two values it was", "probability that the loss implies")

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
        self._bet("label", came, odds, np.ones(n))
        self._bet("label against the loss of the last release", came, odds, np.tanh(loss))
        self._bet("label against the losses of earlier releases", came, odds, np.tanh(earlier))
        self._bet(
            "label against the number of releases", came, odds, (last - last.mean()) / 4.0 if n > 1 else np.zeros(n)
        )

    def conclude(self, alpha: float) -> CheckResult:
        """As for any law; what would have been caught is a shift of the label's probability."""
        result = super().conclude(alpha)
        off = half_width(self.count, alpha)
        verdict = result.verdict
        if verdict in (CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE):
            enough = self.sessions >= FEWEST_SESSIONS and off <= WORST_PROBABILITY
            verdict = CheckVerdict.CONSISTENT if enough else CheckVerdict.INCONCLUSIVE
        words = f"probability of the label given the transcript off by {off:.2g}"
        return CheckResult(**{**vars(result), "verdict": verdict, "detectable": words})

    def _bet(self, name: str, came: NDArray[np.bool_], odds: Floats, covariate: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, TieWealth)
        wealth.bet(came, odds, covariate)
