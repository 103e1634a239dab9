"""What a noise-reduction process is: a centred Markov noise, one coordinate, described by its laws and its loss.

Serves the paper's definition of a noise-reduction mechanism: releases f(x) + X_t at non-increasing times t, whose
privacy loss depends on the least noisy release alone. Coordinates are independent, so every law acts elementwise.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

Size = int | tuple[int, ...] | None


class Law(Protocol):
    """A probability law on the line: a continuous part (or a pmf on the integers) and at most one atom.

    Everything broadcasts elementwise over the parameters of the law and the points asked for.
    """

    @property
    def atom(self) -> Any:
        """The weight of the atom: at `given` for a bridge or a forward law, 0 where there is none."""

    def logpdf(self, x: ArrayLike) -> Any:
        """log of the density of the continuous part at x (for an integer-valued law, of the pmf)."""

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x)."""

    def cdf_left(self, x: ArrayLike) -> Any:
        """P(X < x), the left limit of the cdf."""

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), with relative accuracy in the upper tail."""

    def rvs(self, rng: np.random.Generator, size: Size = None) -> Any:
        """A draw of X; its shape is `size`, or that of the parameters."""


class Process(Protocol):
    """A centred Markov process (X_t), t > 0, whose noise grows with t; 0 < s <= t throughout."""

    def marginal(self, t: ArrayLike) -> Law:
        """The law of X_t."""

    def bridge(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> Law:
        """The law of X_s, the next and less noisy release, given X_t = given."""

    def forward(self, s: ArrayLike, t: ArrayLike, given: ArrayLike) -> Law:
        """The law of X_t given X_s = given."""

    def loss(self, t: ArrayLike, value: ArrayLike, neighbour: ArrayLike, release: ArrayLike) -> Any:
        """log p_t(release - value) - log p_t(release - neighbour).

        Scalars `value` and `neighbour`: elementwise in `release`. Arrays of shape (d,): the last axis of `release` is
        the coordinate axis, the loss is summed over it, and t broadcasts against the other axes.
        """


class TwoSided(Process, Protocol):
    """A process whose releases may be asked for in any order."""

    def between(self, s: ArrayLike, low: ArrayLike, high: ArrayLike, at_low: ArrayLike, at_high: ArrayLike) -> Any:
        """The law of X_s given X_low = at_low and X_high = at_high, low < s < high.

        By the Markov property it is also that given further releases at smaller or larger times. Where it has atoms at
        the two values, `atom_low` and `atom_high` are their weights.
        """
