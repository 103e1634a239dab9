"""Efficiency: samples until a fault is refuted, the median over seeds, against the information limit.

No fault is refuted before the first look. Where the limit is below it, the ratio to the limit would say how large the
first look is and nothing of the bets: such a fault is compared with the first look.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from nrverify.auditing.sampling.looks import FIRST_LOOK
from nrverify.calibrate.information import check_level, information, limit
from nrverify.calibrate.jobs import Job
from nrverify.calibrate.trial import Trial, seed_for, trial
from nrverify.reference.mutants import Mutant

TARGET = 2.0
"""Samples over the limit, for each fault: a check needs 17 nats, and as many again pay for not knowing the fault."""
MEDIAN_TARGET = 1.5
"""The same, the median over all faults that are compared with their own limit."""


@dataclass(frozen=True)
class Efficiency:
    """A fault: nats per sample, the limit at the level of one check, and the samples drawn until it was refuted."""

    name: str
    nats: float
    limit: float
    samples: tuple[int, ...]
    missed: int
    """Seeds at which it was not refuted within the budget."""

    @property
    def median(self) -> float:
        """The median number of samples; infinite where half of the seeds missed it."""
        drawn = [*map(float, self.samples), *[float("inf")] * self.missed]
        return statistics.median_high(drawn)

    @property
    def below_first_look(self) -> bool:
        """Whether the best test would refute it before an audit looks at all."""
        return self.limit < FIRST_LOOK

    @property
    def ratio(self) -> float:
        """The median over the limit, or over the first look where the limit is below it."""
        return self.median / max(self.limit, FIRST_LOOK)

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= TARGET


def median_ratio(rows: Sequence[Efficiency]) -> float:
    """The median over faults that are compared with their own limit; of all where there is none."""
    own = [row.ratio for row in rows if not row.below_first_look]
    return statistics.median_high(own or [row.ratio for row in rows])


def efficiency_jobs(mutants: Sequence[Mutant], seeds: int, seed: int, alpha: float, samples: int) -> list[Job]:
    """The information of each fault, and audits of it from as many seeds."""
    jobs = []
    for mutant in mutants:
        jobs.append(Job(f"{mutant.name}, information", information, (mutant.name, mutant.subject)))
        for index in range(seeds):
            own = seed_for(seed, mutant.name, "efficiency", index)
            jobs.append(Job(f"{mutant.name}, seed {index + 1}", trial, (mutant.subject, own, alpha, samples), 2.0))
    return jobs


def efficiency_from(
    results: Sequence[object], mutants: Sequence[Mutant], seeds: int, alpha: float
) -> tuple[Efficiency, ...]:
    """The rows from the results of the jobs, in their order."""
    found = iter(results)
    rows = []
    for mutant in mutants:
        nats = next(found)
        assert isinstance(nats, float)
        trials = [next(found) for _ in range(seeds)]
        killed = [t.samples for t in trials if isinstance(t, Trial) and t.alarm]
        needed = limit(nats, check_level(alpha, mutant.subject.mechanism))
        rows.append(Efficiency(mutant.name, nats, needed, tuple(sorted(killed)), seeds - len(killed)))
    return tuple(rows)
