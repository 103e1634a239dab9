"""The law of increments when the times are not known: Brownian noise has independent Gaussian increments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.picture_limits import Estimate, correlation_limits, dots_of
from nrverify.auditing.core.pictures import Dots, Picture
from nrverify.auditing.core.portfolio_check import FEWEST_SESSIONS
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.batch import Batch

Floats = NDArray[np.float64]

LEARNING = 40
"""Sessions of a case before the first bet: a covariance is learned on them."""


class IncrementLaw:
    """A less noisy release and the step to the noisier one before it are independent, whatever their variances.

    The joint law learned on earlier sessions (a Gaussian with any covariance) is bet against the best law with
    independent centred increments (universal inference: valid for unknown variances, at every look). Catches noise
    drawn afresh, a wrong bridge and a wrong centre when the times behind an ε are not known. Misses wrong shapes.
    """

    id = "law.increments"
    kind = "law"
    claims: tuple[str, ...] = ("B01", "P12")

    def __init__(self) -> None:
        self.sessions = 0
        self._pairs: dict[tuple[str, int], _PairModel] = {}

    def observe(self, batch: Batch) -> None:
        """Adds up every pair of consecutive, different requests of a fixed schedule; the bets are made at the merge."""
        if not batch.case.fixed:
            return
        self.sessions += batch.sessions
        asked = batch.asked[0]
        for position in range(1, asked.size):
            if asked[position] == asked[position - 1]:
                continue
            release = batch.noise[:, position].ravel()
            step = (batch.noise[:, position - 1] - batch.noise[:, position]).ravel()
            model = self._pairs.setdefault((batch.case.name, position), _PairModel())
            model.add(np.stack([release, step], axis=1))

    def fresh(self) -> IncrementLaw:
        """The same before anything was seen."""
        return IncrementLaw()

    def merge(self, other: IncrementLaw) -> None:
        """Bets on what another has added up with what was learned before, then learns from it."""
        self.sessions += other.sessions
        for key, model in other._pairs.items():
            self._pairs.setdefault(key, _PairModel()).bet(model)

    @property
    def log_e(self) -> float:
        """log of the average e-value over pairs."""
        if not self._pairs:
            return 0.0
        found = np.array([model.log_e for model in self._pairs.values()])
        return float(np.logaddexp.reduce(found) - np.log(max(len(found), 64)))

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.log_e >= -np.log(alpha))

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """The correlation of a release and the step to it, at every step of every fixed schedule."""
        rows = [
            Estimate(f"{name}, release {position + 1}", model.correlation, correlation_limits(model), 0.0)
            for (name, position), model in self._pairs.items()
            if model.count > LEARNING
        ]
        dots = dots_of(rows, alpha)
        return (
            (Dots("A release and the step to it", "correlation", dots, "Limits by Student's law of a correlation."),)
            if dots
            else ()
        )

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict, with the correlation that would have been seen."""
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        if verdict is CheckVerdict.CONSISTENT and self.sessions < FEWEST_SESSIONS:
            verdict = CheckVerdict.INCONCLUSIVE
        worst = max(self._pairs.values(), key=lambda model: model.log_e, default=None)
        least = min((model.count for model in self._pairs.values()), default=0)
        resolution = np.sqrt(-2 * np.log(alpha / 64) / max(least, 1))
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.sessions,
            e_value=float(np.exp(min(self.log_e, 700.0))),
            alpha=alpha,
            detectable=f"correlation off by {min(resolution, 1.0):.2g}",
            expected="correlation 0 between a release's noise and the step to it, both centred",
            observed=None
            if worst is None or worst.count < 2
            else f"correlation {worst.correlation:.3g}, centre {worst.centre:.3g} sd",
        )


class _PairModel:
    """Second moments of (release, step), and the bet of the learned law against independent centred increments."""

    def __init__(self) -> None:
        self.count = 0
        self.moments = np.zeros((3, 3))
        self._bet_count = 0
        self._bet_squares = np.zeros(2)
        self._predicted = 0.0

    def add(self, pairs: Floats) -> None:
        """Takes in pairs without a bet."""
        design = np.column_stack([np.ones(len(pairs)), pairs])
        self.moments += design.T @ design
        self.count += len(pairs)

    def bet(self, other: _PairModel) -> None:
        """Bets on another's pairs, of which the moments are enough, with what was learned before; then learns."""
        if self.count >= LEARNING:
            mean, covariance = self._learned()
            _, log_determinant = np.linalg.slogdet(covariance)
            shifted = np.column_stack([-mean, np.eye(2)])
            scatter = shifted @ other.moments @ shifted.T
            squares = float(np.sum(np.linalg.inv(covariance) * scatter))
            self._predicted -= 0.5 * squares + 0.5 * other.count * float(log_determinant)
            self._bet_count += other.count
            self._bet_squares += np.diag(other.moments)[1:]
        self.moments += other.moments
        self.count += other.count

    @property
    def log_e(self) -> float:
        """Predicted log-likelihood minus the largest one under independent centred increments (2π left out of both)."""
        if self._bet_count == 0:
            return 0.0
        # Without any noise the likelihood is infinite whatever was predicted: nothing is won.
        with np.errstate(divide="ignore"):
            best = -0.5 * self._bet_count * float(np.sum(np.log(self._bet_squares / self._bet_count) + 1.0))
        return self._predicted - best

    @property
    def correlation(self) -> float:
        """Between the release's noise and the step."""
        _, covariance = self._learned()
        return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))

    @property
    def centre(self) -> float:
        """The mean of the release's noise in standard deviations."""
        mean, covariance = self._learned()
        return float(mean[0] / np.sqrt(covariance[0, 0]))

    def _learned(self) -> tuple[Floats, Floats]:
        mean = self.moments[0, 1:] / self.count
        covariance = self.moments[1:, 1:] / self.count - np.outer(mean, mean)
        return mean, covariance + 1e-12 * np.trace(covariance) * np.eye(2)
