"""Recorded runs of a threshold mechanism: the law of the halting round, and the neighbours apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.calculated import of_declared
from nrverify.auditing.core.check import Check, Observes, ObservesLabelled
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.not_covered import OF_ALL, limits
from nrverify.auditing.records.random_order import RecordedOrder
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.auditing.threshold.context import RecordedRunsFacts, ThresholdContext
from nrverify.auditing.threshold.declared_claim import DECLARED, DeclaredClaim
from nrverify.auditing.threshold.designs import Design, Neighbours
from nrverify.auditing.threshold.drawing import LabelledRuns, Runs, with_scores
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.outputs import outputs
from nrverify.auditing.threshold.variant_designs import variant_of
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.threshold_runs import RecordedRuns

METHOD = "run_many"
"""Halting rounds are what run_many() gives."""
NUMBERS = 40
"""What a run weighs in memory: its bin, its score, and what is made of them."""


class RecordedRunsMechanism(Mechanism):
    """Recorded halting rounds; the order of the file is the order of use."""

    more = "recorded runs are too few to exclude anything useful: record more"

    def __init__(self, record: RecordedRuns, settings: Settings) -> None:
        description = record.description
        declarations = declarations_for(description.mechanism)
        self._only = settings.only
        self._record = record
        self._pair = _neighbours(record)
        _refuse_too_many_nodes(self._pair)
        self._rng = np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(1,)))
        facts = RecordedRunsFacts(float(record.epsilons[-1]))
        sides = (self._pair.design, self._pair.neighbour)
        context = ThresholdContext(description, sides, sides, (self._pair,), (METHOD,), facts)
        self.level = levels(settings.alpha, settings.only, declarations)
        checks, self.not_covered = applicable(declarations, description, context, settings.only)
        self.checks = [check for check in checks if not isinstance(check, DeclaredClaim)]
        self._calculated = [check.conclude(0.0) for check in checks if isinstance(check, DeclaredClaim)]

    def admit(self) -> None:
        """`SubjectFailed` where a round is never reached."""
        for design in self._pair.sides:
            _refuse_rounds_never_reached(design)

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """The record as a whole."""
        return [SamplingTask("recorded", self._record, self._score, tuple(self.checks), 1.0, NUMBERS)]

    def _score(self, order: RecordedOrder, record: RecordedRuns, size: int, checks: Sequence[Check]) -> None:
        """So many runs more: side by side to the checks of the law, shuffled together to those of neighbours."""
        portion = order.unused.take(size)
        bins: list[NDArray[np.int64]] = []
        for design, rounds, rows in zip(
            self._pair.sides, (record.rounds_neighbour, record.rounds), portion.sides, strict=True
        ):
            taken = rounds[rows]
            several = design.positives > 1
            every = outputs(design.rounds, design.positives)
            bins.append(every.bins(taken) if several else np.where(taken == 0, design.rounds, taken - 1))
            if len(taken):
                runs = with_scores(Runs(design, METHOD, bins[-1]), self._rng)
                for check in checks:
                    if isinstance(check, Observes):
                        check.observe(runs)
        if portion.label is not None:
            together = np.empty(portion.label.size, dtype=np.int64)
            together[~portion.label], together[portion.label] = bins
            for check in checks:
                if isinstance(check, ObservesLabelled):
                    check.observe_labelled(LabelledRuns(self._pair, together, portion.label))

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With those not covered, and what records cannot show."""
        return (
            *results,
            *of_declared(self._calculated, results, DECLARED),
            *self.not_covered,
            *limits(OF_ALL, self._only),
        )

    def judged(self) -> tuple[CheckResult, ...]:
        """What was calculated, where nothing else is asked."""
        return () if self.checks else tuple(self._calculated)

    def tested_range(self) -> tuple[str, ...]:
        """Nowhere: what was recorded was asked before."""
        return ("what was recorded",)


def _refuse_rounds_never_reached(design: Design) -> None:
    """What has probability 0 cannot be bet on."""
    if not design.variant.reduces_noise:
        return
    reached = claimed_law(design)[::-1].cumsum()[::-1][:-1]
    if not (reached > 0).all():
        raise SubjectFailed(
            f"round {int(np.argmin(reached > 0)) + 1} is never reached, for a halt before it is certain: record fewer "
            "rounds, or utilities nearer to the threshold"
        )


def _refuse_too_many_nodes(pair: Neighbours) -> None:
    """The exact law of very different scales over many rounds takes too long."""
    try:
        for design in pair.sides:
            claimed_law(design)
    except ValueError as error:
        raise SubjectFailed(f"{error}, or record fewer rounds") from None


def _neighbours(record: RecordedRuns) -> Neighbours:
    epsilons, variant = tuple(float(epsilon) for epsilon in record.epsilons), variant_of(record.description)
    own, other = (
        Design(name, tuple(float(u) for u in utilities), epsilons, record.threshold, record.sensitivity, variant)
        for name, utilities in (("value", record.utilities), ("neighbour", record.utilities_neighbour))
    )
    return Neighbours(own, other)
