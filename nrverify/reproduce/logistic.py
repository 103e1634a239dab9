"""Regularised logistic regression by output perturbation (Section 6; claims E01, E07).

F(β) = (1/n) Σ log(1 + exp(−y_i⟨x_i, β⟩)) + λ‖β‖²/2, rows of unit norm; the minimiser is released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.data.kdd import Events
from nrverify.reproduce.sensitivities import logistic_radius
from nrverify.reproduce.settings import REGULARISATION, TARGETS, Utility
from nrverify.reproduce.task import into_ball, unit_rows


@dataclass(frozen=True)
class Logistic:
    """Signed rows y_i·x_i, each different one once with its weight; and the minimiser."""

    signed: Floats
    weights: Floats
    minimiser: Floats
    rows: int
    radius: float
    utility: Utility
    target: float = TARGETS["logistic"]

    @property
    def values(self) -> tuple[Floats, ...]:
        """The minimiser."""
        return (self.minimiser,)

    @property
    def best(self) -> float:
        """The least regularised loss."""
        return float(self.losses(self.minimiser[np.newaxis])[0])

    def estimates(self, releases: Sequence[Floats]) -> Floats:
        """The noisy minimiser, projected to the ball that is known to hold the true one."""
        return into_ball(releases[0], self.radius)

    def losses(self, estimates: Floats) -> Floats:
        """F, with log(1 + e^{−m}) = max(−m, 0) + log(1 + e^{−|m|})."""
        margins = estimates @ self.signed.T
        size = np.abs(margins)
        excess = 0.5 * (size - margins)
        np.negative(size, out=size)
        np.exp(size, out=size)
        excess += np.log1p(size, out=size)
        penalty = 0.5 * REGULARISATION * np.square(estimates).sum(axis=-1)
        return np.asarray(excess @ self.weights + penalty)

    def units(self, estimates: Floats) -> Floats:
        """‖β‖/n: margins lie in [−‖β‖, ‖β‖], and the logistic loss falls by exactly ‖β‖ across them (E07)."""
        norms = np.linalg.norm(estimates, axis=-1)
        return np.asarray(norms / self.rows if self.utility == "own" else np.full_like(norms, self.radius / self.rows))


def logistic_task(events: Events, utility: Utility, radius: float | None = None) -> Logistic:
    """The task on a sample of events."""
    rows = len(events.signs)
    signed, counts = np.unique(unit_rows(events.features) * events.signs[:, np.newaxis], axis=0, return_counts=True)
    weights = counts / rows
    minimiser = minimise(signed, weights)
    return Logistic(signed, weights, minimiser, rows, logistic_radius() if radius is None else radius, utility)


def minimise(signed: Floats, weights: Floats) -> Floats:
    """argmin of Σ w_i log(1 + exp(−⟨z_i, β⟩)) + λ‖β‖²/2, to a gradient of norm below 1e-10.

    L-BFGS comes near, Newton's method ends: the Hessian is at least λ, so the gradient bounds the distance.
    """

    def value_and_gradient(beta: Floats) -> tuple[float, Floats]:
        margins = signed @ beta
        value = weights @ np.logaddexp(0.0, -margins) + 0.5 * REGULARISATION * beta @ beta
        return float(value), REGULARISATION * beta - (weights * expit(-margins)) @ signed

    beta = minimize(value_and_gradient, np.zeros(signed.shape[1]), jac=True, method="L-BFGS-B").x
    for _ in range(20):
        gradient = value_and_gradient(beta)[1]
        if np.linalg.norm(gradient) < 1e-10:
            break
        share = expit(signed @ beta)
        curvature = (signed.T * (weights * share * (1 - share))) @ signed
        beta = beta - np.linalg.solve(curvature + REGULARISATION * np.eye(beta.size), gradient)
    return np.asarray(beta)
