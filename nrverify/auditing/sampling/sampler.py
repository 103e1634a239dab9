"""Sampling: look by look the chunks are laid out, drawn by whoever is there, and merged in the order of the layout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.plots.data import PlotCollector
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.clock import Clock
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.looks import look_by_look
from nrverify.auditing.sampling.work_units import (
    LEAST_LOT,
    LOT_NUMBERS,
    LOT_SECONDS,
    LOT_SIZE,
    LOTS,
    MOST_NUMBERS,
    Chunk,
    ChunkResult,
    SamplingTask,
    Turns,
    Work,
    sizes,
)
from nrverify.auditing.sampling.workers import Workers
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

Progress = Callable[[int, int], None]
Refused = Callable[[SamplingTask, str], SamplingTask | None]
"""What takes the place of a task that the subject refused, and why it did; None for nothing."""
TasksOf = Callable[[int], Sequence[SamplingTask]]
"""What a look asks for, by its number."""
Share = tuple[SamplingTask, int]
"""A task and how much of it a look draws."""

FIRST_SEED = 2**20
"""Seeds below are for single requests."""
MOST_REFUSALS = 40
"""Each moves a value or a range inwards by a factor of 1.5, so 40 cover a factor of 10⁷: what refuses still admits
nothing."""


class Pace(NamedTuple):
    """What a task has taken so far: seconds of the subject, seconds with scoring, and how much was drawn."""

    seconds: float = 0.0
    worked: float = 0.0
    drawn: int = 0


class Sampler:
    """The looks of a run and their limits.

    A look is divided over its tasks, a small one over some of them by turns, and a task into chunks: of at most 2^18
    numbers, and of no more than a third of --timeout at the pace of that task, or of all, so far. Only this last rule
    depends on measured speed. Looks grow by a quarter, so it binds only where a request takes about a hundredth of the
    subject's time so far: a subject slow enough for that is the only one whose transcripts may differ between two runs
    with the same seed.
    """

    def __init__(self, host: Host, settings: Settings, workers: Workers, progress: Progress | None = None) -> None:
        self.settings = settings
        self._clock = Clock(host, settings.budget)
        self.requests = Drawer(host, settings, clock=self._clock)
        """For single requests, outside the looks; they use the same budget."""
        self.reserved = 0
        """Samples kept back for what is tried at the end."""
        self.gallery = PlotCollector()
        self._host, self._budget = host, settings.budget
        self.failure: str | None = None
        self._workers = workers
        self._progress = progress
        self._drawn = 0
        self._seconds = self._elsewhere = 0.0
        self._next_seed = FIRST_SEED
        self._number = self._fed = 0
        """Of the look, and of the chunks that were handed out."""
        self._paces: dict[str, Pace] = {}

    def keep_back(self, share: float) -> None:
        """Leaves so much of the budget of time for what is tried at the end."""
        self._clock = Clock(self._host, self._budget * (1 - share))

    @property
    def drawn(self) -> int:
        """Sessions or runs drawn so far."""
        return self._drawn + self.requests.drawn

    @property
    def left(self) -> int:
        """How many may still be drawn."""
        return max(0, self.settings.samples - self.drawn - self.reserved)

    @property
    def out_of_time(self) -> bool:
        """Whether the run has used its budget of time."""
        return self._clock.up((self._number, self._fed))

    @property
    def subject_seconds(self) -> float:
        """What the subject took, here and wherever else it ran."""
        return self.requests.host.seconds + self._elsewhere

    def run(self, tasks_of: TasksOf, refuted: Callable[[], bool], refused: Refused | None = None) -> str:
        """Looks until something is refuted or a limit is reached, and which; `SubjectFailed` if it cannot go on.

        A refutation stands when the subject fails after it: the run is then "errored", and `failure` says how.
        """
        self._seconds = self.requests.host.seconds
        try:
            return self._look(tasks_of, refuted, refused)
        except SubjectFailed as failure:
            if not refuted():
                raise
            self.failure = str(failure)
            return "errored"

    def _look(self, tasks_of: TasksOf, refuted: Callable[[], bool], refused: Refused | None) -> str:
        turns = Turns()

        def draw(number: int, size: int) -> dict[Check, None]:
            self._number, before = number, self.drawn
            tasks = tasks_of(number)
            reasons: list[str] = []
            work = list(zip(tasks, turns.counts(tasks, min(size, self.left)), strict=True))
            for attempt in range(MOST_REFUSALS):
                work, reasons = self._draw(work, (number, attempt))
                if not work:
                    break
                if refused is None or attempt == MOST_REFUSALS - 1:
                    raise SubjectFailed(f"the subject refuses every setting tried: {reasons[-1]}")
                moved = [(refused(task, reason), count) for (task, count), reason in zip(work, reasons, strict=True)]
                work = [(task, count) for task, count in moved if task is not None]
            if self.drawn == before and size > self.settings.samples and not self.out_of_time and not refuted():
                raise SubjectFailed(f"the subject refuses every setting tried{': ' + reasons[-1] if reasons else ''}")
            return dict.fromkeys(check for task in tasks for check in task.checks)

        return look_by_look(self.settings, self, self.gallery, draw, refuted)

    def _draw(self, work: Sequence[Share], key: tuple[int, ...]) -> tuple[list[Share], list[str]]:
        """Draws and merges in order; the shares that were refused, and why."""
        refused: dict[int, tuple[str, int]] = {}
        laid = list(self._layout(work, key))
        if laid and laid[-1][1].lot == laid[0][1].lot:
            laid = [(index, replace(chunk, alone=True)) for index, chunk in laid]
        lots = {lot: self._checks_of(work, chunks) for lot, chunks in groupby(laid, lambda part: part[1].lot)}
        with closing(self._workers.outcomes(self._feed(work, laid))) as outcomes:
            for (index, chunk), outcome in zip(laid, outcomes, strict=False):
                self._seconds += outcome.seconds
                self._elsewhere += outcome.seconds if outcome.elsewhere else 0.0
                if outcome.refused is not None:
                    refused[index] = (outcome.refused, refused.get(index, ("", 0))[1] + chunk.size)
                else:
                    self._drawn += chunk.size
                    self._take_time(work[index][0], chunk, outcome)
                if outcome.checks:
                    self._merge(lots[chunk.lot], outcome)
                if outcome.failed is not None:
                    raise SubjectFailed(outcome.failed)
        shares = [(work[index][0], count) for index, (_, count) in refused.items()]
        return shares, [reason for reason, _ in refused.values()]

    def _layout(self, work: Sequence[Share], key: tuple[int, ...]) -> Iterator[tuple[int, Chunk]]:
        left, lot, numbers, together, seconds = self.left, 0, 0, 0, 0.0
        most = min(LOT_SIZE, max(LEAST_LOT, sum(count for _, count in work) // LOTS))
        for index, (task, count) in enumerate(work):
            count = min(count, left)
            left -= count
            pace = self._pace(task)
            each = pace.seconds / pace.drawn if pace.drawn else 0.0
            for part, size in enumerate(sizes(count, self._most(task))):
                numbers, together, seconds = numbers + size * task.numbers, together + size, seconds + size * each
                if numbers > LOT_NUMBERS or together > most or seconds > LOT_SECONDS:
                    lot, numbers, together, seconds = lot + 1, size * task.numbers, size, size * each
                place = (*key, index, part)
                yield index, Chunk(task.setting, task.score, size, self.settings, self._next_seed, place, lot)
                self._next_seed += size

    def _checks_of(self, work: Sequence[Share], chunks: Iterable[tuple[int, Chunk]]) -> list[Check]:
        """The checks that observe any of these chunks, in the order of a worker."""
        return list(dict.fromkeys(check for index, _ in chunks for check in work[index][0].checks))

    def _most(self, task: SamplingTask) -> int:
        """The largest chunk of a task: by memory, and by time at its pace, or at that of all so far where it is new."""
        most = MOST_NUMBERS // task.numbers
        so_far = Pace(self._seconds, self._seconds, self._drawn) if self._drawn else Pace()
        pace = self._paces.get(task.name, so_far)
        return min(most, int(pace.drawn * self.settings.timeout / (3 * pace.seconds))) if pace.seconds else most

    def _pace(self, task: SamplingTask) -> Pace:
        """That of a task; where it is new that of all so far, single requests included."""
        seconds = max(self._seconds, self.requests.host.seconds)
        return self._paces.get(task.name, Pace(seconds, seconds, self.drawn))

    def _feed(self, work: Sequence[Share], laid: Sequence[tuple[int, Chunk]]) -> Iterator[list[Work]]:
        """The chunks with the empty checks of this look, as many lots as are worth a call, until time is up."""
        every = dict.fromkeys(check for task, _ in work for check in task.checks)
        empty = {check: check.empty_copy() for check in every}
        load: list[Work] = []
        foreseen = 0.0
        for _, lot in groupby(laid, lambda part: part[1].lot):
            for index, chunk in lot:
                task = work[index][0]
                pace = self._paces.get(task.name)
                foreseen += np.inf if pace is None else pace.worked * chunk.size / pace.drawn
                load.append((chunk, tuple(empty[check] for check in task.checks)))
            if foreseen >= self._workers.load:
                if self.out_of_time:
                    return
                self._fed += len(load)
                yield load
                load, foreseen = [], 0.0
        if load and not self.out_of_time:
            self._fed += len(load)
            yield load

    def _take_time(self, task: SamplingTask, chunk: Chunk, outcome: ChunkResult) -> None:
        pace = self._paces.get(task.name, Pace())
        self._paces[task.name] = Pace(
            pace.seconds + outcome.seconds, pace.worked + outcome.worked, pace.drawn + chunk.size
        )

    def _merge(self, checks: Sequence[Check], outcome: ChunkResult) -> None:
        for check, scored in zip(checks, outcome.checks, strict=True):
            check.merge(scored)
        if self._progress is not None:
            self._progress(self.drawn, self.settings.samples)
