"""Checks of the law of whole transcripts, on fixed schedules and of adaptive sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.named_alternatives import (
    FORGETFUL,
    FRESH,
    SESSIONS,
    SHAPES,
    forgetful_ratio,
    forgotten,
    fresh_ratio,
    session_ratios,
    shape_ratios,
)
from nrverify.auditing.core.bets.pooled_check import PooledCheck
from nrverify.auditing.core.bets.score_bins import (
    BIN_WEIGHTS,
    KolmogorovSmirnov,
    bin_counts,
    fine_counts,
)
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.plots.sums import Correlations
from nrverify.auditing.noise_reduction.checks import law_topics as topics
from nrverify.auditing.noise_reduction.checks.integers import laws as integer_laws
from nrverify.auditing.noise_reduction.checks.integers.events import (
    STILL,
    steps_of_zero,
)
from nrverify.auditing.noise_reduction.checks.integers.rounded_normals import ROUNDED, rounded_ratios
from nrverify.auditing.noise_reduction.checks.jumps import every_jump
from nrverify.auditing.noise_reduction.checks.law_topics import LONGEST, STEPS, STRATA
from nrverify.auditing.noise_reduction.checks.namings import fresh_or_bridge, rare_or_shape
from nrverify.auditing.noise_reduction.context import (
    ADAPTIVE,
    MECHANISMS,
    OF_INTEGRITY,
    SCHEDULED,
    SEVERAL_RELEASES,
    THREE_RELEASES,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.diagnosis.fault_location import Places
from nrverify.auditing.noise_reduction.diagnosis.moments import Moments
from nrverify.laws.process import Process
from nrverify.laws.skellam import Skellam
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import (
    BinWealth,
    ExponentialWealth,
    MeanWealth,
    RatioWealth,
    ScaleWealth,
    TieWealth,
    dot,
)

Floats = NDArray[np.float64]

AS_GOOD = 0.5
"""A share of the log e-value with which a topic about all releases says more than one about some."""
INNOVATIONS = "innovations are independent N(0, 1)"
FIRST_SCORES, LATER_SCORES, LATER_PLACES = "first scores", "later scores", "places of later scores"
SESSION_COUNTS, SESSION_SQUARES = "scores of a session", "squares of a session"
PASTS, PREVIOUS, KEPT_SHARES = "scores of the release before", "innovations before", "shares of the time before"
AFRESH, FORGOTTEN = "ratios of fresh noise", "ratios of fresh noise of a session"
"""What is kept of batches until their bets are worked out together."""
IMPLIED_BY = (*OF_INTEGRITY, "ties", "law.value")
"""A wrong law shows in all checks of the law: each has a cause of its own but for these."""


@check(
    id="law.transcript",
    kind=CheckKind.LAW,
    sentence="Each release, given the ones before, follows the bridge of the process.",
    claims=("B01", "A13", "E09", "N04", "N14"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=41,
    needs=(TIMES_KNOWN, SEVERAL_RELEASES, SCHEDULED),
    expected=INNOVATIONS,
    implied_by=IMPLIED_BY,
    decisive=True,
)
class TranscriptLaw(PooledCheck):
    """The joint law of a transcript: each release given the ones before, through the bridge of the process.

    Catches a wrong bridge (mean, variance, memory), noise drawn afresh, faults that show only after an unusual
    release, one coordinate with noise of another scale, wrong shapes (cut off, light or heavy tails, rounded normals
    for counts), and rare sessions with noise of another scale. Misses faults of the first release alone (law.release
    sees those), and a state that is lost only when more sessions are open together than the audit opens: 64 of a Python
    subject, two of a command.
    """

    any_value = True
    adaptive = False
    configuration = ("counts", "integers", "methods", "jumping", "discrete")

    def __init__(
        self,
        counts: Skellam | None = None,
        integers: Process | None = None,
        methods: Sequence[str] = (),
        jumping: bool = False,
        discrete: str | None = None,
    ) -> None:
        """`counts` is the process of a difference of Poisson counts, whose steps may be rounded normals instead.

        `integers` is that of other integer noise, whose steps of 0 are counted. Each of several `methods` is bet on by
        itself; noise that is `jumping` is that of the Laplace process; `discrete` names integer noise whose samplers'
        usual faults are known.
        """
        bets: dict[Topic, tuple[float, Wealth]] = {
            topics.VARIANCE: (12.0, ScaleWealth()),
            topics.EVERY_VARIANCE: (12.0, ScaleWealth()),
            topics.CENTRE: (2.0, MeanWealth()),
            topics.MEMORY: (4.0, MeanWealth(slopes=True)),
            topics.INNOVATION_BEFORE: (2.0, MeanWealth(slopes=True)),
            topics.BINS: (2.0, BinWealth(BIN_WEIGHTS)),
            topics.SHAPE: (5.0, RatioWealth(SHAPES)),
            topics.RECURSION: (4.0, RatioWealth([FRESH, FORGETFUL])),
            topics.RARE: (1.0, RatioWealth(SESSIONS)),
        }
        for size in STRATA:
            bets[topics.VARIANCE_AFTER[size]] = (2.0, ScaleWealth())
            bets[topics.CENTRE_AFTER[size]] = (0.5, MeanWealth())
            bets[topics.VARIANCE_AFTER_INNOVATION[size]] = (0.25, ScaleWealth())
        for variance, memory in topics.OVER_STEP.values():
            bets[variance] = (0.5, ScaleWealth())
            bets[memory] = (0.25, MeanWealth(slopes=True))
        for variance, memory in topics.GIVEN_AT_POSITION.values():
            bets[variance] = (0.25, ScaleWealth())
            bets[memory] = (0.1, MeanWealth(slopes=True))
        for at, (_, every) in topics.OF_COORDINATE.items():
            bets[every] = (topics.coordinate_weight(at), ScaleWealth())
        self.methods = tuple(methods) if len(methods) > 1 and not self.adaptive else ()
        for method in self.methods:
            bets[topics.GIVEN_BY_METHOD[method]] = (2.0, ScaleWealth())
        self.jumping = jumping
        if jumping:
            bets[topics.EVERY_SCALE] = (12.0, ExponentialWealth())
        self.counts = None if self.adaptive else counts
        if self.counts is not None:
            bets[topics.COUNTS] = (4.0, RatioWealth(ROUNDED.values()))
        self.integers = None if self.adaptive else integers
        if self.integers is not None:
            bets[STILL] = (4.0, TieWealth())
        self.discrete = None if self.adaptive else discrete
        if self.discrete is not None:
            bets[integer_laws.STEPS] = (24.0, RatioWealth(integer_laws.names(self.discrete, steps=True)))
        super().__init__(bets)
        self.kolmogorov_smirnov = KolmogorovSmirnov()
        self.correlations = Correlations("Correlation of the transforms of two releases", "release", LONGEST)
        self.moments = None if self.adaptive else Moments()
        """From which a faulty recursion is told."""
        self.places = None if self.adaptive else Places()
        """From which it is told where a fault is seen."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Self:
        """With the process of the counts, where the noise is one."""
        description = context.description
        counts = cast(Skellam, description.claimed_process) if description.family.rated else None
        integers = integers_of(context) if hasattr(description.claimed_process, "forward") else None
        methods = [name for name in topics.methods_of(description) if name in description.methods]
        discrete = description.mechanism if integers is not None else None
        return cls(counts, integers, methods, bool(description.family.jumps), discrete)

    def observe(self, batch: Batch) -> None:
        """Bets on the innovations: all of them, and those after the first given what was released before."""
        if batch.innovations is None or (self.adaptive and batch.case.fixed):
            return
        found = batch.innovations
        if batch.case.fixed:
            self._of_fixed(batch)
        self.sessions += batch.sessions
        assert batch.times is not None
        here = found.present[:, 1:]
        n, later, d = here.shape
        # What a release is compared with was seen before it; where there is no innovation nothing is bet.
        kept_share = np.broadcast_to((batch.times[:, 1:] / batch.times[:, :-1])[:, :, None], here.shape)
        afresh = found.fresh[:, 1:]
        self.keep(
            {
                FIRST_SCORES: _present(found.z[:, 0]),
                LATER_SCORES: found.z[:, 1:][here],
                LATER_PLACES: places_of(n, later, d)[here],
                PASTS: found.past[:, 1:][here],
                PREVIOUS: found.filled[:, :-1][here],
                KEPT_SHARES: kept_share[here],
                AFRESH: _present(afresh),
                FORGOTTEN: forgotten(afresh),
                SESSION_COUNTS: found.present.sum(axis=(1, 2)),
                SESSION_SQUARES: np.einsum("ijk,ijk->i", found.filled, found.filled),
            }
        )
        self.count += int(here.sum())
        if d > 1:
            numbers, sums = found.present.sum(axis=(0, 1)), np.einsum("ijk,ijk->k", found.filled, found.filled)
            for at in topics.COORDINATES[:d]:
                self.bet_on_scale(topics.OF_COORDINATE[at][1], int(numbers[at]), sums[at])
        if batch.case.method in self.methods:
            self.bet_on_scale(topics.GIVEN_BY_METHOD[batch.case.method], int(here.sum()), _squares(found.filled[:, 1:]))
        if self.jumping:
            cast(ExponentialWealth, self.wealth_of(topics.EVERY_SCALE)).add(*every_jump(batch))
        assert self.correlations is not None
        self.correlations.add(np.moveaxis(found.z, 2, 1).reshape(-1, found.z.shape[1]))

    def _of_fixed(self, batch: Batch) -> None:
        """What is kept, and bet on, of schedules that are the same for all sessions."""
        assert batch.times is not None
        if self.moments is not None:
            self.moments.observe(batch)
        if self.places is not None:
            self.places.observe(batch)
        if self.counts is not None:
            rounded = rounded_ratios(self.counts, batch.noise, batch.times[0])
            cast(RatioWealth, self.wealth_of(topics.COUNTS)).bet(rounded)
        if self.integers is not None:
            for topic, happened, weight in steps_of_zero(self.integers, batch):
                cast(TieWealth, self.wealth_of(topic)).bet(happened, weight)
        if self.discrete is not None:
            steps = integer_laws.step_ratios(self.discrete, batch)
            cast(RatioWealth, self.wealth_of(integer_laws.STEPS)).bet(steps)

    def pooled(self, numbers: dict[str, NDArray[Any]]) -> None:
        """Bets on the innovations of several batches: all, and those after the first given what was released before."""
        first, z, past = numbers[FIRST_SCORES], numbers[LATER_SCORES], numbers[PASTS]
        squared, product, energy = z * z, z * past, past * past
        places = numbers[LATER_PLACES]
        sums = [np.bincount(places, part, 1) for part in (squared, product, energy)]
        at_places = zip(np.bincount(places, minlength=1).tolist(), *sums, strict=True)
        for at, (count, squares, cross, energies) in enumerate(at_places, start=1):
            if at < LONGEST:
                variance, memory = topics.GIVEN_AT_POSITION[at]
                self.scale(variance).add(count, squares)
                self.mean(memory).add(cross, energies)
        squares = float(sums[0].sum())
        self.scale(topics.VARIANCE).add(z.size, squares)
        self.mean(topics.MEMORY).add(sums[1].sum(), sums[2].sum())
        self.scale(topics.EVERY_VARIANCE).add(first.size + z.size, dot(first, first) + squares)
        self._over_steps(numbers[KEPT_SHARES], squared, product, energy)
        self.ratios(topics.SHAPE).bet(shape_ratios(np.concatenate([first, z])))
        self._strata(z, past, numbers[PREVIOUS])
        recursions = {FRESH: fresh_ratio(numbers[AFRESH]), FORGETFUL: forgetful_ratio(numbers[FORGOTTEN])}
        self.ratios(topics.RECURSION).bet(recursions)
        self.ratios(topics.RARE).bet(session_ratios(numbers[SESSION_COUNTS], numbers[SESSION_SQUARES]))

    def _over_steps(self, kept: Floats, squared: Floats, product: Floats, energy: Floats) -> None:
        for name, (low, high) in STEPS.items():
            such = (kept >= low) & (kept < high)
            if such.any():
                variance, memory = topics.OVER_STEP[name]
                self.scale(variance).add(int(such.sum()), squared[such].sum())
                self.mean(memory).add(product[such].sum(), energy[such].sum())

    def _strata(self, z: Floats, past: Floats, previous: Floats) -> None:
        fine = fine_counts(z)
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(fine)
        self.mean(topics.CENTRE).bet(z)
        self.mean(topics.INNOVATION_BEFORE).bet(z, previous)
        self.bins(topics.BINS).bet(bin_counts(fine))
        after, later = z, z
        for size in STRATA:
            far = np.abs(past) > size
            after, past = after[far], past[far]
            self.scale(topics.VARIANCE_AFTER[size]).bet(after)
            self.mean(topics.CENTRE_AFTER[size]).bet(after, np.sign(past))
            far = np.abs(previous) > size
            later, previous = later[far], previous[far]
            self.scale(topics.VARIANCE_AFTER_INNOVATION[size]).bet(later)

    def leading(self, alpha: float) -> Topic:
        """The topic that stands out; one about all releases, if it is as good as one about some.

        The scale of all jumps says more of noise of another scale than any other, and less of what is wrong else.
        """
        leading = super().leading(alpha)
        if leading == topics.EVERY_SCALE:
            others = {topic: bet.log_e for topic, bet in self.portfolio.bets.items() if topic != leading}
            best = max(others, key=others.__getitem__)
            leading = best if others[best] >= AS_GOOD * self.portfolio[leading].log_e else leading
        if not leading.narrow:
            return leading
        least = max(-np.log(alpha), AS_GOOD * self.portfolio[leading].log_e)
        broad = max(topics.BROAD, key=lambda topic: self.portfolio[topic].log_e)
        return broad if self.portfolio[broad].log_e >= least else leading

    def finding(self, alpha: float) -> Finding:
        """What stands out, unless other topics say as much of another fault."""
        leading = self.leading(alpha)
        evidence, found = self.portfolio[leading].log_e, super().finding(alpha)
        if leading in topics.MEMORIES:
            found = fresh_or_bridge(found, evidence, self.ratios(topics.RECURSION))
        return rare_or_shape(found, self.ratios(topics.RARE))


@check(
    id="law.adaptive",
    kind=CheckKind.LAW,
    sentence="The same holds when times and stopping depend on what was released.",
    claims=("B01", "B02", "P12"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=42,
    needs=(TIMES_KNOWN, THREE_RELEASES, ADAPTIVE, SEVERAL_RELEASES),
    expected=INNOVATIONS,
    implied_by=IMPLIED_BY,
    decisive=True,
)
class AdaptiveLaw(TranscriptLaw):
    """The same for sessions whose next time depends on what was released, and that stop on what was released.

    The transforms of a session are independent N(0, 1) however the next time is chosen; the release at the stop alone
    is not, and is never tested alone. Catches an implementation that is right only on schedules fixed in advance.
    """

    adaptive = True


def _squares(z: Floats) -> float:
    return float(np.einsum("ijk,ijk->", z, z))


def integers_of(context: NoiseReductionContext) -> Process | None:
    """The process of integer noise whose 0 and ±1 have bets of their own: not of counts, nor a law of one's own."""
    family = context.description.family
    return context.description.claimed_process if family.integer and not (family.rated or family.own) else None


def places_of(n: int, k: int, d: int) -> NDArray[np.intp]:
    """The number of each release, from 0, for noise (n, k, d)."""
    return np.broadcast_to(np.arange(k)[:, None], (n, k, d))


def _present(z: Floats) -> Floats:
    return z[np.isfinite(z) | np.isneginf(z)]
