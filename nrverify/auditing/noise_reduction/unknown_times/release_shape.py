"""The shape of releases when the noise level of an ε is not known: each number against those before it.

Of normal numbers of an unknown scale each, over the root of the mean square of those before, follows Student's law; of
Laplace numbers the size of each, over the sum of those before, follows Pareto's. All are independent of one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr

from nrverify.auditing.core.bets.named_alternatives import SHAPES, shape_ratios
from nrverify.auditing.core.bets.portfolio_check import PortfolioCheck
from nrverify.auditing.core.bets.score_bins import BIN_WEIGHTS, bin_counts, fine_counts
from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.declaration import Need, form
from nrverify.auditing.core.faults.noise import SHIFTED, WRONG_SHAPE
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.transforms.rosenblatt import LARGEST_SCORE
from nrverify.auditing.noise_reduction.checks.release_law import ReleaseLaw
from nrverify.auditing.noise_reduction.context import TIMES_KNOWN, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.unknown_times.needs import GRID_FINE, TIMES_UNKNOWN
from nrverify.statistics.detectable import detectable_share
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import BinWealth, MeanWealth, RatioWealth

Floats = NDArray[np.float64]

FIRST, LAST, STEPS = PLACES = ("the first release", "the last release", "steps between releases")


def distribution(place: str) -> Topic:
    """Shares of the scores in bins."""
    return Topic(f"distribution of {place}", WRONG_SHAPE)


def shape(place: str) -> Topic:
    """Named alternatives to the claimed family."""
    return Topic(f"shape of {place}", WRONG_SHAPE)


def centre(place: str) -> Topic:
    """The mean of the scores."""
    return Topic(f"centre of {place}", SHIFTED)


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


@form(
    ReleaseLaw,
    claims=("B06", "N09", "N14", "E09"),
    needs=(
        TIMES_UNKNOWN,
        GRID_FINE,
        Need(lambda context: context.description.mechanism in SCORES, TIMES_KNOWN.why, TIMES_KNOWN.of_records),
    ),
    expected="noise of the claimed family, of any scale",
    templates={},
)
class UnknownReleases(PortfolioCheck):
    """Releases, and the steps between them, have noise of the claimed family at whatever scale.

    Catches noise of another shape, clipped, cut off or off centre, where the noise level of an ε is not known. Misses a
    wrong scale, which the claim of the ε itself is for.
    """

    any_value = True
    configuration = ("scores",)

    def __init__(self, scores: Callable[[Floats], Floats]) -> None:
        bets: dict[Topic, tuple[float, Wealth]] = {}
        for place in PLACES:
            bets[distribution(place)] = (2.0, BinWealth(BIN_WEIGHTS))
            bets[shape(place)] = (2.0, RatioWealth(SHAPES))
            bets[centre(place)] = (1.0, MeanWealth())
        super().__init__(bets)
        self.scores = scores

    @classmethod
    def build(cls, context: NoiseReductionContext) -> UnknownReleases:
        """With the scores of the claimed family."""
        return cls(SCORES[context.description.mechanism])

    def observe(self, batch: Batch) -> None:
        """Bets on first releases, on last ones, and on the steps of fixed schedules, which are all independent."""
        if not batch.case.fixed or batch.sessions < 2:
            return
        self.sessions += batch.sessions
        asked = batch.asked[0]
        self._bet(FIRST, batch.noise[:, 0])
        # Of a single release first and last are the same, and say it once.
        if asked[-1] > asked[0]:
            self._bet(LAST, batch.noise[:, -1])
            self._bet(STEPS, batch.steps[:, np.diff(asked) > 0].reshape(batch.sessions, -1))

    def _bet(self, place: str, numbers: Floats) -> None:
        """Bets on numbers (n, m) that are independent, and down each column alike; a 0 is a tie, and left out."""
        if (numbers != 0).all():
            z = self.scores(numbers).ravel()
        else:
            z = np.concatenate([self._scored(column) for column in numbers.T])
        if not z.size:
            return
        self.count += z.size
        self.bins(distribution(place)).bet(bin_counts(fine_counts(z)))
        self.ratios(shape(place)).bet(shape_ratios(z))
        self.mean(centre(place)).bet(z)

    def sizes(self, alpha: float) -> tuple[Size, ...]:
        """A share of the noise that is where it should not be, on one side of some quantile."""
        if not self.sessions:
            return ()
        bins = self.bins(distribution(FIRST))
        needed = -math.log(alpha) - self.portfolio.log_weights[distribution(FIRST)]
        found = detectable_share(bins.weights.size, int(bins.counts.sum()), needed)
        return (Size("share of the first releases on the wrong side of the value", found, "probability"),)

    def _scored(self, column: Floats) -> Floats:
        moved = column[column != 0]
        return self.scores(moved[:, None])[:, 0] if moved.size > 1 else np.empty(0)
