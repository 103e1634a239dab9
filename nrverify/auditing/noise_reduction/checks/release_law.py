"""The check of the law of each release taken alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.named_alternatives import (
    SESSIONS,
    SHAPES,
    session_ratios,
    shape_ratios,
)
from nrverify.auditing.core.bets.pooled_check import PooledCheck
from nrverify.auditing.core.bets.score_bins import (
    BIN_WEIGHTS,
    KolmogorovSmirnov,
    bin_counts,
    bin_counts_by_place,
    fine_counts,
)
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.noise_reduction.checks import law_topics as topics
from nrverify.auditing.noise_reduction.checks import recurring_times
from nrverify.auditing.noise_reduction.checks.integers import laws as integer_laws
from nrverify.auditing.noise_reduction.checks.integers.events import (
    alone_bets,
    single_releases,
)
from nrverify.auditing.noise_reduction.checks.law import (
    AS_GOOD,
    FIRST_SCORES,
    IMPLIED_BY,
    INNOVATIONS,
    LATER_PLACES,
    LATER_SCORES,
    SESSION_COUNTS,
    SESSION_SQUARES,
    integers_of,
    places_of,
)
from nrverify.auditing.noise_reduction.checks.law_topics import LATER, LONGEST
from nrverify.auditing.noise_reduction.checks.namings import rare_or_shape, scale_or_shape
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.varying import recurring
from nrverify.laws.process import Process
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.scales_by_key import ParameterWealth, ScalesByKey
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth, dot

Floats = NDArray[np.float64]

STRETCHES = 5
"""Parts of the range of times, or of ε's, in which first releases are also judged alone."""


@check(
    id="law.release",
    kind=CheckKind.LAW,
    sentence="Each release is the value plus noise of the claimed law.",
    claims=("B06", "N09", "N14", "E09"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=40,
    needs=(TIMES_KNOWN,),
    expected=INNOVATIONS,
    implied_by=IMPLIED_BY,
    decisive=True,
)
class ReleaseLaw(PooledCheck):
    """The law of each release taken alone, on fixed schedules.

    Catches a wrong scale, centre or shape of the noise at any position, a wrong scale of first releases in a fifth of
    the range, in one coordinate or at one of the times that are asked for again and again, also where it is wrong up
    and down by turns, and rare sessions whose first release has another scale. Misses everything that only shows in the
    dependence between releases, such as noise drawn afresh.
    """

    any_value = True
    configuration = ("edges", "stretches", "integers", "falling", "recur", "methods", "discrete")

    def __init__(
        self,
        knob: Knob,
        integers: Process | None = None,
        recur: tuple[float, ...] = (),
        methods: Sequence[str] = topics.ALWAYS,
        discrete: str | None = None,
    ) -> None:
        """`integers` is the process of integer noise that is judged by the events of 0 and ±1 too, `discrete` the name
        of such noise where the usual faults of its samplers are known.

        What first releases are asked for again and again, `recur`, is judged time by time.
        """
        self.integers, self.falling, self.recur = integers, knob.falling, recur
        self.methods = tuple(methods)
        self.edges = np.geomspace(knob.low, knob.high, STRETCHES + 1)
        self.stretches = [
            topics.first_within(low, high) for low, high in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]
        bets: dict[Topic, tuple[float, Wealth]] = {
            topics.FIRST_VARIANCE: (4.0, ScaleWealth()),
            topics.FIRST_CENTRE: (2.0, MeanWealth()),
            topics.FIRST_BINS: (2.0, BinWealth(BIN_WEIGHTS)),
            topics.FIRST_SHAPE: (2.0, RatioWealth(SHAPES)),
            topics.FIRST_RARE: (1.0, RatioWealth(SESSIONS)),
        }
        for variance, centre in (topics.BY_METHOD[method] for method in self.methods):
            bets[variance] = (1.0, ScaleWealth())
            bets[centre] = (0.5, MeanWealth())
        for stretch in self.stretches:
            bets[stretch] = (0.5, ScaleWealth())
        for at, (first, _) in topics.OF_COORDINATE.items():
            bets[first] = (topics.coordinate_weight(at), ScaleWealth())
        for at in LATER:
            variance, centre = topics.AT_POSITION[at]
            bets[variance] = (1.0, ScaleWealth())
            bets[centre] = (0.5, MeanWealth())
            bets[topics.BINS_AT_POSITION[at]] = (0.25, BinWealth(BIN_WEIGHTS))
        if recur:
            bets[topics.AT_ONE_TIME] = (2.0, ScalesByKey(recur))
        if integers is not None:
            bets |= alone_bets()
            bets |= {topic: (2.0, ParameterWealth()) for topic in topics.ROUNDED_DOWN.values()}
        self.discrete = discrete
        if discrete is not None:
            bets[integer_laws.FIRST] = (24.0, RatioWealth(integer_laws.names(discrete, steps=False)))
        super().__init__(bets)
        self.kolmogorov_smirnov = KolmogorovSmirnov()

    @classmethod
    def build(cls, context: NoiseReductionContext) -> ReleaseLaw:
        """Over the range of the knob."""
        methods = topics.methods_of(context.description)
        integers = integers_of(context)
        discrete = context.description.mechanism if integers is not None else None
        return cls(context.knob, integers, recurring(context.cases, context.knob), methods, discrete)

    def observe(self, batch: Batch) -> None:
        """Bets on the marginal scores, position by position; of an adaptive session on the first release alone."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        marginal = batch.innovations.marginal
        kept = self._of_first(batch, marginal[:, 0])
        if self.integers is not None:
            for topic, happened, weight in single_releases(self.integers, batch):
                cast(TieWealth, self.wealth_of(topic)).bet(happened, weight)
        if self.discrete is not None and batch.times is not None:
            cast(RatioWealth, self.wealth_of(integer_laws.FIRST)).bet(integer_laws.first_ratios(self.discrete, batch))
        later = marginal[:, 1:LONGEST]
        if batch.case.fixed and later.size:
            kept |= {LATER_SCORES: later.ravel(), LATER_PLACES: places_of(*later.shape).ravel()}
        self.keep(kept)

    def _of_first(self, batch: Batch, scores: Floats) -> dict[str, NDArray[Any]]:
        """Bets on sums of first releases; what is left to be bet on together with other batches."""
        here = np.isfinite(scores)
        first, filled = scores[here], np.where(here, scores, 0.0)
        self.count += first.size
        total, squared = float(first.sum()), dot(first, first)
        for variance, centre in (
            (topics.FIRST_VARIANCE, topics.FIRST_CENTRE),
            topics.BY_METHOD[batch.case.method],
        ):
            self.bet_on_scale(variance, first.size, squared)
            self.bet_on_mean(centre, total, first.size)
        counts, squares = here.sum(axis=1), np.einsum("ij,ij->i", filled, filled)
        if scores.shape[1] > 1:
            numbers, sums = here.sum(axis=0), np.einsum("ij,ij->j", filled, filled)
            for at in topics.COORDINATES[: scores.shape[1]]:
                self.bet_on_scale(topics.OF_COORDINATE[at][0], int(numbers[at]), sums[at])
        stretches = np.digitize(batch.asked[:, 0], self.edges[1:-1])
        of_stretch = np.bincount(stretches, counts, STRETCHES), np.bincount(stretches, squares, STRETCHES)
        for stretch, count, square in zip(self.stretches, *of_stretch, strict=True):
            if count:
                self.bet_on_scale(stretch, int(count), square)
        if self._times is not None:
            for time, of_time in recurring_times.by_time(batch.asked[:, 0], counts, squares).items():
                self._times.add(time, *of_time)
        if self.integers is not None:
            for topic, ratios, of_topic in recurring_times.at_fractions(self.integers, batch, counts, squares):
                cast(ParameterWealth, self.wealth_of(topic)).bet(ratios, *of_topic)
        return {FIRST_SCORES: first, SESSION_COUNTS: counts, SESSION_SQUARES: squares}

    def pooled(self, numbers: dict[str, NDArray[Any]]) -> None:
        """Bets on the shape of first releases, on rare sessions, and on later releases position by position."""
        first = numbers[FIRST_SCORES]
        fine = fine_counts(first)
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(fine)
        self.bins(topics.FIRST_BINS).bet(bin_counts(fine))
        self.ratios(topics.FIRST_SHAPE).bet(shape_ratios(first))
        self.ratios(topics.FIRST_RARE).bet(session_ratios(numbers[SESSION_COUNTS], numbers[SESSION_SQUARES]))
        if LATER_SCORES not in numbers:
            return
        later, places = numbers[LATER_SCORES], numbers[LATER_PLACES]
        counts = np.bincount(places).tolist()
        squares, sums = np.bincount(places, later * later), np.bincount(places, later)
        bins = bin_counts_by_place(later, places)
        for index, count in enumerate(counts):
            variance, centre = topics.AT_POSITION[index + 1]
            self.scale(variance).add(count, squares[index])
            self.mean(centre).add(sums[index], count)
            self.bins(topics.BINS_AT_POSITION[index + 1]).bet(bins[index])

    @property
    def _times(self) -> ScalesByKey | None:
        return cast(ScalesByKey, self.wealth_of(topics.AT_ONE_TIME)) if self.recur else None

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """Also at any one of the times that were asked for again and again."""
        if self._times is None:
            return super().sizes(alpha)
        needed = -float(np.log(alpha)) - self.portfolio.log_weights[topics.AT_ONE_TIME]
        return super().sizes(alpha) + recurring_times.size_at_any(self._times, needed, self.falling)

    def _standing_out(self, alpha: float) -> Topic:
        """The topic that stands out; single times only where nothing else says as much of another fault."""
        leading = self.portfolio.leading
        if leading != topics.AT_ONE_TIME:
            return leading
        others = {topic: bet.log_e for topic, bet in self.portfolio.bets.items() if topic != leading}
        best = max(others, key=others.__getitem__)
        least = max(-float(np.log(alpha)), AS_GOOD * self.portfolio[leading].log_e)
        return best if others[best] >= least else leading

    def leading(self, alpha: float) -> Topic:
        """The topic that stands out; all first releases, where they say it too, and not some or a later one."""
        leading, whole = self._standing_out(alpha), topics.FIRST_VARIANCE
        of_all = self.portfolio[whole].log_e
        later = leading.position is not None and isinstance(self.portfolio[leading], ScaleWealth)
        as_good = later and of_all >= AS_GOOD * self.portfolio[leading].log_e
        if (leading.narrow or as_good) and of_all >= -np.log(alpha):
            leading = whole
        return self.or_shift(leading, alpha)

    def finding(self, alpha: float) -> Finding:
        """What stands out, unless other topics say as much of another fault."""
        leading = self.leading(alpha)
        evidence, found = self.portfolio[leading].log_e, super().finding(alpha)
        if leading == topics.AT_ONE_TIME:
            assert self._times is not None
            return recurring_times.at_the_time(found, self._times, self.falling)
        found = scale_or_shape(found, evidence, self.ratios(topics.FIRST_SHAPE))
        return rare_or_shape(found, self.ratios(topics.FIRST_RARE))
