"""Checks of independence: nothing is shared between coordinates, nor between sessions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.picture_sums import Correlations
from nrverify.auditing.core.portfolio_check import LawCheck, by_position
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, TieWealth, dot

Floats = NDArray[np.float64]


BEFORE_ALL = "correlation of a coordinate with all before it"
APART = "correlation between coordinates two apart"
THREE = "a coordinate against the product of the two before"
DISTANT = "correlation of first releases with those of sessions further back"
MIRRORED = "correlation of first releases from both ends of a request"
BEFORE = "correlation of a session with the one before"
FIRST_BEFORE = "correlation of first releases with the session before"
REQUEST_BEFORE = "correlation with the request before"
FIRST_REQUEST_BEFORE = "correlation of first releases with the request before"
LAST_REQUEST_BEFORE = "correlation of last releases with the request before"
IN_A_ROW = "a first release against the product of the two before"
MOST_SHOWN = 8
"""Coordinates whose correlation is shown."""


class CoordinateIndependence(LawCheck):
    """Coordinates have independent noise, and for Laplace noise a coin each.

    Catches noise, or the coin that decides whether a release moves, shared or correlated between coordinates. Misses
    dependence without correlation of values, of sizes, or of one value with the product of two.
    """

    id = "independence.coordinates"
    kind = "law"
    claims: tuple[str, ...] = ("N02", "N08", "P12")
    expectation = "coordinates are independent given the past"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            BEFORE_ALL: (4.0, MeanWealth(slopes=True)),
            "correlation between coordinates": (4.0, MeanWealth(slopes=True)),
            "correlation between coordinates of the first release": (2.0, MeanWealth(slopes=True)),
            "sizes of the noise in two coordinates": (1.0, ScaleWealth()),
            "coins of two coordinates": (2.0, TieWealth(along=True)),
            APART: (2.0, MeanWealth(slopes=True)),
            THREE: (1.0, MeanWealth(slopes=True)),
        }
        super().__init__(families)
        self.correlations = Correlations("Correlation of the transforms of two coordinates", "coordinate", MOST_SHOWN)

    def observe(self, batch: Batch) -> None:
        """Bets on each coordinate given the one before it at the same release."""
        if batch.innovations is None or batch.releases.shape[2] < 2:
            return
        found = batch.innovations
        self.sessions += batch.sessions
        left, right = found.filled[..., :-1], found.filled[..., 1:]
        both = found.present[..., :-1] & found.present[..., 1:]
        cross, energy = by_position(left * right), by_position(left * left * both)
        self.count += int(both.sum())
        assert self.correlations is not None
        self.correlations.add(found.z.reshape(-1, found.z.shape[2]))
        self._products("correlation between coordinates", cross.sum(), energy.sum())
        self._products("correlation between coordinates of the first release", cross[0], energy[0])
        self._scale("sizes of the noise in two coordinates", right[both & (np.abs(left) > 1.5)])
        if found.z.shape[2] > 2:
            others = found.filled.cumsum(axis=-1)[..., :-1]
            self._products(BEFORE_ALL, dot(others, right), dot(others, others * found.present[..., 1:]))
            far = found.present[..., :-2] & found.present[..., 2:]
            first, third = found.filled[..., :-2][far], found.filled[..., 2:][far]
            self._products(APART, dot(first, third), dot(first, first))
            # The signs of three coordinates may hang together though no two of them do.
            pair = left[..., :-1] * right[..., :-1]
            whole = both[..., :-1] & both[..., 1:]
            self._products(THREE, dot(pair[whole], right[..., 1:][whole]), dot(pair[whole], pair[whole]))
        coins = (found.atom[..., :-1] > 0) & (found.atom[..., 1:] > 0) & (found.atom[..., 1:] < 1)
        if coins.any():
            wealth = self.portfolio["coins of two coordinates"]
            assert isinstance(wealth, TieWealth)
            surprise = found.tied[..., :-1][coins] - found.atom[..., :-1][coins]
            wealth.bet(found.tied[..., 1:][coins], found.atom[..., 1:][coins], surprise)


class SessionIndependence(LawCheck):
    """Sessions have independent noise.

    Catches noise carried over or correlated between sessions of one request, or opened one after another, up to 4096
    apart; between the first and the last of a request, the second and the last but one, and so on; and signs of three
    sessions in a row that hang together; and noise carried over to the next request. Misses sharing between requests
    further apart, unless the noise is the same (randomness.streams).
    """

    id = "independence.sessions"
    kind = "law"
    claims: tuple[str, ...] = ("P12",)
    expectation = "sessions are independent"

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            BEFORE: (3.0, MeanWealth(slopes=True)),
            FIRST_BEFORE: (4.0, MeanWealth(slopes=True)),
            REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            FIRST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            LAST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            "size of the noise after a large one in the session before": (1.0, ScaleWealth()),
            DISTANT: (1.0, LagWealth()),
            MIRRORED: (0.5, MeanWealth(slopes=True)),
            IN_A_ROW: (0.5, MeanWealth(slopes=True)),
        }
        super().__init__(families)

    def observe(self, batch: Batch) -> None:
        """Bets on each session given the ones before it in the same batch."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        z, present = batch.innovations.filled, batch.innovations.present
        left, right = z[:-1], z[1:]
        both = present[:-1] & present[1:]
        cross, energy = by_position(left * right), by_position(left * left * both)
        self.count += int(both.sum())
        # Few are asked one by one: among all sessions what goes on from request to request would be lost.
        alone = batch.case.one_by_one
        self._products(REQUEST_BEFORE if alone else BEFORE, cross.sum(), energy.sum())
        self._products(FIRST_REQUEST_BEFORE if alone else FIRST_BEFORE, cross[0], energy[0])
        if alone:
            self._products(LAST_REQUEST_BEFORE, cross[-1], energy[-1])
        self._scale("size of the noise after a large one in the session before", right[both & (np.abs(left) > 1.5)])
        first, here = z[:, 0], present[:, 0]
        distant = self.portfolio[DISTANT]
        assert isinstance(distant, LagWealth)
        distant.bet(first, here)
        half = batch.sessions // 2
        self._given(MIRRORED, first[::-1][:half], first[:half], here[::-1][:half])
        self._given(IN_A_ROW, first[2:], first[1:-1] * first[:-2], here[2:])

    def _given(self, name: str, z: Floats, covariate: Floats, here: NDArray[np.bool_]) -> None:
        """Bets on innovations, where they are, by a covariate known before them."""
        self._products(name, dot(z, covariate), dot(covariate, covariate * here))
