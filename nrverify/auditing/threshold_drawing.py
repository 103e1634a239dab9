"""Drawing runs of a threshold mechanism: halting rounds from bits or in batches, with what they must look like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.drawing import Drawer
from nrverify.auditing.settings import Settings
from nrverify.auditing.threshold_cases import Design, Neighbours
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

FIRST_BATCH = 64
LARGEST_BATCH = 50_000

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Runs:
    """Runs of one design by one method: the cell n − 1 of a halt in round n, the last cell for never."""

    design: Design
    method: str
    cells: Cells
    after_halt: tuple[tuple[int, ...], ...] = ()
    """Bits that went on after a 1, as they came."""

    def counts(self) -> NDArray[np.float64]:
        """How many runs fell into each cell."""
        return np.bincount(self.cells, minlength=self.design.rounds + 1).astype(float)


@dataclass(frozen=True)
class LabelledRuns:
    """Runs of two neighbours in random order: label 1 is the design itself, 0 its neighbour."""

    pair: Neighbours
    cells: Cells
    label: NDArray[np.bool_]


class RunDrawer:
    """Draws runs of a threshold subject within the limits of the audit; everything drawn is counted."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self._drawer = Drawer(host, settings)
        self._pace: dict[str, float] = {}

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

    def draw(self, design: Design, method: str, count: int, use: Callable[[Runs], None]) -> None:
        """Draws `count` runs (fewer when a limit is reached) and hands them on in batches."""
        remaining = min(count, self.left)
        while remaining > 0 and not self.out_of_time:
            size = min(remaining, self._batch(method))
            remaining -= size
            use(self.request(design, method, size))

    def draw_labelled(self, pair: Neighbours, method: str, count: int, use: Callable[[LabelledRuns], None]) -> None:
        """Draws runs, each of the design or its neighbour by a fair coin; a batch cut short is not used."""
        remaining = min(count, self.left)
        while remaining > 0 and not self.out_of_time:
            size = min(remaining, self._batch(method))
            remaining -= size
            label = self._drawer.rng.random(size) < 0.5
            cells = np.empty(size, dtype=np.int64)
            for side, design in ((False, pair.neighbour), (True, pair.design)):
                wanted = label == side
                if wanted.any():
                    cells[wanted] = self.request(design, method, int(wanted.sum())).cells
            use(LabelledRuns(pair, cells, label))

    def request(self, design: Design, method: str, size: int) -> Runs:
        """One request for `size` runs; `SubjectFailed` when an answer is no halting round or no list of bits."""
        self._drawer.drawn += size
        host = self._drawer.host
        before = host.seconds
        arguments = (design.utilities, design.epsilons, design.threshold, design.sensitivity)
        if method == "run_many":
            runs = _from_rounds(design, host.run_many(*arguments, size, self._drawer.seed()))
        else:
            runs = _from_bits(design, host.run(*arguments, [self._drawer.seed() for _ in range(size)]))
        self._pace[method] = max((host.seconds - before) / size, 1e-9)
        return runs

    def _batch(self, method: str) -> int:
        pace = self._pace.get(method)
        return FIRST_BATCH if pace is None else int(min(max(1.0 / pace, 1), LARGEST_BATCH))


def halting_cell(bits: Sequence[int], rounds: int, what: str) -> tuple[int, bool]:
    """The cell of the first 1, and whether bits go on after it; `SubjectFailed` when these are no bits of a run."""
    shown = f"{what} returned {list(bits)!r:.80} for {rounds} rounds"
    if any(bit not in (0, 1) for bit in bits):
        raise SubjectFailed(f"{shown}: bits must be 0 or 1")
    if len(bits) > rounds:
        raise SubjectFailed(f"{shown}: there can be no more bits than rounds")
    if 1 in bits:
        first = list(bits).index(1)
        return first, len(bits) > first + 1
    if len(bits) < rounds:
        raise SubjectFailed(f"{shown}: without a 1 there must be a 0 for every round")
    return rounds, False


def _from_bits(design: Design, printed: Sequence[Sequence[int]]) -> Runs:
    found = [halting_cell(bits, design.rounds, "run()") for bits in printed]
    after = tuple(tuple(bits) for bits, (_, goes_on) in zip(printed, found, strict=True) if goes_on)
    return Runs(design, "run", np.array([cell for cell, _ in found], dtype=np.int64), after)


def _from_rounds(design: Design, rounds: Cells) -> Runs:
    bad = rounds[(rounds < 0) | (rounds > design.rounds)]
    if bad.size:
        raise SubjectFailed(
            f"run_many() returned the halting round {int(bad[0])} for {design.rounds} rounds: "
            f"it must lie between 1 and {design.rounds}, or be 0 for never"
        )
    return Runs(design, "run_many", np.where(rounds == 0, design.rounds, rounds - 1))
