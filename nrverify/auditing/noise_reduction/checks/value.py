"""The check that the noise ignores the value."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import MeanWealth, ScaleWealth, dot

PULL = "pull along the value"
LARGE_VALUE = 100.0
LARGE = "variance at values beyond 100"
NEGATIVE = "variance at values below 0"


class ValueLaw(LawCheck):
    """The noise does not depend on the value.

    Catches a bridge that pulls towards 0 rather than towards f(x), noise scaled by the value, and values at which the
    implementation goes wrong. Misses a dependence that shows at no value of the battery.
    """

    id = "law.value"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self, cases: list[Case]) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            PULL: (4.0, MeanWealth()),
            "pull of the first release along the value": (2.0, MeanWealth()),
            LARGE: (4.0, ScaleWealth()),
            NEGATIVE: (2.0, ScaleWealth()),
        }
        self._words = {case.name: _words(case) for case in cases}
        for words in self._words.values():
            families[f"variance at value {words}"] = (1.0, ScaleWealth())
            families[f"centre at value {words}"] = (1.0, MeanWealth())
        super().__init__(families)

    def _leading(self, alpha: float) -> str:
        """A pull, if it is sure whatever the variance: what else stands out comes of it."""
        pull, every = self.portfolio[PULL], ScaleWealth()
        assert isinstance(pull, MeanWealth)
        for words in self._words.values():
            of_case = self.portfolio[f"variance at value {words}"]
            assert isinstance(of_case, ScaleWealth)
            every.merge(of_case)
        sure = pull.cross**2 > -2 * np.log(alpha) * pull.energy * max(every.ratio, 1.0)
        return PULL if sure else super()._leading(alpha)

    def observe(self, batch: Batch) -> None:
        """Bets on all innovations of a case, and along the sign of the value."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        z, here, sign = batch.innovations.filled, batch.innovations.present, np.sign(batch.case.array)
        sums, counts = z.sum(axis=(0, 1)), here.sum(axis=(0, 1))
        self.count += int(counts.sum())
        self._products(PULL, np.dot(sign, sums), np.dot(sign * sign, counts))
        first, firsts = z[:, 0].sum(axis=0), here[:, 0].sum(axis=0)
        self._products("pull of the first release along the value", np.dot(sign, first), np.dot(sign * sign, firsts))
        large = np.abs(batch.case.array) >= LARGE_VALUE
        self._squares(LARGE, counts[large].sum(), dot(z[..., large], z[..., large]))
        negative = batch.case.array < 0
        self._squares(NEGATIVE, counts[negative].sum(), dot(z[..., negative], z[..., negative]))
        # A case that was refused at its value has moved inwards, and keeps its name.
        words = self._words[batch.case.name]
        self._squares(f"variance at value {words}", counts.sum(), dot(z, z))
        self._products(f"centre at value {words}", np.dot(np.where(sign == 0, 1.0, sign), sums), counts.sum())


def _words(case: Case) -> str:
    return f"{', '.join(f'{x:g}' for x in case.value)} ({case.name})"
