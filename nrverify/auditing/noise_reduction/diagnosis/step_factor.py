"""The factor by which the step of a bridge has a wrong variance: powers of its two times, found by regression.

Every slip in the formula √(s(t−s)/t) multiplies the variance of the step from t to s by a product of powers of s, t and
t − s. The logarithm of the squared innovations, regressed on the logarithms of these, names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NAMES = ("s", "t", "(t−s)")
POWERS = np.arange(-2.0, 2.5, 0.5)
"""That formulas have: whole ones and halves."""
OF_A_POWER, OF_AN_ODD_ONE = 3.0, 2.0
"""Log-likelihood that a power must be worth, and as much again if it is a half, or more than 1."""
CLEARLY = 3.0
"""Log-likelihood by which one factor must beat all others to be named."""
FEWEST_STEPS = 8
"""Different steps below which powers of three times cannot be told apart."""
SLIPS: dict[tuple[float, float, float], str] = {
    (0.0, -1.0, 0.0): "a division by t outside the square root?",
    (0.0, 1.0, 0.0): "no division by t?",
    (-1.0, 0.0, 0.0): "a factor s left out?",
    (-0.5, 0.5, -0.5): "a square root taken twice?",
    (1.0, -1.0, 1.0): "no square root?",
    (-1.0, 1.0, 0.0): "the variance t − s of the difference?",
    (0.0, 1.0, -1.0): "the variance s of a whole release?",
    (-1.0, 2.0, -1.0): "the variance t of the release before?",
    (1.0, -1.0, 0.0): "one factor s/t too many?",
    (-2.0, 2.0, 0.0): "s and t exchanged?",
}
"""What may have been written, by the powers of s, t and t − s."""


@dataclass(frozen=True)
class StepFactor:
    """The right variance is multiplied by s^a · t^b · (t−s)^c."""

    powers: tuple[float, float, float]
    """As formulas have them."""
    estimates: tuple[float, float, float]
    """By regression on the times that have a power."""
    errors: tuple[float, float, float]

    def at(self, times: Floats) -> Floats:
        """The factor of each step between falling times."""
        s, t = times[1:], times[:-1]
        a, b, c = self.powers
        return np.asarray(s**a * t**b * (t - s) ** c)

    @property
    def cost(self) -> float:
        """Log-likelihood by which it is held back."""
        return float(_cost(np.array([self.powers]))[0])

    @property
    def words(self) -> str:
        """The factor with its errors, and what may have been written."""
        factor = " · ".join(
            f"{name}^{estimate:.2f} ± {error:.2f}".replace("-", "−")
            for name, power, estimate, error in zip(NAMES, self.powers, self.estimates, self.errors, strict=True)
            if power != 0
        )
        slip = f" ({SLIPS[self.powers]})" if self.powers in SLIPS else ""
        return f"the step from t to s has the right variance times {factor}{slip}"


def step_factor(steps: Iterable[tuple[float, float, int, float]]) -> StepFactor | None:
    """From steps (t, s, count, ratio), ratio the variance seen over the right one; None where no factor stands out."""
    rows = np.array([step for step in steps if step[2] > 0 and step[3] > 0 and step[1] < step[0]], dtype=float)
    if len(rows) < FEWEST_STEPS:
        return None
    t, s, count, ratio = rows.T
    logs = np.column_stack([np.log(s), np.log(t), np.log(t - s)])
    candidates = np.array(list(product(POWERS, repeat=3)))
    factors = candidates @ logs.T
    # The likelihood of normal steps whose variance is that factor times the right one.
    likelihoods = -0.5 * (count * (factors + ratio * np.exp(-factors))).sum(axis=1) - _cost(candidates)
    order = np.argsort(-likelihoods)
    best, second = order[:2]
    if not candidates[best].any() or likelihoods[best] < likelihoods[second] + CLEARLY:
        return None
    powers = candidates[best]
    estimates, errors = _regression(logs[:, powers != 0], np.log(ratio) + 1 / count, 0.5 * count)
    found, spread = np.zeros(3), np.zeros(3)
    found[powers != 0], spread[powers != 0] = estimates, errors
    return StepFactor(_three(powers), _three(found), _three(spread))


def _cost(powers: Floats) -> Floats:
    """What each of some powers (n, 3) is held back by."""
    odd = (powers != np.rint(powers)) | (np.abs(powers) > 1)
    return np.asarray(OF_A_POWER * (powers != 0).sum(axis=1) + OF_AN_ODD_ONE * odd.sum(axis=1))


def _regression(logs: Floats, y: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Weighted least squares, and their errors.

    The logarithm of a mean of n squared normals varies by about 2/n, and lies 1/n below that of the variance.
    """
    root = np.sqrt(weight)
    weighted = logs * root[:, None]
    covariance = np.linalg.inv(weighted.T @ weighted)
    return covariance @ weighted.T @ (y * root), np.sqrt(np.diag(covariance))


def _three(numbers: Floats) -> tuple[float, float, float]:
    a, b, c = (float(number) + 0.0 for number in numbers)
    return a, b, c
