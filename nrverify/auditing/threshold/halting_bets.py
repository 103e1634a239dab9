"""Bets on the round in which a threshold mechanism halts, and the verdict they come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.results import CheckResult, Judged, from_bets
from nrverify.auditing.core.wording import words_of
from nrverify.statistics.portfolio import Portfolio
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import TIE_EFFECTS, CellWealth, RatioWealth, log_average

Floats = NDArray[np.float64]

FEWEST_RUNS = 1000
WORST_PROBABILITY = 0.05
UNFIT = "no named fault fits"


@dataclass
class HazardWealth:
    """Bets that the odds of an event of known probability p are moved by e^{θh}.

    Σ θh·happened − risked·log(1 + p(e^{θh} − 1)); the event is a halt in round n given that no round before halted, or
    whatever `what` says.
    """

    what: str = "it halts"
    log_wealth: Floats = field(default_factory=lambda: np.zeros(TIE_EFFECTS.size))

    def bet(self, happened: Floats, risked: Floats, probability: Floats, covariate: Floats) -> None:
        """Takes in how often each event happened, and how often it might have."""
        tilt = TIE_EFFECTS[:, None] * covariate
        self.log_wealth += (tilt * happened - risked * np.log1p(probability * np.expm1(tilt))).sum(axis=1)

    def fresh(self) -> HazardWealth:
        """The same before the first bet."""
        return HazardWealth(self.what)

    def merge(self, other: HazardWealth) -> None:
        """Takes in what another has seen."""
        self.log_wealth += other.log_wealth

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return log_average(self.log_wealth)

    def words(self) -> tuple[str, str]:
        """Expected and observed."""
        effect = float(TIE_EFFECTS[int(np.argmax(self.log_wealth))])
        often = "too often" if effect > 0 else "too seldom"
        return (
            "the odds of the claimed law",
            f"{self.what} {often}, by a factor of about {np.exp(effect):.3g} in the odds",
        )


@dataclass(frozen=True)
class HaltingCells:
    """The halting rounds of independent designs, cell by cell: the product of their e-values, itself an e-value."""

    parts: dict[str, CellWealth]

    def fresh(self) -> HaltingCells:
        """The same before the first bet."""
        return HaltingCells({name: part.fresh() for name, part in self.parts.items()})

    def merge(self, other: HaltingCells) -> None:
        """Takes in what another has seen."""
        for name, part in self.parts.items():
            part.merge(other.parts[name])

    @property
    def log_e(self) -> float:
        """log e-value so far."""
        return sum(part.log_e for part in self.parts.values())

    def words(self) -> tuple[str, str]:
        """Expected and observed in the cell that stands out, of the design that stands out."""
        name = max(self.parts, key=lambda design: self.parts[design].log_e)
        weights, counts = self.parts[name].weights, self.parts[name].counts
        total = float(counts.sum())
        cell = int(np.argmax(np.abs(counts - total * weights) / np.sqrt(np.maximum(total * weights, 1e-300))))
        where = f"no halt ({name})" if cell == weights.size - 1 else f"a halt in round {cell + 1} ({name})"
        share = float(counts[cell]) / max(total, 1.0)
        return f"{where} with probability {weights[cell]:.4g}", f"a share of {share:.4g} in {int(total)} runs"


def conclude_halting(
    check: Judged,
    portfolio: Portfolio,
    named: str,
    runs: int,
    alpha: float,
    expected: str,
    fits: Callable[[str], bool] | None = None,
) -> CheckResult:
    """Refuted, or consistent with the shift of a halting probability that would have been caught.

    Where that can be told, `fits` says whether what was seen is as under a named fault.
    """
    log_e = portfolio.log_e
    observed = None
    if log_e >= -np.log(alpha):
        leading = portfolio.leading
        expected, observed = words_of(portfolio, leading)
        suspect = cast(RatioWealth, portfolio[named])
        if fits is not None and not any(fits(name) for name in suspect.likeliest):
            observed = f"{observed}; {UNFIT}, {suspect.best} the nearest"
        elif "named" not in leading and suspect.log_wealth[suspect.best] > 3:
            observed = f"{observed}; the nearest named fault is: {' or '.join(suspect.likeliest)}"
    needed = max(FEWEST_RUNS, int(np.ceil(np.log(2 / alpha) / (2 * WORST_PROBABILITY**2))))
    return from_bets(
        check,
        log_e,
        alpha,
        samples=runs,
        enough=runs >= needed,
        message=None if runs >= needed else f"about {needed} runs of the kinds this check uses would do",
        detectable=f"probability of halting by a given round off by {half_width(runs, alpha):.2g} over the battery",
        expected=expected,
        observed=observed,
    )
