"""Guessing the label: ex-post privacy as a bet on which of two values a transcript came from.

A fair coin b chooses the value (1) or its neighbour (0). If the loss exceeds E with probability at most δ, then
E[u | b=1] − E[u e^E | b=0] ≤ δ sup u for any 0 ≤ u ≤ e^{−E}; betting u on b = 1 against odds e^E cannot win on average.
"""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from nrverify.statistics.proportions import clopper_pearson
from nrverify.statistics.wealth import log_average

Floats = NDArray[np.float64]

SHRINKAGES = np.array([1.0, 0.5, 0.2])
"""Shares of the stake that would be best if the prediction were right: less is safer where it is overfitted. Averaging
over nine bets costs at most log 9 nats."""
CAPS = np.array([1.0, 0.3, 0.1])
"""A larger largest stake wins more but pays δ times itself at every bet: with δ > 0, small ones win where the edge is
small."""
FEWEST_FITTED, MOST_FITTED = 100, 40_000
"""With fewer a fit follows the noise and its bets lose; more would hardly improve the few coefficients, and memory
stays bounded."""
REFIT = 1.3
"""Growth between fits: all of them together cost about four times the last one; refitting more often gains little."""


class LabelBets:
    """Bets on the label in both directions, multiplied: on b = 1 against e^E to one, and on b = 0.

    A prediction is above E, or below −E, or neither, and E ≥ 0: so at most one direction stakes anything on a session,
    and 1 plus what both win has mean at most 1 + ½δ(sup u + sup v). Each pays its own price.
    """

    def __init__(self, predictors: int, delta: float, smallest_claim: float) -> None:
        self.sides = tuple(LabelWealth(predictors, delta, smallest_claim) for _ in range(2))

    def bet(self, predicted: Floats, claim: Floats, label: NDArray[np.bool_], counts: Floats | float = 1.0) -> None:
        """Takes in what a `LabelWealth` does."""
        towards, away = self.sides
        towards.bet(predicted, claim, label, counts)
        away.bet(-predicted, claim, ~label, counts)

    @property
    def log_e(self) -> float:
        """log e-value so far: of both directions together, averaged over predictors, shrinkages and caps."""
        towards, away = self.sides
        return log_average((towards.log_wealth + away.log_wealth).ravel())

    def empty_copy(self) -> LabelBets:
        """The same before the first bet."""
        blank = copy(self)
        blank.sides = tuple(side.empty_copy() for side in self.sides)
        return blank

    def merge(self, other: LabelBets) -> None:
        """Merges the sufficient statistics of another."""
        for own, theirs in zip(self.sides, other.sides, strict=True):
            own.log_wealth += theirs.log_wealth


class LabelWealth:
    """Bets with predicted probabilities q of the label against the claim σ(E), over fixed shrinkages and caps."""

    def __init__(self, predictors: int, delta: float | None, smallest_claim: float) -> None:
        """Without a δ stakes are capped and the price is not paid: whoever asks for the wealth takes it off."""
        self.delta = delta
        self.caps = np.array([np.inf]) if delta == 0 else np.exp(-smallest_claim) * CAPS
        self.log_wealth = np.zeros((predictors, SHRINKAGES.size, self.caps.size))

    def bet(self, predicted: Floats, claim: Floats, label: NDArray[np.bool_], counts: Floats | float = 1.0) -> None:
        """Takes in predicted log odds (predictors, n), claimed ε's (n,), labels (n,) and how often each came."""
        # log(q/σ(E)) through log-sigmoids: exact for large ε.
        log_excess = -np.logaddexp(0.0, -predicted) + np.logaddexp(0.0, -claim)
        edge = np.maximum(np.expm1(np.minimum(log_excess, 50.0)), 0.0)
        most = 0.999 * np.exp(-claim)
        for i, shrinkage in enumerate(SHRINKAGES):
            for j, cap in enumerate(self.caps):
                stake = shrinkage * np.minimum(np.minimum(edge, most), cap)
                gain = np.where(label, np.log1p(stake), np.log1p(-np.minimum(stake * np.exp(claim), 0.9995)))
                price = np.log1p(0.5 * self.delta * shrinkage * cap) if self.delta else 0.0
                self.log_wealth[:, i, j] += ((gain - price) * counts).sum(axis=-1)

    def empty_copy(self) -> LabelWealth:
        """The same before the first bet."""
        blank = copy(self)
        blank.log_wealth = np.zeros_like(self.log_wealth)
        return blank

    @property
    def log_e(self) -> float:
        """log e-value so far, averaged over predictors, shrinkages and caps."""
        return log_average(self.log_wealth.ravel())


class Learner:
    """A logistic guess of the label, refitted at a merge when the sample has grown by a third."""

    def __init__(self, coefficients: Floats | None = None, room: int = MOST_FITTED, fitted: int = 0) -> None:
        self.coefficients = coefficients
        self.fitted = fitted
        """How many labels they were learned from."""
        self.features: list[Floats] = []
        self.labels: list[NDArray[np.bool_]] = []
        self._room = room

    def predict(self, features: Floats) -> Floats:
        """Predicted log odds; 0 before the first fit."""
        if self.coefficients is None:
            return np.zeros(len(features))
        return predict_logistic(features, self.coefficients)

    def learn(self, features: Floats, label: NDArray[np.bool_]) -> None:
        """Keeps what there is room for."""
        kept = min(self._room, len(label))
        if kept:
            self.features.append(features[:kept])
            self.labels.append(label[:kept])
            self._room -= kept

    def empty_copy(self) -> Learner:
        """What was learned, without what it was learned from."""
        return Learner(self.coefficients, self._room, self.fitted)

    def merge(self, other: Learner) -> None:
        """Learns from what another has kept."""
        for features, label in zip(other.features, other.labels, strict=True):
            self.learn(features, label)
        have = sum(map(len, self.labels))
        if have >= FEWEST_FITTED and have >= REFIT * self.fitted:
            self.fitted = have
            self.coefficients = fit_logistic(np.concatenate(self.features), np.concatenate(self.labels))


def fit_logistic(features: Floats, label: NDArray[np.bool_], ridge: float = 1.0, steps: int = 12) -> Floats:
    """Ridge-penalised logistic regression by Newton's method; the last coefficient is the intercept."""
    design = np.column_stack([features, np.ones(len(features))])
    coefficients = np.zeros(design.shape[1])
    penalty = ridge * np.eye(design.shape[1])
    for _ in range(steps):
        probability = expit(design @ coefficients)
        gradient = design.T @ (label - probability) - penalty @ coefficients
        hessian = (design * (probability * (1 - probability))[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian, gradient)
        coefficients += step
        if np.max(np.abs(step)) < 1e-9:
            break
    return coefficients


def predict_logistic(features: Floats, coefficients: Floats) -> Floats:
    """Predicted log odds."""
    return np.asarray(features @ coefficients[:-1] + coefficients[-1])


def epsilon_lower_bound(hits: int, total: int, confidence: float) -> float:
    """A lower confidence limit on ε from an event fixed in advance: k of m hits had label 1 (Clopper–Pearson)."""
    if hits == 0 or total == 0:
        return 0.0
    low, _ = clopper_pearson(hits, total, 2 * (1 - confidence))
    return max(0.0, float(logit(low)))
