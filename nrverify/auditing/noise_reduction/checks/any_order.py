"""The check of the law of releases in any order: each given those before it, on both sides in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.named_alternatives import (
    FRESH,
    SESSIONS,
    SHAPES,
    fresh_ratio,
    session_ratios,
    shape_ratios,
)
from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.score_bins import BIN_WEIGHTS, KolmogorovSmirnov, bin_counts, fine_counts
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, Need, check
from nrverify.auditing.core.faults import alternative
from nrverify.auditing.core.faults.any_order import (
    INTERPOLATION_MEAN,
    INTERPOLATION_VARIANCE,
    LOWER_IGNORED,
    ORDER_REMEMBERED,
    UPPER_IGNORED,
)
from nrverify.auditing.core.faults.noise import (
    FRESH_NOISE,
    RARE_SESSIONS,
    SHARED_COORDINATES,
    SHARED_SESSIONS,
    SHIFTED,
    WRONG_BRIDGE,
    WRONG_BRIDGE_MEAN,
    WRONG_BRIDGE_VARIANCE,
    WRONG_SCALE,
    WRONG_SHAPE,
    WRONG_STAY_PROBABILITY,
)
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.transforms import any_order
from nrverify.auditing.core.transforms.any_order import Placed
from nrverify.auditing.noise_reduction.checks.law_topics import ALWAYS, PLAYED, methods_of
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_INTEGRITY,
    SEVERAL_RELEASES,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.statistics.detectable import detectable_probability
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth, dot
from nrverify.subjects.noise_families import FAMILIES, NoiseFamily

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

WEIGHT = 0.02
"""The share of α: a third of that of the other checks, so that all of them together stay below 0.95."""

EVERY_VARIANCE = Topic("variance of every release in any order, given those before", WRONG_SCALE, broad=True)
CENTRE = Topic("centre of a release in any order, given those before", SHIFTED)
BETWEEN_CENTRE = Topic("centre of a release between two others", SHIFTED)
BETWEEN = Topic("variance of a release between two others", INTERPOLATION_VARIANCE, shift=BETWEEN_CENTRE)
NOISIER = Topic("variance of a release noisier than all before", WRONG_BRIDGE_VARIANCE)
LESS_NOISY = Topic("variance of a release less noisy than all before, in any order", WRONG_BRIDGE_VARIANCE)
PULL = Topic("pull of a release between two others towards the noisier one", INTERPOLATION_MEAN)
UPWARDS = Topic("memory of the less noisy releases before", WRONG_BRIDGE_MEAN)
DOWNWARDS = Topic("memory of the noisier releases before, in any order", WRONG_BRIDGE_MEAN)
BINS = Topic("distribution of a release in any order, given those before", WRONG_SHAPE)
SHAPE = Topic("shape of every release in any order, given those before", WRONG_SHAPE)
RARE = Topic("rare sessions in any order", RARE_SESSIONS)
NEIGHBOURS = Topic("law of a release given those before, in any order", WRONG_BRIDGE)
TIES_LOW = Topic("releases equal to the less noisy neighbour", WRONG_STAY_PROBABILITY)
TIES_HIGH = Topic("releases equal to the noisier neighbour", WRONG_STAY_PROBABILITY)
COORDINATES = Topic("correlation between coordinates, in any order", SHARED_COORDINATES)
SESSIONS_BEFORE = Topic("correlation of a session with the one before, in any order", SHARED_SESSIONS)
BY_METHOD = {
    method: Topic(f"variance of releases in any order by {method}()", WRONG_BRIDGE_VARIANCE, narrow=True)
    for method in (*ALWAYS, *PLAYED)
}
ALTERNATIVES = {
    any_order.FRESH: FRESH,
    any_order.NO_UPPER: UPPER_IGNORED.id,
    any_order.NO_LOWER: LOWER_IGNORED.id,
    any_order.LAST_ALONE: ORDER_REMEMBERED.id,
    any_order.NOISIER_FRESH: alternative(
        "noisier-afresh", "noise drawn afresh where more is asked for than before", FRESH_NOISE
    ).id,
    any_order.BRIDGE_VARIANCE: alternative(
        "interpolated-as-from-zero", "the variance of a bridge from 0 between two releases", INTERPOLATION_VARIANCE
    ).id,
    any_order.MIDDLE: alternative(
        "interpolated-in-the-middle", "releases centred at the middle of their neighbours", INTERPOLATION_MEAN
    ).id,
    any_order.NEVER_LOW: alternative(
        "never-the-less-noisy", "releases that never equal the less noisy neighbour", WRONG_STAY_PROBABILITY
    ).id,
}
"""The ids of alternatives, by their laws; those that are not of the noise at hand do not bet."""

NOT_ON_GRID = Need(
    lambda context: context.description.granularity is None,
    "releases on a declared grid are judged in falling order alone",
)
KNOWN_BETWEEN = Need(
    lambda context: hasattr(context.description.claimed_process, "between"),
    "the law of a release given others on both sides in time is known of brownian, laplace, skellam and "
    "discrete-laplace noise alone: times are asked for in falling order",
)


@check(
    id="law.any-order",
    kind=CheckKind.LAW,
    sentence="In any order, each release has the law given all before it, on both sides in time.",
    claims=("X06",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=43,
    attribute="any_order",
    needs=(SEVERAL_RELEASES, KNOWN_BETWEEN, NOT_ON_GRID),
    expected="innovations are independent N(0, 1), given neighbours on both sides",
    implied_by=(*OF_INTEGRITY, "ties", "law.value", "law.release", "law.transcript", "law.adaptive"),
    decisive=True,
)
class AnyOrderLaw(PortfolioCheck):
    """The law of releases whose times come in any order, of subjects with any_order = True, also adaptively.

    Each release is judged given all before it, of which its neighbours in time say all: between two of them Brownian
    noise interpolates, and Laplace noise may equal either. Catches a wrong variance or mean between two releases, a
    neighbour or the past forgotten, a law that depends on the order of requests, wrong ties with either neighbour, and
    noise shared between coordinates or sessions there. Misses what falling times show already, which the other checks
    judge, and faults between releases closer than a thousandth of the range in logarithms.
    """

    sees_any_order = True
    sized = (BETWEEN, NOISIER, PULL, UPWARDS)
    configuration = ("mechanism", "rate", "methods")

    def __init__(self, mechanism: str, rate: float = 1.0, methods: Sequence[str] = ALWAYS) -> None:
        self.methods = tuple(methods)
        self.mechanism = mechanism
        self.rate = rate
        bets: dict[Topic, tuple[float, Wealth]] = {
            EVERY_VARIANCE: (3.0, ScaleWealth()),
            BETWEEN: (6.0, ScaleWealth()),
            NOISIER: (4.0, ScaleWealth()),
            LESS_NOISY: (1.0, ScaleWealth()),
            CENTRE: (1.0, MeanWealth()),
            BETWEEN_CENTRE: (1.0, MeanWealth()),
            PULL: (4.0, MeanWealth(slopes=True)),
            UPWARDS: (3.0, MeanWealth(slopes=True)),
            DOWNWARDS: (1.0, MeanWealth(slopes=True)),
            BINS: (2.0, BinWealth(BIN_WEIGHTS)),
            SHAPE: (2.0, RatioWealth(SHAPES)),
            RARE: (1.0, RatioWealth(SESSIONS)),
            NEIGHBOURS: (6.0, RatioWealth(ALTERNATIVES.values())),
            COORDINATES: (3.0, MeanWealth(slopes=True)),
            SESSIONS_BEFORE: (2.0, MeanWealth(slopes=True)),
        }
        for method in self.methods:
            bets[BY_METHOD[method]] = (1.0, ScaleWealth())
        if self.family.tied:
            bets |= {TIES_LOW: (3.0, TieWealth()), TIES_HIGH: (3.0, TieWealth())}
        super().__init__(bets)
        self.kolmogorov_smirnov = KolmogorovSmirnov()

    @classmethod
    def build(cls, context: NoiseReductionContext) -> AnyOrderLaw:
        """For the noise that is claimed."""
        description = context.description
        return cls(description.mechanism, description.rate or 1.0, methods_of(description))

    @property
    def family(self) -> NoiseFamily:
        """The kind of noise."""
        return FAMILIES[self.mechanism]

    def observe(self, batch: Batch) -> None:
        """Bets on releases by where their neighbours are."""
        found = batch.placed
        if found is None:
            return
        self.sessions += batch.sessions
        self._scores(found, batch.case)
        self._pulls(found, batch)
        self._shared(found, batch.case)
        self.ratios(NEIGHBOURS).bet({ALTERNATIVES[name]: fresh_ratio(log) for name, log in found.log_ratios.items()})
        if self.family.tied:
            self._ties(found)

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """Of a variance and a slope; and where noise ties, of the probability of equality with the neighbours."""
        found = super().sizes(alpha)
        for topic in (TIES_LOW, TIES_HIGH) if self.family.tied else ():
            ties = self.events(topic)
            if ties.count:
                needed = -float(np.log(alpha)) - self.portfolio.log_weights[topic]
                size = detectable_probability(ties.count, min(ties.foreseen / ties.count, 1.0), needed)
                found += (Size(f"probability of {topic.quantity}", size, "probability"),)
        return found

    def _scores(self, found: Placed, case: Case) -> None:
        z = found.z[found.present]
        fine = fine_counts(z)
        self.count += z.size
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(fine)
        self.scale(EVERY_VARIANCE).bet(z)
        self.scale(BY_METHOD[case.method]).bet(z)
        self.mean(CENTRE).bet(z)
        self.bins(BINS).bet(bin_counts(fine))
        self.ratios(SHAPE).bet(shape_ratios(z))
        squares = np.einsum("ijk,ijk->i", found.filled, found.filled)
        self.ratios(RARE).bet(session_ratios(found.present.sum(axis=(1, 2)).astype(float), squares))
        for topic, such in ((BETWEEN, found.between), (NOISIER, found.noisier), (LESS_NOISY, found.less_noisy)):
            here = such[..., None] & found.present
            self.scale(topic).bet(found.z[here])
            if topic is BETWEEN:
                self.mean(BETWEEN_CENTRE).bet(found.z[here])

    def _pulls(self, found: Placed, batch: Batch) -> None:
        """Bets that a release leans to what it should not, by how far apart its neighbours are, or how far from 0."""
        noise, near, variances = batch.noise, found.near, self._variances(batch)
        for topic, such, ends in (
            (PULL, found.between, (near.upper, near.lower)),
            (UPWARDS, found.noisier, (near.lower,)),
            (DOWNWARDS, found.less_noisy, (near.upper,)),
        ):
            rows, columns = np.nonzero(such)
            if not rows.size:
                continue
            given = [noise[rows, end[rows, columns]] for end in ends]
            apart = given[0] - given[1] if len(given) > 1 else given[0]
            here = found.present[rows, columns]
            of_ends = [variances[rows, end[rows, columns]] for end in ends]
            size = np.sqrt(of_ends[0] - of_ends[1] if len(of_ends) > 1 else of_ends[0])[:, None]
            apart = np.clip(apart / size, -LARGEST_LEVER, LARGEST_LEVER)
            self.mean(topic).bet(found.z[rows, columns][here], apart[here])

    def _variances(self, batch: Batch) -> Floats:
        """Of the noise at each request; increments are independent, so that their variances are differences."""
        assert self.family.variance is not None
        return self.family.variance(batch.asked, self.rate)

    def _shared(self, found: Placed, case: Case) -> None:
        """Bets on each coordinate given the one before it, and on each session given the one before."""
        z, here = found.filled, found.present
        if z.shape[2] > 1:
            left = z[..., :-1]
            self.mean(COORDINATES).add(dot(left, z[..., 1:]), dot(left, left * here[..., 1:]))
        if case.fixed:
            left = z[:-1]
            self.mean(SESSIONS_BEFORE).add(dot(left, z[1:]), dot(left, left * here[1:]))

    def _ties(self, found: Placed) -> None:
        """Bets on equality with the less noisy neighbour, and where there is none on that with the noisier one."""
        low = found.atom_low > 0
        self.events(TIES_LOW).bet(found.tied_low[low], found.atom_low[low])
        rest = 1.0 - np.nan_to_num(found.atom_low)
        high = (found.atom_high > 0) & (rest > 0) & ~found.tied_low
        self.events(TIES_HIGH).bet(found.tied_high[high], np.minimum(found.atom_high[high] / rest[high], 1.0))


LARGEST_LEVER = 4.0
"""A covariate is cut here, in units of its size: Laplace noise has rare neighbours so far apart that one decides."""
