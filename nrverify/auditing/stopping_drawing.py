"""Drawing runs of private stopping: releases up to the stop, and the round in which it halted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.drawing import Drawer
from nrverify.auditing.settings import Settings
from nrverify.auditing.stopping_cases import StoppingDesign, StoppingPair
from nrverify.auditing.threshold_drawing import halting_cell
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

Floats = NDArray[np.float64]

FIRST_BATCH = 64
LARGEST_BATCH = 20_000


@dataclass(frozen=True)
class Stopped:
    """Runs of one design: releases (n, k, d), NaN after the stop, and the cell of the halt (k for never)."""

    design: StoppingDesign
    releases: Floats
    cells: NDArray[np.int64]
    after_halt: tuple[str, ...] = ()
    """Runs that showed something after the halt, in words."""

    @property
    def rounds(self) -> NDArray[np.int64]:
        """How many rounds each run had."""
        return np.minimum(self.cells + 1, self.releases.shape[1])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which rounds were reached."""
        return np.asarray(np.arange(self.releases.shape[1]) < self.rounds[:, None])

    @property
    def times(self) -> Floats:
        """The times of the releases, NaN after the stop."""
        return np.where(self.present, np.array(self.design.schedule), np.nan)


@dataclass(frozen=True)
class LabelledStopped:
    """Runs of two neighbours in random order: label 1 is the design itself, 0 its neighbour."""

    pair: StoppingPair
    releases: Floats
    cells: NDArray[np.int64]
    label: NDArray[np.bool_]


class StoppingDrawer:
    """Draws runs of a private-stopping subject within the limits of the audit; everything drawn is counted."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self._drawer = Drawer(host, settings)
        self._pace: float | None = None
        self.rng = self._drawer.rng

    @property
    def drawn(self) -> int:
        """Runs drawn so far."""
        return self._drawer.drawn

    @property
    def left(self) -> int:
        """Runs that may still be drawn."""
        return self._drawer.left

    @property
    def out_of_time(self) -> bool:
        """Whether the subject has used its budget of time."""
        return self._drawer.out_of_time

    def draw(self, design: StoppingDesign, count: int, use: Callable[[Stopped], None]) -> None:
        """Draws `count` runs (fewer when a limit is reached) and hands them on in batches."""
        remaining = min(count, self.left)
        while remaining > 0 and not self.out_of_time:
            size = min(remaining, self._batch())
            remaining -= size
            use(self.request(design, size))

    def draw_labelled(self, pair: StoppingPair, count: int, use: Callable[[LabelledStopped], None]) -> None:
        """Draws runs, each of the design or its neighbour by a fair coin."""
        remaining = min(count, self.left)
        while remaining > 0 and not self.out_of_time:
            size = min(remaining, self._batch())
            remaining -= size
            label = self.rng.random(size) < 0.5
            releases = np.full((size, len(pair.design.schedule), len(pair.design.value)), np.nan)
            cells = np.empty(size, dtype=np.int64)
            for side, design in ((False, pair.neighbour), (True, pair.design)):
                wanted = np.flatnonzero(label == side)
                if wanted.size:
                    runs = self.request(design, int(wanted.size))
                    releases[wanted], cells[wanted] = runs.releases, runs.cells
            use(LabelledStopped(pair, releases, cells, label))

    def request(self, design: StoppingDesign, size: int) -> Stopped:
        """One request for `size` runs; `SubjectFailed` when an answer has a wrong shape or is no list of bits."""
        self._drawer.drawn += size
        host = self._drawer.host
        before = host.seconds
        answers = host.run_stopping(
            design.array,
            design.schedule,
            design.utility,
            design.threshold,
            design.utility_sensitivity,
            [self._drawer.seed() for _ in range(size)],
        )
        self._pace = max((host.seconds - before) / size, 1e-9)
        return _stopped(design, answers)

    def _batch(self) -> int:
        return FIRST_BATCH if self._pace is None else int(min(max(1.0 / self._pace, 1), LARGEST_BATCH))


def _stopped(design: StoppingDesign, answers: list[tuple[Floats, list[int]]]) -> Stopped:
    rounds = len(design.schedule)
    releases = np.full((len(answers), rounds, len(design.value)), np.nan)
    cells = np.empty(len(answers), dtype=np.int64)
    after: list[str] = []
    for row, (shown, bits) in enumerate(answers):
        cells[row], goes_on = halting_cell(bits, rounds, "run()")
        reached = min(int(cells[row]) + 1, rounds)
        if shown.shape[0] < reached or shown.shape[0] > rounds:
            raise SubjectFailed(
                f"run() returned {shown.shape[0]} releases and {reached} rounds: one for each is needed"
            )
        if goes_on:
            after.append(f"bits {bits!r:.60}")
        elif shown.shape[0] > reached:
            after.append(f"{shown.shape[0]} releases with the bits {bits!r:.60}")
        releases[row, :reached] = shown[:reached]
    return Stopped(design, releases, cells, tuple(after))
