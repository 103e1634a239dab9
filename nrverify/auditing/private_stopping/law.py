"""The check of the law of the stop given the releases."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.halting import SHARES_WITH_RELEASES, WRONG_HALTING_LAW
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.plots.limits import frequencies
from nrverify.auditing.core.plots.sums import Frequencies
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.private_stopping.context import MECHANISMS, WEIGHT, StoppingContext
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.auditing.private_stopping.halting_law import FAULTS, Pattern, faults_of, patterns_of
from nrverify.auditing.threshold.halting_bets import conclude_halting, halting_finding, size_of_odds, with_named
from nrverify.statistics.additive import Additive
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import RatioWealth, TieWealth

Floats = NDArray[np.float64]

NAMED = Topic("named faults", WRONG_HALTING_LAW)
ODDS = Topic("odds of halting", WRONG_HALTING_LAW)
BY_ROUND = Topic("odds of halting by round", WRONG_HALTING_LAW)
BY_UTILITY = Topic("odds of halting by utility", WRONG_HALTING_LAW)
BY_NOISE = Topic("odds of halting by the noise of the release", SHARES_WITH_RELEASES)
BY_SIZE = Topic("odds of halting by the size of that noise", SHARES_WITH_RELEASES)
BY_NOISE_BEFORE = Topic("odds of halting by the noise of the release before", SHARES_WITH_RELEASES)
COVARIATES = {ODDS: 3.0, BY_ROUND: 2.0, BY_UTILITY: 2.0, BY_NOISE: 3.0, BY_SIZE: 1.0, BY_NOISE_BEFORE: 1.0}
"""What the odds of halting may depend on, and the weight of the bet on it."""


@check(
    id="stopping.law",
    kind=CheckKind.LAW,
    sentence="Given the releases, the stop follows ReducedAboveThreshold with ε_n = ψ(T_n).",
    claims=("R05", "R11"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=30,
    expected="the exact law of the halt given the releases",
    decisive=True,
)
class StoppingLaw(Declared, Additive):
    """The halt given the releases: bits follow the exact law with u_n = utility(release_n) and ε_n = ψ(T_n).

    Catches ε's other than ψ(T_n), utilities of a wrong round or of the exact value, wrong or missing noise, and noise
    shared with the releases, which moves the odds of halting with the innovation of the release. Misses faults that
    show only for utilities outside the battery.
    """

    def __init__(self) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {NAMED: (6.0, RatioWealth(FAULTS))}
        bets |= {topic: (weight, TieWealth(along=topic != ODDS)) for topic, weight in COVARIATES.items()}
        self.portfolio = Portfolio(bets)
        self.frequencies = Frequencies("Halts", "exact probability of a halt given the releases")
        self.runs = 0

    @classmethod
    def build(cls, context: StoppingContext) -> StoppingLaw:
        """The same for every subject."""
        return cls()

    def observe(self, runs: Stopped) -> None:
        """Bets on the bits of every round, given the releases."""
        if runs.innovations is None:
            return
        self.runs += runs.bins.size
        ratios = dict.fromkeys(FAULTS, 0.0)
        hazard = np.full(runs.present.shape, np.nan)
        for pattern, rows in patterns_of(runs):
            hazard[rows] = pattern.hazard
            for name, total in _ratios(runs.design, pattern, runs.bins[rows]).items():
                ratios[name] += total
        cast(RatioWealth, self.portfolio[NAMED]).bet(ratios)
        halted = np.arange(runs.present.shape[1]) == runs.bins[:, None]
        # Round by round over all runs: what a bit is compared with has then been seen before it.
        here = runs.present.T
        self.frequencies.add(halted.T[here], hazard.T[here])
        for topic, covariate in _covariates(runs, np.nan_to_num(runs.innovations.z[:, :, 0])).items():
            cast(TieWealth, self.portfolio[topic]).bet(halted.T[here], hazard.T[here], covariate.T[here])

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """How often it halted, by the exact probability of the halt."""
        return frequencies(self.frequencies, alpha)

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, or consistent with the shift of a halting probability that would have been caught."""
        finding = self._finding() if self.refuted(alpha) else None
        needed = -float(np.log(alpha)) - self.portfolio.log_weights[ODDS]
        sizes = size_of_odds(cast(TieWealth, self.portfolio[ODDS]), self.runs, needed)
        return conclude_halting(self, self.portfolio.log_e, self.runs, alpha, finding, sizes)

    def _finding(self) -> Finding:
        """What stands out; a halt that follows the noise of a release is that, whatever named law comes near."""
        found = halting_finding(self.portfolio)
        if found.fault is SHARES_WITH_RELEASES:
            return found
        return with_named(found, cast(RatioWealth, self.portfolio[NAMED]))


def _covariates(runs: Stopped, innovation: Floats) -> dict[Topic, Floats]:
    """What the odds of halting may depend on, of order one, by run and round."""
    shape = runs.present.shape
    utility = np.where(runs.present, runs.design.utility.of(np.nan_to_num(runs.releases)), 0.0)
    margin = (utility - runs.design.threshold) / runs.design.utility_sensitivity
    before = np.clip(np.roll(innovation, 1, axis=1), -3, 3) / 2
    before[:, 0] = 0.0
    return {
        ODDS: np.ones(shape),
        BY_ROUND: np.broadcast_to(np.arange(shape[1]) / max(shape[1] - 1, 1) - 0.25, shape),
        BY_UTILITY: np.tanh(margin * np.array(runs.design.epsilons) / 4),
        BY_NOISE: np.clip(innovation, -3, 3) / 2,
        BY_SIZE: np.clip(np.abs(innovation), 0, 3) - 0.8,
        BY_NOISE_BEFORE: before,
    }


def _ratios(design: StoppingDesign, pattern: Pattern, bins: NDArray[np.int64]) -> dict[str, float]:
    counts = np.bincount(bins, minlength=pattern.law.size)
    return {
        name: float(np.dot(counts, np.log(fault / pattern.law, where=pattern.law > 0, out=np.zeros_like(fault))))
        for name, fault in faults_of(design, pattern.utilities).items()
    }
