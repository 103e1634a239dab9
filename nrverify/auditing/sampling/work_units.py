"""Chunks: what a look draws, laid out beforehand, so that it is the same whoever draws it and whoever is done first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host

Score = Callable[[Any, Any, int, Sequence[Any]], None]
"""Draws so many of a setting, from a `Drawer` or from records, and lets checks observe them."""

Floats = NDArray[np.float64]

MOST_NUMBERS = 2**18
"""A chunk holds no more numbers than this: memory does not grow with the samples."""

LOT_NUMBERS, LOT_SIZE = 2**16, 2**13
"""Small chunks are scored together, with the same empty checks, up to so many numbers, and so many sessions or runs:
enough that copying and merging the checks costs little."""
LOTS, LEAST_LOT = 4, 2**9
"""At least so many to a look of as many chunks, where each is of so many sessions or runs: workers share it, and what
is small is not divided, since copies of all checks would cost more than it does."""
FEW_TASKS, ENOUGH = 8, 800
"""A look goes to about so many tasks, or to as many as get so much: then a chunk costs little beyond its sessions,
however small looks are, and three or four looks reach all tasks."""
LOT_SECONDS = 1.0
"""A lot that takes the subject longer, at its pace so far, is divided: the budget is looked at between lots."""


@dataclass(frozen=True)
class SamplingTask:
    """A setting, its share of every look, and the checks that observe it."""

    name: str
    setting: Any
    score: Score
    checks: tuple[Check, ...]
    weight: float
    numbers: int
    """How many numbers one session or run has."""
    fewest: int = 1
    """So many are drawn together, where a look has as many."""


@dataclass(frozen=True)
class Chunk:
    """What is drawn and scored in one go: a setting, how often, and where its random numbers come from."""

    setting: Any
    score: Score
    size: int
    settings: Settings
    first: int
    """Seeds from here on are its own, one for each session or run."""
    key: tuple[int, ...]
    """Its place in the run: decides the auditor's own random numbers."""
    lot: int = 0
    """Chunks of a look with the same number are scored with the same empty checks."""
    alone: bool = False
    """Whether the look has no other lot: the empty checks that come with it are its own, and not copied again."""


@dataclass(frozen=True)
class ChunkResult:
    """What became of a chunk, or why it was not drawn; the last of a lot has what empty checks have seen of the lot."""

    checks: tuple[Check, ...]
    seconds: float
    """What the subject took."""
    worked: float
    """What drawing and scoring took together."""
    refused: str | None = None
    failed: str | None = None
    elsewhere: bool = False
    """Whether another process drew it, so that the host of this one does not know what the subject took."""


Work = tuple[Chunk, tuple[Check, ...]]
"""A chunk, with templates of the checks that will score it."""


class Worker:
    """A place where chunks are drawn and scored: one host of the subject, here or elsewhere."""

    def __init__(self, host: Host, elsewhere: bool = False) -> None:
        self.host = host
        self._elsewhere = elsewhere
        self._times_of = OwnTimes(host)

    def run(self, load: Sequence[Work]) -> list[ChunkResult]:
        """Draws and scores lot after lot, until the subject fails."""
        outcomes: list[ChunkResult] = []
        for _, works in groupby(load, lambda work: work[0].lot):
            outcomes += self._score_lot(list(works))
            if outcomes[-1].failed is not None:
                break
        return outcomes

    def _score_lot(self, lot: Sequence[Work]) -> list[ChunkResult]:
        """Draws chunks and scores them with empty checks: a function of the subject and these arguments alone."""
        every = dict.fromkeys(check for _, checks in lot for check in checks)
        scored = {check: check if lot[0][0].alone else check.empty_copy() for check in every}
        outcomes: list[ChunkResult] = []
        for chunk, checks in lot:
            outcomes.append(self._score(chunk, [scored[check] for check in checks]))
            if outcomes[-1].failed is not None:
                break
        for check in scored.values():
            if (settle := getattr(check, "settle", None)) is not None:
                settle()  # what it kept until there would be enough of it
        outcomes[-1] = replace(outcomes[-1], checks=tuple(scored.values()))
        return outcomes

    def _score(self, chunk: Chunk, scored: Sequence[Check]) -> ChunkResult:
        before, started = self.host.seconds, time.monotonic()
        drawer = Drawer(self.host, chunk.settings, chunk.first, chunk.key, self._times_of)
        refused = failed = None
        try:
            # A subject may answer with absurd numbers: their arithmetic overflows, and the checks refute them.
            with np.errstate(over="ignore", invalid="ignore"):
                # Everything is drawn before anything is observed: of a chunk that is refused the checks see nothing.
                chunk.score(drawer, chunk.setting, chunk.size, scored)
        except ReleaseRefused as refusal:
            # How many releases it makes was found out before: this is a valid request.
            failed = str(refusal)
        except SubjectRefused as refusal:
            refused = str(refusal)
        except SubjectFailed as failure:
            failed = str(failure)
        worked = time.monotonic() - started
        return ChunkResult((), self.host.seconds - before, worked, refused, failed, self._elsewhere)


def counts(tasks: Sequence[SamplingTask], total: int) -> list[int]:
    """So many sessions or runs divided over tasks by their weights, in integers that add up to it."""
    return _divided(np.array([task.weight for task in tasks]), total)


def _divided(weights: Floats, total: int) -> list[int]:
    edges = np.cumsum([0.0, *weights])
    whole = np.floor(edges / edges[-1] * total + 1e-9).astype(int)
    return [int(count) for count in np.diff(whole)]


class Turns:
    """Looks divided over some of their tasks, by turns: few sessions of each would say little and take long.

    The first goes to all of them, since what is plainly wrong is to be seen from all sides. What a task was not given
    it is owed, so that after some looks all have had their share.
    """

    def __init__(self) -> None:
        self._owed: Floats = np.zeros(0)
        self._first = True

    def counts(self, tasks: Sequence[SamplingTask], total: int) -> list[int]:
        """A look over the tasks that are owed most, as many as get their fewest: over all, if it is large."""
        if total == 0:
            return [0] * len(tasks)
        if self._owed.size != len(tasks):
            self._owed = np.zeros(len(tasks))
        weights = np.array([task.weight for task in tasks])
        self._owed += weights / weights.sum() * total
        order = np.argsort(-self._owed, kind="stable")
        room = np.cumsum([max(tasks[index].fewest, min(total / FEW_TASKS, ENOUGH)) for index in order])
        turn = np.maximum(self._owed, 0.0)
        if not self._first:
            turn[order[max(1, int((room <= total).sum())) :]] = 0.0
        self._first = False
        found = _divided(turn, total)
        self._owed -= found
        return found


def sizes(count: int, most: int) -> Iterator[int]:
    """`count` in pieces of the largest power of two that is at most `most`, and a rest."""
    piece = 2 ** (max(most, 1).bit_length() - 1)
    while count > 0:
        yield min(count, piece)
        count -= piece
