"""The designed battery of private stopping: schedules with ψ of order one, and utilities that follow the releases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.stopping_utilities import Levels

Floats = NDArray[np.float64]

ROUNDS = (3, 4, 10)
"""Of the short, the middle and the long schedule: few rounds, so that every one is reached by many runs, and enough to
see noise that changes along the way."""
TWICE = 6
"""Rounds of the schedule in which every time comes twice."""
TARGETS, WIDE = (0.35, 3.0), (0.35, 12.0)
"""The charge at the first and at the last look, where the boundary reaches them; wide for the shortest schedule."""


@dataclass(frozen=True)
class StoppingDesign:
    """What one run of private stopping is given, and the ε_n = ψ(T_n) it must run with."""

    name: str
    value: tuple[float, ...]
    schedule: tuple[float, ...]
    epsilons: tuple[float, ...]
    utility: Levels
    threshold: float
    utility_sensitivity: float

    @property
    def array(self) -> Floats:
        """The value."""
        return np.array(self.value)


@dataclass(frozen=True)
class StoppingPair:
    """Neighbours: values exactly the sensitivity apart, utilities exactly the utility's sensitivity apart."""

    design: StoppingDesign
    neighbour: StoppingDesign


def schedules_of(times: Floats, epsilon: Floats) -> dict[int, tuple[float, ...]]:
    """A schedule for each number of rounds; in one of them every time comes twice."""
    once = {rounds: _schedule(times, epsilon, rounds, WIDE if rounds == min(ROUNDS) else TARGETS) for rounds in ROUNDS}
    return {**once, TWICE: tuple(np.repeat(_schedule(times, epsilon, TWICE // 2, TARGETS), 2).tolist())}


def _schedule(times: Floats, epsilon: Floats, rounds: int, targets: tuple[float, float]) -> tuple[float, ...]:
    """Times whose charges rise evenly (in logarithms) between the targets, as far as the boundary reaches."""
    finite = epsilon[np.isfinite(epsilon)]
    if not finite.size:
        raise SubjectFailed("epsilon(time) is nowhere a finite number: there is no schedule to stop on")
    low, high = max(targets[0], 1.15 * float(finite.min())), min(targets[1], float(finite.max()) / 1.15)
    if not low < high:
        low, high = float(finite.min()) * 1.02, float(finite.max()) / 1.02
    if not low < high:
        raise SubjectFailed("epsilon(time) hardly depends on the time: there is no schedule to stop on")
    wanted = np.geomspace(low, high, rounds)
    found = [float(times[min(int(np.argmax(epsilon <= level)), times.size - 1)]) for level in wanted]
    return tuple(sorted(found, reverse=True))


def stopping_designs(
    schedules: dict[int, tuple[float, ...]], epsilons: dict[int, tuple[float, ...]], dimensions: tuple[int, ...]
) -> tuple[StoppingDesign, ...]:
    """Designs by the number of rounds: releases that do not matter, and releases that decide."""
    some, few, many = ROUNDS
    designs = []

    def add(
        name: str, value: tuple[float, ...], rounds: int, margins: tuple[float, ...], tau: float, unit: float
    ) -> None:
        cuts = (value[0],) if len(margins) > 1 else ()
        utility = Levels(cuts, tuple(tau + unit * margin for margin in margins))
        designs.append(StoppingDesign(name, value, schedules[rounds], epsilons[rounds], utility, tau, unit))

    largest = dimensions[-1]
    add("releases that do not matter", (5.0,) * dimensions[0], many, (-4.0,), 3.0, 1.0)
    add("releases that decide", (0.0,) * dimensions[0], few, (-9.0, 1.0), 0.0, 1.0)
    add("far from zero", (40.0,) * largest, few, (-9.0, 1.0), 0.0, 1.0)
    add("every time twice", (-8.0,) * dimensions[0], TWICE, (-4.0,), -2.0, 1.5)
    add("another scale", tuple(-300.0 + 7.0 * i for i in range(largest)), some, (-7.0, 3.0), -50.0, 0.2)
    return tuple(designs)


def stopping_pair(design: StoppingDesign, sensitivity: float) -> StoppingPair:
    """The neighbour lies below; its low releases are worth more, and its high ones less, than the design's."""
    unit = design.utility_sensitivity
    levels = design.utility.levels
    signs = (-1.0, 1.0) if len(levels) == 2 else (1.0,)
    moved = Levels(design.utility.cuts, tuple(u + s * unit for u, s in zip(levels, signs, strict=True)))
    value = (design.value[0] + sensitivity, *design.value[1:])
    own = StoppingDesign(
        design.name, value, design.schedule, design.epsilons, moved, design.threshold, design.utility_sensitivity
    )
    return StoppingPair(own, design)
