"""Drawing runs of private stopping: releases up to the stop, and the round in which it halted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.check import Observes, ObservesLabelled
from nrverify.auditing.core.transforms.rosenblatt import Innovations, innovations
from nrverify.auditing.private_stopping.designs import StoppingDesign, StoppingPair
from nrverify.auditing.sampling.drawer import Drawer, by_coin
from nrverify.auditing.threshold.drawing import halting_bin
from nrverify.laws.brownian import Brownian
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.requests import RunStoppingRequest

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stopped:
    """Runs of one design: releases (n, k, d), NaN after the stop, and the bin of the halt (k for never)."""

    design: StoppingDesign
    releases: Floats
    bins: NDArray[np.int64]
    after_halt: tuple[str, ...] = ()
    """Runs that showed something after the halt, in words."""
    innovations: Innovations | None = None
    """The transform of the releases; none where one of them is not a number."""

    @property
    def rounds(self) -> NDArray[np.int64]:
        """How many rounds each run had."""
        return np.minimum(self.bins + 1, self.releases.shape[1])

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
    bins: NDArray[np.int64]
    label: NDArray[np.bool_]

    @property
    def rounds(self) -> NDArray[np.int64]:
        """How many rounds each run had."""
        return np.minimum(self.bins + 1, self.releases.shape[1])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which rounds were reached."""
        return np.asarray(np.arange(self.releases.shape[1]) < self.rounds[:, None])


def draw_stopped(drawer: Drawer, design: StoppingDesign, size: int) -> Stopped:
    """One request for `size` runs; `SubjectFailed` when an answer has a wrong shape or is not a list of bits."""
    drawer.drawn += size
    request = RunStoppingRequest(
        design.array,
        design.schedule,
        design.utility,
        design.threshold,
        design.utility_sensitivity,
        [drawer.seed() for _ in range(size)],
    )
    return _stopped(design, drawer.host.ask(request))


def score_stopped(drawer: Drawer, design: StoppingDesign, size: int, checks: Sequence[Observes[Stopped]]) -> None:
    """Runs of a design, with the innovations of their releases, shown to the checks."""
    runs = draw_stopped(drawer, design, size)
    if np.isfinite(runs.releases[runs.present]).all():
        scale = np.abs(np.nan_to_num(runs.releases)) + np.abs(design.array)
        noise = runs.releases - design.array
        found = innovations(Brownian(), noise, runs.times, scale, drawer.rng, integer=False)
        runs = replace(runs, innovations=found)
    for check in checks:
        check.observe(runs)


def score_stopping_pair(
    drawer: Drawer, pair: StoppingPair, size: int, checks: Sequence[ObservesLabelled[LabelledStopped]]
) -> None:
    """Runs of a design or its neighbour by a fair coin, shown to the checks."""

    def draw(side: int, count: int) -> tuple[Floats, NDArray[np.int64]]:
        runs = draw_stopped(drawer, (pair.neighbour, pair.design)[side], count)
        return runs.releases, runs.bins

    label, (releases, bins) = by_coin(drawer, size, draw)
    drawn = LabelledStopped(pair, releases, bins, label)
    if np.isfinite(releases[drawn.present]).all():
        for check in checks:
            check.observe_labelled(drawn)


def _stopped(design: StoppingDesign, answers: list[tuple[Floats, list[int]]]) -> Stopped:
    rounds = len(design.schedule)
    releases = np.full((len(answers), rounds, len(design.value)), np.nan)
    bins = np.empty(len(answers), dtype=np.int64)
    after: list[str] = []
    for row, (shown, bits) in enumerate(answers):
        bins[row], goes_on = halting_bin(bits, rounds, "run()")
        reached = min(int(bins[row]) + 1, rounds)
        if shown.shape[0] < reached or shown.shape[0] > rounds:
            raise SubjectFailed(
                f"run() returned {shown.shape[0]} releases and {reached} rounds: one for each is needed"
            )
        if goes_on:
            after.append(f"bits {bits!r:.60}")
        elif shown.shape[0] > reached:
            after.append(f"{shown.shape[0]} releases with the bits {bits!r:.60}")
        releases[row, :reached] = shown[:reached]
    return Stopped(design, releases, bins, tuple(after))
