"""The check of the releases up to the stop."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from nrverify.auditing.core import coincidences as exact
from nrverify.auditing.core.bets.named_alternatives import FRESH, SHAPES, fresh_ratio, shape_ratios
from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.score_bins import BIN_WEIGHTS, bin_counts, fine_counts
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.faults.noise import (
    DEVIATION_FOR_VARIANCE,
    FRESH_NOISE,
    SHARED_COORDINATES,
    SHIFTED,
    VALUE_IN_CLEAR,
    WRONG_BRIDGE_MEAN,
    WRONG_BRIDGE_VARIANCE,
    WRONG_SCALE,
    WRONG_SHAPE,
)
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.transforms.rosenblatt import Innovations
from nrverify.auditing.core.value_in_clear import BareValues
from nrverify.auditing.private_stopping.context import MECHANISMS, WEIGHT, StoppingContext
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.statistics.estimate import Measure
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.rare_wealth import RareWealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth, ScaleWealth

FIRST_CENTRE = Topic("centre of the first release", SHIFTED, alone=True)
FIRST_VARIANCE = Topic("variance of the first release", WRONG_SCALE, shift=FIRST_CENTRE, alone=True)
LATER_CENTRE = Topic("centre of a release given the one before", WRONG_BRIDGE_MEAN)
LATER_VARIANCE = Topic("variance of a release given the one before", WRONG_BRIDGE_VARIANCE, shift=LATER_CENTRE)
MEMORY = Topic("memory of the release before", FRESH_NOISE)
INNOVATION = Topic("dependence on the innovation before", FRESH_NOISE)
FIRST_BINS = Topic("distribution of the first release", WRONG_SHAPE, alone=True)
LATER_BINS = Topic("distribution given the release before", WRONG_SHAPE)
SHAPE = Topic("shape of the releases", WRONG_SHAPE)
ALTERNATIVE = Topic("recursion from one release to the next", FRESH_NOISE)
WITHOUT_NOISE = Topic("releases without noise", VALUE_IN_CLEAR)
COORDINATES = {
    1: Topic("correlation between coordinates", SHARED_COORDINATES),
    2: Topic("correlation between coordinates two apart", SHARED_COORDINATES),
}
"""By their distance."""
IN_COMMON = Topic("random numbers that two coordinates have in common, up to sign", SHARED_COORDINATES)
USUAL_RATIO = (0.5, 2.0)
"""A variance wrong by a larger factor is likelier one taken for a standard deviation than a wrong constant."""


@check(
    id="stopping.releases",
    kind=CheckKind.LAW,
    sentence="The releases up to the stop follow the Brownian bridge.",
    claims=("B01", "R11"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=20,
    expected="innovations are independent N(0, 1)",
    templates={
        VALUE_IN_CLEAR.id: (
            "no release is the value itself",
            "{observed:.0f} of {count} numbers are the value itself",
        )
    },
)
class StoppingReleases(PortfolioCheck):
    """The releases up to the stop: each one, given those before and that it was not stopped, follows the bridge.

    Catches a wrong scale or bridge, noise drawn afresh, and releases that depend on the threshold's noise: a run that
    went on would betray it; and coordinates that have noise in common, in however few runs. Misses faults of releases
    never reached.
    """

    def __init__(self) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {
            FIRST_VARIANCE: (3.0, ScaleWealth()),
            FIRST_CENTRE: (2.0, MeanWealth()),
            LATER_VARIANCE: (4.0, ScaleWealth()),
            LATER_CENTRE: (2.0, MeanWealth()),
            MEMORY: (3.0, MeanWealth(slopes=True)),
            INNOVATION: (2.0, MeanWealth(slopes=True)),
            FIRST_BINS: (1.0, BinWealth(BIN_WEIGHTS)),
            LATER_BINS: (1.0, BinWealth(BIN_WEIGHTS)),
            SHAPE: (2.0, RatioWealth(SHAPES)),
            ALTERNATIVE: (3.0, RatioWealth([FRESH])),
            WITHOUT_NOISE: (1.0, BareValues()),
            COORDINATES[1]: (2.0, MeanWealth(slopes=True)),
            COORDINATES[2]: (1.0, MeanWealth(slopes=True)),
            IN_COMMON: (1.0, RareWealth()),
        }
        super().__init__(bets)

    @classmethod
    def build(cls, context: StoppingContext) -> StoppingReleases:
        """The same for every subject."""
        return cls()

    def observe(self, runs: Stopped) -> None:
        """Bets on the innovations of every round that was reached, and that none is the value itself."""
        found = runs.innovations
        if found is None:
            return
        self.sessions += found.z.shape[0]
        first = found.z[:, 0].ravel()
        rest = np.moveaxis(found.z[:, 1:], 1, 0)
        here = np.isfinite(rest)
        past = np.moveaxis(found.past[:, 1:], 1, 0)[here]
        before = np.nan_to_num(np.moveaxis(found.z[:, :-1], 1, 0))[here]
        later = rest[here]
        self.count += first.size + later.size
        self.scale(FIRST_VARIANCE).bet(first)
        self.mean(FIRST_CENTRE).bet(first)
        self.bins(FIRST_BINS).bet(bin_counts(fine_counts(first)))
        self.scale(LATER_VARIANCE).bet(later)
        self.mean(LATER_CENTRE).bet(later)
        self.mean(MEMORY).bet(later, past)
        self.mean(INNOVATION).bet(later, before)
        self.bins(LATER_BINS).bet(bin_counts(fine_counts(later)))
        self.ratios(SHAPE).bet(shape_ratios(np.concatenate([first, later])))
        self._bet_on_coordinates(found)
        self._bet_on_coincidences(runs, found)
        bare = cast(BareValues, self.portfolio[WITHOUT_NOISE])
        bare.add(runs.releases, np.array(runs.design.value, dtype=float), np.sqrt(runs.design.schedule))
        fresh = np.moveaxis(found.fresh[:, 1:], 1, 0)
        self.ratios(ALTERNATIVE).bet({FRESH: fresh_ratio(fresh[np.isfinite(fresh)])})

    def _bet_on_coordinates(self, found: Innovations) -> None:
        for apart, topic in COORDINATES.items():
            if found.z.shape[2] > apart:
                left, right = found.filled[..., :-apart], found.filled[..., apart:]
                both = found.present[..., :-apart] & found.present[..., apart:]
                self.mean(topic).add(float((left * right).sum()), float((left * left * both).sum()))

    def _bet_on_coincidences(self, runs: Stopped, found: Innovations) -> None:
        """Bets that in some runs two coordinates have a number in common, to the last digits."""
        d = min(found.z.shape[2], exact.MOST_COORDINATES)
        if d < 2:
            return
        noise = (runs.releases - runs.design.array)[..., :d]
        scale = (np.abs(runs.releases) + np.abs(runs.design.array))[..., :d]
        scores = exact.folded(found.of_coordinates(d), exact.comparable(noise, scale))
        here = np.isfinite(scores).all(axis=2)
        happened = np.asarray((np.diff(np.sort(scores[here], axis=-1), axis=-1) <= exact.WINDOW).any(axis=-1))
        chance = np.full(happened.shape, exact.CHANCE * d * (d - 1) / 2)
        cast(RareWealth, self.portfolio[IN_COMMON]).bet(happened, chance)

    def finding(self, alpha: float) -> Finding:
        """What stands out; a first release whose variance is far off has its own fault."""
        found = super().finding(alpha)
        ratio = found.estimate.observed
        far = ratio is not None and not USUAL_RATIO[0] < ratio < USUAL_RATIO[1]
        if found.fault is WRONG_SCALE and found.estimate.measure is Measure.VARIANCE and far:
            return replace(found, fault=DEVIATION_FOR_VARIANCE)
        return found
