"""The whole calibration: kill matrix, false alarms, efficiency and empirical ε, run together and judged together."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from nrverify.calibrate.causes import Causes, causes
from nrverify.calibrate.effects import Effects, different_jobs, effects_from
from nrverify.calibrate.efficiency import (
    MEDIAN_TARGET,
    Efficiency,
    efficiency_from,
    efficiency_jobs,
    median_ratio,
)
from nrverify.calibrate.empirical import EmpiricalEpsilon, empirical_from, empirical_jobs
from nrverify.calibrate.false_alarms import Alarms, alarm_jobs, alarms_from, all_together
from nrverify.calibrate.information import KNOWN
from nrverify.calibrate.jobs import Job, Progress, run_jobs
from nrverify.calibrate.matrix import KillMatrix, matrix_from, matrix_jobs
from nrverify.calibrate.stated.sizes import Stated, size_jobs
from nrverify.reference.mutants import BENIGN, DIFFERENT, MUTANTS, Benign, Mutant

ALPHA, SAMPLES = 1e-6, 200_000
"""The defaults of an audit: what is calibrated is what a user runs."""

PARTS = ("mutants", "false-alarms", "efficiency", "sizes")


@dataclass(frozen=True)
class Scope:
    """How much is run."""

    name: str
    mutants: tuple[Mutant, ...]
    whole: bool
    """Whether every mutant is also audited on after the first refutation."""
    benign: tuple[Benign, ...]
    benign_samples: int
    different: tuple[Benign, ...]
    """Mechanisms that are right but different, audited for what is said of them."""
    right: tuple[Benign, ...]
    audits: int
    audit_samples: int
    known: tuple[Mutant, ...]
    """Faults whose information is known, and finite: audited from several seeds."""
    seeds: int
    empirical_runs: int
    empirical_seeds: int


@dataclass(frozen=True)
class Calibration:
    """What was measured; a part that was not asked for is None."""

    seed: int
    scope: Scope
    matrix: KillMatrix | None
    alarms: tuple[Alarms, ...] | None
    efficiency: tuple[Efficiency, ...] | None
    empirical: tuple[EmpiricalEpsilon, ...] | None
    effects: Effects | None = None
    sizes: tuple[Stated, ...] | None = None

    @property
    def idle_checks(self) -> tuple[str, ...]:
        """Checks that neither refute a mutant nor bear on a claim alone; known when all mutants had their budget."""
        if self.matrix is None or not self.matrix.whole:
            return ()
        return tuple(standing.id for standing in self.matrix.standings() if not standing.earned)

    @property
    def causes(self) -> tuple[Causes, ...]:
        """How often the true fault was named; () where mutants were not asked for."""
        return () if self.matrix is None else causes(self.matrix.kills)

    @property
    def green(self) -> bool:
        """Whether every mutant was refuted, no correct subject was, no check is idle, and all numbers were reached."""
        alarms = () if self.alarms is None else (*self.alarms, all_together(self.alarms))
        return (
            (self.matrix is None or self.matrix.green)
            and not self.idle_checks
            and all(row.green for row in self.causes)
            and (self.effects is None or not (self.effects.untold or self.effects.slandered))
            and all(row.green for row in alarms)
            and all(row.met for row in self.efficiency or ())
            and (not self.efficiency or median_ratio(self.efficiency) <= MEDIAN_TARGET)
            and all(row.met for row in self.empirical or ())
            and all(row.met for row in self.sizes or ())
        )


def _named(entries: Sequence[Any], names: Sequence[str]) -> tuple[Any, ...]:
    known = {entry.name: entry for entry in entries}
    return tuple(known[name] for name in names)


RIGHT = (
    *("brownian-bridge", "laplace-reverse-kernel", "laplace-walk", "skellam-thinning"),
    *("epsilon-brownian", "epsilon-brownian-with-times", "epsilon-laplace", "epsilon-skellam"),
    *("threshold", "reduced-threshold-lazy", "stopping"),
    *("boundary-linear", "boundary-mixture", "boundary-half-normal-mixture", "boundary-skellam-linear"),
)
"""Correct subjects of every kind, audited many times."""

FULL = Scope(
    "full",
    mutants=MUTANTS,
    whole=True,
    benign=BENIGN,
    benign_samples=SAMPLES,
    different=DIFFERENT,
    right=_named(BENIGN, RIGHT),
    audits=25,
    audit_samples=1500,
    known=tuple(mutant for mutant in MUTANTS if mutant.name in KNOWN),
    seeds=15,
    empirical_runs=10**6,
    empirical_seeds=5,
)
"""Audits of all right subjects count together against the level. Samples vary by a third from seed to seed, so that the
median of fifteen is known to a tenth: hardly one of 56 faults at 1.6 times its limit comes out above 2. Five seeds show
a spread. More of either costs time alone."""

QUICK = Scope(
    "quick",
    mutants=MUTANTS,
    whole=False,
    benign=BENIGN,
    benign_samples=2000,
    different=(),
    right=_named(BENIGN, ("brownian-bridge", "laplace-walk", "threshold", "reduced-threshold-lazy")),
    audits=10,
    audit_samples=1000,
    known=_named(MUTANTS, ("brownian-bridge-variance-tenth", "laplace-ties-too-often", "threshold-no-noise")),
    seeds=3,
    empirical_runs=10**6,
    empirical_seeds=1,
)
"""The same parts with every mutant, and everything else cut down to minutes."""


def calibrate(
    scope: Scope = FULL,
    seed: int = 0,
    parts: Sequence[str] = PARTS,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Runs the parts asked for; the result depends on the scope and the seed alone."""
    jobs: dict[str, list[Job]] = {}
    if "mutants" in parts:
        jobs["mutants"] = matrix_jobs(scope.mutants, (), seed, ALPHA, SAMPLES, scope.whole)
        jobs["benign"] = matrix_jobs((), scope.benign, seed, ALPHA, scope.benign_samples, scope.whole)
        jobs["different"] = different_jobs(scope.different, seed, ALPHA)
    if "false-alarms" in parts:
        jobs["alarms"] = alarm_jobs(scope.right, scope.audits, seed, scope.audit_samples)
    if "efficiency" in parts:
        jobs["efficiency"] = efficiency_jobs(scope.known, scope.seeds, seed, ALPHA, SAMPLES)
        jobs["empirical"] = empirical_jobs(scope.empirical_runs, scope.empirical_seeds, seed)
    if "sizes" in parts:
        jobs["sizes"] = size_jobs(seed)
    done = iter(run_jobs([job for part in jobs.values() for job in part], executor, progress))
    results = {part: [next(done) for _ in own] for part, own in jobs.items()}
    matrix = alarms = efficiency = empirical = effects = None
    if "mutants" in parts:
        together = [*results["mutants"], *results["benign"]]
        matrix = matrix_from(together, scope.mutants, scope.benign, ALPHA, SAMPLES, scope.whole)
        effects = effects_from(matrix.kills, scope.different, results["different"])
    if "false-alarms" in parts:
        alarms = alarms_from(results["alarms"], scope.right, scope.audits)
    if "efficiency" in parts:
        efficiency = efficiency_from(results["efficiency"], scope.known, scope.seeds, ALPHA)
        empirical = empirical_from(results["empirical"], scope.empirical_runs, scope.empirical_seeds)
    sizes = None
    if "sizes" in parts:
        sizes = tuple(row for row in results["sizes"] if isinstance(row, Stated))
    return Calibration(seed, scope, matrix, alarms, efficiency, empirical, effects, sizes)
