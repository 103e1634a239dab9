"""The lattice check: releases must not lie on a coarser grid than double precision explains."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check, form
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
from nrverify.auditing.core.transforms.ideal_paths import on_grid as multiples_of
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE
from nrverify.auditing.core.value_in_clear import MOST, BareValues
from nrverify.auditing.noise_reduction.checks import multiples
from nrverify.auditing.noise_reduction.checks.multiples import Kept
from nrverify.auditing.noise_reduction.checks.own_grid import own_grid
from nrverify.auditing.noise_reduction.context import MECHANISMS, WEIGHT, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.statistics.proportions import binomial

Floats = NDArray[np.float64]

COARSER = (2.0, 3.0, 5.0, 8.0, 10.0, 100.0, 1e3, 1e4, 2.0**10, 2.0**16, 2.0**20, 2.0**24)
"""Multiples of a declared grid that releases may be on instead."""
VALUES = 512
"""How many numbers of each kind are examined: the verdict is passed once, when they are all there."""
OF_OWN_GRIDS = 1 / 16
"""The share of the error that grids in units of the noise get: they are rare, and seen without doubt."""
CERTAIN = 1e-30
"""Probabilities below it are as good as none: which is smaller says nothing."""
ON_GRID = "share of the numbers on a grid no finer than 2^-30 of the noise"
COARSER_GRID = "share of the numbers on a multiple of the grid claimed"
IN_SINGLE = "share of the numbers in single precision"
SINGLE = 2.0**-23
"""Of a number: the grid of single precision near it, with which others are compared."""
SINGLE_NAME = "single precision"
RELEASES, NOISE, STEPS = "releases", "noise", "steps"
UNORDERED = {RELEASES: "releases in any order", NOISE: "noise in any order"}
"""Kinds of numbers of sessions whose times come in any order."""
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

    @property
    def single(self) -> bool:
        """Whether they are numbers of single precision."""
        return self.grid == SINGLE_NAME

    @property
    def released(self) -> bool:
        """Whether they are what was released."""
        return self.kind in (RELEASES, UNORDERED[RELEASES])

    @property
    def fault(self) -> Fault:
        """What leaves such numbers on such a grid."""
        most = self.hits > MOST * self.count
        if self.single and (most or self.released):
            return SINGLE_PRECISION
        if self.released:
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
    kind=CheckKind.LAW,
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

    Catches code that computes in single precision, rounds its releases, or moves by integers. Grids finer than 2^-30 of
    the noise are not judged, nor are attacks on the last bits of double precision itself. Also catches releases without
    any noise, however rare.
    """

    sees_grid = True
    sees_any_order = True
    planned = "single precision, and grids too coarse for double precision"

    def __init__(
        self,
        granularity: float | None = None,
        any_order: bool = False,
        variance: Callable[[Floats, float], Floats] | None = None,
    ) -> None:
        """`granularity` is the grid that releases are claimed to be on; coarser ones are looked for.

        With the `variance` of the noise at a time grids in units of it are, too; `any_order`: of times that rise, too.
        """
        self.granularity = granularity
        self.any_order = any_order
        self.variance = variance if granularity is None else None
        self.samples = 0
        self.bare = BareValues()
        self.p_value = 1.0
        self.found: OnGrid | None = None
        kinds = (RELEASES, NOISE, STEPS, *(UNORDERED.values() if any_order else ()))
        self._chances: list[tuple[bool, int, float]] = []
        """Of each kind and grid judged: whether it is single precision, numbers, and the chance of one on it."""
        self._kept: dict[str, list[Kept]] = {kind: [] for kind in kinds}
        self._judged = False
        self._first: list[Floats] = []
        """First releases, their noise and sizes, in units of its deviation."""

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Lattice:
        """With the grid that is claimed."""
        description = context.description
        return cls(description.granularity, description.in_any_order, description.family.variance)

    def observe(self, batch: Batch) -> None:
        """Keeps the first numbers of each kind, and counts releases that are the value itself."""
        if batch.case.any_order:
            self._observe_any_order(batch)
            return
        if self.granularity is not None and multiples_of(batch.case.array, self.granularity).any():
            # A release of a value on the grid may be the value itself, as often as the law of its noise says.
            return
        claimed = None if batch.times is None else np.fmin.reduce(np.minimum(batch.times, np.sqrt(batch.times)))
        self.bare.add(batch.releases, batch.case.array, claimed)
        if self._judged:
            return
        size = batch.scale
        self.samples += batch.sessions
        if self.variance is not None and batch.times is not None:
            deviation = np.sqrt(self.variance(batch.times[:, 0], 1.0))
            first = np.stack([batch.releases[:, 0, 0], batch.noise[:, 0, 0], size[:, 0, 0]])
            self._keep_first(first[:, first[1] != 0] / deviation[first[1] != 0])
        # A tie or a repeated time gives a number again: counted twice, one chance hit would count twice.
        again = np.zeros(batch.releases.shape, dtype=bool)
        again[:, 1:] = np.abs(np.diff(batch.releases, axis=1)) <= SAME_RELEASE * size[:, 1:]
        # A release without noise is another finding than one on a grid.
        bare = batch.releases == batch.case.array
        unit = multiples.noise_sizes(batch.noise)
        self._keep(RELEASES, np.where(again | bare, np.nan, batch.releases), size, unit)
        self._keep(NOISE, np.where(again, np.nan, batch.noise), size, unit)
        self._keep(STEPS, np.diff(batch.releases, axis=1), size[:, 1:], unit[:, 1:])

    def _observe_any_order(self, batch: Batch) -> None:
        """One release of each session, of all positions by turns: given others a release may be one of them again.

        Alone it has the law of the noise at its time, where times are fixed in advance; those of others are left out.
        """
        if not self.any_order or not batch.case.fixed:
            return
        value, positions = batch.case.array, batch.releases.shape[1]
        for position in range(min(positions, batch.sessions)):
            time = float(np.min(batch.asked[:, position]))
            alone = batch.releases[position::positions, position : position + 1]
            self.bare.add(alone, value, np.array([min(time, math.sqrt(time))]))
        if self._judged:
            return
        self.samples += batch.sessions
        rows = np.arange(batch.sessions)
        releases, unit = (part[rows, rows % positions] for part in (batch.releases, multiples.noise_sizes(batch.noise)))
        size = np.abs(releases) + np.abs(value)
        self._keep(UNORDERED[RELEASES], np.where(releases == value, np.nan, releases), size, unit)
        self._keep(UNORDERED[NOISE], releases - value, size, unit)

    def empty_copy(self) -> Lattice:
        """An empty copy; once judged, it looks no more, which plain sums could not say."""
        blank = Lattice(self.granularity, self.any_order, self.variance)
        blank._judged = self._judged
        return blank

    def merge(self, other: Lattice) -> None:
        """Keeps what another has kept, and judges once when that is enough."""
        self.bare.merge(other.bare)
        if self._judged:
            return
        self.samples += other.samples
        for first in other._first:
            self._keep_first(first)
        for kind, parts in other._kept.items():
            for part in parts:
                self._keep(kind, part.numbers, part.sizes, part.units)
        if all(sum(x.numbers.size for x in kept) >= VALUES for kept in self._kept.values()) or self._single_only():
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
            sizes=self._sizes(alpha),
        )

    def _sizes(self, alpha: float) -> tuple[Size, ...]:
        """The shares of numbers that refute half of the time, of the grid and the kind of number that needs most."""
        level = alpha / (2 * max(len(self._chances), 1))
        sizes = []
        of_grids = ON_GRID if self.granularity is None else COARSER_GRID
        for quantity, single in ((of_grids, False), (IN_SINGLE, True)):
            chances = {(count, chance) for of_single, count, chance in self._chances if of_single is single}
            share = max((_least_share(count, chance, level) for count, chance in chances), default=1.0)
            if share < 1:
                sizes.append(Size(quantity, share, "share"))
        return tuple(sizes)

    def _finding(self, alpha: float) -> Finding:
        """The grid, which leads to releases without noise too; else those."""
        if self.p_value > alpha / 2 or self.found is None:
            return Finding("numbers that are the value itself", self.bare.estimate(), self.bare.fault)
        return self.found.finding

    def _keep(self, kind: str, numbers: Floats, size: Floats, unit: Floats) -> None:
        have = sum(x.numbers.size for x in self._kept[kind])
        # A difference of the size of rounding is a tie, not a point of a grid.
        usable = np.isfinite(numbers) & (np.abs(numbers) > SAME_RELEASE * size)
        if have < VALUES:
            self._kept[kind].append(Kept(*(part[usable][: VALUES - have] for part in (numbers, size, unit))))

    def _keep_first(self, first: Floats) -> None:
        have = sum(part.shape[1] for part in self._first)
        if have < VALUES:
            self._first.append(first[:, : VALUES - have])

    def _single_only(self) -> bool:
        return self.samples > 64 * VALUES

    def _judge(self) -> None:
        """The smallest Bonferroni-corrected p-value over kinds and grids."""
        self._judged = True
        self._judge_fixed_grids()
        self.p_value = min(1.0, self.p_value / (1 - OF_OWN_GRIDS))
        releases, noise, sizes = np.concatenate(self._first, axis=1) if self._first else np.zeros((3, 0))
        for kind, numbers in ((RELEASES, releases), (NOISE, noise)):
            own = own_grid(numbers, sizes)
            if own is not None and (p_value := 2 / OF_OWN_GRIDS * math.exp(own.log_p)) < self.p_value:
                name = f"multiples of {own.grid:.6g} of the noise's deviation"
                self.p_value, self.found = p_value, OnGrid(kind, name, own.hits, own.count)
        self._first = []

    def _judge_fixed_grids(self) -> None:
        """Of grids that are powers of two or ten, or multiples of the one declared."""
        found = {
            kind: Kept(*(np.concatenate([getattr(x, name) for x in kept]) for name in ("numbers", "sizes", "units")))
            for kind, kept in self._kept.items()
            if kept
        }
        self._kept = {}
        noises = [found[kind] for kind in (NOISE, UNORDERED[NOISE]) if kind in found]
        noises = [noise for noise in noises if noise.numbers.size >= multiples.FEWEST_NUMBERS]
        if not noises:
            return
        # Ten times the height that the lowest twentieth of the noise suggests: generous, and it hardly counts.
        lowest = min(float(np.quantile(np.abs(noise.numbers), 0.05)) for noise in noises)
        peak = 10 * 0.05 / max(lowest, 1e-300)
        grids = multiples.grids_of_rounding(float(np.median(noises[0].units)))
        if self.granularity is not None:
            grids = [many * self.granularity for many in COARSER]
        tests = len(found) * (len(grids) + 1)
        for kind, kept in found.items():
            candidates = self._candidates(kept, grids, peak)
            self._chances += [
                (name == SINGLE_NAME, count, chance)
                for _, name, _, count, chance in candidates
                if count >= multiples.FEWEST_NUMBERS
            ]
            judged = [
                (binomial(hits, count, chance, "greater"), -hits / count, -grid, OnGrid(kind, name, hits, count))
                for grid, name, hits, count, chance in candidates
                if count >= multiples.FEWEST_NUMBERS
            ]
            # Of those that have no chance at all the one with most numbers on it says most, and of these the coarsest.
            p_value, _, _, on_grid = min(judged, key=lambda one: one[:3], default=(1.0, 0.0, 0.0, None))
            if _says_more(tests * p_value, on_grid, self.p_value, self.found):
                self.found = on_grid
            self.p_value = min(self.p_value, tests * p_value)

    def _candidates(self, kept: Kept, grids: list[float], peak: float) -> list[tuple[float, str, int, int, float]]:
        """(grid, its name, numbers on it, numbers judged, chance of one): of a declared grid its multiples alone."""
        if self.granularity is not None:
            counts = [multiples.on_grid(kept, grid, peak, 0.0, self.granularity) for grid in grids]
            return [(grid, f"multiples of {grid:g}", *count) for grid, count in zip(grids, counts, strict=True)]
        fine = multiples.too_fine_to_judge(kept, peak)
        found = [(grid, f"multiples of {grid:g}", *multiples.on_grid(kept, grid, peak, fine)) for grid in grids]
        usual = float(np.median(np.abs(kept.numbers))) if kept.numbers.size else 0.0
        return [*found, (SINGLE * usual, SINGLE_NAME, *multiples.in_single_precision(kept))]


def _least_share(count: int, chance: float, level: float) -> float:
    """The share of so many numbers that are on a grid whose median is as many as refute; 1 where all would not."""
    if binomial(count, count, chance, "greater") > level:
        return 1.0
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial(middle, count, chance, "greater") <= level else (middle, high)
    return float(betaincinv(high, count - high + 1, 0.5))


def _says_more(p_value: float, found: OnGrid | None, before: float, known: OnGrid | None) -> bool:
    """Whether a grid is named in place of the one known: of two that are certain that with more of its numbers on it.

    Rounded releases of integers have their noise on the grid as well; noise that is rounded before a value off the grid
    is added leaves releases off it. Releases of single precision have steps on many grids.
    """
    if found is None or known is None or max(p_value, before) > CERTAIN:
        return found is not None and p_value < before
    if known.single and known.released:
        return False
    return found.hits * known.count > known.hits * found.count


@form(Lattice, claims=("N14",), needs=(INTEGER,), expected="integers")
class Integers(Declared, Additive):
    """Skellam releases are integers.

    Catches real-valued noise added to a count. Needs no error probability.
    """

    sees_any_order = True

    def __init__(self) -> None:
        self.samples = 0
        self.releases = 0
        self.fractional = 0

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
