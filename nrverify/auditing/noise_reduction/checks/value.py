"""The check that the noise ignores the value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import CheckKind, check
from nrverify.auditing.core.faults.noise import DEPENDS_ON_VALUE, PULLED_TO_ZERO
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.noise_reduction.context import (
    MECHANISMS,
    OF_ANY_LAW,
    TIMES_KNOWN,
    WEIGHT,
    NoiseReductionContext,
)
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, dot

LARGE_VALUE = 100.0
"""Beyond this a value is large: rounding and pulls grow with it."""
ONE_SIDED = 0.2
"""A pull on one side of 0 that has so small a share of the evidence of the other is none."""
PULL = Topic("pull along the value", PULLED_TO_ZERO)
FIRST_PULL = Topic("pull of the first release along the value", PULLED_TO_ZERO)
LARGE = Topic(f"variance at values beyond {LARGE_VALUE:g}", DEPENDS_ON_VALUE)
MAGNITUDES = (0.0, 0.01, 1.0, 10.0, 100.0, 1000.0, 1e4, np.inf)
"""Between these, values are judged by themselves: a fault may show at some magnitudes only."""
AT_MAGNITUDE = tuple(
    (
        Topic(f"variance at values {words}", DEPENDS_ON_VALUE),
        Topic(f"pull along values {words}", DEPENDS_ON_VALUE),
    )
    for words in (
        *(f"from {low:g} to {high:g} in size" for low, high in pairwise(MAGNITUDES[:-1])),
        f"from {MAGNITUDES[-2]:g} on in size",
    )
)
"""Variance and pull, by magnitude."""
NEGATIVE = Topic("variance at values below 0", DEPENDS_ON_VALUE)


@check(
    id="law.value",
    kind=CheckKind.LAW,
    sentence="The noise does not depend on the value.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=43,
    needs=(TIMES_KNOWN,),
    expected="innovations are independent N(0, 1)",
    implied_by=OF_ANY_LAW,
    decisive=True,
)
class ValueLaw(PortfolioCheck):
    """The noise does not depend on the value.

    Catches a bridge that pulls towards 0 rather than towards f(x), noise scaled by the value, and values at which the
    implementation goes wrong: their magnitudes are drawn anew at every look, from a thousandth to 100,000. Misses a
    dependence that shows at none of the values drawn.
    """

    configuration = ("of_case",)

    def __init__(self, cases: Iterable[Case]) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {
            PULL: (4.0, MeanWealth()),
            FIRST_PULL: (2.0, MeanWealth()),
            LARGE: (4.0, ScaleWealth()),
            NEGATIVE: (2.0, ScaleWealth()),
        }
        self.of_case = {case.name: _topics(case) for case in cases}
        """Variance and centre, by the name of the case."""
        for variance, centre in self.of_case.values():
            bets[variance] = (1.0, ScaleWealth())
            bets[centre] = (1.0, MeanWealth())
        for variance, pull in AT_MAGNITUDE:
            bets[variance] = (1.0, ScaleWealth())
            bets[pull] = (0.5, MeanWealth())
        super().__init__(bets)
        self.below = MeanWealth()
        """The pull along values below 0 alone."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> ValueLaw:
        """Over all cases."""
        return cls(context.cases)

    def leading(self, alpha: float) -> Topic:
        """A pull, if it is sure whatever the variance: what else stands out comes of it."""
        pull, every = self.mean(PULL), ScaleWealth()
        for variance, _ in self.of_case.values():
            every.merge(self.scale(variance))
        sure = pull.cross**2 > -2 * np.log(alpha) * pull.energy * max(every.ratio, 1.0)
        return PULL if sure else super().leading(alpha)

    def finding(self, alpha: float) -> Finding:
        """What stands out; a pull on one side of 0 alone is a dependence on the value, and no pull towards 0."""
        found = super().finding(alpha)
        if found.fault is not PULLED_TO_ZERO:
            return found
        pull = self.mean(PULL)
        above = MeanWealth(pull.cross - self.below.cross, pull.energy - self.below.energy)
        errors = [abs(side.slope) * side.energy**0.5 for side in (above, self.below) if side.energy > 0]
        return found.of(DEPENDS_ON_VALUE) if len(errors) == 2 and min(errors) < ONE_SIDED * max(errors) else found

    def observe(self, batch: Batch) -> None:
        """Bets on all innovations of a case, and along the sign of the value."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        z, here, sign = batch.innovations.filled, batch.innovations.present, np.sign(batch.case.array)
        sums, counts = z.sum(axis=(0, 1)), here.sum(axis=(0, 1))
        self.count += int(counts.sum())
        self.mean(PULL).add(np.dot(sign, sums), np.dot(sign * sign, counts))
        under = batch.case.array < 0
        self.below.add(-sums[under].sum(), counts[under].sum())
        first, firsts = z[:, 0].sum(axis=0), here[:, 0].sum(axis=0)
        self.mean(FIRST_PULL).add(np.dot(sign, first), np.dot(sign * sign, firsts))
        large = np.abs(batch.case.array) >= LARGE_VALUE
        self.scale(LARGE).add(counts[large].sum(), dot(z[..., large], z[..., large]))
        negative = batch.case.array < 0
        self.scale(NEGATIVE).add(counts[negative].sum(), dot(z[..., negative], z[..., negative]))
        squares = np.einsum("ijk,ijk->k", z, z)
        for coordinate, level in enumerate(np.digitize(np.abs(batch.case.array), MAGNITUDES) - 1):
            variance, pull = AT_MAGNITUDE[level]
            self.scale(variance).add(counts[coordinate], squares[coordinate])
            if sign[coordinate]:
                self.mean(pull).add(sign[coordinate] * sums[coordinate], counts[coordinate])
        # A case keeps its name, whatever value it has at a look.
        variance, centre = self.of_case[batch.case.name]
        self.scale(variance).add(counts.sum(), dot(z, z))
        self.mean(centre).add(np.dot(np.where(sign == 0, 1.0, sign), sums), counts.sum())


def _topics(case: Case) -> tuple[Topic, Topic]:
    centre = Topic(f"centre in the case {case.name}", DEPENDS_ON_VALUE)
    return Topic(f"variance in the case {case.name}", DEPENDS_ON_VALUE, shift=centre), centre
