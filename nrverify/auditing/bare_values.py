"""Releases that are the value itself, to the last bit: the noise was forgotten, and the value is in the clear."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BARE = "the value itself"
SHARE = 1e-5
"""Bet on as one number in so many."""
GENEROSITY = 10.0
"""How much more often than it should rounding is allowed to leave nothing of the noise."""
LEAST_CHANCE = 2.0**-31
"""A generator of 32 bits may give 0 itself: that is let pass."""


class BareValues:
    """The bet that a small share of the numbers has no noise.

    Noise of median size m is rounded away with probability at most about the spacing of the value over m; ten times
    that is granted, and a zero in 2^31 numbers.
    """

    def __init__(self) -> None:
        self.log_e = 0.0
        self.bare = self.numbers = 0

    def add(self, releases: Floats, value: Floats) -> None:
        """Takes in releases (n, k, d), NaN after the end of a session, of a value (d,)."""
        bare = releases == value
        numbers = int(np.isfinite(releases).sum())
        self.numbers += numbers
        self.bare += int(bare.sum())
        self.log_e += (numbers - int(bare.sum())) * float(np.log1p(-SHARE))
        for position, coordinate in np.argwhere(bare.any(axis=0)):
            noise = np.abs(releases[:, position, coordinate] - value[coordinate])
            median = float(np.nanmedian(noise))
            spacing = float(np.spacing(np.abs(value[coordinate])))
            chance = max(GENEROSITY * spacing / median, LEAST_CHANCE) if median > 0 else 1.0
            gain = float(np.log(SHARE / chance)) if chance < SHARE else 0.0
            self.log_e += gain * int(bare[:, position, coordinate].sum())

    def words(self) -> tuple[str, str]:
        """Expected and observed."""
        return f"no number is {BARE}", f"{self.bare} of {self.numbers} numbers are {BARE}"

    def fresh(self) -> BareValues:
        """The same before the first bet."""
        return BareValues()

    def merge(self, other: BareValues) -> None:
        """Takes in what another has seen."""
        self.log_e += other.log_e
        self.bare += other.bare
        self.numbers += other.numbers
