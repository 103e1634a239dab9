"""What checks that bet on normal scores have in common: a portfolio of bets, and what it would have caught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.bets.scale_origins import fault_of_scale
from nrverify.auditing.core.bets.score_bins import KolmogorovSmirnov
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import Declared
from nrverify.auditing.core.faults import alternative_of
from nrverify.auditing.core.finding import LATER_RELEASE, Finding, Size
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.plots.limits import correlations, estimates, frequencies, uniformity
from nrverify.auditing.core.plots.sums import Correlations, Frequencies
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.statistics.additive import Additive
from nrverify.statistics.detectable import detectable_probability, detectable_slope, detectable_variance
from nrverify.statistics.estimate import Measure
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth

Floats = NDArray[np.float64]
Bets = Mapping[Topic, tuple[float, Wealth]]

EXPLAINED = 0.25
"""The square of a shift that is so large a share of a surplus of variance explains it."""
FEWEST_SESSIONS = 1000
"""With fewer sessions only gross faults are seen, so not refuting says nothing: the check is inconclusive."""
WORST_VARIANCE = 0.13
"""A variance must be known to this, relative, or the check is inconclusive."""
WORST_CORRELATION = 0.1
"""A correlation must be known to this, or the check is inconclusive: as many numbers tell a variance to 13 %."""
WORST_PROBABILITY = 0.05
"""A probability must be known to this, or the check is inconclusive."""


class PortfolioCheck(Declared, Additive):
    """A portfolio of bets on normal scores (innovations); subclasses say what is bet on."""

    sized: ClassVar[tuple[Topic, ...]] = ()
    """Topics whose smallest effect is stated; () for all that are not about some releases only."""

    def __init__(self, bets: Bets) -> None:
        self.portfolio = Portfolio(bets)
        self.kolmogorov_smirnov: KolmogorovSmirnov | None = None
        self.correlations: Correlations | None = None
        self.frequencies: Frequencies | None = None
        self.sessions = 0
        self.count = 0

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, consistent with the smallest fault it would have caught, or inconclusive."""
        enough = self.enough(alpha)
        return from_bets(
            self,
            self.portfolio.log_e,
            alpha,
            samples=self.sessions,
            enough=enough,
            p_value=self.kolmogorov_smirnov.p_value if self.kolmogorov_smirnov else None,
            sizes=self.sizes(alpha),
            finding=self.finding(alpha) if self.refuted(alpha) else None,
            message=None if enough else needed(self.count, self.sessions),
        )

    def enough(self, alpha: float) -> bool:
        """Whether so much was seen that not refuting says something."""
        sizes = self.sizes(alpha)
        worst = {"relative": WORST_VARIANCE, "correlation": WORST_CORRELATION}
        known = bool(sizes) and sizes[0].value <= worst.get(sizes[0].unit, np.inf)
        return self.sessions >= FEWEST_SESSIONS and known

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """The smallest faults that are refuted with probability one half: of a variance, and of a correlation.

        Each is that of the bet which needs least, at its weight; its quantity is what the bet is about.
        """
        variances, slopes = [], []
        for topic in self.sized or self.portfolio.bets:
            wealth = self.portfolio[topic]
            needed = -np.log(alpha) - self.portfolio.log_weights[topic]
            if isinstance(wealth, ScaleWealth) and wealth.count > 1 and not topic.narrow:
                variances.append(Size(topic.quantity, detectable_variance(wealth.count, needed), "relative"))
            elif isinstance(wealth, MeanWealth) and wealth.slopes and wealth.energy > 0:
                slopes.append(Size(topic.quantity, min(detectable_slope(wealth.energy, needed), 1.0), "correlation"))
        found = [min(sizes, key=lambda size: size.value) for sizes in (variances, slopes) if sizes]
        return tuple(found)

    def coin_size(self, topic: Topic, quantity: str, alpha: float) -> tuple[Size, ...]:
        """The change of a fair coin's probability that its bet refutes with probability one half."""
        coins = self.events(topic)
        needed = -float(np.log(alpha)) - self.portfolio.log_weights[topic]
        return (Size(quantity, detectable_probability(coins.count, 0.5, needed), "probability"),) if coins.count else ()

    def finding(self, alpha: float) -> Finding:
        """What the bet that stands out measured, and the fault it shows."""
        topic = self.leading(alpha)
        estimate = self.portfolio[topic].estimate()
        fault, *others = [topic.fault]
        if estimate.measure is Measure.ALTERNATIVE:
            fault, *others = dict.fromkeys(alternative_of(id).fault for id in estimate.alternatives)
        if estimate.measure is Measure.VARIANCE and estimate.observed is not None:
            fault = fault_of_scale(fault, estimate.observed, topic.alone, topic.position)
        if topic.position is not None:
            estimate = replace(estimate, numbers={**estimate.numbers, LATER_RELEASE: float(topic.position)})
        return Finding(topic.quantity, estimate, fault, tuple(others))

    def leading(self, alpha: float) -> Topic:
        """The topic that stands out most; a shift, if it explains a variance that stands out even more."""
        return self.or_shift(self.portfolio.leading, alpha)

    def or_shift(self, leading: Topic, alpha: float) -> Topic:
        """The shift of the same numbers, where it explains the variance that stands out."""
        spread = self.portfolio[leading]
        if leading.shift is None or not isinstance(spread, ScaleWealth):
            return leading
        shift = cast(MeanWealth, self.portfolio[leading.shift])
        explains = shift.log_e >= -np.log(alpha) and shift.slope**2 > EXPLAINED * abs(spread.ratio - 1)
        return leading.shift if explains else leading

    def plots(self, alpha: float) -> tuple[Plot, ...]:
        """Distribution and quantiles of the transforms, correlations, frequencies, the scales and centres bet on."""
        shown: tuple[Plot, ...] = ()
        if self.kolmogorov_smirnov is not None:
            shown += uniformity(self.kolmogorov_smirnov.counts, alpha, "transforms")
        if self.correlations is not None:
            shown += correlations(self.correlations, alpha)
        if self.frequencies is not None:
            shown += frequencies(self.frequencies, alpha)
        return shown + estimates(self.portfolio.bets, alpha, self.leading(alpha) if self.refuted(alpha) else None)

    def scale(self, topic: Topic) -> ScaleWealth:
        """The bet on a variance."""
        return cast(ScaleWealth, self.portfolio[topic])

    def mean(self, topic: Topic) -> MeanWealth:
        """The bet on a shift or a slope."""
        return cast(MeanWealth, self.portfolio[topic])

    def events(self, topic: Topic) -> TieWealth:
        """The bet on events of known probability."""
        return cast(TieWealth, self.portfolio[topic])

    def bins(self, topic: Topic) -> BinWealth:
        """The bet on counts in bins."""
        return cast(BinWealth, self.portfolio[topic])

    def ratios(self, topic: Topic) -> RatioWealth:
        """The bet on named alternatives."""
        return cast(RatioWealth, self.portfolio[topic])


NEEDED = 22.0
"""Nats with which a bet of the usual weight refutes at the level of a check: log(1/6e-8), its weight and its grid."""


def by_position(x: Floats | NDArray[np.bool_]) -> Floats:
    """Sums over sessions and coordinates of x (n, k, d)."""
    n, k, d = x.shape
    return np.asarray(x.reshape(n, k * d).sum(axis=0).reshape(k, d).sum(axis=1), dtype=float)


def needed(count: int, sessions: int) -> str:
    """How many sessions would make a variance fault of 13 % visible."""
    numbers = 4 * NEEDED / WORST_VARIANCE**2
    per_session = max(count / sessions, 1e-9) if sessions else 1.0
    return f"this check needs about {max(FEWEST_SESSIONS, int(numbers / per_session))} sessions of its kind"
