"""Checks of independence: nothing is shared between coordinates, nor between sessions."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.auditing.core import coincidences as exact
from nrverify.auditing.core.bets.portfolio_check import Bets, PortfolioCheck, by_position
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.coincidences import LEAST_SHARE, MOST_COORDINATES, Coincidences
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.noise import SHARED_COORDINATES, SHARED_SESSIONS
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.plots.sums import Correlations
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.transforms.rosenblatt import Innovations
from nrverify.auditing.noise_reduction.checks.integers.equal_paths import equal_paths
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_ANY_LAW,
    SEVERAL_DIMENSIONS,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.sampling.looks import MOST_LOOKS
from nrverify.laws.process import Process
from nrverify.statistics.lag_wealth import LagWealth
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.rare_wealth import RareWealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, ScaleWealth, TieWealth, dot

Floats = NDArray[np.float64]

BEFORE_ALL = Topic("correlation of a coordinate with all before it", SHARED_COORDINATES)
NEXT = Topic("correlation between coordinates", SHARED_COORDINATES)
FIRST_NEXT = Topic("correlation between coordinates of the first release", SHARED_COORDINATES)
SIZES = Topic("sizes of the noise in two coordinates", SHARED_COORDINATES)
COINS = Topic("coins of two coordinates", SHARED_COORDINATES)
TWO_APART = Topic("correlation between coordinates two or more apart", SHARED_COORDINATES)
SIZES_APART = Topic("sizes of the noise in coordinates two or more apart", SHARED_COORDINATES)
COINS_APART = Topic("coins of coordinates two or more apart", SHARED_COORDINATES)
ANY_FORM = Topic("pairs of octiles of two coordinates of the first release", SHARED_COORDINATES)
OF_TWO = Topic("pairs of octiles of the first release in two dimensions", SHARED_COORDINATES)
EARLIER = Topic("correlation of a coordinate with the step of the others before", SHARED_COORDINATES)
PATHS = Topic("coordinates with the same noise at every release, up to sign", SHARED_COORDINATES)
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

SAME_RELEASE = "noise that two coordinates of a release have in common, up to sign"
SAME_NUMBER = "random numbers that two coordinates of a release have in common, up to sign"
ANY_RELEASE = "random numbers that two coordinates of a session have in common, up to sign"
TWO_SESSIONS = "random numbers that a session has in common with the one before it, up to sign"
HARDLY_ANY = ("at most {expected:.2g} of {count} pairs by chance", "{observed:.0f} of {count} pairs: {quantity}")

OCTILES = ndtri(np.arange(1, 8) / 8)
"""Of the scores: few classes, so that each of 64 pairs is soon seen often enough to bet on."""
PAIRS = np.full(64, 1 / 64)
"""Two scores by their octiles: of independent ones all pairs are equally likely."""
UNUSUAL = 1.5
"""Standard deviations beyond which an innovation is large: sizes that depend on each other show after those."""
MOST_SHOWN = 8
"""Coordinates whose correlation is shown: a matrix with more has cells too small to read. Only the plot depends on
it."""


class Independence(PortfolioCheck):
    """What both checks have in common: bets, exact coincidences, and that they would have caught a correlation."""

    fault: ClassVar[Fault]

    def __init__(self, bets: Bets, kinds: tuple[str, ...]) -> None:
        super().__init__(bets)
        self.coincidences = {kind: Coincidences() for kind in kinds}

    def refuted(self, alpha: float) -> bool:
        """Whether the bets have won, or numbers coincide that never do, each at its share of the level."""
        return super().refuted((1 - LEAST_SHARE) * alpha) or self._coincides(alpha)

    def _coincides(self, alpha: float) -> bool:
        return exact.least(self.coincidences)[1] <= LEAST_SHARE * alpha / MOST_LOOKS

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by coincidences, which say most; else as the bets are."""
        if not self._coincides(alpha):
            return super().conclude((1 - LEAST_SHARE) * alpha)
        kind, p_value = exact.least(self.coincidences)
        return concluded(
            self,
            CheckVerdict.REFUTED,
            samples=self.sessions,
            statistic=float(-np.log(max(p_value, 1e-300))),
            p_value=min(1.0, MOST_LOOKS / LEAST_SHARE * p_value),
            alpha=alpha,
            finding=Finding(kind, self.coincidences[kind].estimate(), self.fault),
            sizes=self.sizes(alpha),
        )

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """The smallest correlation certainly outside the confidence limits."""
        return tuple(size for size in super().sizes(alpha) if size.unit == "correlation")


@check(
    id="independence.coordinates",
    kind=CheckKind.LAW,
    sentence="Coordinates have independent noise.",
    claims=("N02", "N08", "P12"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=50,
    needs=(TIMES_KNOWN, SEVERAL_DIMENSIONS),
    expected="coordinates are independent given the past",
    templates={"count": HARDLY_ANY},
    implied_by=OF_ANY_LAW,
)
class CoordinateIndependence(Independence):
    """Coordinates have independent noise, and for Laplace noise a coin each.

    Catches noise, or the coin that decides whether a release moves, shared or correlated between coordinates; and in
    however few sessions noise that two of the first sixteen coordinates have in common to the last digits, which
    independent noise has once in a million pairs. Of the first release also pairs of octiles. Misses other dependence
    without correlation of values, of sizes, or of one value with the product of two.
    """

    any_value = True
    fault = SHARED_COORDINATES
    sized = (NEXT,)
    configuration = ("integers", "grid")

    def __init__(self, integers: Process | None = None, grid: float = 0.0) -> None:
        """`integers` is the claimed process where its noise is integer-valued, `grid` the one releases are on."""
        self.integers = integers
        self.grid = grid
        bets: dict[Topic, tuple[float, Wealth]] = {
            BEFORE_ALL: (4.0, MeanWealth(slopes=True)),
            NEXT: (4.0, MeanWealth(slopes=True)),
            FIRST_NEXT: (2.0, MeanWealth(slopes=True)),
            SIZES: (1.0, ScaleWealth()),
            COINS: (2.0, TieWealth(along=True)),
            TWO_APART: (2.0, MeanWealth(slopes=True)),
            THREE: (1.0, MeanWealth(slopes=True)),
            COINS_APART: (1.0, TieWealth(along=True)),
            SIZES_APART: (0.5, ScaleWealth()),
            EARLIER: (0.5, MeanWealth(slopes=True)),
            ANY_FORM: (0.5, BinWealth(PAIRS)),
            OF_TWO: (0.5, BinWealth(PAIRS)),
        }
        if integers is not None:
            bets[PATHS] = (1.0, RareWealth())
        super().__init__(bets, (SAME_RELEASE, SAME_NUMBER, ANY_RELEASE))
        self.correlations = Correlations("Correlation of the transforms of two coordinates", "coordinate", MOST_SHOWN)

    @classmethod
    def build(cls, context: NoiseReductionContext) -> CoordinateIndependence:
        """With the process, where the noise is integer-valued."""
        description = context.description
        process = description.claimed_process if description.integer else None
        return cls(process, exact.declared_grid(description))

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
            first, third, there = others[..., :-1], found.filled[..., 2:], found.present[..., 2:]
            self.mean(TWO_APART).add(dot(first, third), dot(first, first * there))
            large = np.maximum.accumulate(np.abs(found.filled), axis=-1)[..., :-2] > UNUSUAL
            self.scale(SIZES_APART).bet(third[there & large])
            # The signs of three coordinates may be dependent though every two are independent.
            pair = left[..., :-1] * right[..., :-1]
            whole = both[..., :-1] & both[..., 1:]
            self.mean(THREE).add(dot(pair[whole], right[..., 1:][whole]), dot(pair[whole], pair[whole]))
        # No coordinate is in two pairs: the second of one and the first of the next would be the same number.
        first, here = found.z[:, 0], both[:, 0, ::2]
        eighth = 8 * np.digitize(first[:, :-1:2], OCTILES) + np.digitize(first[:, 1::2], OCTILES)
        pairs = np.bincount(eighth[here], minlength=PAIRS.size)
        self.bins(ANY_FORM).bet(pairs)
        if found.z.shape[2] == 2:
            # Normal noise is often made in pairs: what is wrong in two dimensions may be right in one and in three.
            self.bins(OF_TWO).bet(pairs)
        before, after = found.filled[:, :-1], found.filled[:, 1:]
        elsewhere = before.sum(axis=-1, keepdims=True) - before
        self.mean(EARLIER).add(dot(elsewhere, after), dot(elsewhere, elsewhere * found.present[:, 1:]))
        self._coins(found)
        self._exactly(batch)

    def _coins(self, found: Innovations) -> None:
        coins = (found.atom[..., :-1] > 0) & (found.atom[..., 1:] > 0) & (found.atom[..., 1:] < 1)
        if coins.any():
            surprise = found.tied[..., :-1][coins] - found.atom[..., :-1][coins]
            self.events(COINS).bet(found.tied[..., 1:][coins], found.atom[..., 1:][coins], surprise)
        if found.z.shape[2] > 2:
            atom = found.atom[..., 2:]
            surprises = np.where(found.atom > 0, found.tied - found.atom, 0.0).cumsum(axis=-1)[..., :-2]
            some = (atom > 0) & (atom < 1) & (surprises != 0)
            if some.any():
                self.events(COINS_APART).bet(found.tied[..., 2:][some], atom[some], surprises[some])

    def _exactly(self, batch: Batch) -> None:
        """Counts what coordinates have in common to the last digits; of integers, to the last release."""
        assert batch.innovations is not None
        assert batch.times is not None
        noise, scale = batch.noise[..., :MOST_COORDINATES], batch.scale[..., :MOST_COORDINATES]
        found = batch.innovations.of_coordinates(MOST_COORDINATES)
        if self.integers is not None:
            cast(RareWealth, self.portfolio[PATHS]).bet(*equal_paths(noise, found.log_weight))
            return
        plain = not self.grid and batch.noise.shape[2] <= MOST_COORDINATES
        usable = (batch.comparable if plain else exact.comparable(noise, scale, self.grid)) & found.present
        scores = exact.folded(found, usable)
        self.coincidences[SAME_NUMBER].add(*exact.in_one_release(scores))
        self.coincidences[ANY_RELEASE].add(*exact.in_two_releases(scores))
        self.coincidences[SAME_RELEASE].add(*exact.of_noise(noise, scale, usable))


@check(
    id="independence.sessions",
    kind=CheckKind.LAW,
    sentence="Sessions have independent noise.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=51,
    needs=(TIMES_KNOWN,),
    expected="sessions are independent",
    templates={"count": HARDLY_ANY},
    implied_by=OF_ANY_LAW,
)
class SessionIndependence(Independence):
    """Sessions have independent noise.

    Catches noise carried over or correlated between sessions of one request, or opened one after another, up to 4096
    apart; between the first and the last of a request, the second and the last but one, and so on; and signs of three
    consecutive sessions that are dependent; noise carried over to the next request; and random numbers that a session
    has in common with the one before, in any coordinates and at any releases. Misses sharing between requests
    further apart, unless the noise is the same (randomness.streams).
    """

    any_value = True
    fault = SHARED_SESSIONS
    sized = (BEFORE,)
    configuration = ("grid",)

    def __init__(self, grid: float = 0.0) -> None:
        self.grid = grid
        bets: dict[Topic, tuple[float, Wealth]] = {
            BEFORE: (4.0, MeanWealth(slopes=True)),
            FIRST_BEFORE: (6.0, MeanWealth(slopes=True)),
            REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            FIRST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            LAST_REQUEST_BEFORE: (0.5, MeanWealth(slopes=True)),
            AFTER_LARGE: (1.0, ScaleWealth()),
            DISTANT: (1.0, LagWealth()),
            MIRRORED: (0.5, MeanWealth(slopes=True)),
            IN_A_ROW: (0.5, MeanWealth(slopes=True)),
        }
        super().__init__(bets, (TWO_SESSIONS,))

    @classmethod
    def build(cls, context: NoiseReductionContext) -> SessionIndependence:
        """The same for every subject, but for the grid its releases are on."""
        return cls(exact.declared_grid(context.description))

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
        known = batch.comparable if not self.grid else exact.comparable(batch.noise, batch.scale, self.grid)
        usable = known & present
        scores = exact.folded(batch.innovations, usable)[..., :MOST_COORDINATES]
        self.coincidences[TWO_SESSIONS].add(*exact.in_two_sessions(scores))

    def _given(self, topic: Topic, z: Floats, covariate: Floats, here: NDArray[np.bool_]) -> None:
        """Bets on innovations, where they are, by a covariate known before them."""
        self.mean(topic).add(dot(z, covariate), dot(covariate, covariate * here))
