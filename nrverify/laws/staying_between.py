"""The law of a release between two others of a process that stays or jumps: Laplace, and discrete Laplace, noise.

Given X_l and X_u at l < s < u, X_s either stayed at X_l, or X_s - X_l is a fresh draw at s seen through the reverse
kernel from s to u: a mixture of a point and of a bridge that starts at X_l in the place of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nrverify.laws.process import Law, Size
from nrverify.laws.validation import times as arguments
from nrverify.laws.validation.times import Floats


@dataclass(frozen=True, eq=False)
class StayingBetween:
    """X_s given X_l = at_low and X_u: at_low with weight `stay`, else at_low + a draw of `step`, of weight `move`."""

    at_low: Floats
    stay: Floats
    move: Floats
    """1 - stay, without cancellation."""
    step: Law
    """The bridge from u, given X_u - X_l."""
    integer: bool
    """Whether the weight of staying is in the pmf, and so no atom."""

    @property
    def atom_low(self) -> Any:
        """The weight of the point at_low; 0 for integer noise, whose weights are all in the log-pmf."""
        return np.zeros(self.stay.shape)[()] if self.integer else self.stay[()]

    @property
    def atom_high(self) -> Any:
        """The weight of the point X_u; where that is at_low, it is counted there."""
        return (self.move * np.asarray(self.step.atom))[()]

    def logpdf(self, x: ArrayLike) -> Any:
        """log of the density of the continuous part; for integer noise the log-pmf, with the weight of staying."""
        distance = arguments.points(x, self.at_low) - self.at_low
        with np.errstate(divide="ignore"):
            moved = np.log(self.move) + self.step.logpdf(distance)
            if not self.integer:
                return np.asarray(moved)[()]
            return np.where(distance == 0, np.logaddexp(np.log(self.stay), moved), moved)[()]

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""
        distance = arguments.points(x, self.at_low) - self.at_low
        return (np.where(distance >= 0, self.stay, 0.0) + self.move * self.step.cdf(distance))[()]

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x)."""
        distance = arguments.points(x, self.at_low) - self.at_low
        return (np.where(distance > 0, self.stay, 0.0) + self.move * self.step.cdf_left(distance))[()]

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""
        distance = arguments.points(x, self.at_low) - self.at_low
        return (np.where(distance < 0, self.stay, 0.0) + self.move * self.step.sf(distance))[()]

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """at_low, or at_low + a draw of the bridge."""
        shape = arguments.shape(size, self.at_low, self.stay)
        moves = arguments.generator(rng).random(shape) < self.move
        drawn = self.at_low + np.where(moves, self.step.rvs(rng, shape), 0)
        return drawn.astype(np.int64)[()] if self.integer else drawn[()]
