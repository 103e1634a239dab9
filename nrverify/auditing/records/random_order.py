"""The order in which records are used: a fair coin says from which side the next unused one is taken.

With fixed numbers of records a side the labels of a file are no fair coins; tossed labels are, as long as the tossing
ends, whatever the next toss would be, as soon as one side has no record left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.plots.data import PlotCollector
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.looks import look_by_look
from nrverify.auditing.sampling.sampler import Progress, Refused, TasksOf

MOST_NUMBERS = 2_000_000
"""What is read and scored together holds no more numbers than this: memory does not grow with the file."""
MOST_AT_ONCE = 4096
"""Records that are scored together: so many have every way to depend on each other that is looked for."""


@dataclass(frozen=True)
class Portion:
    """Records to be used next: which of either side, and how the coin shuffled them together."""

    neighbour: slice
    value: slice
    label: NDArray[np.bool_] | None
    """True where the value's next record was taken; None once a side is used up and there is no coin to toss."""

    @property
    def sides(self) -> tuple[slice, slice]:
        """The neighbour's (label 0) and the value's (label 1)."""
        return self.neighbour, self.value


class Unused:
    """The records of a file that have not been used yet."""

    def __init__(self, neighbour: int, value: int, samples: int, rng: np.random.Generator) -> None:
        self._have = (neighbour, value)
        self._used = [0, 0]
        self._samples = samples
        self._rng = rng

    @property
    def drawn(self) -> int:
        """How many records were used."""
        return sum(self._used)

    @property
    def left(self) -> int:
        """How many may still be used."""
        return min(self._samples, sum(self._have)) - self.drawn

    def take(self, most: int) -> Portion:
        """Up to `most` records more."""
        most = min(most, self.left)
        unused = [have - used for have, used in zip(self._have, self._used, strict=True)]
        label = None
        if all(unused):
            label = self._rng.random(most) < 0.5
            empty = (np.cumsum(~label) == unused[0]) | (np.cumsum(label) == unused[1])
            label = label[: int(np.argmax(empty)) + 1] if empty.any() else label
            counts = [int((~label).sum()), int(label.sum())]
        else:
            counts = [min(most, side) for side in unused]
        rows = [slice(used, used + count) for used, count in zip(self._used, counts, strict=True)]
        self._used = [row.stop for row in rows]
        return Portion(rows[0], rows[1], label)


class RecordedOrder:
    """Where the samples of an audit of records come from: both sides of a file, in the order of the coin."""

    requests = None
    """Nothing can be asked of records."""
    failure: str | None = None
    out_of_time = False
    """Reading takes no time worth a limit."""

    def __init__(
        self,
        sides: tuple[int, int],
        settings: Settings,
        progress: Progress | None = None,
    ) -> None:
        self.settings = settings
        self.gallery = PlotCollector()
        self.rng = np.random.default_rng(np.random.SeedSequence(settings.seed))
        self.unused = Unused(*sides, settings.samples, self.rng)
        self._progress = progress

    @property
    def drawn(self) -> int:
        """How many records were used."""
        return self.unused.drawn

    @property
    def left(self) -> int:
        """How many may still be used."""
        return self.unused.left

    def run(self, tasks_of: TasksOf, refuted: Callable[[], bool], refused: Refused | None = None) -> str:
        """Looks until something is refuted or the records are used up, and which; all records are one task."""
        total = self.left

        def use(number: int, size: int) -> Iterable[object]:
            (task,) = tasks_of(number)
            end = self.drawn + max(1, size)
            most = max(1, min(MOST_AT_ONCE, MOST_NUMBERS // task.numbers))
            while self.left > 0 and self.drawn < end:
                scored = tuple(check.empty_copy() for check in task.checks)
                task.score(self, task.setting, min(most, end - self.drawn), scored)
                for check, seen in zip(task.checks, scored, strict=True):
                    check.merge(seen)
            if self._progress is not None:
                self._progress(self.drawn, total)
            return task.checks

        return look_by_look(self.settings, self, self.gallery, use, refuted)
