"""Recorded outputs of a mechanism whose law is not known: judged as if they were drawn in the order of a coin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nrverify.auditing.claims.audit import MOST_FRESH
from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.context import EXACT, ClaimContext, Recorded, claim_of
from nrverify.auditing.claims.drawing import labelled
from nrverify.auditing.claims.last_bits import give_levels, without_coarse
from nrverify.auditing.claims.limits import limits_of
from nrverify.auditing.claims.pairs import Case, cases_of
from nrverify.auditing.claims.sample import Labelled, together
from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.check import ObservesLabelled
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.not_covered import OF_ALL, limits
from nrverify.auditing.records.random_order import Portion, RecordedOrder
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.subjects.description import Description
from nrverify.subjects.outputs import Outputs
from nrverify.subjects.records.outputs import RecordedOutputs

NUMBERS = 64
"""What a run weighs in memory: its entries, their keys, and what is made of them."""


class RecordedOutputsMechanism(Mechanism):
    """Recorded outputs; the order of the file is the order of use."""

    more = "recorded runs are too few to exclude anything useful: record more"

    def __init__(self, record: RecordedOutputs, description: Description, settings: Settings) -> None:
        declarations = declarations_for(description.mechanism)
        runs = (len(record.neighbour.outputs), len(record.value.outputs))
        value, neighbour = cases_of(description)[0].sides
        cases = (Case(neighbour, value),)  # label 1 is the value
        exact = (settings.numerics or description.numerics) == EXACT
        self.context = ClaimContext(
            description,
            replace(claim_of(description, None), exact=exact),
            cases,
            ("run_many",),
            Recorded(runs),
            exact,
        )
        self.level = levels(settings.alpha, settings.only, declarations)
        self.checks, self.not_covered = applicable(declarations, description, self.context, settings.only)
        give_levels(self.checks, self.level, settings.alpha)
        self._only = settings.only
        self._record = record
        self._used: list[Any] = []
        """Outputs in the order of use."""
        self._order: RecordedOrder | None = None

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """The record as a whole."""
        return [SamplingTask("recorded", self._record, self._score, tuple(self.checks), 1.0, NUMBERS)]

    def _score(
        self, order: RecordedOrder, record: RecordedOutputs, size: int, checks: Sequence[ObservesLabelled[Any]]
    ) -> None:
        """So many runs more, shuffled together; once a side is used up there is no coin, and nothing is judged."""
        self._order = order
        taken = self._taken(order.unused.take(size))
        if taken is None:
            return
        drawn, outputs = taken
        self._used += outputs
        for check in checks:
            check.observe_labelled(drawn)

    def _taken(self, portion: Portion) -> tuple[Labelled, list[Any]] | None:
        if portion.label is None:
            return None
        record = self._record
        sides = [_taken(side, rows) for side, rows in zip((record.neighbour, record.value), portion.sides, strict=True)]
        return labelled(0, self.context.claim, portion.label, sides)

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With the event of the report, counted in runs that had no part in choosing it."""
        claim = next((check for check in self.checks if isinstance(check, PrivacyClaim)), None)
        refuted = False
        if claim is not None:
            self._count(claim)
            judged = claim.conclude(self.level(claim))
            refuted = judged.verdict is CheckVerdict.REFUTED
            results = [judged if result.id == claim.id else result for result in results]
        measured = None if claim is None or refuted else claim.measured
        said = limits_of(self.context.claim, measured, self._only)
        return (*without_coarse(results), *self.not_covered, *said, *limits(OF_ALL, self._only))

    def _count(self, claim: PrivacyClaim) -> None:
        """In those not used yet, where there are enough; else the event is chosen in the first half of the runs."""
        if not claim.ledgers[0].parts:
            return
        sample = together(claim.ledgers[0].parts)
        half = sample.size // 2
        rest = self._taken(self._order.unused.take(MOST_FRESH)) if self._order is not None else None
        if rest is not None and rest[0].size >= half:
            # A refutation before the end of the file leaves records that had no part in it.
            found = claim.event_in(0, sample, rest[0].size)
            if found is not None:
                claim.count(found[1], together([rest[0]]), rest[1])
            return
        event = claim.event_in(0, sample.head(half), sample.size - half)
        if event is not None:
            claim.count(event[1], sample.tail(half), self._used[half : sample.size])

    def tested_range(self) -> tuple[str, ...]:
        """Nowhere: what was recorded was asked before."""
        return ("what was recorded",)


def _taken(side: Outputs, rows: slice) -> Outputs | None:
    if rows.start == rows.stop:
        return None
    return Outputs(side.outputs[rows], None if side.spent is None else side.spent[rows])
