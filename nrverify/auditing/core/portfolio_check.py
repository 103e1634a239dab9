"""What the checks of the law have in common: a portfolio of bets on innovations, and what it would have caught."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, ndtri

from nrverify.auditing.core.picture_limits import correlations, estimates, frequencies, uniformity
from nrverify.auditing.core.picture_sums import Correlations, Frequencies
from nrverify.auditing.core.pictures import Picture
from nrverify.auditing.core.results import CheckResult, from_bets
from nrverify.auditing.core.score_bins import KolmogorovSmirnov
from nrverify.auditing.core.wording import words_of
from nrverify.auditing.noise_reduction.diagnosis.fault_location import Places
from nrverify.auditing.noise_reduction.diagnosis.second_moments import Moments
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth, ScaleWealth, TieWealth

Floats = NDArray[np.float64]

EXPLAINED = 0.25
"""The square of a shift that is so large a share of a surplus of variance explains it."""
FEWEST_SESSIONS = 1000
WORST_VARIANCE = 0.10
WORST_PROBABILITY = 0.05


def detectable_variance(count: int, alpha: float) -> float:
    """The half-width of the exact confidence interval for a variance from that many innovations."""
    if count < 2:
        return float("inf")
    # The sum of squares over the variance has the χ² law, twice a gamma law of half as many degrees.
    half = 0.5 * count
    return float(max(half / gammaincinv(half, alpha / 2) - 1, 1 - half / gammainccinv(half, alpha / 2)))


class LawCheck:
    """A portfolio of bets on innovations; subclasses say what is bet on."""

    id = "law"
    kind = "law"
    claims: tuple[str, ...] = ()
    expectation = "innovations are independent N(0, 1)"

    def __init__(self, families: dict[str, tuple[float, Wealth]]) -> None:
        self.portfolio = Portfolio(families)
        self.kolmogorov_smirnov: KolmogorovSmirnov | None = None
        self.correlations: Correlations | None = None
        self.frequencies: Frequencies | None = None
        self.moments: Moments | None = None
        self.places: Places | None = None
        self.sessions = 0
        self.count = 0

    def fresh(self) -> Self:
        """The same before the first bet."""
        blank = copy(self)
        blank.portfolio = self.portfolio.fresh()
        blank.kolmogorov_smirnov = KolmogorovSmirnov() if self.kolmogorov_smirnov else None
        blank.correlations = self.correlations.fresh() if self.correlations else None
        blank.frequencies = self.frequencies.fresh() if self.frequencies else None
        blank.moments = Moments() if self.moments else None
        blank.places = Places() if self.places else None
        blank.sessions = blank.count = 0
        return blank

    def merge(self, other: Self) -> None:
        """Takes in what another has seen."""
        self.portfolio.merge(other.portfolio)
        if self.kolmogorov_smirnov and other.kolmogorov_smirnov:
            self.kolmogorov_smirnov.merge(other.kolmogorov_smirnov)
        if self.correlations and other.correlations:
            self.correlations.merge(other.correlations)
        if self.frequencies and other.frequencies:
            self.frequencies.merge(other.frequencies)
        if self.moments and other.moments:
            self.moments.merge(other.moments)
        if self.places and other.places:
            self.places.merge(other.places)
        self.sessions += other.sessions
        self.count += other.count

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, consistent with the smallest variance fault it would have caught, or inconclusive."""
        enough = self.sessions >= FEWEST_SESSIONS and detectable_variance(self.count, alpha) <= WORST_VARIANCE
        expected, observed = self.expectation, None
        if self.refuted(alpha):
            expected, observed = words_of(self.portfolio, self._leading(alpha))
        return from_bets(
            self,
            self.portfolio.log_e,
            alpha,
            samples=self.sessions,
            enough=enough,
            p_value=self.kolmogorov_smirnov.p_value if self.kolmogorov_smirnov else None,
            detectable=self._detectable(alpha),
            expected=expected,
            observed=observed,
            message=None if enough else _would_do(self.count, self.sessions),
        )

    def _leading(self, alpha: float) -> str:
        """The family that stands out most; a centre, if it explains a variance that stands out even more."""
        return self._or_shift(self.portfolio.leading, alpha)

    def _or_shift(self, leading: str, alpha: float) -> str:
        centre = leading.replace("variance", "centre", 1)
        spread, shift = self.portfolio[leading], self.portfolio.families.get(centre)
        if isinstance(spread, ScaleWealth) and isinstance(shift, MeanWealth) and shift.log_e >= -np.log(alpha):
            return centre if shift.slope**2 > EXPLAINED * abs(spread.ratio - 1) else leading
        return leading

    def pictures(self, alpha: float) -> tuple[Picture, ...]:
        """Distribution and quantiles of the transforms, correlations, frequencies, the scales and centres bet on."""
        shown: tuple[Picture, ...] = ()
        if self.kolmogorov_smirnov is not None:
            shown += uniformity(self.kolmogorov_smirnov.counts, alpha, "transforms")
        if self.correlations is not None:
            shown += correlations(self.correlations, alpha)
        if self.frequencies is not None:
            shown += frequencies(self.frequencies, alpha)
        return shown + estimates(self.portfolio.families, alpha)

    def _detectable(self, alpha: float) -> str | None:
        """The smallest fault certainly outside the confidence limits at this level."""
        if self.count < 2:
            return None
        percent = 100 * detectable_variance(self.count, alpha)
        # Two digits, and never 1.2e+02.
        variance = f"{percent:.2g}" if percent < 99.5 else f"{float(f'{percent:.2g}'):.0f}"
        correlation = min(1.0, float(ndtri(1 - alpha / 2)) / np.sqrt(self.count))
        return f"variance off by {variance} %, correlation off by {correlation:.2g}"

    def _scale(self, name: str, z: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, ScaleWealth)
        wealth.bet(z)

    def _squares(self, name: str, count: float, squares: float) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, ScaleWealth)
        wealth.add(int(count), squares)

    def _mean(self, name: str, z: Floats, covariate: Floats | None = None) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, MeanWealth)
        wealth.bet(z, covariate)

    def _products(self, name: str, cross: float, energy: float) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, MeanWealth)
        wealth.add(cross, energy)

    def _coins(self, name: str, heads: NDArray[np.bool_]) -> None:
        """Coins that are fair given the past."""
        wealth = self.portfolio[name]
        assert isinstance(wealth, TieWealth)
        wealth.bet(heads, 0.5)

    def _cells(self, name: str, counts: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, CellWealth)
        wealth.bet(counts)

    def _ratios(self, name: str, log_ratios: dict[str, float]) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, RatioWealth)
        wealth.bet(log_ratios)


def by_position(x: Floats | NDArray[np.bool_]) -> Floats:
    """Sums over sessions and coordinates of x (n, k, d)."""
    n, k, d = x.shape
    return np.asarray(x.reshape(n, k * d).sum(axis=0).reshape(k, d).sum(axis=1), dtype=float)


def _would_do(count: int, sessions: int) -> str:
    """How many sessions would make a variance fault of a tenth visible."""
    needed = 4 * 17.0 / WORST_VARIANCE**2
    per_session = max(count / sessions, 1e-9) if sessions else 1.0
    return f"about {max(FEWEST_SESSIONS, int(needed / per_session))} sessions of the kinds this check uses would do"
