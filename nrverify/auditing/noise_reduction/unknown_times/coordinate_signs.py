"""Independence of coordinates when the times behind an ε are not known: fair coins that need no scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core import coincidences as exact
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.coincidences import MOST_COORDINATES
from nrverify.auditing.core.declaration import form
from nrverify.auditing.core.faults.noise import SHARED_COORDINATES
from nrverify.auditing.core.finding import Size
from nrverify.auditing.noise_reduction.checks.independence import HARDLY_ANY, CoordinateIndependence, Independence
from nrverify.auditing.noise_reduction.context import SEVERAL_DIMENSIONS, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.unknown_times.needs import GRID_FINE, SYMMETRIC, TIMES_UNKNOWN
from nrverify.statistics.wealth import TieWealth

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

TWO = Topic("equal signs of two coordinates", SHARED_COORDINATES)
TWO_APART = Topic("equal signs of coordinates two apart", SHARED_COORDINATES)
THREE = Topic("odd numbers of positive signs among three coordinates", SHARED_COORDINATES)
FIRST = "noise that two coordinates of a first release have in common, up to sign"
LAST = "noise that two coordinates of a last release have in common, up to sign"
SIZES = Topic("two coordinates whose noise is larger in the same one of two sessions", SHARED_COORDINATES)
MOVES = Topic("two coordinates that tie in the same one of two sessions", SHARED_COORDINATES)


@form(
    CoordinateIndependence,
    claims=("N02", "N08", "P12"),
    # The dimension first: where there is one alone, that is the reason whatever is known of the times.
    needs=(SEVERAL_DIMENSIONS, TIMES_UNKNOWN, GRID_FINE, SYMMETRIC),
    expected="coordinates are independent",
    templates={"count": HARDLY_ANY},
)
class UnknownCoordinates(Independence):
    """Coordinates have independent noise, whatever its size.

    Symmetric independent noise has signs that agree by a fair coin; of two sessions with the same requests the larger
    noise, or the one tie, falls to either by a fair coin, in each coordinate anew. Catches noise, coins or sizes shared
    or correlated between coordinates, and noise that two of them have in common to the last digits. Misses dependence
    that shows in none of these, and needs more samples than a check that knows the times.
    """

    any_value = True
    fault = SHARED_COORDINATES
    configuration = ("integer", "grid")

    def __init__(self, integer: bool = False, grid: float = 0.0) -> None:
        self.integer = integer
        self.grid = grid
        weights = ((TWO, 3.0), (TWO_APART, 1.0), (THREE, 1.0), (SIZES, 2.0), (MOVES, 2.0))
        super().__init__({topic: (weight, TieWealth()) for topic, weight in weights}, (FIRST, LAST))

    @classmethod
    def build(cls, context: NoiseReductionContext) -> UnknownCoordinates:
        """Integers, which agree by chance, are not compared digit by digit."""
        return cls(context.description.integer, exact.declared_grid(context.description))

    def observe(self, batch: Batch) -> None:
        """Bets on the least noisy releases of fixed schedules, and on whether they equal those before."""
        if not batch.case.fixed or batch.releases.shape[2] < 2:
            return
        self.sessions += batch.sessions
        noise = batch.noise
        if not self.integer:
            scale = (np.abs(batch.releases) + np.abs(batch.case.array))[..., :MOST_COORDINATES]
            for end, kind in ((0, FIRST), (-1, LAST)):
                # One release of a session at a time: its law is symmetric with one peak, whatever its scale.
                found = exact.of_unknown_scale(noise[:, end, :MOST_COORDINATES], scale[:, end], self.grid)
                self.coincidences[kind].add(*found)
        positive, there = noise[:, -1] > 0, noise[:, -1] != 0
        self.count += int((there[:, 1:] & there[:, :-1]).sum())
        self._agree(TWO, positive[:, 1:] == positive[:, :-1], there[:, 1:] & there[:, :-1])
        if noise.shape[2] > 2:
            apart = positive[:, 2:] == positive[:, :-2]
            self._agree(TWO_APART, apart, there[:, 2:] & there[:, :-2])
            odd = positive[:, 2:] ^ positive[:, 1:-1] ^ positive[:, :-2]
            self._agree(THREE, odd, there[:, 2:] & there[:, 1:-1] & there[:, :-2])
        even = 2 * (len(noise) // 2)
        sizes = np.abs(noise[:even, -1])
        self._in_two_sessions(SIZES, sizes[::2] > sizes[1::2], sizes[::2] != sizes[1::2])
        moved = np.flatnonzero(np.diff(batch.asked[0]))
        if moved.size:
            tied = noise[:even, moved[-1] + 1] == noise[:even, moved[-1]]
            self._in_two_sessions(MOVES, tied[::2], tied[::2] != tied[1::2])

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A shift of the fair coin outside its confidence limits."""
        return self.coin_size(TWO, "agreement of the signs of two neighbouring coordinates", alpha)

    def _in_two_sessions(self, topic: Topic, first: Bools, different: Bools) -> None:
        """Whether in two neighbouring coordinates the same one of two sessions is ahead."""
        self._agree(topic, first[:, 1:] == first[:, :-1], different[:, 1:] & different[:, :-1])

    def _agree(self, topic: Topic, agree: Bools, usable: Bools) -> None:
        self.events(topic).bet(agree[usable], 0.5)
