"""AboveThreshold and ReducedAboveThreshold: is a utility above a threshold, answered privately (Algorithm rat)."""

from __future__ import annotations

import numpy as np

from nrverify.reference.arguments import finite, number, positive
from nrverify.reference.noise_reduction import Rng
from nrverify.reference.reverse_steps import LAPLACE, Path

HALTED = "it has halted: after the first True there are no more answers; start a new session"


class AboveThreshold:
    """Answers True, and halts, at the first u + ξ ≥ τ + ζ, with ζ ~ Lap(2Δ/ε) once and ξ ~ Lap(4Δ/ε) for each u.

    Parameters
    ----------
    epsilon
        What all answers together cost.
    threshold
        τ, which utilities are compared with.
    sensitivity
        Δ: how far a utility may move between neighbouring data.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import AboveThreshold
    >>> answering = AboveThreshold(epsilon=10.0, threshold=5.0, sensitivity=1.0, rng=1)
    >>> [answering.answer(utility) for utility in (0.0, 2.0, 9.0)]
    [False, False, True]
    >>> answering.halted
    True
    """

    def __init__(self, epsilon: float, threshold: float, sensitivity: float, rng: Rng = None) -> None:
        self._rng = np.random.default_rng(rng)
        scale = positive("sensitivity", sensitivity) / positive("epsilon", epsilon)
        self._query_scale = positive("4·sensitivity/epsilon", 4 * scale)
        self._noisy_threshold = finite("threshold", threshold) + self._rng.laplace(scale=2 * scale)
        self._halted = False

    @property
    def halted(self) -> bool:
        """Whether it has answered True."""
        return self._halted

    def answer(self, utility: float) -> bool:
        """Whether the utility is above the threshold, noise added to both; ValueError after it has halted."""
        if self._halted:
            raise ValueError(HALTED)
        utility = number("utility", utility)
        self._halted = bool(utility + self._rng.laplace(scale=self._query_scale) >= self._noisy_threshold)
        return self._halted


class ReducedAboveThreshold:
    """Answers True, and halts, at the first u_n + ξ_n ≥ τ + ζ_n, at ε's that never decrease.

    ζ_n is the Laplace process at time 2Δ/ε_n, so that the threshold's noise is reduced and never redrawn;
    ξ_n ~ Lap(4Δ/ε_n) afresh. At equal ε's this is AboveThreshold.

    Parameters
    ----------
    threshold
        τ, which utilities are compared with.
    sensitivity
        Δ: how far a utility may move between neighbouring data.
    rng
        A numpy generator or a seed; by default seeded by the operating system.

    Examples
    --------
    >>> from nrverify import ReducedAboveThreshold
    >>> answering = ReducedAboveThreshold(threshold=5.0, sensitivity=1.0, rng=1)
    >>> [answering.answer(u, epsilon) for u, epsilon in ((0.0, 5.0), (2.0, 10.0), (9.0, 20.0))]
    [False, False, True]
    """

    def __init__(self, threshold: float, sensitivity: float, rng: Rng = None) -> None:
        self._threshold = finite("threshold", threshold)
        self._sensitivity = positive("sensitivity", sensitivity)
        self._rng = np.random.default_rng(rng)
        self._threshold_noise = Path(LAPLACE, (), self._rng)
        self._epsilon = 0.0
        self._halted = False

    @property
    def halted(self) -> bool:
        """Whether it has answered True."""
        return self._halted

    def answer(self, utility: float, epsilon: float) -> bool:
        """Whether the utility is above the threshold at level ε; a ValueError leaves the session as it was."""
        if self._halted:
            raise ValueError(HALTED)
        utility = number("utility", utility)
        epsilon = positive("epsilon", epsilon)
        if epsilon < self._epsilon:
            raise ValueError(
                f"epsilon is {epsilon!r} after {self._epsilon!r}: it must not decrease; "
                "noise once removed from the threshold cannot be put back"
            )
        query_scale = positive("4·sensitivity/epsilon", 4 * self._sensitivity / epsilon)
        zeta = self._threshold_noise.at(2 * self._sensitivity / epsilon).item()
        xi = self._rng.laplace(scale=query_scale)
        self._epsilon = epsilon
        self._halted = bool(utility + xi >= self._threshold + zeta)
        return self._halted
