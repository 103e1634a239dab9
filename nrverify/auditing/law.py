"""Checks of the law: each release, the whole transcript, adaptive sessions, and that the noise ignores the value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import chi2

from nrverify.auditing.cases import Case
from nrverify.auditing.check import Batch
from nrverify.auditing.named import SHAPES, fresh_ratio, shape_ratios
from nrverify.auditing.results import CheckResult, from_bets
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth, ScaleWealth, uniform_cells

Floats = NDArray[np.float64]

LONGEST = 12
METHODS = ("sample", "open")
STRATA = (1.0, 2.0, 3.0)
FRESH = "noise drawn afresh for each release"
CELL_EDGES, CELL_WEIGHTS = uniform_cells()
SCORE_EDGES: Floats = ndtri(CELL_EDGES)

FEWEST_SESSIONS = 1000
WORST_VARIANCE = 0.10
WORST_PROBABILITY = 0.05


def cell_counts(z: Floats) -> Floats:
    """How many normal scores fall into each omnibus cell."""
    return np.bincount(np.searchsorted(SCORE_EDGES, z), minlength=CELL_WEIGHTS.size).astype(float)


class KolmogorovSmirnov:
    """The familiar number beside the bets: the distance of pooled normal scores from N(0, 1), on a fine grid.

    Its p-value is the Dvoretzky–Kiefer–Wolfowitz–Massart bound 2 exp(−2nD²) at this one look; no verdict rests on it.
    """

    edges: Floats = ndtri(np.arange(1, 1024) / 1024)

    def __init__(self) -> None:
        self.counts = np.zeros(1024)

    def add(self, z: Floats) -> None:
        """Takes in normal scores."""
        self.counts += np.bincount(np.searchsorted(self.edges, z), minlength=1024)

    @property
    def p_value(self) -> float:
        """The bound on the p-value of the distance."""
        total = self.counts.sum()
        if total == 0:
            return 1.0
        distance = np.max(np.abs(np.cumsum(self.counts) / total - np.arange(1, 1025) / 1024))
        return float(min(1.0, 2 * np.exp(-2 * total * distance**2)))


def detectable_variance(count: int, alpha: float) -> float:
    """The half-width of the exact confidence interval for a variance from that many innovations."""
    if count < 2:
        return float("inf")
    return float(max(count / chi2.ppf(alpha / 2, count) - 1, 1 - count / chi2.ppf(1 - alpha / 2, count)))


class LawCheck:
    """A portfolio of bets on innovations; subclasses say what is bet on."""

    id = "law"
    kind = "law"
    claims: tuple[str, ...] = ()
    expectation = "innovations are independent N(0, 1)"

    def __init__(self, families: dict[str, tuple[float, Wealth]]) -> None:
        self.portfolio = Portfolio(families)
        self.kolmogorov_smirnov: KolmogorovSmirnov | None = None
        self.sessions = 0
        self.count = 0

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return bool(self.portfolio.log_e >= -np.log(alpha))

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted, consistent with the smallest variance fault it would have caught, or inconclusive."""
        enough = self.sessions >= FEWEST_SESSIONS and detectable_variance(self.count, alpha) <= WORST_VARIANCE
        expected, observed = self.expectation, None
        if self.refuted(alpha):
            leading = self.portfolio.leading
            expected, observed = (f"{leading}: {words}" for words in self.portfolio[leading].words())
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

    def _detectable(self, alpha: float) -> str | None:
        """The smallest fault certainly outside the confidence limits at this level."""
        if self.count < 2:
            return None
        variance = detectable_variance(self.count, alpha)
        correlation = min(1.0, float(ndtri(1 - alpha / 2)) / np.sqrt(self.count))
        return f"variance within ±{100 * variance:.2g} %, correlation within ±{correlation:.2g}"

    def _scale(self, name: str, z: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, ScaleWealth)
        wealth.bet(z)

    def _mean(self, name: str, z: Floats, covariate: Floats | None = None) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, MeanWealth)
        wealth.bet(z, covariate)

    def _cells(self, name: str, z: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, CellWealth)
        wealth.bet(cell_counts(z))

    def _ratios(self, name: str, log_ratios: dict[str, float]) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, RatioWealth)
        wealth.bet(log_ratios)


class ReleaseLaw(LawCheck):
    """The law of each release taken alone, on fixed schedules.

    Catches a wrong scale, centre or shape of the noise at any position. Misses everything that only shows in how
    releases hang together, such as noise drawn afresh.
    """

    id = "law.release"
    claims: tuple[str, ...] = ("B06", "N09", "N14", "E09")

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "variance of the first release": (4.0, ScaleWealth()),
            "centre of the first release": (2.0, MeanWealth()),
            "distribution of the first release": (2.0, CellWealth(CELL_WEIGHTS)),
            "shape of the first release": (2.0, RatioWealth(SHAPES)),
        }
        for method in METHODS:
            families[f"variance of the first release by {method}()"] = (1.0, ScaleWealth())
            families[f"centre of the first release by {method}()"] = (0.5, MeanWealth())
        for position in range(1, LONGEST):
            families[f"variance of release {position + 1}"] = (1.0, ScaleWealth())
            families[f"centre of release {position + 1}"] = (0.5, MeanWealth())
            families[f"distribution of release {position + 1}"] = (0.25, CellWealth(CELL_WEIGHTS))
        super().__init__(families)
        self.kolmogorov_smirnov = KolmogorovSmirnov()

    def observe(self, batch: Batch) -> None:
        """Bets on the marginal scores, position by position; of an adaptive session on the first release alone."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        marginal = batch.innovations.marginal
        first = _present(marginal[:, 0])
        self.count += first.size
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(first)
        self._scale("variance of the first release", first)
        self._mean("centre of the first release", first)
        self._cells("distribution of the first release", first)
        self._ratios("shape of the first release", shape_ratios(first))
        self._scale(f"variance of the first release by {batch.case.method}()", first)
        self._mean(f"centre of the first release by {batch.case.method}()", first)
        if not batch.case.fixed:
            return
        for position in range(1, min(marginal.shape[1], LONGEST)):
            z = _present(marginal[:, position])
            self._scale(f"variance of release {position + 1}", z)
            self._mean(f"centre of release {position + 1}", z)
            self._cells(f"distribution of release {position + 1}", z)


class TranscriptLaw(LawCheck):
    """The joint law of a transcript: each release given the ones before, through the bridge of the process.

    Catches a wrong bridge (mean, variance, memory), noise drawn afresh, faults that show only after an unusual
    release, and wrong shapes of the bridge. Misses faults of the first release alone (law.release sees those).
    """

    id = "law.transcript"
    claims: tuple[str, ...] = ("B01", "A13", "E09", "N04", "N14")
    adaptive = False

    def __init__(self) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "variance of a release given the one before": (6.0, ScaleWealth()),
            "variance of every release given the past": (6.0, ScaleWealth()),
            "centre of a release given the one before": (2.0, MeanWealth()),
            "memory of the release before": (4.0, MeanWealth()),
            "dependence on the innovation before": (2.0, MeanWealth()),
            "distribution given the release before": (2.0, CellWealth(CELL_WEIGHTS)),
            "shape given the release before": (2.0, RatioWealth(SHAPES)),
            "alternative": (4.0, RatioWealth([FRESH])),
        }
        for size in STRATA:
            families[f"variance after a release beyond {size:g} sd"] = (1.0, ScaleWealth())
            families[f"centre after a release beyond {size:g} sd"] = (1.0, MeanWealth())
            families[f"variance after an innovation beyond {size:g} sd"] = (0.5, ScaleWealth())
        for position in range(1, LONGEST):
            families[f"variance of release {position + 1} given the one before"] = (0.5, ScaleWealth())
            families[f"memory at release {position + 1}"] = (0.25, MeanWealth())
        super().__init__(families)
        self.kolmogorov_smirnov = KolmogorovSmirnov()

    def observe(self, batch: Batch) -> None:
        """Bets on the innovations of every release after the first."""
        if batch.case.fixed == self.adaptive or batch.innovations is None:
            return
        found = batch.innovations
        self.sessions += batch.sessions
        # Release by release: what a release is compared with has then been seen before it.
        z = np.moveaxis(found.z[:, 1:], 1, 0)
        here = np.isfinite(z)
        past = np.moveaxis(found.past[:, 1:], 1, 0)
        previous = np.nan_to_num(np.moveaxis(found.z[:, :-1], 1, 0))
        for position in range(min(z.shape[0], LONGEST - 1)):
            now, before = z[position][here[position]], past[position][here[position]]
            self._scale(f"variance of release {position + 2} given the one before", now)
            self._mean(f"memory at release {position + 2}", now, before)
        self._pooled(z[here], past[here], previous[here])
        self._scale("variance of every release given the past", _present(found.z))
        self._ratios("alternative", {FRESH: fresh_ratio(_present(np.moveaxis(found.fresh[:, 1:], 1, 0)))})

    def _pooled(self, z: Floats, past: Floats, previous: Floats) -> None:
        self.count += z.size
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(z)
        self._scale("variance of a release given the one before", z)
        self._mean("centre of a release given the one before", z)
        self._mean("memory of the release before", z, past)
        self._mean("dependence on the innovation before", z, previous)
        self._cells("distribution given the release before", z)
        self._ratios("shape given the release before", shape_ratios(z))
        for size in STRATA:
            far = np.abs(past) > size
            self._scale(f"variance after a release beyond {size:g} sd", z[far])
            self._mean(f"centre after a release beyond {size:g} sd", z[far], np.sign(past[far]))
            self._scale(f"variance after an innovation beyond {size:g} sd", z[np.abs(previous) > size])


class AdaptiveLaw(TranscriptLaw):
    """The same for sessions whose next time depends on what was released, and that stop on what was released.

    The transforms of a session are independent N(0, 1) however the next time is chosen; the release at the stop alone
    is not, and is never tested alone. Catches an implementation that is right only on schedules fixed in advance.
    """

    id = "law.adaptive"
    claims: tuple[str, ...] = ("B01", "B03", "N08")
    adaptive = True


class ValueLaw(LawCheck):
    """The noise does not depend on the value.

    Catches a bridge that pulls towards 0 rather than towards f(x), noise scaled by the value, and values at which the
    implementation goes wrong. Misses a dependence that shows at no value of the battery.
    """

    id = "law.value"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self, cases: list[Case]) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "pull along the value": (4.0, MeanWealth()),
            "pull of the first release along the value": (2.0, MeanWealth()),
        }
        for case in cases:
            families[f"variance at value {_words(case)}"] = (1.0, ScaleWealth())
            families[f"centre at value {_words(case)}"] = (1.0, MeanWealth())
        super().__init__(families)

    def observe(self, batch: Batch) -> None:
        """Bets on all innovations of a case, and along the sign of the value."""
        if batch.innovations is None:
            return
        self.sessions += batch.sessions
        z = batch.innovations.z
        here = np.isfinite(z)
        sign = np.broadcast_to(np.sign(batch.case.array), z.shape)
        self.count += int(here.sum())
        self._mean("pull along the value", z[here], sign[here])
        self._mean("pull of the first release along the value", z[:, 0][here[:, 0]], sign[:, 0][here[:, 0]])
        self._scale(f"variance at value {_words(batch.case)}", z[here])
        self._mean(f"centre at value {_words(batch.case)}", z[here], np.where(sign[here] == 0, 1.0, sign[here]))


def _would_do(count: int, sessions: int) -> str:
    """How many sessions would make a variance fault of a tenth visible."""
    needed = 4 * 17.0 / WORST_VARIANCE**2
    per_session = max(count / sessions, 1e-9) if sessions else 1.0
    return f"about {max(FEWEST_SESSIONS, int(needed / per_session))} sessions of the kinds this check uses would do"


def _present(z: Floats) -> Floats:
    return z[np.isfinite(z) | np.isneginf(z)]


def _words(case: Case) -> str:
    return f"{', '.join(f'{x:g}' for x in case.value)} ({case.name})"
