"""Releases that are the value itself, to the last bit: the noise was forgotten, and the value is in the clear."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.noise import NO_NOISE, VALUE_IN_CLEAR
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure

Floats = NDArray[np.float64]

SHARE = 1e-5
"""Bet on as one number in so many."""
GENEROSITY = 10.0
"""How much more often than it should rounding is allowed to leave nothing of the noise."""
LEAST_NOISE_RATIO = 1e-5
"""The least noise of a session over the largest, where times are asked for."""
MOST = 0.9
"""So large a share of all numbers is most of them."""
LEAST_CHANCE = 2.0**-31
"""A generator of 32 bits may give 0 itself: that is let pass."""


class BareValues(Additive):
    """The bet that a small share of the numbers has no noise.

    Noise of median size m is rounded away with probability at most about the spacing of the value over m; ten times
    that is granted, and a zero in 2^31 numbers.
    """

    def __init__(self) -> None:
        self.log_e = 0.0
        self.bare = self.numbers = 0

    def add(self, releases: Floats, value: Floats, claimed: Floats | None = None) -> None:
        """Takes in releases (n, k, d), NaN after the end of a session, of a value (d,); and claimed deviations (k,)."""
        bare = releases == value
        numbers = int(np.isfinite(releases).sum())
        self.numbers += numbers
        self.bare += int(bare.sum())
        self.log_e += (numbers - int(bare.sum())) * float(np.log1p(-SHARE))
        if not bare.any():
            return
        # The last sessions may have ended before a position: there all are NaN, and nothing is bare.
        with np.errstate(invalid="ignore"), warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            medians = np.nan_to_num(np.nanmedian(np.abs(releases - value), axis=0))
        # Where most noise is 0 and no size is claimed, it is no smaller than that of others by more than this.
        unknown = LEAST_NOISE_RATIO * float(medians[medians > 0].min(initial=np.inf))
        # A tie with a bare release is that release again, whatever its probability: it wins nothing.
        new = bare.copy()
        new[:, 1:] &= releases[:, 1:] != releases[:, :-1]
        for position, coordinate in np.argwhere(new.any(axis=0)):
            median = float(medians[position, coordinate])
            if median == 0:
                median = unknown if claimed is None else float(claimed[position])
            spacing = float(np.spacing(np.abs(value[coordinate])))
            chance = max(GENEROSITY * spacing / median, LEAST_CHANCE) if median < np.inf else 1.0
            gain = float(np.log(SHARE / chance)) if chance < SHARE else 0.0
            self.log_e += gain * int(new[:, position, coordinate].sum())

    def estimate(self) -> Estimate:
        """How many numbers are the value itself."""
        return Estimate(Measure.COUNT, 0.0, float(self.bare), None, self.numbers)

    @property
    def fault(self) -> Fault:
        """No noise at all, or none now and then."""
        return NO_NOISE if self.bare > MOST * self.numbers else VALUE_IN_CLEAR
