"""Checks of a threshold mechanism: its protocol, and the law of the round in which it halts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.results import CheckResult, CheckVerdict, from_bets
from nrverify.auditing.threshold_alternatives import FAULTS, claimed_law, faulty_laws
from nrverify.auditing.threshold_cases import Design
from nrverify.auditing.threshold_drawing import Runs
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import TIE_EFFECTS, CellWealth, RatioWealth, TieWealth, log_average

Floats = NDArray[np.float64]

FEWEST_RUNS = 1000
WORST_PROBABILITY = 0.05
POOLED = "all runs"


class ThresholdProtocol:
    """The bits stop at the first 1.

    Catches a mechanism that goes on answering after it has halted. Bits that are not 0 or 1, too few or too many of
    them, and halting rounds that do not exist mean that the subject could not be run. Misses everything about noise.
    """

    id = "threshold.protocol"
    kind = "protocol"
    claims: tuple[str, ...] = ("R02",)

    def __init__(self) -> None:
        self.runs = 0
        self.broken = 0
        self.example: tuple[int, ...] | None = None

    def observe(self, runs: Runs) -> None:
        """Counts runs that went on after a 1."""
        self.runs += runs.cells.size
        self.broken += len(runs.after_halt)
        if runs.after_halt and self.example is None:
            self.example = runs.after_halt[0]

    def refuted(self, alpha: float) -> bool:
        """Whether one run went on: that has no probability at all."""
        return self.broken > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        observed = None
        if self.example is not None:
            observed = f"{self.broken} of {self.runs} runs went on, such as {list(self.example)!r:.80}"
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.REFUTED if self.broken else CheckVerdict.CONSISTENT,
            self.claims,
            samples=self.runs,
            alpha=alpha,
            detectable="a single run that goes on",
            expected="no bit after the first 1",
            observed=observed,
        )


@dataclass
class HazardWealth:
    """Bets that the odds of halting in round n are moved by e^{θh}: Σ θh·halts − at risk·log(1 + p(e^{θh} − 1)).

    p is the probability of halting in round n given that no round before did.
    """

    log_wealth: Floats = field(default_factory=lambda: np.zeros(TIE_EFFECTS.size))
    foreseen: float = 0.0
    happened: float = 0.0

    def bet(self, halts: Floats, at_risk: Floats, hazard: Floats, covariate: Floats) -> None:
        """Takes in how many runs halted in, and how many reached, each round."""
        tilt = TIE_EFFECTS[:, None] * covariate
        self.log_wealth += (tilt * halts - at_risk * np.log1p(hazard * np.expm1(tilt))).sum(axis=1)
        self.foreseen += float(np.dot(np.abs(covariate), at_risk * hazard))
        self.happened += float(np.dot(np.abs(covariate), halts))

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def words(self) -> tuple[str, str]:
        """Expected and observed."""
        effect = float(TIE_EFFECTS[int(np.argmax(self.log_wealth))])
        moved = "too often" if effect > 0 else "too seldom"
        return "the odds of the claimed law", f"it halts {moved}, by a factor of about {np.exp(effect):.3g} in the odds"


@dataclass(frozen=True)
class ProductWealth:
    """The product of e-values of independent designs, itself an e-value."""

    parts: Sequence[CellWealth]
    names: Sequence[str]

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return sum(part.log_e for part in self.parts)

    def words(self) -> tuple[str, str]:
        """Expected and observed in the design that stands out."""
        worst = int(np.argmax([part.log_e for part in self.parts]))
        return _cell_words(self.parts[worst], self.names[worst])


def _cell_words(wealth: CellWealth, name: str) -> tuple[str, str]:
    total = float(wealth.counts.sum())
    deviation = np.abs(wealth.counts - total * wealth.weights) / np.sqrt(np.maximum(total * wealth.weights, 1e-300))
    cell = int(np.argmax(deviation))
    where = f"no halt ({name})" if cell == wealth.weights.size - 1 else f"a halt in round {cell + 1} ({name})"
    share = float(wealth.counts[cell]) / max(total, 1.0)
    return f"{where} with probability {wealth.weights[cell]:.4g}", f"a share of {share:.4g} in {int(total)} runs"


@dataclass(frozen=True)
class _NamedCells:
    wealth: CellWealth
    name: str

    @property
    def log_e(self) -> float:
        return self.wealth.log_e

    def words(self) -> tuple[str, str]:
        return _cell_words(self.wealth, self.name)


class ThresholdLaw:
    """The law of the halting round against the exact law, for a designed battery of utilities and ε's.

    Catches wrong scales of either noise, a threshold drawn anew, dropped or not reduced as the process says, noise
    shared by rounds or runs, ε's or utilities of a wrong round, a sensitivity or threshold that is ignored. Bets on
    named faults, on odds of halting moved everywhere, by round, ε or utility, and on every cell of every design; the
    methods together and each alone. Misses faults that show at no utility or ε of the battery.
    """

    id = "threshold.law"
    kind = "law"
    claims: tuple[str, ...] = ("R02", "R05")

    def __init__(self, designs: Sequence[Design], methods: Sequence[str]) -> None:
        self.runs = 0
        self._channels = [POOLED, *methods] if len(methods) > 1 else [POOLED]
        families: dict[str, tuple[float, Wealth]] = {}
        self._cells: dict[tuple[str, str], CellWealth] = {}
        for channel in self._channels:
            weight = 2.0 if channel == POOLED else 1.0
            cells = {design.name: CellWealth(claimed_law(design)) for design in designs}
            self._cells |= {(channel, name): wealth for name, wealth in cells.items()}
            families |= {
                f"named faults ({channel})": (6 * weight, RatioWealth(FAULTS)),
                f"odds of halting ({channel})": (3 * weight, HazardWealth()),
                f"odds of halting by round ({channel})": (3 * weight, HazardWealth()),
                f"odds of halting by ε ({channel})": (2 * weight, HazardWealth()),
                f"odds of halting by utility ({channel})": (1 * weight, HazardWealth()),
                f"dependence on the run before ({channel})": (1 * weight, TieWealth()),
                f"halting round ({channel})": (3 * weight, ProductWealth(list(cells.values()), list(cells))),
            }
            for name, wealth in cells.items():
                families[f"halting round of {name} ({channel})"] = (0.3 * weight, _NamedCells(wealth, name))
        self.portfolio = Portfolio(families)

    def observe(self, runs: Runs) -> None:
        """Takes in runs of one design."""
        self.runs += runs.cells.size
        law, counts = claimed_law(runs.design), runs.counts()
        reached = law[::-1].cumsum()[::-1]
        hazard = np.clip(law[:-1] / reached[:-1], 0.0, 1.0)
        at_risk = counts[::-1].cumsum()[::-1][:-1]
        ratios = {
            name: float(np.dot(counts, np.log(fault / law, where=law > 0, out=np.zeros_like(law))))
            for name, fault in faulty_laws(runs.design).items()
        }
        covariates = _covariates(runs.design)
        for channel in self._channels:
            if channel not in (POOLED, runs.method):
                continue
            self._cells[channel, runs.design.name].bet(counts)
            cast(RatioWealth, self.portfolio[f"named faults ({channel})"]).bet(ratios)
            for name, covariate in covariates.items():
                cast(HazardWealth, self.portfolio[f"{name} ({channel})"]).bet(counts[:-1], at_risk, hazard, covariate)
            same = runs.cells[1:] == runs.cells[:-1]
            cast(TieWealth, self.portfolio[f"dependence on the run before ({channel})"]).bet(same, law[runs.cells[:-1]])

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, or consistent with the shift of a halting probability that would have been caught."""
        log_e = self.portfolio.log_e
        half_width = float(np.sqrt(np.log(2 / alpha) / (2 * max(self.runs, 1))))
        expected, observed = "the exact law of the halting round", None
        if self.refuted(alpha):
            leading = self.portfolio.leading
            expected, observed = (f"{leading}: {words}" for words in self.portfolio[leading].words())
            suspect = cast(RatioWealth, self.portfolio[f"named faults ({POOLED})"])
            if "named" not in leading and suspect.log_wealth[suspect.best] > 3:
                observed = f"{observed}; the nearest named fault is: {suspect.best}"
        return from_bets(
            self,
            log_e,
            alpha,
            samples=self.runs,
            enough=self.runs >= FEWEST_RUNS and half_width <= WORST_PROBABILITY,
            detectable=f"probability of halting by a given round within ±{half_width:.2g} over the battery",
            expected=expected,
            observed=observed,
        )


def _covariates(design: Design) -> dict[str, Floats]:
    """What the odds of halting may depend on, of order one."""
    rounds = design.rounds
    margins = (np.array(design.utilities) - design.threshold) / design.sensitivity
    rise = np.log(np.array(design.epsilons) / design.epsilons[0])
    position = np.arange(rounds) / max(rounds - 1, 1) - 0.25 if rounds > 1 else np.zeros(1)
    return {
        "odds of halting": np.ones(rounds),
        "odds of halting by round": position,
        "odds of halting by ε": rise / rise[-1] if rise[-1] > 0 else np.zeros(rounds),
        "odds of halting by utility": np.tanh(margins * np.array(design.epsilons) / 4),
    }
