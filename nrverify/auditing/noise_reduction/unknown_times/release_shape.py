"""The shape of releases when the noise level of an ε is not known: each number against those before it.

Of normal numbers of an unknown scale each, over the root of the mean square of those before, follows Student's law; of
Laplace numbers the size of each, over the sum of those before, follows Pareto's. All are independent of one another.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from nrverify.auditing.core.named_alternatives import SHAPES, shape_ratios
from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.core.rosenblatt import LARGEST_SCORE
from nrverify.auditing.core.score_bins import CELL_WEIGHTS, cell_counts, fine_counts
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.proportions import half_width
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth

Floats = NDArray[np.float64]

PLACES = ("the first release", "the last release", "steps between releases")


def normal_scores(numbers: Floats) -> Floats:
    """N(0, 1) scores of all but the first, down the columns (n, m), of centred normal numbers of unknown scale."""
    before = np.arange(1, len(numbers))[:, None]
    spread = np.sqrt(np.cumsum(numbers**2, axis=0)[:-1] / before)
    return _signed(numbers[1:], np.asarray(stdtr(before, -np.abs(numbers[1:]) / spread), dtype=np.float64))


def laplace_scores(numbers: Floats) -> Floats:
    """N(0, 1) scores of all but the first, down the columns (n, m), of centred Laplace numbers of unknown scale."""
    before = np.arange(1, len(numbers))[:, None]
    sizes = np.abs(numbers)
    total = np.cumsum(sizes, axis=0)[:-1]
    return _signed(numbers[1:], 0.5 * np.exp(-before * np.log1p(sizes[1:] / total)))


def _signed(numbers: Floats, tail: Floats) -> Floats:
    """The score with this probability beyond it, on the side of the number."""
    return np.asarray(np.copysign(np.minimum(-ndtri(tail), LARGEST_SCORE), numbers))


SCORES = {"brownian": normal_scores, "laplace": laplace_scores}
"""By mechanism; counts have no scale, and are not scored."""


class UnknownReleases(LawCheck):
    """Releases, and the steps between them, have noise of the claimed family at whatever scale.

    Catches noise of another shape, clipped, cut off or off centre, where the noise level of an ε is not known. Misses a
    wrong scale, which the claim of the ε itself is for.
    """

    id = "law.release"
    claims: tuple[str, ...] = ("B06", "N09", "N14", "E09")
    expectation = "noise of the claimed family, of any scale"

    def __init__(self, scores: Callable[[Floats], Floats]) -> None:
        families: dict[str, tuple[float, Wealth]] = {}
        for place in PLACES:
            families[f"distribution of {place}"] = (2.0, CellWealth(CELL_WEIGHTS))
            families[f"shape of {place}"] = (2.0, RatioWealth(SHAPES))
            families[f"centre of {place}"] = (1.0, MeanWealth())
        super().__init__(families)
        self.scores = scores

    def observe(self, batch: Batch) -> None:
        """Bets on first releases, on last ones, and on the steps of fixed schedules, which are all independent."""
        if not batch.case.fixed or batch.sessions < 2:
            return
        self.sessions += batch.sessions
        asked = batch.asked[0]
        self._bet(PLACES[0], batch.noise[:, 0])
        # Of a single release first and last are the same, and say it once.
        if asked[-1] > asked[0]:
            self._bet(PLACES[1], batch.noise[:, -1])
            self._bet(PLACES[2], batch.steps[:, np.diff(asked) > 0].reshape(batch.sessions, -1))

    def _bet(self, place: str, numbers: Floats) -> None:
        """Bets on numbers (n, m) that are independent, and down each column alike; a 0 is a tie, and left out."""
        if (numbers != 0).all():
            z = self.scores(numbers).ravel()
        else:
            z = np.concatenate([self._scored(column) for column in numbers.T])
        if not z.size:
            return
        self.count += z.size
        self._cells(f"distribution of {place}", cell_counts(fine_counts(z)))
        self._ratios(f"shape of {place}", shape_ratios(z))
        self._mean(f"centre of {place}", z)

    def _detectable(self, alpha: float) -> str | None:
        """A share of the noise that is where it should not be, on one side of some quantile."""
        if not self.sessions:
            return None
        return f"a share of {half_width(self.sessions, alpha):.2g} of the noise out of place"

    def _scored(self, column: Floats) -> Floats:
        moved = column[column != 0]
        return self.scores(moved[:, None])[:, 0] if moved.size > 1 else np.empty(0)
