"""The lattice check: releases must not lie on a coarser grid than double precision explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.rosenblatt import ROUNDING
from nrverify.auditing.core.value_in_clear import BareValues
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.proportions import binomial

Floats = NDArray[np.float64]

GRIDS = (*(10.0**-k for k in range(9)), *(2.0**-k for k in range(1, 31)))
FEWEST = 8
VALUES = 512
"""How many numbers of each kind are examined: the verdict is passed once, when they are all there."""

SINGLE = 2e-4
"""Grids coarser than this are no matter of single precision."""
MULTIPLES = "multiples of"
FRACTIONS = "releases that are not whole numbers"


class Lattice:
    """Releases, noise or steps on a grid: single precision, rounding, or increments cast to integers.

    Catches code that computes in single precision, rounds its releases, or moves by whole numbers. Attacks on the
    last bits of double precision itself are not examined. Also catches releases without any noise, however rare.
    """

    id = "lattice"
    kind = "law"
    claims: tuple[str, ...] = ("P12",)

    def __init__(self) -> None:
        self.samples = 0
        self.bare = BareValues()
        self.p_value = 1.0
        self.found = ""
        self._kept: dict[str, list[tuple[Floats, Floats]]] = {"releases": [], "noise": [], "steps": []}
        self._judged = False

    def observe(self, batch: Batch) -> None:
        """Keeps the first numbers of each kind, and counts releases that are the value itself."""
        claimed = None if batch.times is None else np.fmin.reduce(np.minimum(batch.times, np.sqrt(batch.times)))
        self.bare.add(batch.releases, batch.case.array, claimed)
        if self._judged:
            return
        size = np.abs(batch.releases) + np.abs(batch.case.array)
        self.samples += batch.sessions
        # A release without noise is another finding than one on a grid.
        self._keep("releases", np.where(batch.releases == batch.case.array, np.nan, batch.releases), size)
        self._keep("noise", batch.noise, size)
        self._keep("steps", np.diff(batch.releases, axis=1), size[:, 1:])

    def fresh(self) -> Lattice:
        """The same before anything was seen; once judged, it looks no more."""
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
        """The verdict."""
        if not self._judged:
            self._judge()
        verdict = CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT
        return CheckResult(
            self.id,
            self.kind,
            verdict,
            self.claims,
            samples=self.samples,
            p_value=min(1.0, 2 * min(self.p_value, float(np.exp(-max(self.bare.log_e, 0.0))))),
            alpha=alpha,
            detectable="grids of single precision, and of 1 down to 2^-30 or 1e-8, held by a tenth of the numbers",
            expected="numbers on no grid coarser than double precision",
            observed=self._words(alpha),
        )

    def _words(self, alpha: float) -> str:
        """The grid, which leads to releases without noise too; else those."""
        if self.p_value > alpha / 2 and self.bare.bare:
            return self.bare.words()[1]
        return self.found or "none found"

    def _keep(self, kind: str, numbers: Floats, size: Floats) -> None:
        have = sum(x.size for x, _ in self._kept[kind])
        # A difference of the size of rounding is a tie, and no point of a grid.
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
        noise = numbers.get("noise", np.empty(0))
        if noise.size < FEWEST:
            return
        # Ten times the height that the lowest twentieth of the noise suggests: generous, and it hardly counts.
        peak = 10 * 0.05 / max(float(np.quantile(np.abs(noise), 0.05)), 1e-300)
        tests = len(numbers) * (len(GRIDS) + 1)
        for kind, found in numbers.items():
            if found.size < FEWEST:
                continue
            candidates = [(grid, f"{MULTIPLES} {grid:g}", *_on_grid(found, sizes[kind], grid, peak)) for grid in GRIDS]
            candidates.append((SINGLE, "single precision", *_single_precision(found, sizes[kind])))
            # Of two that have no chance at all the coarser one says more.
            for _, name, hits, chance in sorted(candidates, reverse=True):
                p_value = min(1.0, tests * binomial(hits, found.size, chance, "greater"))
                if p_value < self.p_value:
                    self.p_value = p_value
                    self.found = f"{hits} of {found.size} {kind} on {name}"


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


class WholeNumbers:
    """Skellam releases are whole numbers.

    Catches real-valued noise added to a count. Needs no error probability.
    """

    id = "lattice"
    kind = "law"
    claims: tuple[str, ...] = ("N14",)

    def __init__(self) -> None:
        self.samples = 0
        self.fractional = 0

    def observe(self, batch: Batch) -> None:
        """Counts releases that are not whole numbers."""
        present = batch.releases[np.isfinite(batch.releases)]
        self.samples += batch.sessions
        self.fractional += int((present != np.round(present)).sum())

    def fresh(self) -> WholeNumbers:
        """The same before anything was seen."""
        return WholeNumbers()

    def merge(self, other: WholeNumbers) -> None:
        """Adds up the counts."""
        self.samples += other.samples
        self.fractional += other.fractional

    def refuted(self, alpha: float) -> bool:
        """Whether any release is not a whole number."""
        return self.fractional > 0

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict."""
        return CheckResult(
            self.id,
            self.kind,
            CheckVerdict.REFUTED if self.fractional else CheckVerdict.CONSISTENT,
            self.claims,
            samples=self.samples,
            p_value=0.0 if self.fractional else 1.0,
            detectable="any release that is not a whole number",
            expected="whole numbers",
            observed=f"{self.fractional} {FRACTIONS}",
        )
