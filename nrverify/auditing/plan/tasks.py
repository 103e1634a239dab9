"""What an audit would draw of a subject, task by task, and the checks that would see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nrverify.auditing.boundary.crossing import BoundaryCrossing
from nrverify.auditing.boundary.inverse import BoundaryInverse
from nrverify.auditing.boundary.monotone import BoundaryMonotone
from nrverify.auditing.boundary.tolerances import INVERSES, RESOLUTION, SOLVER
from nrverify.auditing.boundary.values import BoundaryValues
from nrverify.auditing.core.check import Check
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.noise_reduction import applicable_checks as battery
from nrverify.auditing.noise_reduction import audit as engine
from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case, cases_for, shares, varied
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.auditing.noise_reduction.design.neighbours import pairs_for
from nrverify.auditing.noise_reduction.observe import score_case, score_pair
from nrverify.auditing.noise_reduction.smoke import methods_of
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.private_stopping import audit as stopping_engine
from nrverify.auditing.private_stopping.checks import StoppingLaw, StoppingProtocol, StoppingReleases
from nrverify.auditing.private_stopping.designs import schedules_of, stopping_designs, stopping_pair
from nrverify.auditing.private_stopping.drawing import score_stopped, score_stopping_pair
from nrverify.auditing.private_stopping.ex_post import StoppingExPost
from nrverify.auditing.sampling.looks import looks
from nrverify.auditing.sampling.work_units import Task
from nrverify.auditing.threshold import audit as threshold_engine
from nrverify.auditing.threshold.checks import ThresholdLaw, ThresholdProtocol
from nrverify.auditing.threshold.designs import designs_for, every_design, neighbours_for
from nrverify.auditing.threshold.drawing import score_design, score_neighbours
from nrverify.auditing.threshold.ex_post import ThresholdExPost
from nrverify.auditing.threshold.streams import BatchStreams, few_together
from nrverify.subjects.description import THRESHOLD, Description
from nrverify.subjects.requests import Scalar

WANDERINGS = 4
"""The times of a case move from look to look: in how many places each case is rehearsed."""
REACH = 1e6


@dataclass(frozen=True)
class Foreseen:
    """The tasks of an audit, all checks that would judge, those that could not, its checks in number, and what it
    draws beside the looks."""

    tasks: list[Task]
    checks: list[Check]
    not_covered: list[CheckResult]
    divided: int
    beside: int


def foreseen(description: Description, host: ClaimedLaw, only: tuple[str, ...], samples: int) -> Foreseen:
    """What an audit of a sampled mechanism would do."""
    if description.mechanism in THRESHOLD:
        return _threshold(description, only)
    if description.mechanism == "private-stopping":
        return _stopping(description, host, only)
    return _noise_reduction(description, only, samples)


def _noise_reduction(description: Description, only: tuple[str, ...], samples: int) -> Foreseen:
    knob, dimensions = knob_of(description), description.dimensions or DEFAULT_DIMENSIONS
    cases = cases_for(description, knob, dimensions)
    times_known = description.knob == "time" or "time_of" in description.methods
    asked = battery.battery_for(description, cases, knob, times_known, only)
    pairs = pairs_for(description, knob, dimensions) if asked.pairs else []
    share = engine.PAIR_SHARE if pairs else 0.0
    if pairs and not asked.transcripts:
        share = 1.0
    rng = np.random.default_rng(0)
    tasks = []
    for case, own in zip(cases, _shares(cases, samples), strict=True):
        weight = (1 - share) * own / WANDERINGS
        for _ in range(WANDERINGS):
            setting = varied(case, knob, description.integer, rng)
            tasks.append(Task(case.name, setting, score_case, tuple(asked.transcripts), weight, 1))
    tasks += [Task(pair.case.name, pair, score_pair, asked.of_pairs, share / len(pairs), 1) for pair in pairs if share]
    methods = len(methods_of(description))
    beside = methods * (2 + 4 * len(description.dimensions or (1, 2, 3))) + engine.ADVICE_SAMPLES
    return Foreseen(tasks, asked.checks, asked.not_covered, len(battery.IDS), beside)


def _shares(cases: list[Case], samples: int) -> list[float]:
    """The share of each case in a whole run: some are asked for late."""
    drawn, found = 0.0, np.zeros(len(cases))
    for size in looks():
        look = min(size, samples - drawn)
        found += look / samples * np.array(shares(cases, drawn))
        drawn += look
        if drawn >= samples:
            break
    return [float(share) for share in found]


def _threshold(description: Description, only: tuple[str, ...]) -> Foreseen:
    designs, pairs = designs_for(description.mechanism), neighbours_for(description.mechanism)
    methods = tuple(name for name in ("run_many", "run") if name in description.methods)
    law, privacy = ThresholdLaw(every_design(description.mechanism), methods), ThresholdExPost(pairs)
    scored: tuple[Check, ...] = (ThresholdProtocol(), law, BatchStreams())
    if "run_many" not in methods:
        scored = scored[:2]
    kept = _kept([*scored, privacy], only)
    share = threshold_engine.PAIR_SHARE if privacy in kept else 0.0
    if kept == [privacy]:
        share = 1.0
    tasks = []
    for method in methods:
        of_method = 1.0
        if len(methods) > 1:
            scalar = threshold_engine.SCALAR_SHARE
            of_method = scalar if method == "run" else 1 - scalar
        weight = (1 - share) * of_method / len(designs)
        tasks += [
            Task(design.name, (design, method, few_together(design)), score_design, scored, weight, 1)
            for design in designs
        ]
    for pair in pairs if share else ():
        weight = share / len(pairs)
        tasks.append(Task(pair.design.name, (pair, methods[0]), score_neighbours, (law, privacy), weight, 1))
    beside = 6 * len(methods) + (48 if "run_many" in methods else 0)
    return Foreseen(tasks, kept, [], len(threshold_engine.IDS), beside)


def _stopping(description: Description, host: ClaimedLaw, only: tuple[str, ...]) -> Foreseen:
    """Schedules are chosen on the rehearsal's own boundary: where ψ reaches the same charges, so do they."""
    assert description.sensitivity is not None
    square = description.sensitivity**2
    times = np.geomspace(square / REACH, square * REACH, 600)
    scan = (times, host.ask(Scalar("epsilon", times.tolist())))
    schedules = schedules_of(*scan)
    epsilons = {rounds: tuple(host.ask(Scalar("epsilon", found)).tolist()) for rounds, found in schedules.items()}
    designs = stopping_designs(schedules, epsilons, description.dimensions or DEFAULT_DIMENSIONS)
    pairs = [stopping_pair(design, description.sensitivity) for design in designs[:2]]
    privacy = StoppingExPost(pairs, description.delta or 0.0)
    scored: tuple[Check, ...] = (StoppingProtocol(), StoppingReleases(), StoppingLaw())
    kept = _kept([*scored, privacy], only)
    share = stopping_engine.PAIR_SHARE if privacy in kept else 0.0
    tasks = [Task(design.name, design, score_stopped, scored, (1 - share) / len(designs), 1) for design in designs]
    tasks += [
        Task(pair.design.name, pair, score_stopping_pair, (privacy,), share / len(pairs), 1) for pair in pairs if share
    ]
    return Foreseen(tasks, kept, [], len(stopping_engine.IDS), 2 * len(designs))


def _kept(checks: list[Check], only: tuple[str, ...]) -> list[Check]:
    return [check for check in checks if not only or check.id in only]


def exact_words(description: Description) -> Iterator[tuple[str, str]]:
    """What the checks of a boundary would catch, which is judged by calculation whatever the budget."""
    limit = (description.delta or 0.0) * (1 + RESOLUTION)
    yield BoundaryValues.id, "an improper value at one of some thousands of times"
    yield BoundaryMonotone.id, f"a relative rise above {SOLVER:g} between two of some thousands of times"
    yield BoundaryCrossing.id, f"a crossing probability above {limit:.6g} ({1 + RESOLUTION:g} δ)"
    if "time" in description.methods:
        yield BoundaryInverse.id, f"an excess of {SOLVER:g} at one of some {INVERSES} values of ε"
