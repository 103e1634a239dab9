"""Ridge regression by covariance perturbation (Section 6; claims E02–E05, E07).

F(β) = (1/2n) Σ (⟨x_i, β⟩ − y_i)² + λ‖β‖²/2, rows of unit norm, 0 ≤ y ≤ 1; XᵀX and Xᵀy are released, and the estimate
solves (XᵀX + nλ)β = Xᵀy with the noisy ones in their place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.data.twitter import Topics
from nrverify.reproduce.sensitivities import ridge_radius
from nrverify.reproduce.settings import REGULARISATION, TARGETS, Solver, Utility
from nrverify.reproduce.task import into_ball, unit_rows


@dataclass(frozen=True)
class Ridge:
    """XᵀX, Xᵀy and yᵀy, which hold all that the loss depends on."""

    gram: Floats
    cross: Floats
    square: float
    rows: int
    radius: float
    utility: Utility
    solver: Solver
    target: float = TARGETS["ridge"]

    @property
    def values(self) -> tuple[Floats, ...]:
        """XᵀX entry by entry, and Xᵀy."""
        return self.gram.ravel(), self.cross

    @property
    def best(self) -> float:
        """The least regularised loss."""
        minimiser = np.linalg.solve(self.gram + self.rows * REGULARISATION * np.eye(self.cross.size), self.cross)
        return float(self.losses(np.asarray(minimiser[np.newaxis], dtype=np.float64))[0])

    def estimates(self, releases: Sequence[Floats]) -> Floats:
        """The solution of the noisy normal equations, projected to the ball that is known to hold the true one."""
        d = self.cross.size
        noisy = releases[0].reshape(-1, d, d)
        solve = _solve_repaired if self.solver == "repaired" else _solve_plain
        return into_ball(solve(noisy, releases[1], self.rows * REGULARISATION), self.radius)

    def losses(self, estimates: Floats) -> Floats:
        """F = (½βᵀXᵀXβ − βᵀXᵀy + ½yᵀy)/n + λ‖β‖²/2."""
        bend = ((estimates @ self.gram) * estimates).sum(axis=-1)
        fit = (0.5 * bend - estimates @ self.cross + 0.5 * self.square) / self.rows
        return np.asarray(fit + 0.5 * REGULARISATION * np.square(estimates).sum(axis=-1))

    def units(self, estimates: Floats) -> Floats:
        """(1 + ‖β‖)²/2n: one record's squared loss lies between 0 and (1 + ‖β‖)²/2 (E07)."""
        norms = np.linalg.norm(estimates, axis=-1)
        reach = norms if self.utility == "own" else np.full_like(norms, self.radius)
        return np.asarray(np.square(1 + reach) / (2 * self.rows))


def ridge_task(topics: Topics, response_limit: float, utility: Utility, solver: Solver) -> Ridge:
    """The task on a sample of topics; y = log(1 + popularity)/log(1 + limit), cut off at 1."""
    x = unit_rows(topics.features)
    y = np.minimum(np.log1p(topics.popularity) / math.log1p(response_limit), 1.0)
    return Ridge(x.T @ x, x.T @ y, float(y @ y), len(y), ridge_radius(), utility, solver)


def _solve_plain(noisy: Floats, cross: Floats, shift: float) -> Floats:
    shifted = noisy + shift * np.eye(cross.shape[-1])
    return np.asarray(np.linalg.solve(shifted, cross[..., np.newaxis])[..., 0])


def _solve_repaired(noisy: Floats, cross: Floats, shift: float) -> Floats:
    """With the nearest semidefinite matrix in place of the noisy one: nothing below `shift` is divided by."""
    eigenvalues, vectors = np.linalg.eigh((noisy + noisy.swapaxes(-1, -2)) / 2)
    turned = np.matmul(vectors.swapaxes(-1, -2), cross[..., np.newaxis])[..., 0]
    return np.asarray(np.matmul(vectors, (turned / (np.maximum(eigenvalues, 0) + shift))[..., np.newaxis])[..., 0])
