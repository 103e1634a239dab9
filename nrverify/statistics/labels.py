"""Guessing the label: ex-post privacy as a bet on which of two values a transcript came from.

A fair coin b chooses the value (1) or its neighbour (0). If the loss exceeds E with probability at most δ, then
E[u | b=1] − E[u e^E | b=0] ≤ δ sup u for any 0 ≤ u ≤ e^{−E}; betting u on b = 1 against odds e^E cannot win on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, logsumexp

Floats = NDArray[np.float64]

SHRINKAGES = np.array([1.0, 0.5, 0.2])
CAPS = np.array([1.0, 0.3, 0.1])


class LabelWealth:
    """Bets with predicted probabilities q of the label against the claim σ(E), over fixed shrinkages and caps."""

    def __init__(self, predictors: int, delta: float, smallest_claim: float) -> None:
        self.delta = delta
        self.caps = np.exp(-smallest_claim) * CAPS if delta > 0 else np.array([np.inf])
        self.log_wealth = np.zeros((predictors, SHRINKAGES.size, CAPS.size if delta > 0 else 1))

    def bet(self, predicted: Floats, claim: Floats, label: NDArray[np.bool_]) -> None:
        """Takes in predicted log odds (predictors, n), claimed ε's (n,) and labels (n,)."""
        # log(q/σ(E)) through log-sigmoids: exact for large ε.
        log_excess = -np.logaddexp(0.0, -predicted) + np.logaddexp(0.0, -claim)
        edge = np.maximum(np.expm1(np.minimum(log_excess, 50.0)), 0.0)
        most = 0.999 * np.exp(-claim)
        for i, shrinkage in enumerate(SHRINKAGES):
            for j, cap in enumerate(self.caps):
                stake = shrinkage * np.minimum(np.minimum(edge, most), cap)
                gain = np.where(label, np.log1p(stake), np.log1p(-np.minimum(stake * np.exp(claim), 0.9995)))
                price = np.log1p(0.5 * self.delta * shrinkage * cap) if self.delta > 0 else 0.0
                self.log_wealth[:, i, j] += (gain - price).sum(axis=-1)

    @property
    def log_e(self) -> float:
        """log e-value so far, averaged over predictors, shrinkages and caps."""
        return float(logsumexp(self.log_wealth) - np.log(self.log_wealth.size))


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
    from statsmodels.stats.proportion import proportion_confint

    low, _ = proportion_confint(hits, total, alpha=2 * (1 - confidence), method="beta")
    return max(0.0, float(logit(low)))
