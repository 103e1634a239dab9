"""Threshold mechanisms: what they are asked, by which methods, and the checks that see it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.calculated import of_declared
from nrverify.auditing.core.check import observes, observes_labelled
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.exposed import with_streams
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.auditing.threshold.context import ThresholdContext
from nrverify.auditing.threshold.declared_claim import DECLARED, DeclaredClaim
from nrverify.auditing.threshold.designs import USUAL, Design
from nrverify.auditing.threshold.drawing import (
    Runs,
    draw_certain,
    draw_runs,
    score_design,
    score_neighbours,
    with_scores,
)
from nrverify.auditing.threshold.ex_post import ThresholdExPost
from nrverify.auditing.threshold.law import ThresholdLaw
from nrverify.auditing.threshold.measured_runs import measured_runs
from nrverify.auditing.threshold.streams import FEW, few_together
from nrverify.auditing.threshold.variant_designs import noise_unit, variant_of
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host

PAIR_SHARE = 0.2
"""Of the runs of a look, for the comparison of neighbours; they tell the law, too, so it costs the law little."""
SCALAR_SHARE = 0.1
"""Of the runs of a design, one by one, where the subject also gives them in batches."""
MOST_IN_SMALL_REQUESTS = 2**20
"""As long as no more runs than this are drawn in all, some are asked for a few at a time: requests take time."""
BATCH_NUMBERS = 4
"""What a run weighs in a batch: a halting round, and what is made of it."""
SMOKE_UTILITIES = ((1e4, 1e4, 1e4), (-1e4, -1e4, -1e4), (-3.0, 0.0, 3.0))
"""Sure to halt at once, sure not to, and in between."""
CERTAIN = 1e4
"""A margin in units of the noise at which a round prints a 1 but for a probability of e^-1000."""
SMOKE_RUNS = 2
"""Two, so that a method that works only once fails here; the law is not judged by them."""

FIRST_AFTER, MOST_AFTER = 240, 7440
"""Runs after a refutation of the law, each batch twice the one before. It takes about 800 to tell halved query noise
from relatives that keep the claim, 3000 for a deviation taken for the scale, and 6000 for normal query noise."""


class ThresholdMechanism(Mechanism):
    """An `above-threshold` or `reduced-above-threshold` subject."""

    def __init__(self, host: Host, settings: Settings) -> None:
        description = host.description
        declarations = declarations_for(description.mechanism)
        self.context = ThresholdContext.of(description)
        self.settings = settings
        self.level = levels(settings.alpha, settings.only, declarations)
        checks, self.not_covered = applicable(declarations, description, self.context, settings.only)
        self.checks = [check for check in checks if not isinstance(check, DeclaredClaim)]
        self._claims = [check for check in checks if isinstance(check, DeclaredClaim)]

    @property
    def beside(self) -> int:
        """Runs that the smoke stage draws."""
        batches = 2 * FEW if "run_many" in self.context.methods else 0
        designs = len(SMOKE_UTILITIES) + (self.context.description.positives > 1)
        return SMOKE_RUNS * designs * len(self.context.methods) + batches

    def smoke(self, drawer: Drawer) -> None:
        """A few runs of each method, for the checks that need no scores, and two batches to compare, for all."""

        def runs_of(design: Design, method: str, size: int = SMOKE_RUNS) -> Runs:
            drawer.in_time()
            return draw_runs(drawer, design, method, size)

        variant = variant_of(self.context.description)
        designs = [Design("smoke", utilities, (1.0, 1.0, 1.0), variant=variant) for utilities in SMOKE_UTILITIES]
        drawn = [runs_of(design, method) for method in self.context.methods for design in designs]
        if variant.positives > 1:
            rounds = variant.positives + 2
            utilities = (CERTAIN * noise_unit(variant),) * rounds
            certain = Design("certain to print ones", utilities, (1.0,) * rounds, variant=variant)
            drawer.in_time()
            drawn += [draw_certain(drawer, certain, method, SMOKE_RUNS) for method in self.context.methods]
        batches = 2 if "run_many" in self.context.methods else 0
        together = [runs_of(self.context.designs[0], "run_many", FEW) for _ in range(batches)]
        drawn += [with_scores(runs, drawer.rng) for runs in together]
        for check in (*self.checks, *self._claims):
            if self.context.claims_curve and isinstance(check, (ThresholdExPost, DeclaredClaim)):
                check.ask_curve(OwnDeltas(drawer.host))
            shown = drawn if check.in_smoke else drawn[len(drawn) - batches :] if observes(check) else []
            if shown:
                scored = check.empty_copy()
                for runs in shown:
                    scored.observe(runs)
                check.merge(scored)

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """Every design by every method, and every pair of neighbours."""
        context = self.context
        scored: tuple[Any, ...] = tuple(check for check in self.checks if observes(check))
        labelled = [check for check in self.checks if observes_labelled(check)]
        of_pairs = (*(check for check in scored if check.any_value), *labelled)
        share = (PAIR_SHARE if scored else 1.0) if labelled else 0.0
        many = drawn <= MOST_IN_SMALL_REQUESTS
        tasks = []
        for method in context.methods if scored else ():
            for design in context.designs:
                weight = (1 - share) * self._share(method) / len(context.designs)
                numbers = BATCH_NUMBERS if method == "run_many" else BATCH_NUMBERS + design.rounds
                setting = (design, method, few_together(design) if many else 0)
                tasks.append(SamplingTask(f"{design.name} {method}", setting, score_design, scored, weight, numbers))
        for pair in context.pairs if labelled else ():
            method, name = context.methods[0], f"pair {pair.design.name}"
            numbers = BATCH_NUMBERS + pair.design.rounds
            weight = share / len(context.pairs)
            tasks.append(SamplingTask(name, (pair, method), score_neighbours, of_pairs, weight, numbers))
        return tasks

    def advise(self, drawer: Drawer, refuted: bool) -> None:
        """After a refutation of the law, runs that tell a fault that leaks from relatives that keep the claim."""
        law = next((check for check in self.checks if isinstance(check, ThresholdLaw)), None)
        if law is None or not refuted or not law.refuted(self.level(law)):
            return
        alpha, channel, designs = self.level(law), law.portfolio.leading.channel, list(law.designs.values())
        method = channel if channel in self.context.methods else self.context.methods[0]
        room, batch = min(MOST_AFTER, self.settings.samples - law.runs), FIRST_AFTER
        try:
            while room >= batch and not drawer.out_of_time and law.undecided(alpha):
                for design in designs:
                    law.look_closer(draw_runs(drawer, design, method, batch // len(designs)))
                    self.after_refutation += batch // len(designs)
                room, batch = room - batch, 2 * batch
        except (SubjectFailed, SubjectRefused):
            return

    def measure_loss(self, drawer: Drawer) -> Priced | None:
        """What runs that share noise give away together."""
        description = self.context.description
        pure = not (description.delta or self.context.claims_curve) and variant_of(description) == USUAL
        law = next((check for check in self.checks if isinstance(check, ThresholdLaw)), None)
        if not pure or "run_many" not in self.context.methods or law is None or not law.shares_between_runs:
            return None
        before = drawer.drawn
        found = measured_runs(drawer, self.settings.alpha)
        self.after_refutation += drawer.drawn - before
        return found

    def _share(self, method: str) -> float:
        if len(self.context.methods) == 1:
            return 1.0
        return SCALAR_SHARE if method == "run" else 1 - SCALAR_SHARE

    def judged(self) -> tuple[CheckResult, ...]:
        """What was calculated, where nothing is sampled; else it does not stop the sampling, which tells the law."""
        return () if self.checks else tuple(self._calculated)

    @cached_property
    def _calculated(self) -> list[CheckResult]:
        """What follows from the noise declared, once a curve was asked for."""
        return [check.conclude(0.0) for check in self._claims]

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With what was calculated, and those that are not covered."""
        told = with_streams(results, self.context.description.delta or 0.0, self.settings.alpha)
        return (*told, *of_declared(self._calculated, results, DECLARED), *self.not_covered)

    def tested_range(self) -> tuple[str, ...]:
        """Rounds and ε's of the designs."""
        epsilons = [epsilon for design in self.context.designs for epsilon in design.epsilons]
        rounds = [design.rounds for design in self.context.designs]
        return (
            f"{len(self.context.designs)} designs of {min(rounds)} to {max(rounds)} rounds",
            f"ε from {min(epsilons):g} to {max(epsilons):g}",
        )
