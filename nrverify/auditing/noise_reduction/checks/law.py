"""Checks of the law: each release, the whole transcript, and adaptive sessions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.named_alternatives import (
    FORGETFUL,
    SESSIONS,
    SHAPES,
    forgetful_ratio,
    fresh_ratio,
    session_ratios,
    shape_ratios,
)
from nrverify.auditing.core.picture_sums import Correlations
from nrverify.auditing.core.portfolio_check import LawCheck, by_position
from nrverify.auditing.core.score_bins import (
    CELL_WEIGHTS,
    KolmogorovSmirnov,
    cell_counts,
    cell_counts_by_column,
    fine_counts,
)
from nrverify.auditing.noise_reduction.checks.rounded_normals import MEANS, alternative, rounded_ratios
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.diagnosis.fault_location import Places
from nrverify.auditing.noise_reduction.diagnosis.second_moments import Moments
from nrverify.laws.process import Process
from nrverify.laws.skellam import Skellam
from nrverify.statistics.portfolio import Wealth
from nrverify.statistics.wealth import CellWealth, MeanWealth, RatioWealth, ScaleWealth, dot

Floats = NDArray[np.float64]

LONGEST = 12
METHODS = ("sample", "open")
STRETCHES = 5
"""Parts of the range of times, or of ε's, in which first releases are also judged alone."""
STRATA = (1.0, 2.0, 3.0)
STEPS = {"wide": (0.0, 0.1), "narrow": (0.9, 1.0)}
"""Steps to a time of such a share of the last."""
FRESH = "noise drawn afresh for each release"
BROAD = (
    "variance of every release given the past",
    "shape of every release given the past",
    "distribution given the release before",
)
AS_GOOD = 0.5
"""A share of the log e-value with which a question about all releases says more than one about some."""
RARE_FIRST = "first releases of rare sessions"
STEPS_OF_COUNTS = "law of the steps between releases"


class ReleaseLaw(LawCheck):
    """The law of each release taken alone, on fixed schedules.

    Catches a wrong scale, centre or shape of the noise at any position, a wrong scale of first releases in a fifth of
    the range, and rare sessions whose first release has another scale. Misses everything that only shows in how
    releases hang together, such as noise drawn afresh.
    """

    id = "law.release"
    claims: tuple[str, ...] = ("B06", "N09", "N14", "E09")

    def __init__(self, knob: Knob) -> None:
        self.edges = np.geomspace(knob.low, knob.high, STRETCHES + 1)
        families: dict[str, tuple[float, Wealth]] = {
            "variance of the first release": (4.0, ScaleWealth()),
            "centre of the first release": (2.0, MeanWealth()),
            "distribution of the first release": (2.0, CellWealth(CELL_WEIGHTS)),
            "shape of the first release": (2.0, RatioWealth(SHAPES)),
            RARE_FIRST: (1.0, RatioWealth(SESSIONS)),
        }
        for method in METHODS:
            families[f"variance of the first release by {method}()"] = (1.0, ScaleWealth())
            families[f"centre of the first release by {method}()"] = (0.5, MeanWealth())
        for stretch in range(STRETCHES):
            families[self._first_within(stretch)] = (0.5, ScaleWealth())
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
        here = np.isfinite(marginal[:, 0])
        squares = (np.where(here, marginal[:, 0], 0.0) ** 2).sum(axis=1)
        self._ratios(RARE_FIRST, session_ratios(here.sum(axis=1), squares))
        self._scale(f"variance of the first release by {batch.case.method}()", first)
        self._mean(f"centre of the first release by {batch.case.method}()", first)
        stretches = np.digitize(batch.asked[:, 0], self.edges[1:-1])
        for stretch in np.unique(stretches).tolist():
            self._scale(self._first_within(stretch), _present(marginal[stretches == stretch, 0]))
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

    def _leading(self, alpha: float) -> str:
        """The family that stands out; all first releases, where they say it too, and not those of one stretch."""
        leading, whole = self.portfolio.leading, "variance of the first release"
        if leading.startswith(f"{whole} at ") and self.portfolio[whole].log_e >= -np.log(alpha):
            leading = whole
        return self._or_shift(leading, alpha)

    def _first_within(self, stretch: int) -> str:
        low, high = self.edges[stretch : stretch + 2]
        return f"variance of the first release at {low:.3g} to {high:.3g}"


class TranscriptLaw(LawCheck):
    """The joint law of a transcript: each release given the ones before, through the bridge of the process.

    Catches a wrong bridge (mean, variance, memory), noise drawn afresh, faults that show only after an unusual
    release, wrong shapes (cut off, light or heavy tails, rounded normals for counts), and rare sessions with noise of
    another scale. Misses faults of the first release alone (law.release sees those), and a state that is lost only
    when more sessions are open together than the audit opens: 64 of a Python subject, two of a command.
    """

    id = "law.transcript"
    claims: tuple[str, ...] = ("B01", "A13", "E09", "N04", "N14")
    adaptive = False

    def __init__(self, process: Process) -> None:
        families: dict[str, tuple[float, Wealth]] = {
            "variance of a release given the one before": (6.0, ScaleWealth()),
            "variance of every release given the past": (6.0, ScaleWealth()),
            "centre of a release given the one before": (2.0, MeanWealth()),
            "memory of the release before": (4.0, MeanWealth(slopes=True)),
            "dependence on the innovation before": (2.0, MeanWealth(slopes=True)),
            "distribution given the release before": (2.0, CellWealth(CELL_WEIGHTS)),
            "shape of every release given the past": (2.0, RatioWealth(SHAPES)),
            "alternative": (4.0, RatioWealth([FRESH, FORGETFUL])),
            "rare sessions": (1.0, RatioWealth(SESSIONS)),
        }
        for size in STRATA:
            families[f"variance after a release beyond {size:g} sd"] = (2.0, ScaleWealth())
            families[f"centre after a release beyond {size:g} sd"] = (1.0, MeanWealth())
            families[f"variance after an innovation beyond {size:g} sd"] = (0.5, ScaleWealth())
        for name in STEPS:
            families[f"variance over a {name} step in time"] = (0.5, ScaleWealth())
            families[f"memory over a {name} step in time"] = (0.5, MeanWealth(slopes=True))
        for position in range(1, LONGEST):
            families[f"variance of release {position + 1} given the one before"] = (0.5, ScaleWealth())
            families[f"memory at release {position + 1}"] = (0.25, MeanWealth(slopes=True))
        self.counts = process if isinstance(process, Skellam) and not self.adaptive else None
        if self.counts is not None:
            families[STEPS_OF_COUNTS] = (4.0, RatioWealth(map(alternative, MEANS)))
        super().__init__(families)
        self.kolmogorov_smirnov = KolmogorovSmirnov()
        self.correlations = Correlations("Correlation of the transforms of two releases", "release", LONGEST)
        if not self.adaptive:
            self.moments = Moments()
            self.places = Places()

    def observe(self, batch: Batch) -> None:
        """Bets on the innovations: all of them, and those after the first given what was released before."""
        if batch.case.fixed == self.adaptive or batch.innovations is None:
            return
        found = batch.innovations
        if self.moments is not None:
            self.moments.observe(batch)
        if self.places is not None:
            self.places.observe(batch)
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
        later = found.fresh[:, 1:]
        self._ratios("alternative", {FRESH: fresh_ratio(_present(later)), FORGETFUL: forgetful_ratio(later)})
        numbers = found.present.sum(axis=(1, 2)).astype(float)
        self._ratios("rare sessions", session_ratios(numbers, np.einsum("ijk,ijk->i", found.filled, found.filled)))
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

    def _leading(self, alpha: float) -> str:
        """The family that stands out; one that asks of all releases, if it is as good as one that asks after some."""
        leading = super()._leading(alpha)
        if " after a" not in leading:
            return leading
        least = max(-np.log(alpha), AS_GOOD * self.portfolio[leading].log_e)
        broad = max(BROAD, key=lambda name: self.portfolio[name].log_e)
        return broad if self.portfolio[broad].log_e >= least else leading


class AdaptiveLaw(TranscriptLaw):
    """The same for sessions whose next time depends on what was released, and that stop on what was released.

    The transforms of a session are independent N(0, 1) however the next time is chosen; the release at the stop alone
    is not, and is never tested alone. Catches an implementation that is right only on schedules fixed in advance.
    """

    id = "law.adaptive"
    claims: tuple[str, ...] = ("B01", "B02", "P12")
    adaptive = True


def _present(z: Floats) -> Floats:
    return z[np.isfinite(z) | np.isneginf(z)]
