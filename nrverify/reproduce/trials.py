"""Trials of a mechanism on a task: the loss of every release, for many independent runs at once.

A run depends on its plan's name, the seed and its chunk alone, so that selection, order and number of jobs never change
a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from nrverify.reference.simulate import simulate
from nrverify.reproduce.data.files import Floats
from nrverify.reproduce.schedule import Process, Schedule
from nrverify.reproduce.task import Regression

_NUMBERS_IN_CHUNK = 4_000_000
"""Released numbers held at once by one job, all looks together. Part of what a seed means."""

Progress = Callable[[int, int, str], None]
"""Called after each chunk with how many are done, how many there are, and the plan's name."""


@dataclass(frozen=True)
class TrialPlan:
    """One mechanism on one task: the k-th look is at level levels[k], where value i is released at schedules[i][k]."""

    name: str
    task: Regression
    process: Process
    levels: Schedule
    schedules: tuple[Schedule, ...]
    trials: int


@dataclass(frozen=True)
class TrialLosses:
    """Losses (trials, looks) of the releases, and their Δ (trials, looks)."""

    levels: Floats
    losses: Floats
    units: Floats
    target: float


def run(
    plans: Sequence[TrialPlan], seed: int, executor: Executor | None = None, progress: Progress | None = None
) -> dict[str, TrialLosses]:
    """The outcome of every plan, by name."""
    jobs = [(plan, seed, chunk, size) for plan in plans for chunk, size in enumerate(_chunk_sizes(plan))]
    found: dict[str, list[tuple[Floats, Floats]]] = {plan.name: [] for plan in plans}
    results = map(_run_chunk, jobs) if executor is None else executor.map(_run_chunk, jobs)
    for done, (job, result) in enumerate(zip(jobs, results, strict=True), 1):
        found[job[0].name].append(result)
        if progress is not None:
            progress(done, len(jobs), job[0].name)
    return {plan.name: _gathered(plan, found[plan.name]) for plan in plans}


def stream(seed: int, name: str, *key: int) -> int:
    """A seed of its own for each name and key, the same on every machine."""
    sequence = np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), *key))
    return int(sequence.generate_state(1, np.uint64)[0])


def _chunk_sizes(plan: TrialPlan) -> Iterator[int]:
    numbers = len(plan.levels) * sum(value.size for value in plan.task.values)
    size = max(1, _NUMBERS_IN_CHUNK // numbers)
    for start in range(0, plan.trials, size):
        yield min(size, plan.trials - start)


def _run_chunk(job: tuple[TrialPlan, int, int, int]) -> tuple[Floats, Floats]:
    """Losses and Δ's (size, looks) of one chunk of trials."""
    plan, seed, chunk, size = job
    releases = [
        simulate(plan.process, value, schedule, size, stream(seed, plan.name, chunk, part))
        for part, (value, schedule) in enumerate(zip(plan.task.values, plan.schedules, strict=True))
    ]
    losses, units = np.empty((2, size, len(plan.levels)))
    for look in range(len(plan.levels)):
        estimates = plan.task.estimates([part[:, look] for part in releases])
        losses[:, look] = plan.task.losses(estimates)
        units[:, look] = plan.task.units(estimates)
    return losses, units


def _gathered(plan: TrialPlan, chunks: Sequence[tuple[Floats, Floats]]) -> TrialLosses:
    losses, units = (np.concatenate([chunk[i] for chunk in chunks]) for i in (0, 1))
    return TrialLosses(np.array(plan.levels), losses, units, plan.task.target)
