"""Independence of coordinates when the times behind an ε are not known: fair coins that need no scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TWO, APART, THREE = "signs of two coordinates", "signs of coordinates two apart", "signs of three coordinates"
SIZES, MOVES = "sizes of two coordinates in two sessions", "ties of two coordinates in two sessions"


class UnknownCoordinates(LawCheck):
    """Coordinates have independent noise, whatever its size.

    Symmetric independent noise has signs that agree by a fair coin; of two sessions with the same requests the larger
    noise, or the one tie, falls to either by a fair coin, in each coordinate anew. Catches noise, coins or sizes shared
    or correlated between coordinates. Misses dependence that shows in none of these, and needs more samples than a
    check that knows the times.
    """

    id = "independence.coordinates"
    kind = "law"
    claims: tuple[str, ...] = ("N02", "N08", "P12")
    expectation = "coordinates are independent"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            name: (weight, TieWealth())
            for name, weight in ((TWO, 3.0), (APART, 1.0), (THREE, 1.0), (SIZES, 2.0), (MOVES, 2.0))
        }
        super().__init__(families)

    def observe(self, batch: Batch) -> None:
        """Bets on the least noisy releases of fixed schedules, and on whether they equal those before."""
        if not batch.case.fixed or batch.releases.shape[2] < 2:
            return
        self.sessions += batch.sessions
        noise = batch.noise
        positive, there = noise[:, -1] > 0, noise[:, -1] != 0
        self.count += int((there[:, 1:] & there[:, :-1]).sum())
        self._agree(TWO, positive[:, 1:] == positive[:, :-1], there[:, 1:] & there[:, :-1])
        if noise.shape[2] > 2:
            apart = positive[:, 2:] == positive[:, :-2]
            self._agree(APART, apart, there[:, 2:] & there[:, :-2])
            odd = positive[:, 2:] ^ positive[:, 1:-1] ^ positive[:, :-2]
            self._agree(THREE, odd, there[:, 2:] & there[:, 1:-1] & there[:, :-2])
        even = 2 * (len(noise) // 2)
        sizes = np.abs(noise[:even, -1])
        self._in_two_sessions(SIZES, sizes[::2] > sizes[1::2], sizes[::2] != sizes[1::2])
        moved = np.flatnonzero(np.diff(batch.asked[0]))
        if moved.size:
            tied = noise[:even, moved[-1] + 1] == noise[:even, moved[-1]]
            self._in_two_sessions(MOVES, tied[::2], tied[::2] != tied[1::2])

    def _in_two_sessions(self, name: str, first: Bools, different: Bools) -> None:
        """Whether in two neighbouring coordinates the same one of two sessions is ahead."""
        self._agree(name, first[:, 1:] == first[:, :-1], different[:, 1:] & different[:, :-1])

    def _agree(self, name: str, agree: Bools, usable: Bools) -> None:
        self._coins(name, agree[usable])

    def _detectable(self, alpha: float) -> str | None:
        """A shift of the fair coin outside its confidence limits."""
        return f"agreement of two signs off by {half_width(self.count, alpha):.2g}" if self.count else None
