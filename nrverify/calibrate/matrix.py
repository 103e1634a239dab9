"""The kill matrix: which check refutes which mutant, with how many samples, and which checks earn their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nrverify.auditing.explain.catalogue import catalogue
from nrverify.calibrate.information import check_level, information, limit
from nrverify.calibrate.jobs import Job
from nrverify.calibrate.trial import Trial, trial
from nrverify.reference.mutants import Benign, Mutant

EXACT = "boundary"
"""A mechanism that is judged by calculation: nothing is drawn, and there is nothing to go on with."""


@dataclass(frozen=True)
class Kill:
    """A mutant, the audit that stops when something is refuted, the one that goes on after that, and the limit."""

    mutant: Mutant
    first: Trial
    whole: Trial | None
    limit: float | None
    """log(1/α)/KL for the level of one check, 0 where the impossible happens, None where KL is not known."""

    @property
    def killed(self) -> bool:
        """Whether the audit refuted it, and did so again when it went on."""
        return self.first.alarm and (self.whole is None or self.whole.alarm)

    @property
    def ratio(self) -> float | None:
        """Samples at refutation over the limit, where both are known and the limit is not 0."""
        return self.first.samples / self.limit if self.killed and self.limit else None

    @property
    def refuting(self) -> tuple[str, ...]:
        """The checks that refute it, the audit going on after the first."""
        return (self.first if self.whole is None else self.whole).refuted


@dataclass(frozen=True)
class Spared:
    """A benign variant and the audit that must not refute it."""

    benign: Benign
    trial: Trial

    @property
    def spared(self) -> bool:
        """Whether it was audited and not refuted."""
        return self.trial.verdict not in ("refuted", "errored")


@dataclass(frozen=True)
class Standing:
    """What a check is for: how many mutants it refutes, those that no other refutes, and claims it alone bears on."""

    id: str
    refutes: int
    alone: tuple[str, ...]
    claims: tuple[str, ...]

    @property
    def earned(self) -> bool:
        """Whether it refutes a mutant that no other check does, or is the only evidence for a claim."""
        return bool(self.alone or self.claims)


@dataclass(frozen=True)
class KillMatrix:
    """All mutants and all benign variants."""

    alpha: float
    samples: int
    kills: tuple[Kill, ...]
    spared: tuple[Spared, ...]
    whole: bool
    """Whether audits of mutants also went on after the first refutation, so that checks can be compared."""

    @property
    def survivors(self) -> tuple[str, ...]:
        """Mutants that were not refuted."""
        return tuple(kill.mutant.name for kill in self.kills if not kill.killed)

    @property
    def wronged(self) -> tuple[str, ...]:
        """Benign variants that were refuted, or could not be judged."""
        return tuple(found.benign.name for found in self.spared if not found.spared)

    @property
    def green(self) -> bool:
        """Whether all mutants were refuted and no benign variant was."""
        return not self.survivors and not self.wronged

    def standings(self) -> tuple[Standing, ...]:
        """Every check of the catalogue, in its order."""
        entries = catalogue()
        borne = {id: set(entry.claims) for id, entry in entries.items()}
        found = []
        for id in entries:
            others = set().union(*(claims for other, claims in borne.items() if other != id))
            alone = tuple(kill.mutant.name for kill in self.kills if kill.killed and set(kill.refuting) == {id})
            refutes = sum(id in kill.refuting for kill in self.kills)
            found.append(Standing(id, refutes, alone, tuple(sorted(borne[id] - others))))
        return tuple(found)


def matrix_jobs(
    mutants: Sequence[Mutant], benign: Sequence[Benign], seed: int, alpha: float, samples: int, whole: bool
) -> list[Job]:
    """One audit for each mutant, one more that goes on, its information, and an audit of each benign one."""
    jobs = []
    for mutant in mutants:
        goes_on = whole and mutant.subject.mechanism != EXACT
        jobs.append(
            Job(mutant.name, trials_of, (mutant.subject, seed, alpha, samples, goes_on), 4.0 if goes_on else 1.0)
        )
        jobs.append(Job(f"{mutant.name}, information", information, (mutant.name, mutant.subject), 1.0))
    jobs += [Job(entry.name, trial, (entry.subject, seed, alpha, samples), 10.0) for entry in benign]
    return jobs


def trials_of(subject: type[Any], seed: int, alpha: float, samples: int, goes_on: bool) -> tuple[Trial, Trial | None]:
    """The audit that stops at a refutation; and one that goes on to a quarter of the budget, or beyond that stop."""
    first = trial(subject, seed, alpha, samples)
    if not goes_on:
        return first, None
    return first, trial(subject, seed, alpha, min(samples, max(samples // 4, 5 * first.samples // 4)), True)


def matrix_from(
    results: Sequence[object],
    mutants: Sequence[Mutant],
    benign: Sequence[Benign],
    alpha: float,
    samples: int,
    whole: bool,
) -> KillMatrix:
    """The matrix from the results of its jobs, in their order."""
    found = iter(results)
    kills = []
    for mutant in mutants:
        both, nats = next(found), next(found)
        assert isinstance(both, tuple)
        first, second = both
        assert nats is None or isinstance(nats, float)
        needed = None if nats is None else limit(nats, check_level(alpha, mutant.subject.mechanism))
        kills.append(Kill(mutant, first, second, needed))
    spared = []
    for entry in benign:
        last = next(found)
        assert isinstance(last, Trial)
        spared.append(Spared(entry, last))
    return KillMatrix(alpha, samples, tuple(kills), tuple(spared), whole)
