"""Checks of private stopping: nothing shown after the stop, the releases up to it, and the halt given the releases."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.named_alternatives import SHAPES, fresh_ratio, shape_ratios
from nrverify.auditing.core.picture_limits import frequencies
from nrverify.auditing.core.picture_sums import Frequencies
from nrverify.auditing.core.pictures import Picture
from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.rosenblatt import ROUNDING
from nrverify.auditing.core.score_bins import CELL_WEIGHTS, cell_counts, fine_counts
from nrverify.auditing.core.value_in_clear import BareValues
from nrverify.auditing.noise_reduction.checks.law import FRESH
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.auditing.private_stopping.halting_law import FAULTS, Pattern, faults_of, patterns_of
from nrverify.auditing.threshold.halting_bets import conclude_halting
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth

Floats = NDArray[np.float64]

WITHOUT_NOISE = "releases without noise"
ANEW = "another release at the same time"


class StoppingProtocol:
    """Nothing is shown after the stop, every release is a finite number, and a time that comes again is the same.

    Catches a release or a bit after the first 1, which the charge at the stop does not cover, releases that are NaN or
    infinite, and new noise at a time already answered. Misses everything about the laws.
    """

    id = "stopping.protocol"
    kind = "protocol"
    claims: tuple[str, ...] = ("R01",)

    def __init__(self) -> None:
        self.runs = 0
        self.broken = 0
        self.example: str | None = None

    def observe(self, runs: Stopped) -> None:
        """Counts runs that showed more, or no number."""
        self.runs += runs.cells.size
        faults = [*runs.after_halt]
        improper = ~np.isfinite(runs.releases) & runs.present[:, :, None]
        if improper.any():
            faults.append(f"the release {float(runs.releases[improper][0])!r}")
        faults += [ANEW] * int(_drawn_anew(runs).sum())
        self.broken += len(faults)
        if faults and self.example is None:
            self.example = faults[0]

    def fresh(self) -> StoppingProtocol:
        """The same before anything was seen."""
        return StoppingProtocol()

    def merge(self, other: StoppingProtocol) -> None:
        """Adds up the counts, and keeps the first example."""
        self.runs += other.runs
        self.broken += other.broken
        self.example = self.example or other.example

    def refuted(self, alpha: float) -> bool:
        """Whether one run showed more: that has no probability at all."""
        return self.broken > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.REFUTED if self.broken else CheckVerdict.CONSISTENT,
            self.claims,
            samples=self.runs,
            alpha=alpha,
            detectable="a single run that shows more",
            expected="finite releases, the same at the same time, and nothing after the first 1",
            observed=None if self.example is None else f"{self.example}, and {self.broken - 1} more",
        )


def _drawn_anew(runs: Stopped) -> NDArray[np.bool_]:
    """Where a time that comes twice, one after the other, has two releases: (n, k − 1)."""
    again = np.diff(runs.design.schedule) == 0
    scale = np.abs(runs.releases[:, 1:]) + np.abs(runs.design.array)
    with np.errstate(invalid="ignore"):
        changed = np.abs(np.diff(runs.releases, axis=1)) > ROUNDING * scale
    return np.asarray(again & changed.any(axis=2))


class StoppingReleases(LawCheck):
    """The releases up to the stop: each one, given those before and that it was not stopped, follows the bridge.

    Catches a wrong scale or bridge, noise drawn afresh, and releases that depend on the threshold's noise: a run that
    went on would betray it. Misses faults of releases never reached.
    """

    id = "stopping.releases"
    claims: tuple[str, ...] = ("B01", "R11")

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "variance of the first release": (3.0, ScaleWealth()),
            "centre of the first release": (2.0, MeanWealth()),
            "variance of a release given the one before": (4.0, ScaleWealth()),
            "centre of a release given the one before": (2.0, MeanWealth()),
            "memory of the release before": (3.0, MeanWealth(slopes=True)),
            "dependence on the innovation before": (2.0, MeanWealth(slopes=True)),
            "distribution of the first release": (1.0, CellWealth(CELL_WEIGHTS)),
            "distribution given the release before": (1.0, CellWealth(CELL_WEIGHTS)),
            "shape of the releases": (2.0, RatioWealth(SHAPES)),
            "alternative": (3.0, RatioWealth([FRESH])),
            WITHOUT_NOISE: (1.0, BareValues()),
            "correlation between coordinates": (2.0, MeanWealth(slopes=True)),
            "correlation between coordinates two apart": (1.0, MeanWealth(slopes=True)),
        }
        super().__init__(families)

    def observe(self, runs: Stopped) -> None:
        """Bets on the innovations of every round that was reached, and that none is the value itself."""
        found = runs.innovations
        if found is None:
            return
        self.sessions += found.z.shape[0]
        first = found.z[:, 0].ravel()
        rest = np.moveaxis(found.z[:, 1:], 1, 0)
        here = np.isfinite(rest)
        past = np.moveaxis(found.past[:, 1:], 1, 0)[here]
        before = np.nan_to_num(np.moveaxis(found.z[:, :-1], 1, 0))[here]
        later = rest[here]
        self.count += first.size + later.size
        self._scale("variance of the first release", first)
        self._mean("centre of the first release", first)
        self._cells("distribution of the first release", cell_counts(fine_counts(first)))
        self._scale("variance of a release given the one before", later)
        self._mean("centre of a release given the one before", later)
        self._mean("memory of the release before", later, past)
        self._mean("dependence on the innovation before", later, before)
        self._cells("distribution given the release before", cell_counts(fine_counts(later)))
        self._ratios("shape of the releases", shape_ratios(np.concatenate([first, later])))
        for apart, name in ((1, ""), (2, " two apart")):
            if found.z.shape[2] > apart:
                left, right = found.filled[..., :-apart], found.filled[..., apart:]
                both = found.present[..., :-apart] & found.present[..., apart:]
                energy = float((left * left * both).sum())
                self._products(f"correlation between coordinates{name}", float((left * right).sum()), energy)
        bare = self.portfolio[WITHOUT_NOISE]
        assert isinstance(bare, BareValues)
        bare.add(runs.releases, np.array(runs.design.value, dtype=float), np.sqrt(runs.design.schedule))
        fresh = np.moveaxis(found.fresh[:, 1:], 1, 0)
        self._ratios("alternative", {FRESH: fresh_ratio(fresh[np.isfinite(fresh)])})


class StoppingLaw:
    """The halt given the releases: bits follow the exact law with u_n = utility(release_n) and ε_n = ψ(T_n).

    Catches ε's other than ψ(T_n), utilities of a wrong round or of the exact value, wrong or missing noise, and noise
    shared with the releases, which moves the odds of halting with the innovation of the release. Misses faults that
    show only for utilities outside the battery.
    """

    id = "stopping.law"
    kind = "law"
    claims: tuple[str, ...] = ("R05", "R11")

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {"named faults": (6.0, RatioWealth(FAULTS))}
        families |= {name: (weight, _halts(name)) for name, weight in COVARIATES.items()}
        self.portfolio = Portfolio(families)
        self.frequencies = Frequencies("Halts", "exact probability of a halt given the releases")
        self.runs = 0

    def observe(self, runs: Stopped) -> None:
        """Bets on the bits of every round, given the releases."""
        found = runs.innovations
        if found is None:
            return
        self.runs += runs.cells.size
        ratios = dict.fromkeys(FAULTS, 0.0)
        hazard = np.full(runs.present.shape, np.nan)
        for pattern, rows in patterns_of(runs):
            hazard[rows] = pattern.hazard
            for name, total in _ratios(runs.design, pattern, runs.cells[rows]).items():
                ratios[name] += total
        cast(RatioWealth, self.portfolio["named faults"]).bet(ratios)
        rounds = runs.present.shape[1]
        halted = np.arange(rounds) == runs.cells[:, None]
        innovation = np.nan_to_num(found.z[:, :, 0])
        utility = np.where(runs.present, runs.design.utility.of(np.nan_to_num(runs.releases)), 0.0)
        margin = (utility - runs.design.threshold) / runs.design.utility_sensitivity
        covariates = {
            "odds of halting": np.ones(hazard.shape),
            "odds of halting by round": np.broadcast_to(np.arange(rounds) / max(rounds - 1, 1) - 0.25, hazard.shape),
            "odds of halting by utility": np.tanh(margin * np.array(runs.design.epsilons) / 4),
            "odds of halting by the noise of the release": np.clip(innovation, -3, 3) / 2,
            "odds of halting by the size of that noise": np.clip(np.abs(innovation), 0, 3) - 0.8,
            "odds of halting by the noise of the release before": np.clip(np.roll(innovation, 1, axis=1), -3, 3) / 2,
        }
        covariates["odds of halting by the noise of the release before"][:, 0] = 0.0
        # Round by round over all runs: what a bit is compared with has then been seen before it.
        here = runs.present.T
        self.frequencies.add(halted.T[here], hazard.T[here])
        for name, covariate in covariates.items():
            cast(TieWealth, self.portfolio[name]).bet(halted.T[here], hazard.T[here], covariate.T[here])

    def fresh(self) -> StoppingLaw:
        """The same before the first bet."""
        return StoppingLaw()

    def merge(self, other: StoppingLaw) -> None:
        """Takes in what another has seen."""
        self.portfolio.merge(other.portfolio)
        self.frequencies.merge(other.frequencies)
        self.runs += other.runs

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """How often it halted, by the exact probability of the halt."""
        return frequencies(self.frequencies, alpha)

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, or consistent with the shift of a halting probability that would have been caught."""
        expected = "the exact law of the halt given the releases"
        return conclude_halting(self, self.portfolio, "named faults", self.runs, alpha, expected)


COVARIATES = {
    "odds of halting": 3.0,
    "odds of halting by round": 2.0,
    "odds of halting by utility": 2.0,
    "odds of halting by the noise of the release": 3.0,
    "odds of halting by the size of that noise": 1.0,
    "odds of halting by the noise of the release before": 1.0,
}
"""What the odds of halting may depend on, and the weight of the bet on it."""


def _halts(name: str) -> TieWealth:
    return TieWealth(event="halts", along=name != "odds of halting")


def _ratios(design: StoppingDesign, pattern: Pattern, cells: NDArray[np.int64]) -> dict[str, float]:
    counts = np.bincount(cells, minlength=pattern.law.size)
    return {
        name: float(np.dot(counts, np.log(fault / pattern.law, where=pattern.law > 0, out=np.zeros_like(fault))))
        for name, fault in faults_of(design, pattern.utilities).items()
    }
