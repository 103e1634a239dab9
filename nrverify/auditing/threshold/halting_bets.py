"""Bets on the round in which a threshold mechanism halts, and the verdict they come to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, Judged, from_bets
from nrverify.statistics.additive import Additive
from nrverify.statistics.detectable import detectable_hazard, detectable_sum
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.wealth import TIE_EFFECTS, BinWealth, RatioWealth, TieWealth, log_average

Floats = NDArray[np.float64]

FEWEST_RUNS = 1000
"""With fewer runs only gross faults are seen, so not refuting says nothing: the check is inconclusive."""
WORST_PROBABILITY = 0.05
"""A halting probability must be known to this, or the check is inconclusive."""
CLEARLY = 3.0
"""Log-likelihood by which a named law must beat the claimed one to be named where another question stands out."""

HALTS = "probability of a halt, on average over the rounds played,"
ONES = "number of ones over the most there can be, on average over the runs,"

HALTING_TEMPLATES = {
    "share": ("{cell} with probability {expected:.4g}", "a share of {observed:.4g} in {count} runs"),
}


@dataclass
class HazardWealth(Additive):
    """Bets that the odds of an event of known probability p are moved by e^{θh}.

    Σ θh·happened − risked·log(1 + p(e^{θh} − 1)); the event is a halt in round n given that no round before halted.
    """

    log_wealth: Floats = field(default_factory=lambda: np.zeros(TIE_EFFECTS.size))
    happened: float = 0.0
    risked: float = 0.0
    foreseen: float = 0.0

    def bet(self, happened: Floats, risked: Floats, probability: Floats, covariate: Floats) -> None:
        """Takes in how often each event happened, and how often it might have."""
        tilt = TIE_EFFECTS[:, None] * covariate
        self.happened += float(happened.sum())
        self.risked += float(risked.sum())
        self.foreseen += float(risked @ probability)
        self.log_wealth += (tilt * happened - risked * np.log1p(probability * np.expm1(tilt))).sum(axis=1)

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def estimate(self) -> Estimate:
        """The factor in the odds that won most."""
        return Estimate(Measure.ODDS, 1.0, float(np.exp(TIE_EFFECTS[int(np.argmax(self.log_wealth))])))


@dataclass
class HaltingBins(Additive):
    """The halting rounds of independent designs, bin by bin: the product of their e-values, itself an e-value."""

    parts: dict[str, BinWealth]

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return self.log_e_of([self])[0]

    @classmethod
    def log_e_of(cls, bets: Sequence[HaltingBins]) -> list[float]:
        """log e-values of several; designs that they share are worked out once."""
        known = {id(part): part for bet in bets for part in bet.parts.values()}
        worth = {key: part.log_e for key, part in known.items()}
        return [sum(worth[id(part)] for part in bet.parts.values()) for bet in bets]

    @property
    def farthest(self) -> str:
        """The design that stands out most."""
        return max(self.parts, key=lambda design: self.parts[design].log_e)

    def estimate(self) -> Estimate:
        """The share of the bin that stands out, of the design that stands out."""
        part = self.parts[self.farthest]
        bin, total = part.farthest, float(part.counts.sum())
        weight, share = float(part.weights[bin]), float(part.counts[bin]) / max(total, 1.0)
        error = float(np.sqrt(weight * (1 - weight) / max(total, 1.0)))
        last = float(bin == part.weights.size - 1)
        return Estimate(Measure.SHARE, weight, share, error, int(total), {"round": 0.0 if last else bin + 1.0})


@dataclass
class TiltWealth(Additive):
    """Bets that outputs are tilted along a statistic h of them: Σθh − n·log E e^{θh}, for independent runs."""

    log_wealth: Floats = field(default_factory=lambda: np.zeros(TIE_EFFECTS.size))
    runs: float = 0.0
    expected: float = 0.0
    observed: float = 0.0
    seen: float = 0.0
    """The sum of the statistic, over the largest it can be in each design; and as the law has it, and no more than."""
    foreseen: float = 0.0

    def bet(self, counts: Floats, law: Floats, statistic: Floats) -> None:
        """Takes in how many runs had each output, the claimed law, and the statistic of each output."""
        scaled = statistic / max(float(np.abs(statistic).max()), 1e-300)
        tilted = np.log(np.exp(TIE_EFFECTS[:, None] * scaled) @ law)
        self.log_wealth += TIE_EFFECTS * float(counts @ scaled) - counts.sum() * tilted
        self.seen += float(counts @ scaled)
        self.foreseen += float(counts.sum() * (law @ scaled))
        self.runs += float(counts.sum())
        self.observed += float(counts @ statistic)
        self.expected += float(counts.sum() * (law @ statistic))

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def estimate(self) -> Estimate:
        """The mean of the statistic over all runs, and the claimed one."""
        runs = max(self.runs, 1.0)
        return Estimate(Measure.MEAN, self.expected / runs, self.observed / runs, None, int(self.runs))


def halting_finding(
    portfolio: Portfolio[Topic], words: Callable[[str, int], str] = lambda design, bin: f"cell {bin + 1}"
) -> Finding:
    """What the bet that stands out measured, and the fault it shows; `words` says what a bin of a design is."""
    leading = portfolio.leading
    wealth = portfolio[leading]
    found = Finding(leading.quantity, wealth.estimate(), leading.fault)
    if isinstance(wealth, BinWealth):
        return replace(found, texts={"cell": f"one of 16 equally likely pairs of quartiles ({leading.quantity})"})
    if not isinstance(wealth, HaltingBins):
        return found
    halted, last = int(found.estimate.numbers["round"]), wealth.parts[wealth.farthest].weights.size - 1
    bin = words(wealth.farthest, halted - 1 if halted else last)
    return replace(found, texts={"cell": f"{bin} ({wealth.farthest})"})


def with_named(finding: Finding, named: RatioWealth) -> Finding:
    """The finding with the faults whose laws come nearest, where they beat the claimed law clearly."""
    if finding.estimate.measure is not Measure.ALTERNATIVE and named.log_wealth[named.best] <= CLEARLY:
        return finding
    first, *others = (alternative_of(id).fault for id in named.likeliest)
    return finding.of(first, *others)


def size_of_odds(wealth: HazardWealth | TieWealth, runs: int, needed: float) -> tuple[Size, ...]:
    """The change of the probability of a halt, on average over the rounds played, that the bet on odds would see."""
    rounds = wealth.risked if isinstance(wealth, HazardWealth) else float(wealth.count)
    if not rounds:
        return ()
    found = detectable_hazard(wealth.log_wealth, wealth.happened, wealth.foreseen, rounds, runs, needed)
    return (Size(HALTS, found, "probability"),) if math.isfinite(found) else ()


def size_of_tilt(wealth: TiltWealth, needed: float) -> tuple[Size, ...]:
    """The change of the mean number of ones of a run, over the most there can be."""
    found = detectable_sum(wealth.log_wealth, wealth.seen, wealth.foreseen, wealth.runs, needed)
    return (Size(ONES, found / wealth.runs, "share"),) if math.isfinite(found) and wealth.runs else ()


def conclude_halting(
    check: Judged,
    log_e: float,
    runs: int,
    alpha: float,
    finding: Finding | None,
    sizes: tuple[Size, ...],
) -> CheckResult:
    """Refuted, or consistent with the shift of a halting probability that would have been caught."""
    needed = max(FEWEST_RUNS, int(np.ceil(np.log(2 / alpha) / (2 * WORST_PROBABILITY**2))))
    return from_bets(
        check,
        log_e,
        alpha,
        samples=runs,
        enough=runs >= needed,
        message=None if runs >= needed else f"this check needs about {needed} runs of its kind",
        sizes=sizes,
        finding=finding,
    )
