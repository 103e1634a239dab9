"""Checks of the law: each release, the whole transcript, adaptive sessions, and that the noise ignores the value."""

from __future__ import annotations

from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, gammaincinv, ndtri

from nrverify.auditing.cases import Case
from nrverify.auditing.cells import CELL_WEIGHTS, KolmogorovSmirnov, cell_counts, cell_counts_by_column, fine_counts
from nrverify.auditing.check import Batch
from nrverify.auditing.named import SESSIONS, SHAPES, fresh_ratio, session_ratios, shape_ratios
from nrverify.auditing.picture_limits import correlations, estimates, frequencies, uniformity
from nrverify.auditing.picture_sums import Correlations, Frequencies
from nrverify.auditing.pictures import Picture
from nrverify.auditing.results import CheckResult, from_bets
from nrverify.auditing.rounded_normals import MEANS, alternative, rounded_ratios
from nrverify.laws.process import Process
from nrverify.laws.skellam import Skellam
from nrverify.statistics.portfolio import Portfolio, Wealth
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth, ScaleWealth, dot

Floats = NDArray[np.float64]

LONGEST = 12
METHODS = ("sample", "open")
STRATA = (1.0, 2.0, 3.0)
PULL = "pull along the value"
LARGE_VALUE = 100.0
LARGE = "variance at values beyond 100"
STEPS = {"wide": (0.0, 0.1), "narrow": (0.9, 1.0)}
"""Steps to a time of such a share of the last."""
FRESH = "noise drawn afresh for each release"
STEPS_OF_COUNTS = "law of the steps between releases"

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
        self.sessions = 0
        self.count = 0

    def fresh(self) -> Self:
        """The same before the first bet."""
        blank = copy(self)
        blank.portfolio = self.portfolio.fresh()
        blank.kolmogorov_smirnov = KolmogorovSmirnov() if self.kolmogorov_smirnov else None
        blank.correlations = self.correlations.fresh() if self.correlations else None
        blank.frequencies = self.frequencies.fresh() if self.frequencies else None
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
            leading = self._leading(alpha)
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

    def _leading(self, alpha: float) -> str:
        """The family that stands out most; a centre, if it explains a variance that stands out even more."""
        leading = self.portfolio.leading
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
        variance = detectable_variance(self.count, alpha)
        correlation = min(1.0, float(ndtri(1 - alpha / 2)) / np.sqrt(self.count))
        return f"variance off by {100 * variance:.2g} %, correlation off by {correlation:.2g}"

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

    def _cells(self, name: str, counts: Floats) -> None:
        wealth = self.portfolio[name]
        assert isinstance(wealth, CellWealth)
        wealth.bet(counts)

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
        fine = fine_counts(first)
        self.count += first.size
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(fine)
        self._scale("variance of the first release", first)
        self._mean("centre of the first release", first)
        self._cells("distribution of the first release", cell_counts(fine))
        self._ratios("shape of the first release", shape_ratios(first))
        self._scale(f"variance of the first release by {batch.case.method}()", first)
        self._mean(f"centre of the first release by {batch.case.method}()", first)
        later = marginal[:, 1:LONGEST]
        if not batch.case.fixed or later.size == 0:
            return
        n, positions, d = later.shape
        squares, sums = by_position(later * later), by_position(later)
        cells = cell_counts_by_column(later.reshape(n, -1)).reshape(positions, d, -1).sum(axis=1)
        for index in range(positions):
            self._squares(f"variance of release {index + 2}", n * d, squares[index])
            self._products(f"centre of release {index + 2}", sums[index], n * d)
            self._cells(f"distribution of release {index + 2}", cells[index])


class TranscriptLaw(LawCheck):
    """The joint law of a transcript: each release given the ones before, through the bridge of the process.

    Catches a wrong bridge (mean, variance, memory), noise drawn afresh, faults that show only after an unusual
    release, and wrong shapes of the bridge. Misses faults of the first release alone (law.release sees those).
    """

    id = "law.transcript"
    claims: tuple[str, ...] = ("B01", "A13", "E09", "N04", "N14")
    adaptive = False

    def __init__(self, process: Process) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "variance of a release given the one before": (6.0, ScaleWealth()),
            "variance of every release given the past": (6.0, ScaleWealth()),
            "centre of a release given the one before": (2.0, MeanWealth()),
            "memory of the release before": (4.0, MeanWealth()),
            "dependence on the innovation before": (2.0, MeanWealth()),
            "distribution given the release before": (2.0, CellWealth(CELL_WEIGHTS)),
            "shape of every release given the past": (2.0, RatioWealth(SHAPES)),
            "alternative": (4.0, RatioWealth([FRESH])),
            "rare sessions": (1.0, RatioWealth(SESSIONS)),
        }
        for size in STRATA:
            families[f"variance after a release beyond {size:g} sd"] = (2.0, ScaleWealth())
            families[f"centre after a release beyond {size:g} sd"] = (1.0, MeanWealth())
            families[f"variance after an innovation beyond {size:g} sd"] = (0.5, ScaleWealth())
        for name in STEPS:
            families[f"variance over a {name} step in time"] = (0.5, ScaleWealth())
            families[f"memory over a {name} step in time"] = (0.5, MeanWealth())
        for position in range(1, LONGEST):
            families[f"variance of release {position + 1} given the one before"] = (0.5, ScaleWealth())
            families[f"memory at release {position + 1}"] = (0.25, MeanWealth())
        self.counts = process if isinstance(process, Skellam) and not self.adaptive else None
        if self.counts is not None:
            families[STEPS_OF_COUNTS] = (4.0, RatioWealth(map(alternative, MEANS)))
        super().__init__(families)
        self.kolmogorov_smirnov = KolmogorovSmirnov()
        self.correlations = Correlations("Correlation of the transforms of two releases", "release", LONGEST)

    def observe(self, batch: Batch) -> None:
        """Bets on the innovations of every release after the first."""
        if batch.case.fixed == self.adaptive or batch.innovations is None:
            return
        found = batch.innovations
        self.sessions += batch.sessions
        here, z = found.present[:, 1:], found.filled[:, 1:]
        past, previous = found.past[:, 1:], found.filled[:, :-1]
        # What a release is compared with was seen before it; where there is no innovation nothing is bet.
        counts, squares = by_position(here), by_position(z * z)
        cross, energy = by_position(z * past), by_position(past * past * here)
        for place in range(min(z.shape[1], LONGEST - 1)):
            self._squares(f"variance of release {place + 2} given the one before", counts[place], squares[place])
            self._products(f"memory at release {place + 2}", cross[place], energy[place])
        self._squares("variance of a release given the one before", counts.sum(), squares.sum())
        self._products("memory of the release before", cross.sum(), energy.sum())
        assert batch.times is not None
        kept = batch.times[:, 1:] / batch.times[:, :-1]
        for name, (low, high) in STEPS.items():
            such = (kept >= low) & (kept < high)
            if such.any():
                of_step, before = z[such], past[such]
                self._squares(f"variance over a {name} step in time", here[such].sum(), dot(of_step, of_step))
                self._products(
                    f"memory over a {name} step in time", dot(of_step, before), dot(before, before * here[such])
                )
        first = _present(found.z[:, 0])
        every = dot(first, first) + float(squares.sum())
        self._squares("variance of every release given the past", first.size + counts.sum(), every)
        self._ratios("shape of every release given the past", shape_ratios(np.concatenate([first, z[here]])))
        self._pooled(z[here], past[here], previous[here])
        assert self.correlations is not None
        self.correlations.add(np.moveaxis(found.z, 2, 1).reshape(-1, found.z.shape[1]))
        self._ratios("alternative", {FRESH: fresh_ratio(_present(found.fresh[:, 1:]))})
        whole = found.filled.reshape(batch.sessions, -1)
        here_of = found.present.reshape(batch.sessions, -1).sum(axis=1)
        self._ratios("rare sessions", session_ratios(here_of.astype(float), np.einsum("ij,ij->i", whole, whole)))
        if self.counts is not None:
            self._ratios(STEPS_OF_COUNTS, rounded_ratios(self.counts, batch.noise, batch.times[0]))

    def _pooled(self, z: Floats, past: Floats, previous: Floats) -> None:
        fine = fine_counts(z)
        self.count += z.size
        assert self.kolmogorov_smirnov is not None
        self.kolmogorov_smirnov.add(fine)
        self._mean("centre of a release given the one before", z)
        self._mean("dependence on the innovation before", z, previous)
        self._cells("distribution given the release before", cell_counts(fine))
        after, later = z, z
        for size in STRATA:
            far = np.abs(past) > size
            after, past = after[far], past[far]
            self._scale(f"variance after a release beyond {size:g} sd", after)
            self._mean(f"centre after a release beyond {size:g} sd", after, np.sign(past))
            far = np.abs(previous) > size
            later, previous = later[far], previous[far]
            self._scale(f"variance after an innovation beyond {size:g} sd", later)


class AdaptiveLaw(TranscriptLaw):
    """The same for sessions whose next time depends on what was released, and that stop on what was released.

    The transforms of a session are independent N(0, 1) however the next time is chosen; the release at the stop alone
    is not, and is never tested alone. Catches an implementation that is right only on schedules fixed in advance.
    """

    id = "law.adaptive"
    claims: tuple[str, ...] = ("B01", "B02", "P12")
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
            PULL: (4.0, MeanWealth()),
            "pull of the first release along the value": (2.0, MeanWealth()),
            LARGE: (4.0, ScaleWealth()),
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
        # A case that was refused at its value has moved inwards, and keeps its name.
        words = self._words[batch.case.name]
        self._squares(f"variance at value {words}", counts.sum(), dot(z, z))
        self._products(f"centre at value {words}", np.dot(np.where(sign == 0, 1.0, sign), sums), counts.sum())


def by_position(x: Floats | NDArray[np.bool_]) -> Floats:
    """Sums over sessions and coordinates of x (n, k, d)."""
    n, k, d = x.shape
    return np.asarray(x.reshape(n, k * d).sum(axis=0).reshape(k, d).sum(axis=1), dtype=float)


def _would_do(count: int, sessions: int) -> str:
    """How many sessions would make a variance fault of a tenth visible."""
    needed = 4 * 17.0 / WORST_VARIANCE**2
    per_session = max(count / sessions, 1e-9) if sessions else 1.0
    return f"about {max(FEWEST_SESSIONS, int(needed / per_session))} sessions of the kinds this check uses would do"


def _present(z: Floats) -> Floats:
    return z[np.isfinite(z) | np.isneginf(z)]


def _words(case: Case) -> str:
    return f"{', '.join(f'{x:g}' for x in case.value)} ({case.name})"
