"""False alarms: many audits of correct implementations, each from another seed, and exact confidence limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nrverify.calibrate.jobs import Job
from nrverify.calibrate.trial import Trial, seed_for, trial
from nrverify.reference.mutants import Benign
from nrverify.statistics.proportions import clopper_pearson

LOOSE, STRICT = 0.05, 1e-6
"""The levels examined: one at which alarms can be counted, and the default."""
CONFIDENCE = 0.99
"""Of the limits shown: a right audit is outside one time in a hundred."""


@dataclass(frozen=True)
class Alarms:
    """Audits of one kind of subject, and how many of them raised an alarm at the loose and at the strict level."""

    name: str
    audits: int
    loose: int
    strict: int
    failed: int
    """Audits that came to no judgement because the subject could not be run: there must be none."""

    def interval(self, count: int) -> tuple[float, float]:
        """Clopper–Pearson limits on the probability of an alarm, at 99 %."""
        return clopper_pearson(count, self.audits, 1 - CONFIDENCE)

    @property
    def green(self) -> bool:
        """Whether the loose level is not excluded from below, nothing was refuted at the strict one, and all ran."""
        return self.interval(self.loose)[0] <= LOOSE and self.strict == 0 and self.failed == 0


def nested_trials(subject: object, seed: int, samples: int) -> tuple[Trial, Trial]:
    """The audit at the loose and at the strict level, from one seed.

    What is refuted at a level is refuted at every larger one: an audit without an alarm at the loose level has seen
    what it would have seen at the strict one, and is not made twice.
    """
    loose = trial(subject, seed, LOOSE, samples)
    return loose, trial(subject, seed, STRICT, samples) if loose.alarm else loose


def alarm_jobs(subjects: Sequence[Benign], audits: int, seed: int, samples: int) -> list[Job]:
    """Audits of each subject from as many seeds; one of a subject that is judged by calculation."""
    return [
        Job(
            f"{entry.name}, audit {index + 1}",
            nested_trials,
            (entry.subject, seed_for(seed, entry.name, index), samples),
        )
        for entry in subjects
        for index in range(_audits(entry, audits))
    ]


def alarms_from(results: Sequence[tuple[Trial, Trial]], subjects: Sequence[Benign], audits: int) -> tuple[Alarms, ...]:
    """The counts by subject from the results of the jobs, in their order."""
    found = iter(results)
    counted = []
    for entry in subjects:
        pairs = [next(found) for _ in range(_audits(entry, audits))]
        counted.append(
            Alarms(
                entry.name,
                len(pairs),
                sum(loose.alarm for loose, _ in pairs),
                sum(strict.alarm for _, strict in pairs),
                sum(loose.verdict == "errored" for loose, _ in pairs),
            )
        )
    return tuple(counted)


def all_together(rows: Sequence[Alarms]) -> Alarms:
    """The sums over subjects."""
    return Alarms(
        "all together",
        sum(row.audits for row in rows),
        sum(row.loose for row in rows),
        sum(row.strict for row in rows),
        sum(row.failed for row in rows),
    )


def _audits(entry: Benign, audits: int) -> int:
    return 1 if entry.subject.mechanism == "boundary" else audits
