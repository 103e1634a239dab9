"""Checks of independence: nothing is shared between coordinates, nor between sessions."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import Kind, check
from nrverify.auditing.core.faults.noise import SHARED_COORDINATES, SHARED_SESSIONS
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.picture_sums import Correlations
from nrverify.auditing.core.portfolio_check import PortfolioCheck, by_position
from nrverify.auditing.core.topic import Topic
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_ANY_LAW,
    SEVERAL_DIMENSIONS,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, TieWealth, dot

Floats = NDArray[np.float64]

BEFORE_ALL = Topic("correlation of a coordinate with all before it", SHARED_COORDINATES)
NEXT = Topic("correlation between coordinates", SHARED_COORDINATES)
FIRST_NEXT = Topic("correlation between coordinates of the first release", SHARED_COORDINATES)
SIZES = Topic("sizes of the noise in two coordinates", SHARED_COORDINATES)
COINS = Topic("coins of two coordinates", SHARED_COORDINATES)
APART = Topic("correlation between coordinates two apart", SHARED_COORDINATES)
THREE = Topic("a coordinate against the product of the two before", SHARED_COORDINATES)

BEFORE = Topic("correlation of a session with the one before", SHARED_SESSIONS)
FIRST_BEFORE = Topic("correlation of first releases with the session before", SHARED_SESSIONS)
REQUEST_BEFORE = Topic("correlation with the request before", SHARED_SESSIONS)
FIRST_REQUEST_BEFORE = Topic("correlation of first releases with the request before", SHARED_SESSIONS)
LAST_REQUEST_BEFORE = Topic("correlation of last releases with the request before", SHARED_SESSIONS)
AFTER_LARGE = Topic("size of the noise after a large one in the session before", SHARED_SESSIONS)
DISTANT = Topic("correlation of first releases with those of sessions further back", SHARED_SESSIONS)
MIRRORED = Topic("correlation of first releases from both ends of a request", SHARED_SESSIONS)
IN_A_ROW = Topic("a first release against the product of the two before", SHARED_SESSIONS)

UNUSUAL = 1.5
"""Standard deviations beyond which an innovation is large: sizes that depend on each other show after those."""
MOST_SHOWN = 8
"""Coordinates whose correlation is shown: a matrix with more has cells too small to read. Only the picture depends on
it."""


class Independence(PortfolioCheck):
    """What both checks would have caught: a correlation, not a variance, which they do not test."""

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """The smallest correlation certainly outside the confidence limits."""
        return tuple(size for size in super().sizes(alpha) if size.unit == "correlation")


@check(
    id="independence.coordinates",
    kind=Kind.LAW,
    sentence="Coordinates have independent noise.",
    claims=("N02", "N08", "P12"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=50,
    needs=(TIMES_KNOWN, SEVERAL_DIMENSIONS),
    expected="coordinates are independent given the past",
    implied_by=OF_ANY_LAW,
)
class CoordinateIndependence(Independence):
    """Coordinates have independent noise, and for Laplace noise a coin each.

    Catches noise, or the coin that decides whether a release moves, shared or correlated between coordinates. Misses
    dependence without correlation of values, of sizes, or of one value with the product of two.
    """

    any_value = True

    def __init__(self) -> None:
        families: dict[Topic, tuple[float, Wealth]] = {
            BEFORE_ALL: (4.0, MeanWealth(slopes=True)),
            NEXT: (4.0, MeanWealth(slopes=True)),
            FIRST_NEXT: (2.0, MeanWealth(slopes=True)),
            SIZES: (1.0, ScaleWealth()),
            COINS: (2.0, TieWealth(along=True)),
            APART: (2.0, MeanWealth(slopes=True)),
            THREE: (1.0, MeanWealth(slopes=True)),
        }
        super().__init__(families)
        self.correlations = Correlations("Correlation of the transforms of two coordinates", "coordinate", MOST_SHOWN)

    @classmethod
    def build(cls, context: NoiseReductionContext) -> CoordinateIndependence:
        """The same for every subject."""
        return cls()

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
        self.mean(NEXT).add(cross.sum(), energy.sum())
        self.mean(FIRST_NEXT).add(cross[0], energy[0])
        self.scale(SIZES).bet(right[both & (np.abs(left) > UNUSUAL)])
        if found.z.shape[2] > 2:
            others = found.filled.cumsum(axis=-1)[..., :-1]
            self.mean(BEFORE_ALL).add(dot(others, right), dot(others, others * found.present[..., 1:]))
            far = found.present[..., :-2] & found.present[..., 2:]
            first, third = found.filled[..., :-2][far], found.filled[..., 2:][far]
            self.mean(APART).add(dot(first, third), dot(first, first))
            # The signs of three coordinates may hang together though no two of them do.
            pair = left[..., :-1] * right[..., :-1]
            whole = both[..., :-1] & both[..., 1:]
            self.mean(THREE).add(dot(pair[whole], right[..., 1:][whole]), dot(pair[whole], pair[whole]))
        coins = (found.atom[..., :-1] > 0) & (found.atom[..., 1:] > 0) & (found.atom[..., 1:] < 1)
        if coins.any():
            surprise = found.tied[..., :-1][coins] - found.atom[..., :-1][coins]
            self.events(COINS).bet(found.tied[..., 1:][coins], found.atom[..., 1:][coins], surprise)


@check(
    id="independence.sessions",
    kind=Kind.LAW,
    sentence="Sessions have independent noise.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=51,
    needs=(TIMES_KNOWN,),
    expected="sessions are independent",
    implied_by=OF_ANY_LAW,
)
class SessionIndependence(Independence):
    """Sessions have independent noise.

    Catches noise carried over or correlated between sessions of one request, or opened one after another, up to 4096
    apart; between the first and the last of a request, the second and the last but one, and so on; and signs of three
    sessions in a row that hang together; and noise carried over to the next request. Misses sharing between requests
    further apart, unless the noise is the same (randomness.streams).
    """

    any_value = True

    def __init__(self) -> None:
        families: dict[Topic, tuple[float, Wealth]] = {
            BEFORE: (3.0, MeanWealth(slopes=True)),
            FIRST_BEFORE: (4.0, MeanWealth(slopes=True)),
            REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            FIRST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            LAST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            AFTER_LARGE: (1.0, ScaleWealth()),
            DISTANT: (1.0, LagWealth()),
            MIRRORED: (0.5, MeanWealth(slopes=True)),
            IN_A_ROW: (0.5, MeanWealth(slopes=True)),
        }
        super().__init__(families)

    @classmethod
    def build(cls, context: NoiseReductionContext) -> SessionIndependence:
        """The same for every subject."""
        return cls()

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
        self.mean(REQUEST_BEFORE if alone else BEFORE).add(cross.sum(), energy.sum())
        self.mean(FIRST_REQUEST_BEFORE if alone else FIRST_BEFORE).add(cross[0], energy[0])
        if alone:
            self.mean(LAST_REQUEST_BEFORE).add(cross[-1], energy[-1])
        self.scale(AFTER_LARGE).bet(right[both & (np.abs(left) > UNUSUAL)])
        first, here = z[:, 0], present[:, 0]
        cast(LagWealth, self.portfolio[DISTANT]).bet(first, here)
        half = batch.sessions // 2
        self._given(MIRRORED, first[::-1][:half], first[:half], here[::-1][:half])
        self._given(IN_A_ROW, first[2:], first[1:-1] * first[:-2], here[2:])

    def _given(self, topic: Topic, z: Floats, covariate: Floats, here: NDArray[np.bool_]) -> None:
        """Bets on innovations, where they are, by a covariate known before them."""
        self.mean(topic).add(dot(z, covariate), dot(covariate, covariate * here))
