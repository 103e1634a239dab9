"""Checks of a threshold mechanism: its protocol, and the law of the round in which it halts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy

from nrverify.auditing.core.picture_limits import shares
from nrverify.auditing.core.pictures import Bars, Picture
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.faulty_laws import FAULTS, claimed_law, faulty_laws
from nrverify.auditing.threshold.halting_bets import HaltingCells, HazardWealth, conclude_halting
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import CellWealth, RatioWealth

Floats = NDArray[np.float64]

POOLED = "all runs"
MOST_PICTURES, MOST_ROUNDS = 4, 12
MISFIT = 1e-6
"""A named fault is no explanation where what was seen is less likely than this under it."""
FEWEST_EXPECTED, HARDLY_ANY = 5.0, 1e-9


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

    def fresh(self) -> ThresholdProtocol:
        """The same before anything was seen."""
        return ThresholdProtocol()

    def merge(self, other: ThresholdProtocol) -> None:
        """Adds up the counts, and keeps the first example."""
        self.runs += other.runs
        self.broken += other.broken
        self.example = self.example or other.example

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


class ThresholdLaw:
    """The law of the halting round against the exact law, for a designed battery of utilities and ε's.

    Catches wrong scales of either noise, a threshold drawn anew, dropped or not reduced as the process says, noise
    shared by rounds or by runs of a request, ε's or utilities of a wrong round, a sensitivity or threshold that is
    ignored. Bets on named faults, on odds of halting moved everywhere, by round, ε or utility, on every cell of every
    design, and on runs that follow earlier ones; the methods together and each alone. Misses faults that show at no
    utility or ε of the battery.
    """

    id = "threshold.law"
    kind = "law"
    claims: tuple[str, ...] = ("R02", "R05")

    def __init__(self, designs: Sequence[Design], methods: Sequence[str]) -> None:
        self.designs = {design.name: design for design in designs}
        self.methods = tuple(methods)
        self.runs = 0
        self.tallies: dict[tuple[str, str], Floats] = {}
        self.distant = LagWealth("run")
        self._portfolio: Portfolio | None = None

    def observe(self, runs: Runs) -> None:
        """Counts, for each cell: runs that fell into it, runs that came after such a run, and those of them alike."""
        last, size = runs.cells[:-1], runs.design.rounds + 1
        alike = last[runs.cells[1:] == last]
        tally = np.stack([np.bincount(cells, minlength=size) for cells in (runs.cells, last, alike)]).astype(float)
        self._add(runs.method, runs.design.name, tally)
        scores = runs.scores[:, None]
        self.distant.bet(scores, np.ones(scores.shape, dtype=bool))
        self.runs += runs.cells.size

    def fresh(self) -> ThresholdLaw:
        """The same before anything was seen."""
        return ThresholdLaw(tuple(self.designs.values()), self.methods)

    def merge(self, other: ThresholdLaw) -> None:
        """Adds up the counts."""
        for (method, name), tally in other.tallies.items():
            self._add(method, name, tally)
        self.distant.merge(other.distant)
        self.runs += other.runs

    def _add(self, method: str, name: str, tally: Floats) -> None:
        self.tallies[method, name] = self.tallies.get((method, name), 0.0) + tally
        self._portfolio = None

    @property
    def portfolio(self) -> Portfolio:
        """All bets, on what was counted so far: by all methods together, and by each where there are two."""
        if self._portfolio is None:
            families: dict[str, tuple[float, Wealth]] = {}
            for channel in (POOLED, *self.methods) if len(self.methods) > 1 else (POOLED,):
                weight = 2.0 if channel == POOLED else 1.0
                for name, (share, wealth) in self._bets(channel).items():
                    families[f"{name} ({channel})"] = (share * weight, wealth)
            families["dependence on runs further back"] = (2.0, self.distant)
            self._portfolio = Portfolio(families)
        return self._portfolio

    def _bets(self, channel: str) -> dict[str, tuple[float, Wealth]]:
        named, odds = RatioWealth(FAULTS), {name: HazardWealth() for name in ODDS}
        alike = HazardWealth("a run is like the one before")
        cells = {name: CellWealth(claimed_law(design)) for name, design in self.designs.items()}
        for (method, name), (counts, before, same) in self.tallies.items():
            if channel not in (POOLED, method):
                continue
            law, hazard, log_ratios, covariates = _bettable(self.designs[name])
            at_risk = counts[::-1].cumsum()[::-1][:-1]
            cells[name].bet(counts)
            named.bet({fault: float(np.dot(counts, log_ratio)) for fault, log_ratio in log_ratios.items()})
            for key, covariate in covariates.items():
                odds[key].bet(counts[:-1], at_risk, hazard, covariate)
            alike.bet(same, before, law, np.ones(law.size))
        return {
            "named faults": (6.0, named),
            **{key: (ODDS[key], wealth) for key, wealth in odds.items()},
            "dependence on the run before": (1.0, alike),
            "halting round": (3.0, HaltingCells(cells)),
            **{f"halting round of {name}": (0.3, HaltingCells({name: part})) for name, part in cells.items()},
        }

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, or consistent with the shift of a halting probability that would have been caught."""
        named, expected = f"named faults ({POOLED})", "the exact law of the halting round"
        return conclude_halting(self, self.portfolio, named, self.runs, alpha, expected, self._fits)

    def _fits(self, fault: str) -> bool:
        """Whether the halting rounds, by the method that stands out, are as under a named fault, by their deviance."""
        leading, deviance, freedom = self.portfolio.leading, 0.0, 0
        alone = next((method for method in self.methods if leading.endswith(f"({method})")), None)
        for (method, name), tally in self.tallies.items():
            if alone in (None, method):
                design = self.designs[name]
                moved, cells = _deviance(tally[0], faulty_laws(design).get(fault, claimed_law(design)))
                deviance, freedom = deviance + moved, freedom + cells - 1
        return bool(chdtrc(max(freedom, 1), deviance) > MISFIT)

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """The halting rounds of the designs that stand out most, against the exact law."""
        counts = {name: np.zeros(design.rounds + 1) for name, design in self.designs.items()}
        for (_, name), tally in self.tallies.items():
            counts[name] += tally[0]
        far = {name: _distance(claimed_law(self.designs[name]), seen) for name, seen in counts.items() if seen.any()}
        most = sorted(far, key=lambda name: -far[name])[:MOST_PICTURES]
        return tuple(self._halting_rounds(name, counts[name], alpha / len(most)) for name in most)

    def _halting_rounds(self, name: str, counts: Floats, alpha: float) -> Picture:
        law, total = claimed_law(self.designs[name]), int(counts.sum())
        labels = [*(str(index + 1) for index in range(law.size - 1)), "never"]
        if law.size > MOST_ROUNDS + 2:
            law, counts = (_pooled(values) for values in (law, counts))
            labels = [*labels[:MOST_ROUNDS], "later", "never"]
        rows = [(label, int(seen), total, float(p)) for label, seen, p in zip(labels, counts, law, strict=True)]
        note = f"{total} runs. Limits by Clopper and Pearson."
        return Bars(f"Halting round, {name}", "halting round", "round", shares(rows, alpha), note)


ODDS = {
    "odds of halting": 3.0,
    "odds of halting by round": 3.0,
    "odds of halting by ε": 2.0,
    "odds of halting by utility": 1.0,
}
"""What the odds of halting may depend on, and the weight of the bet on it."""


def _pooled(values: Floats) -> Floats:
    """The first rounds, all later ones together, and never."""
    return np.array([*values[:MOST_ROUNDS], values[MOST_ROUNDS:-1].sum(), values[-1]])


def _deviance(counts: Floats, law: Floats) -> tuple[float, int]:
    """2 Σ n log(n/e) over cells in which some are expected, the others as one; and how many cells these are."""
    expected = counts.sum() * law
    usual = expected >= FEWEST_EXPECTED
    seen = np.append(counts[usual], counts[~usual].sum())
    foreseen = np.append(expected[usual], max(float(expected[~usual].sum()), HARDLY_ANY))
    return float(2 * (xlogy(seen, seen / foreseen) - seen + foreseen).sum()), seen.size


def _distance(law: Floats, counts: Floats) -> float:
    """The largest deviation of a cell, in standard deviations."""
    expected = np.maximum(counts.sum() * law, 1e-300)
    return float(np.max(np.abs(counts - expected) / np.sqrt(expected)))


@lru_cache(maxsize=64)
def _bettable(design: Design) -> tuple[Floats, Floats, dict[str, Floats], dict[str, Floats]]:
    """The law, its hazards, the log-ratios of the named faults to it, and the covariates of the odds."""
    law = claimed_law(design)
    reached = law[::-1].cumsum()[::-1]
    log_ratios = {
        name: np.log(fault / law, where=law > 0, out=np.zeros_like(law)) for name, fault in faulty_laws(design).items()
    }
    return law, np.clip(law[:-1] / reached[:-1], 0.0, 1.0), log_ratios, _covariates(design)


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
