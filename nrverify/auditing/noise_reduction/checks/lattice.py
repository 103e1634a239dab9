"""The lattice check: releases must not lie on a coarser grid than double precision explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import Declared, Kind, Need, check, form
from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.noise import (
    NO_NOISE,
    NOISE_ROUNDED,
    OFF_GRID,
    ROUNDED,
    SINGLE_PRECISION,
    SOME_ROUNDED,
    VALUE_IN_CLEAR,
)
from nrverify.auditing.core.finding import Finding, Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.rosenblatt import ROUNDING
from nrverify.auditing.core.value_in_clear import MOST, BareValues
from nrverify.auditing.noise_reduction.context import MECHANISMS, WEIGHT, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.proportions import binomial

Floats = NDArray[np.float64]

GRIDS = (*(10.0**-k for k in range(9)), *(2.0**-k for k in range(1, 31)))
"""Grids that rounding to decimals, or a cast, leaves behind: down to where single precision would be seen anyway."""
FEWEST = 8
"""With fewer numbers of a kind nothing is judged."""
VALUES = 512
"""How many numbers of each kind are examined: the verdict is passed once, when they are all there."""
SINGLE = 2e-4
"""Grids coarser than this are no matter of single precision."""
SINGLE_NAME = "single precision"
RELEASES, NOISE, STEPS = "releases", "noise", "steps"
IN_CLEAR = ("no number is the value itself", "{observed:.0f} of {count} numbers are the value itself")
INTEGER = Need(lambda context: bool(context.description.integer), "the noise claimed is real-valued")
REAL = Need(lambda context: not context.description.integer, "the noise claimed is integer-valued")


@dataclass(frozen=True)
class OnGrid:
    """So many numbers of a kind on a grid."""

    kind: str
    grid: str
    hits: int
    count: int
    single: bool

    @property
    def fault(self) -> Fault:
        """What leaves such numbers on such a grid."""
        most = self.hits > MOST * self.count
        if self.single and (most or self.kind == RELEASES):
            return SINGLE_PRECISION
        if self.kind == RELEASES:
            return ROUNDED
        return NOISE_ROUNDED if most else SOME_ROUNDED

    @property
    def finding(self) -> Finding:
        """As data."""
        estimate = Estimate(Measure.COUNT, 0.0, float(self.hits), None, self.count)
        texts = {"of": self.kind, "grid": self.grid}
        return Finding(f"{self.kind} on a grid", estimate, self.fault, texts=texts)


@check(
    id="lattice",
    kind=Kind.LAW,
    sentence="Releases fill the line as the claimed noise does.",
    claims=("P12",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=30,
    needs=(REAL,),
    expected="numbers on no grid coarser than double precision",
    templates={
        NO_NOISE.id: IN_CLEAR,
        VALUE_IN_CLEAR.id: IN_CLEAR,
        OFF_GRID.id: ("integers", "{observed:.0f} of {count} releases that are not integers"),
        "count": ("numbers on no grid coarser than double precision", "{observed:.0f} of {count} {of} on {grid}"),
    },
)
class Lattice(Declared):
    """Releases, noise or steps on a grid: single precision, rounding, or increments cast to integers.

    Catches code that computes in single precision, rounds its releases, or moves by integers. Attacks on the last bits
    of double precision itself are not examined. Also catches releases without any noise, however rare.
    """

    def __init__(self) -> None:
        self.samples = 0
        self.bare = BareValues()
        self.p_value = 1.0
        self.found: OnGrid | None = None
        self._kept: dict[str, list[tuple[Floats, Floats]]] = {RELEASES: [], NOISE: [], STEPS: []}
        self._judged = False

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Lattice:
        """The same for every subject."""
        return cls()

    def observe(self, batch: Batch) -> None:
        """Keeps the first numbers of each kind, and counts releases that are the value itself."""
        claimed = None if batch.times is None else np.fmin.reduce(np.minimum(batch.times, np.sqrt(batch.times)))
        self.bare.add(batch.releases, batch.case.array, claimed)
        if self._judged:
            return
        size = np.abs(batch.releases) + np.abs(batch.case.array)
        self.samples += batch.sessions
        # A tie or a repeated time gives a number again: counted twice, one chance hit would count twice.
        again = np.zeros(batch.releases.shape, dtype=bool)
        again[:, 1:] = np.abs(np.diff(batch.releases, axis=1)) <= ROUNDING * size[:, 1:]
        # A release without noise is another finding than one on a grid.
        bare = batch.releases == batch.case.array
        self._keep(RELEASES, np.where(again | bare, np.nan, batch.releases), size)
        self._keep(NOISE, np.where(again, np.nan, batch.noise), size)
        self._keep(STEPS, np.diff(batch.releases, axis=1), size[:, 1:])

    def fresh(self) -> Lattice:
        """An empty copy; once judged, it looks no more, which plain sums could not say."""
        blank = Lattice()
        blank._judged = self._judged
        return blank

    def merge(self, other: Lattice) -> None:
        """Keeps what another has kept, and judges once when that is enough."""
        self.bare.merge(other.bare)
        if self._judged:
            return
        self.samples += other.samples
        for kind, parts in other._kept.items():
            for numbers, size in parts:
                self._keep(kind, numbers, size)
        if all(sum(x.size for x, _ in kept) >= VALUES for kept in self._kept.values()) or self._single_only():
            self._judge()

    def refuted(self, alpha: float) -> bool:
        """Whether so many numbers on one grid are too improbable, or so many without noise (half of α for each)."""
        return self.p_value <= alpha / 2 or self.bare.log_e >= -np.log(alpha / 2)

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a grid, or by values in the clear."""
        if not self._judged:
            self._judge()
        refuted = self.refuted(alpha)
        return concluded(
            self,
            CheckVerdict.REFUTED if refuted else CheckVerdict.CONSISTENT,
            samples=self.samples,
            p_value=min(1.0, 2 * min(self.p_value, float(np.exp(-max(self.bare.log_e, 0.0))))),
            alpha=alpha,
            finding=self._finding(alpha) if refuted else None,
            detectable="grids of single precision, and of 1 down to 2^-30 or 1e-8, held by a tenth of the numbers",
            sizes=(Size("share of the numbers on a grid", 0.1, "share"),),
        )

    def _finding(self, alpha: float) -> Finding:
        """The grid, which leads to releases without noise too; else those."""
        if self.p_value > alpha / 2 or self.found is None:
            return Finding("numbers that are the value itself", self.bare.estimate(), self.bare.fault)
        return self.found.finding

    def _keep(self, kind: str, numbers: Floats, size: Floats) -> None:
        have = sum(x.size for x, _ in self._kept[kind])
        # A difference of the size of rounding is a tie, not a point of a grid.
        usable = np.isfinite(numbers) & (np.abs(numbers) > ROUNDING * size)
        if have < VALUES:
            self._kept[kind].append((numbers[usable][: VALUES - have], size[usable][: VALUES - have]))

    def _single_only(self) -> bool:
        return self.samples > 64 * VALUES

    def _judge(self) -> None:
        """The smallest Bonferroni-corrected p-value over kinds and grids."""
        self._judged = True
        numbers = {kind: np.concatenate([x for x, _ in kept]) for kind, kept in self._kept.items() if kept}
        sizes = {kind: np.concatenate([s for _, s in kept]) for kind, kept in self._kept.items() if kept}
        self._kept = {}
        noise = numbers.get(NOISE, np.empty(0))
        if noise.size < FEWEST:
            return
        # Ten times the height that the lowest twentieth of the noise suggests: generous, and it hardly counts.
        peak = 10 * 0.05 / max(float(np.quantile(np.abs(noise), 0.05)), 1e-300)
        tests = len(numbers) * (len(GRIDS) + 1)
        for kind, found in numbers.items():
            if found.size < FEWEST:
                continue
            candidates = [(grid, f"multiples of {grid:g}", *_on_grid(found, sizes[kind], grid, peak)) for grid in GRIDS]
            candidates.append((SINGLE, SINGLE_NAME, *_single_precision(found, sizes[kind])))
            # Of two that have no chance at all the coarser one says more.
            for _, name, hits, chance in sorted(candidates, reverse=True):
                p_value = min(1.0, tests * binomial(hits, found.size, chance, "greater"))
                if p_value < self.p_value:
                    self.p_value = p_value
                    self.found = OnGrid(kind, name, hits, found.size, name == SINGLE_NAME)


def _single_precision(numbers: Floats, size: Floats) -> tuple[int, float]:
    """How many numbers are single-precision numbers, and the chance of one: 29 trailing bits are zero."""
    with np.errstate(over="ignore"):
        hits = numbers == numbers.astype(np.float32)
    explained = np.spacing(size) / (2.0**29 * np.spacing(np.abs(numbers)))
    return int(hits.sum()), float(min(1.0, 4 * max(2.0**-29, float(np.max(explained)))))


def _on_grid(numbers: Floats, size: Floats, grid: float, peak: float) -> tuple[int, float]:
    """How many numbers are multiples of the grid up to rounding, and a bound on the chance of one.

    A unimodal density of height at most `peak` puts at most 2·tolerance·(1/grid + peak) of its mass on the grid.
    """
    tolerance = 2 * np.spacing(size)
    with np.errstate(invalid="ignore"):
        hits = np.abs(numbers - grid * np.round(numbers / grid)) <= tolerance
    return int(hits.sum()), min(1.0, 2 * float(tolerance.max()) * (1 / grid + peak))


@form(Lattice, claims=("N14",), needs=(INTEGER,), expected="integers")
class Integers(Declared, Additive):
    """Skellam releases are integers.

    Catches real-valued noise added to a count. Needs no error probability.
    """

    def __init__(self) -> None:
        self.samples = 0
        self.releases = 0
        self.fractional = 0

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Integers:
        """The same for every subject."""
        return cls()

    def observe(self, batch: Batch) -> None:
        """Counts releases that are not integers."""
        present = batch.releases[np.isfinite(batch.releases)]
        self.samples += batch.sessions
        self.releases += present.size
        self.fractional += int((present != np.round(present)).sum())

    def refuted(self, alpha: float) -> bool:
        """Whether any release is not an integer."""
        return self.fractional > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single release."""
        finding = counted("releases that are not integers", self.fractional, self.releases, OFF_GRID)
        return concluded(
            self,
            CheckVerdict.REFUTED if self.fractional else CheckVerdict.CONSISTENT,
            samples=self.samples,
            p_value=0.0 if self.fractional else 1.0,
            finding=finding if self.fractional else None,
            sizes=(Size("release that is not an integer", 1, "count"),),
        )
