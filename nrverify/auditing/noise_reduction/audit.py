"""Noise-reduction subjects: what they are asked, what is done when they refuse, and the checks that see it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.check import observes, observes_labelled
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults.noise import STATE_BETWEEN_SESSIONS
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.noise_reduction.attack import MOST, TIME_SHARE, allowance, attack
from nrverify.auditing.noise_reduction.checks.last_bits import LastBits
from nrverify.auditing.noise_reduction.context import NoiseReductionContext
from nrverify.auditing.noise_reduction.design.any_order import (
    any_order_cases,
    reordered,
    without_repeats,
)
from nrverify.auditing.noise_reduction.design.bit_pairs import LONGEST_ATTACK, bit_pairs, bit_schedule
from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case, cases_for, shares
from nrverify.auditing.noise_reduction.design.knob import Knob, knob_of
from nrverify.auditing.noise_reduction.design.neighbours import Pair, pairs_for
from nrverify.auditing.noise_reduction.design.tested_range import tested_range
from nrverify.auditing.noise_reduction.design.varying import at_other_values, varied
from nrverify.auditing.noise_reduction.diagnosis.constants import without_constant
from nrverify.auditing.noise_reduction.diagnosis.example_session import with_session
from nrverify.auditing.noise_reduction.diagnosis.fault_location import with_place
from nrverify.auditing.noise_reduction.diagnosis.fault_losses import with_losses
from nrverify.auditing.noise_reduction.diagnosis.fresh_looks import with_fresh_looks
from nrverify.auditing.noise_reduction.diagnosis.second_moments import suspect_of
from nrverify.auditing.noise_reduction.diagnosis.uneven import told_apart
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.epsilon.dp_claim import DpClaim
from nrverify.auditing.noise_reduction.epsilon.known_times import of_own_times
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.auditing.noise_reduction.grids import (
    beyond_range,
    refuse_no_room,
    slack_of,
    unseen_truncation,
    within_room,
)
from nrverify.auditing.noise_reduction.observe import score_case, score_pair
from nrverify.auditing.noise_reduction.smoke import (
    ADVICE_SAMPLES,
    INWARDS,
    LONGEST,
    admitted_range,
    disturbed,
    drawn_beside,
    refusals,
    repeats_itself,
    smoke,
    smoke_any_order,
)
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.own_deltas import OwnDeltas
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host
from nrverify.subjects.policies import Fixed, shrunk

PAIR_SHARE = 0.25
"""Of the sessions of a look, for checks that compare two neighbouring values."""
FEWEST_TOGETHER = 8
"""Sessions of a case that are drawn together: dependence between sessions is only visible in batches. With 16 it takes
twice as long until small looks have been to all cases, and a fault that shows in few of them waits for those."""
MOST_REFUSED = 5
"""Refusals that a report quotes: enough to show the pattern, and short enough to be read."""
NOT_ATTACKED = "not tried: it takes the law for granted, and another check is refuted"
NOT_OF_SESSIONS = ("lattice", "protocol.finite")
"""Checks of single releases, which other sessions do not disturb."""


@runtime_checkable
class AsksDensely(Protocol):
    """A check that asks a subject for its own times at many ε's before anything is drawn."""

    def ask_densely(self, times_of: OwnTimes, knob: Knob) -> None:
        """Asks over the range of the knob."""


@runtime_checkable
class AsksCurve(Protocol):
    """A check that asks a subject for the δ's of the curve it claims."""

    def ask_curve(self, deltas_of: OwnDeltas, knob: Knob) -> None:
        """Asks over the range of the knob."""


class NoiseReductionMechanism(Mechanism):
    """A `brownian`, `laplace` or `skellam` subject."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self.begin(host.description, settings)
        usual = self.description.dimensions or DEFAULT_DIMENSIONS
        self.prepare(knob_of(self.description), usual, self.description.most_releases)

    def begin(self, description: Description, settings: Settings) -> None:
        """What is known before it is known what is asked."""
        self.settings = settings
        self.description = description
        self.level = levels(settings.alpha, settings.only, declarations_for(self.description.mechanism))
        self.refusals: list[str] = []
        self.refused_settings: dict[str, Any] | None = None
        self.advice: list[CheckResult] = []
        self._suspect: Suspect | None = None
        self._disturbed = False
        self._refuted: tuple[CheckResult, ...] = ()

    def ask(self, context: NoiseReductionContext) -> None:
        """The checks that can be asked in a context."""
        self.context = context
        declarations = declarations_for(self.description.mechanism)
        checks, self.not_covered = applicable(declarations, self.description, context, self.settings.only)
        self.last_bits = next((check for check in checks if isinstance(check, LastBits)), None)
        if self.last_bits is not None:
            # Advice has an error probability of its own, since it changes no verdict.
            self.last_bits.at_level(self.level(self.last_bits) if self.last_bits.exact else self.settings.alpha)
        # Records are compared in their own order; of a subject that is asked the pairs are drawn beside the looks.
        self.aside = () if context.record is not None or self.last_bits is None else (self.last_bits,)
        self.checks = [check for check in checks if check not in self.aside]

    @property
    def reserved(self) -> int:
        """For advice, and for the attack on the last bits where it comes after the looks."""
        late = any(not check.exact for check in self.aside)
        return ADVICE_SAMPLES + (allowance(self.settings.samples, exact=False) if late else 0)

    @property
    def drawn_aside(self) -> int:
        """For an attack that is not shown."""
        return min(MOST, sum(allowance(self.settings.samples, check.exact) for check in self.aside))

    @property
    def reserved_time(self) -> float:
        """For the attack on the last bits."""
        return TIME_SHARE if self.aside else 0.0

    def prepare(self, knob: Knob, dimensions: tuple[int, ...], most: int | None) -> None:
        """The cases, checks and pairs for what the subject admits; before the smoke stage, for all of it."""
        description = self.description
        times_known = description.knob == "time" or "time_of" in description.methods
        asked = (description, knob, dimensions, most)
        cases = (*cases_for(*asked), *any_order_cases(*asked))
        numerics = self.settings.numerics or description.numerics or "idealized"
        self.ask(
            NoiseReductionContext(
                description, cases, knob, times_known, dimensions, most_releases=most, numerics=numerics
            )
        )
        self.pairs = pairs_for(description, knob, dimensions, most) if self._labelled else []
        if not self.checks:
            self.context = replace(self.context, cases=())

    @property
    def beside(self) -> int:
        """Sessions that are drawn beside the looks."""
        return drawn_beside(self.description) + sum(
            allowance(self.settings.samples, check.exact) for check in self.aside
        )

    @property
    def _scored(self) -> tuple[Any, ...]:
        return tuple(check for check in self.checks if observes(check))

    @property
    def _labelled(self) -> tuple[Any, ...]:
        return tuple(check for check in self.checks if observes_labelled(check))

    def admit(self) -> None:
        """`SubjectFailed` where doubles have no room for the granularity."""
        refuse_no_room(self.description, self.context.knob)

    def smoke(self, drawer: Drawer) -> None:
        """What the subject admits, by every method in some dimensions; and its own times, where it tells them."""
        knob, refused = admitted_range(drawer, self.description, self.context.knob)
        longest = max([case.rule.length for case in self.context.cases], default=LONGEST)
        admitted = smoke(drawer, self.description, knob, longest)
        if self.description.in_any_order:
            smoke_any_order(drawer, self.description, knob, admitted.most_releases)
        self.refusals += [*refused, *admitted.refused]
        self.refused_settings = admitted.settings
        self.prepare(knob, admitted.dimensions, admitted.most_releases)
        if "time_of" in self.description.methods:
            for check in self.checks:
                if isinstance(check, AsksDensely):
                    check.ask_densely(drawer.times_of, knob)
        if self.context.claims_curve:
            deltas_of = OwnDeltas(drawer.host)
            for check in self.checks:
                if isinstance(check, AsksCurve):
                    check.ask_curve(deltas_of, knob)
        if any(check.exact for check in self.aside):
            self._attack(drawer)

    def _attack(self, drawer: Drawer) -> None:
        """Draws for the attack on the last bits: first of all where it can refute, else last."""
        assert self.last_bits is not None
        context, most = self.context, min(self.context.most_releases or LONGEST_ATTACK, LONGEST_ATTACK)
        asked = bit_schedule(context.knob, most)
        pairs = bit_pairs(self.description, asked, min(context.dimensions), drawer.times_of)
        if context.claims_curve and not context.times_known:
            self.last_bits.claim = (asked[-1], OwnDeltas(drawer.host)(np.array(asked[-1:]))[asked[-1]])
        refused = attack(drawer, self.last_bits, pairs)
        self.refusals += refused
        if refused:
            self.last_bits.untried = f"its values are refused: {refused[0]}"

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """Every case, with its times moved anew, and every pair."""
        rng, of_values = (
            np.random.default_rng(np.random.SeedSequence(self.settings.seed, spawn_key=(key, look))) for key in (2, 3)
        )
        scored, cases = self._scored, self.context.cases
        of_pairs = (*(check for check in scored if check.any_value), *self._labelled)
        share = (PAIR_SHARE if scored else 1.0) if self.pairs else 0.0
        tasks = []
        for case, own in zip(cases, shares(cases, drawn), strict=True):
            alone = self.context.most_releases == 1
            move = reordered if case.any_order else partial(varied, alone=alone)
            moved = move(case, self.context.knob, self.description.integer, rng)
            moved = within_room(at_other_values(moved, self.description.integer, of_values), self.description)
            tasks.append(
                SamplingTask(case.name, moved, score_case, scored, (1 - share) * own, _numbers(case), FEWEST_TOGETHER)
            )
        for pair in self.pairs:
            weight = share / len(self.pairs)
            tasks.append(
                SamplingTask(pair.case.name, pair, score_pair, of_pairs, weight, _numbers(pair.case), FEWEST_TOGETHER)
            )
        return tasks

    def refused(self, task: SamplingTask, reason: str) -> SamplingTask | None:
        """A case that is refused loses repeated times or is moved inwards, a pair is left out; all are reported."""
        if isinstance(task.setting, Pair):
            self.refusals.append(f"{task.name} ({reason})")
            self.pairs = [pair for pair in self.pairs if pair != task.setting]
            return None
        case: Case = task.setting
        if case.still:
            self.refusals.append(f"{unseen_truncation(self.description, self.context.knob)} ({reason})")
            self.context = replace(self.context, cases=tuple(own for own in self.context.cases if own != case))
            return None
        if case.ranks is not None and len(set(case.ranks)) < len(case.ranks):
            self.refusals.append(f"repeated times ({reason})")
            return self._replaced(task, without_repeats(case))
        if isinstance(case.play, Fixed) and len(set(case.play.schedule)) < case.play.length:
            self.refusals.append(f"repeated times ({reason})")
            return self._replaced(task, replace(case, play=Fixed(tuple(dict.fromkeys(case.play.schedule)))))
        value = ", ".join(f"{x:g}" for x in case.value)
        self.refusals.append(f"the value ({value}) at {case.rule.words} ({reason})")
        knob = self.context.knob
        low, high = knob.low * INWARDS, knob.high / INWARDS
        if low < high:
            knob = replace(knob, low=low, high=high)
            self.context = replace(self.context, knob=knob)
        nearer = tuple(float(np.trunc(x / INWARDS)) for x in case.value)
        play = shrunk(case.rule, knob.low, knob.high)
        beside = None if case.beside is None else tuple(float(np.trunc(x / INWARDS)) for x in case.beside)
        largest = max(1.0, max(map(abs, case.every_value)) / INWARDS)
        return self._replaced(task, replace(case, value=nearer, play=play, beside=beside, largest=largest))

    def _replaced(self, task: SamplingTask, moved: Case) -> SamplingTask:
        """The task with another case, which takes the place of the first from now on."""
        cases = tuple(moved if case.name == task.name else case for case in self.context.cases)
        self.context = replace(self.context, cases=cases)
        return replace(task, setting=moved)

    def diagnose(self, drawer: Drawer) -> None:
        """Whether sessions that are open together disturb each other."""
        self._disturbed = disturbed(drawer, self.description, self.context.knob, self.context.most_releases)

    @property
    def answers_still(self) -> bool:
        """Whether it has answered since, in sessions that disturb each other."""
        return self._disturbed

    def measure_loss(self, drawer: Drawer) -> Priced | None:
        """What is measured where nothing else says what a wrong law gives away."""
        # Solvers of scipy, which audits that refute nothing do without.
        from nrverify.auditing.noise_reduction.diagnosis.measured_loss import measured

        before = drawer.drawn
        found = measured(drawer, self.description, self.context, self.settings.alpha, self._refuted, self._disturbed)
        self.after_refutation += drawer.drawn - before
        return found

    def advise(self, drawer: Drawer, refuted: bool) -> None:
        """The last bits; then invalid requests and repeated seeds, since they may upset a subject. All is advice."""
        if any(not check.exact for check in self.aside):
            self._attack_for_advice(drawer, refuted)
        if not self.checks:
            return
        try:
            repeats = repeats_itself(drawer, self.description, self.context.knob, self.context.most_releases)
            if "open" in self.description.methods:
                falling = self.context.several_releases and not self.description.any_order
                self.advice.append(refusals(drawer, self.context.knob, self.context.cases[0].value, falling))
        except (SubjectFailed, SubjectRefused):
            return
        if not repeats:
            words = "the same seed gives another transcript: a finding cannot be replayed from its seed alone"
            self.advice.append(
                CheckResult("randomness.repeats", CheckKind.RANDOMNESS, CheckVerdict.ADVICE, message=words)
            )

    def _attack_for_advice(self, drawer: Drawer, refuted: bool) -> None:
        assert self.last_bits is not None
        if refuted:
            self.last_bits.untried = NOT_ATTACKED
            return
        try:
            self._attack(drawer)
        except SubjectFailed as failure:
            self.last_bits.untried = f"the subject failed: {failure}"

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With the places of faults, those that are not covered, and advice."""
        self._refuted = tuple(result for result in results if result.verdict is CheckVerdict.REFUTED)
        kept = next((check for check in self.checks if getattr(check, "moments", None) is not None), None)
        places = getattr(kept, "places", None)
        found = of_own_times(told_apart(with_place(results, places), places), self.context.times_known)
        if self._disturbed:
            found = [_of_sessions(result) for result in found]
        if not self._disturbed:
            found, moments = with_losses(found, self.description, self.settings.alpha), getattr(kept, "moments", None)
            found = with_fresh_looks(found, self._levels(), self.description, self.settings.alpha)
            suspect = suspect_of(found, moments, self.description, self.settings.alpha, self._claims())
            found, self._suspect = without_constant(found, suspect, places)
        unusual, unit = getattr(places, "most_unusual", None), "t" if self.context.knob.falling else "ε"
        covered = [*with_session(found, unusual, unit), *self.not_covered, *self.advice]
        covered += slack_of(self.context)
        beyond = beyond_range(self.description, self.context.knob, self.settings.samples)
        if beyond is not None:
            covered.append(CheckResult("protocol.range", CheckKind.PROTOCOL, CheckVerdict.NOT_COVERED, message=beyond))
        if self.refusals:
            words = f"refused, and so not covered: {'; '.join(self.refusals[:MOST_REFUSED])}"
            covered.append(CheckResult("protocol.range", CheckKind.PROTOCOL, CheckVerdict.NOT_COVERED, message=words))
        return tuple(covered)

    def _claims(self) -> dict[float, float]:
        """The ε's behind times, where the subject tells them and its claim is checked."""
        known = (check.times.known for check in self.checks if isinstance(check, (EpsilonClaim, DpClaim)))
        return {time: epsilon for times in known for epsilon, time in times.items()}

    def _levels(self) -> NoiseLevels | None:
        """The noise at each ε, where the subject does not tell its times and its claim is checked."""
        judging = (check for check in self.checks if isinstance(check, (EpsilonClaim, DpClaim)))
        return next((check.levels for check in judging if not check.known_times), None)

    def suspect(self) -> Suspect | None:
        """The fault that explains the second moments of the noise, where one does."""
        return self._suspect

    def tested_range(self) -> tuple[str, ...]:
        """Times or ε's, values, dimensions and lengths of the cases."""
        return tested_range(self.context.cases, self.context.knob, self.description.integer)


def _of_sessions(result: CheckResult) -> CheckResult:
    """A refutation of the law or of streams, by sessions that were seen to disturb each other."""
    if result.verdict is not CheckVerdict.REFUTED or result.finding is None or result.id in NOT_OF_SESSIONS:
        return result
    return replace(result, finding=result.finding.of(STATE_BETWEEN_SESSIONS))


def _numbers(case: Case) -> int:
    return case.rule.length * len(case.value)
