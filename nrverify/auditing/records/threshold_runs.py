"""The audit of recorded runs of a threshold mechanism: the law of the halting round, and the neighbours apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.pictures import Gallery, Picture
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.not_covered import BEYOND, LARGE_CLAIM, LARGEST_CLAIM, RUNS, not_covered, too_few
from nrverify.auditing.records.random_order import Portion, Unused
from nrverify.auditing.sampling.looks import conclusions, looks, reason_to_stop
from nrverify.auditing.threshold.audit import IDS
from nrverify.auditing.threshold.checks import ThresholdLaw
from nrverify.auditing.threshold.designs import Design, Neighbours
from nrverify.auditing.threshold.drawing import LabelledRuns, Runs, with_scores
from nrverify.auditing.threshold.ex_post import ThresholdExPost
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.threshold_runs import RecordedRuns

Progress = Callable[[int, int], None]

MOST_AT_ONCE = 50_000


class RecordedRunsAudit:
    """One audit of recorded halting rounds; the order of the file is the order of use."""

    def __init__(self, record: RecordedRuns, settings: Settings, progress: Progress | None = None) -> None:
        self.settings = settings
        self.stopped = "samples"
        self.failure: str | None = None
        self._progress = progress
        self._sides = (record.rounds_neighbour, record.rounds)
        rng = np.random.default_rng(np.random.SeedSequence(settings.seed))
        self.drawer = Unused(self._sides[0].size, self._sides[1].size, settings.samples, rng)
        self._rng = np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(1,)))
        self._gallery = Gallery()
        self._pair = _neighbours(record)
        self._law = ThresholdLaw((self._pair.design, self._pair.neighbour), ("run_many",))
        self._privacy = ThresholdExPost((self._pair,))
        self._beyond = BEYOND | RUNS
        checks: list[ThresholdLaw | ThresholdExPost] = [self._law, self._privacy]
        if record.epsilons[-1] > LARGEST_CLAIM:
            checks.pop()
            self._beyond = {**self._beyond, self._privacy.id: LARGE_CLAIM}
        self._checks = [check for check in checks if not settings.only or check.id in settings.only]

    def run(self) -> tuple[CheckResult, ...]:
        """Looks until something is refuted or the records are used up; `SubjectFailed` if they cannot be used."""
        for design in (self._pair.design, self._pair.neighbour):
            _refuse_rounds_never_reached(design)
        # A cell may have a probability that is rounded to 0: the checks mind, their ratios need not.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self._use_records()
            concluded = conclusions(self._checks, self.level, self.stopped)
        results = (*concluded, *not_covered(self._beyond, self.settings.only))
        self.failure = too_few(results, self.drawer.drawn)
        return results

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def pictures(self) -> dict[str, tuple[Picture, ...]]:
        """What every check saw."""
        return self._gallery.pictures(self.level)

    @property
    def asked(self) -> tuple[str, ...]:
        """Nowhere: what was recorded was asked before."""
        return ("what was recorded",)

    def _use_records(self) -> None:
        total = self.drawer.left
        for look in looks():
            end = self.drawer.drawn + max(1, int(look))
            while self.drawer.left > 0 and self.drawer.drawn < end:
                self._observe(self.drawer.take(min(MOST_AT_ONCE, end - self.drawer.drawn)))
            if self._progress is not None:
                self._progress(self.drawer.drawn, total)
            self._gallery.look(self._checks, self.drawer.drawn)
            if (reason := reason_to_stop(self.settings, self.drawer, self._refuted)) is not None:
                self.stopped = reason
                return

    def _observe(self, portion: Portion) -> None:
        designs = (self._pair.neighbour, self._pair.design)
        cells: list[NDArray[np.int64]] = []
        for design, rounds, rows in zip(designs, self._sides, portion.sides, strict=True):
            taken = rounds[rows]
            cells.append(np.where(taken == 0, design.rounds, taken - 1))
            if taken.size:
                law = self._law.fresh()
                law.observe(with_scores(Runs(design, "run_many", cells[-1]), self._rng))
                self._law.merge(law)
        if portion.label is not None and self._privacy in self._checks:
            together = np.empty(portion.label.size, dtype=np.int64)
            together[~portion.label], together[portion.label] = cells
            privacy = self._privacy.fresh()
            privacy.observe_labelled(LabelledRuns(self._pair, together, portion.label))
            self._privacy.merge(privacy)

    def _refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._checks)


def _refuse_rounds_never_reached(design: Design) -> None:
    """What has no probability at all cannot be bet on."""
    reached = claimed_law(design)[::-1].cumsum()[::-1][:-1]
    if not (reached > 0).all():
        raise SubjectFailed(
            f"round {int(np.argmin(reached > 0)) + 1} is never reached, for a halt before it is certain: record fewer "
            "rounds, or utilities nearer to the threshold"
        )


def _neighbours(record: RecordedRuns) -> Neighbours:
    epsilons = tuple(float(epsilon) for epsilon in record.epsilons)
    own, other = (
        Design(name, tuple(float(u) for u in utilities), epsilons, record.threshold, record.sensitivity)
        for name, utilities in (("value", record.utilities), ("neighbour", record.utilities_neighbour))
    )
    return Neighbours(own, other)
