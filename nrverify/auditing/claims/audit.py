"""A mechanism whose law is not known: on which data it is run, how often, and the checks that see it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nrverify.auditing.claims.claim import PrivacyClaim
from nrverify.auditing.claims.context import ClaimContext, context_of
from nrverify.auditing.claims.drawing import Setting, draw_labelled, score_case
from nrverify.auditing.claims.last_bits import give_levels, without_coarse
from nrverify.auditing.claims.limits import limits_of
from nrverify.auditing.claims.sample import Labelled, together
from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.exposed import with_streams
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.clock import LATE
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.subjects.host import Host

SMOKE_RUNS = 2
"""Of each method, on each side of the first pair: a method that works only once fails here."""
FRESH = 0.5
"""Of the runs of the whole audit, as many fresh ones at most count the event of a claim that was not refuted."""
FEWEST_FRESH, FEWEST_REFUTED, MOST_FRESH = 200, 1000, 20_000
"""Fresh runs: fewer measure nothing, more would hardly narrow the limits. A refutation may take fewer runs than a
person needs to see the event."""
MOST_AS_REFUTED = 8
"""Times the runs that refuted, where so many show what the bets showed by one event alone: an audit of a slow subject
is not drawn out by more."""
AT_ONCE = 2_000
"""Fresh runs between two looks at the clock: a request of all of them could take longer than a request may."""
RESERVED = 0.1
"""Of --samples, kept back for them."""
NUMBERS = 64
"""What a run weighs in memory: its entries, their keys, and what is made of them."""


class AnyMechanism(Mechanism):
    """A subject with `mechanism = "any"`."""

    def __init__(self, host: Host, settings: Settings) -> None:
        description = host.description
        declarations = declarations_for(description.mechanism)
        self.context: ClaimContext = context_of(host, settings.numerics)
        self.level = levels(settings.alpha, settings.only, declarations)
        self.checks, self.not_covered = applicable(declarations, description, self.context, settings.only)
        give_levels(self.checks, self.level, settings.alpha)
        self._samples = settings.samples
        self._only, self._alpha = settings.only, settings.alpha

    @property
    def _claim(self) -> PrivacyClaim | None:
        return next((check for check in self.checks if isinstance(check, PrivacyClaim)), None)

    @property
    def reserved(self) -> int:
        """For counting the event of the report."""
        return int(min(MOST_FRESH, RESERVED * self._samples)) if self._claim is not None else 0

    @property
    def beside(self) -> int:
        """Runs that the smoke stage draws, and those that count the event of the report."""
        return SMOKE_RUNS * len(self._methods()) + self.reserved

    def smoke(self, drawer: Drawer) -> None:
        """A few runs of each method; nothing is judged by them."""
        for setting in self._methods():
            drawer.in_time()
            draw_labelled(drawer, setting, SMOKE_RUNS)

    def _methods(self) -> list[Setting]:
        """The first case by every method."""
        context = self.context
        plain = [case for case in context.cases if case.strategy is None][:1]
        asked = [case for case in context.cases if case.strategy is not None][:1]
        found = [(0, case, name, context.claim) for case in plain for name in context.methods if name != "open"]
        return [*found, *((0, case, "open", context.claim) for case in asked)]

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """Every pair; those on which most was won get most of the runs."""
        context, claim = self.context, self._claim
        shares = claim.shares() if claim is not None else [1.0] * len(context.cases)
        return [
            SamplingTask(case.name, self._setting(number), score_case, tuple(self.checks), shares[number], NUMBERS)
            for number, case in enumerate(context.cases)
        ]

    def _setting(self, number: int) -> Setting:
        case = self.context.cases[number]
        method = "open" if case.strategy is not None else next(name for name in self.context.methods if name != "open")
        return (number, case, method, self.context.claim)

    def advise(self, drawer: Drawer, refuted: bool) -> None:
        """Counts the event that betrays most in runs that had no part in choosing it."""
        claim = self._claim
        if claim is None:
            return
        fresh = self._fresh(claim.runs, refuted)
        event = claim.propose(fresh) if fresh else None
        if event is None:
            return
        if refuted:
            fresh = max(fresh, claim.runs_to_show(event, self._room(claim.runs)))
        parts, outputs = list[Labelled](), list[Any]()
        while fresh > 0 and not (refuted and parts and drawer.out_of_time_at((LATE, len(outputs)))):
            part, drawn = draw_labelled(drawer, self._setting(event.case), min(fresh, AT_ONCE))
            parts.append(part)
            outputs += drawn
            fresh -= part.size
        claim.count(event, together(parts), outputs)

    def _fresh(self, runs: int, refuted: bool) -> int:
        """How many further runs count the event: after a refutation as many as refuted, out of those not needed."""
        if not refuted:
            return int(np.clip(FRESH * runs, min(FEWEST_FRESH, self.reserved), self.reserved))
        room = self._room(runs)
        return int(np.clip(runs, min(FEWEST_REFUTED, room), room))

    def _room(self, runs: int) -> int:
        """The most runs that may count the event of a refutation."""
        wanted = max(MOST_AS_REFUTED * runs, FEWEST_REFUTED)
        return min(MOST_FRESH, wanted, max(self.reserved, self._samples - runs - self.beside))

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With those that are not covered, and what no audit of outputs can show."""
        claim = self._claim
        refuted = any(result.verdict is CheckVerdict.REFUTED and result.id == PrivacyClaim.id for result in results)
        measured = None if claim is None or refuted else claim.measured
        told = with_streams(
            without_coarse(results), max(point.delta for point in self.context.claim.points), self._alpha
        )
        return (*told, *self.not_covered, *limits_of(self.context.claim, measured, self._only))

    def tested_range(self) -> tuple[str, ...]:
        """The pairs."""
        cases = self.context.cases
        return (f"{len(cases)} pair{'s' if len(cases) > 1 else ''} of neighbouring data, in both directions",)
