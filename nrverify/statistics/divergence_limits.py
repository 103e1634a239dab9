"""Lower limits on the hockey-stick divergences of two laws, from labelled samples and guesses of the label.

If sup_S P(S) − e^ε P'(S) ≤ δ, a stake of 0 ≤ u(o) ≤ c on the label of P, against e^ε to one, multiplies the wealth
by at most 1 + ½δc on average. What was won does not depend on δ, only its price does: so the largest δ at which the
wealth, once the price is paid, has reached 1/α is a limit that is too high at any look with probability at most α.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from nrverify.statistics.labels import SHRINKAGES, LabelWealth
from nrverify.statistics.wealth import log_average

Floats = NDArray[np.float64]

PRICE = 0.5
"""Of a stake, in units of δ: half of the outputs have the label that the claim is about."""


class DivergenceLimits:
    """Bets on both labels at several ε's, whose price is paid when a limit is asked for."""

    def __init__(self, epsilons: Sequence[float], predictors: int) -> None:
        self.epsilons = tuple(epsilons)
        self.runs = 0
        self._sides = [[LabelWealth(predictors, None, epsilon) for epsilon in self.epsilons] for _ in range(2)]

    @property
    def limits(self) -> int:
        """How many there are: one for each ε and each label."""
        return 2 * len(self.epsilons)

    def bet(self, predicted: Floats, label: NDArray[np.bool_]) -> None:
        """Takes in predicted log odds (predictors, n) that were learned from earlier labels, and labels (n,)."""
        self.runs += label.size
        for odds, own, side in ((predicted, label, self._sides[1]), (-predicted, ~label, self._sides[0])):
            for epsilon, wealth in zip(self.epsilons, side, strict=True):
                wealth.bet(odds, np.full(label.size, epsilon), own)

    def lower(self, alpha: float) -> list[tuple[float, float]]:
        """For each ε the larger of its two limits, each at α; 0 where nothing is excluded."""
        found = zip(self.epsilons, *self._sides, strict=True)
        return [(epsilon, max(self._limit(side, alpha) for side in sides)) for epsilon, *sides in found]

    def _limit(self, wealth: LabelWealth, alpha: float) -> float:
        stakes = PRICE * SHRINKAGES[:, None] * wealth.caps[None]

        def above(delta: float) -> float:
            return log_average((wealth.log_wealth - self.runs * np.log1p(delta * stakes)).ravel()) + math.log(alpha)

        if above(0.0) <= 0:
            return 0.0
        return 1.0 if above(1.0) >= 0 else float(brentq(above, 0.0, 1.0))
