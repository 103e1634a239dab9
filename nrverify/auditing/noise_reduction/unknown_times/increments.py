"""The law of increments when the times are not known: Brownian noise has independent Gaussian increments."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.portfolio_check import FEWEST_SESSIONS
from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults.noise import FRESH_NOISE, SHIFTED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.data import Dots, Plot
from nrverify.auditing.core.plots.limits import PlotRow, correlation_limits, dots_of
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    SEVERAL_RELEASES,
    WEIGHT,
    NoiseReductionContext,
    knob_is_epsilon,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.unknown_times.needs import GRID_FINE, TIMES_UNKNOWN
from nrverify.statistics.detectable import detectable_correlation
from nrverify.statistics.estimate import Estimate, Measure

Floats = NDArray[np.float64]

LEARNING = 40
"""Sessions of a case before the first bet: a covariance is learned on them."""
LEARNED = 5
"""Numbers of a normal law of two: two means, two variances, a covariance."""
FIRST_PAIRS, LATER_PAIRS = 64, 1024
"""Half of the weight goes to the first 64 pairs of releases, which the designed schedules have, each with the same
share; the other half to the next 1,024, which dense schedules add. A share is fixed when a pair is first met."""
EXPECTED = "correlation 0 between a release's noise and the step to it, both centred"


@check(
    id="law.increments",
    kind=CheckKind.LAW,
    sentence="A release and the step to it from the noisier one before are independent.",
    claims=("B01", "P12"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=44,
    applies=knob_is_epsilon,
    needs=(
        TIMES_UNKNOWN,
        GRID_FINE,
        SEVERAL_RELEASES,
        Need(lambda context: bool(context.description.family.increments), "its increments have no Gaussian law"),
    ),
    not_covered="without times it is judged on a schedule fixed in advance, with at least two releases",
    expected=EXPECTED,
    templates={
        "correlation": (
            EXPECTED,
            "correlation {observed:.3g}, centre {centre:.3g} standard deviations ({case}, release {release:.0f})",
        )
    },
    decisive=True,
)
class IncrementLaw(Declared):
    """A less noisy release and the step to the noisier one before it are independent, whatever their variances.

    The joint law learned on earlier sessions (a Gaussian with any covariance) is bet against the best law with
    independent centred increments (universal inference: valid for unknown variances, at every look). Catches noise
    drawn afresh, a wrong bridge and a wrong centre when the times behind an ε are not known. Misses wrong shapes.
    """

    def __init__(self) -> None:
        self.sessions = 0
        self._pairs: dict[tuple[str, int], _PairModel] = {}
        """By case and position of the release."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> IncrementLaw:
        """The same for every subject."""
        return cls()

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

    def empty_copy(self) -> IncrementLaw:
        """An empty copy with the same configuration."""
        return IncrementLaw()

    def merge(self, other: IncrementLaw) -> None:
        """Bets on what another has added up with what was learned before, then learns from it: no mere sum."""
        self.sessions += other.sessions
        for key, model in other._pairs.items():
            self._pairs.setdefault(key, _PairModel()).bet(model)

    @property
    def log_e(self) -> float:
        """log of the average e-value over pairs."""
        if not self._pairs:
            return 0.0
        found = np.array([model.log_e for model in self._pairs.values()])
        shares = _log_shares(found.size)
        # What has no share yet keeps its stake: the weights add up to one.
        spent = float(np.exp(shares).sum())
        rest = np.log1p(-spent) if spent < 1 else -np.inf
        return float(np.logaddexp(np.logaddexp.reduce(found + shares), rest))

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.log_e >= -np.log(alpha))

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """The correlation of a release and the step to it, at every step of every fixed schedule."""
        rows = [
            PlotRow(f"{name}, release {position + 1}", model.correlation, correlation_limits(model), 0.0)
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
        return from_bets(
            self,
            self.log_e,
            alpha,
            samples=self.sessions,
            enough=self.sessions >= FEWEST_SESSIONS,
            finding=self._finding(alpha),
            sizes=self._sizes(alpha),
        )

    def _finding(self, alpha: float) -> Finding | None:
        """Correlation and centre of the pair that stands out most; the fault is the larger of the two."""
        seen = {key: model for key, model in self._pairs.items() if model.count > 1}
        if not seen:
            return None
        name, position = max(seen, key=lambda key: seen[key].log_e)
        model = seen[name, position]
        numbers = {"centre": model.centre, "release": position + 1.0}
        error = model.count**-0.5
        estimate = Estimate(Measure.CORRELATION, 0.0, model.correlation, error, model.count, numbers)
        fault = None
        if self.refuted(alpha):
            fault = SHIFTED if abs(model.centre) > abs(model.correlation) else FRESH_NOISE
        return Finding("correlation of a release and the step to it", estimate, fault, texts={"case": name})

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """The correlation that is refuted with probability one half where any one pair of releases has it."""
        shares = _log_shares(len(self._pairs))
        found = [
            model.detectable(-float(np.log(alpha)) - share)
            for model, share in zip(self._pairs.values(), shares.tolist(), strict=True)
        ]
        return (Size("correlation of a release and the step to it", max(found, default=1.0), "correlation"),)


def _log_shares(count: int) -> Floats:
    """Logarithms of the shares of the first so many pairs."""
    shares = np.full(count, -np.inf)
    shares[:FIRST_PAIRS] = -np.log(2 * FIRST_PAIRS)
    shares[FIRST_PAIRS : FIRST_PAIRS + LATER_PAIRS] = -np.log(2 * LATER_PAIRS)
    return shares


class _PairModel:
    """Second moments of (release, step), and the bet of the learned law against independent centred increments."""

    def __init__(self) -> None:
        self.count = 0
        self.moments = np.zeros((3, 3))
        self._bet_count = 0
        self._bet_squares = np.zeros(2)
        self._predicted = 0.0
        self._regret = 0.0
        """Nats that learning has cost on average: half of one a number, by what was bet on over what was learned."""

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
            self._regret += 0.5 * LEARNED * other.count / self.count
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

    def detectable(self, needed: float) -> float:
        """The correlation with which the bet wins so many nats half of the time."""
        return detectable_correlation(self._bet_count, needed, self._regret)

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
