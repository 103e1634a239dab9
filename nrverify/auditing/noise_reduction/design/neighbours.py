"""Pairs: neighbouring values, and sessions whose value is chosen by a fair coin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.design.cases import SHORTEST_ADAPTIVE, Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.ways import ways_of
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed, Follow

Floats = NDArray[np.float64]

BLACK_BOX_CLAIM = 2.0
"""The ε at which black-box tests see most per run."""


@dataclass(frozen=True)
class Pair:
    """A value, a neighbour at exactly the sensitivity, and a play."""

    case: Case
    neighbour: tuple[float, ...]

    @property
    def sides(self) -> tuple[Case, Case]:
        """The case at the neighbour (label 0) and at the value (label 1)."""
        return replace(self.case, value=self.neighbour), self.case

    @property
    def shift(self) -> Floats:
        """value − neighbour."""
        return np.asarray(self.case.array - np.array(self.neighbour))


@dataclass(frozen=True)
class Labelled:
    """Sessions of a pair in random order: label 1 came from the value, 0 from its neighbour."""

    pair: Pair
    releases: Floats
    asked: Floats
    times: Floats | None
    label: NDArray[np.bool_]


def directions(d: int, distance: Callable[[Floats], float]) -> list[Floats]:
    """Along an axis, along the diagonal, and with mixed signs: of length 1."""
    axis = np.zeros(d)
    axis[0] = 1.0
    if d == 1:
        return [axis]
    diagonal, mixed = np.ones(d), np.where(np.arange(d) % 2 == 0, 1.0, -1.0)
    return [axis, diagonal / distance(diagonal), mixed / distance(mixed)]


def largest_integers(signs: Floats, size: float, distance: Callable[[Floats], float]) -> Floats:
    """The largest integer vector within a distance that has these signs in as many coordinates as fit."""
    for count in range(int(np.count_nonzero(signs)), 0, -1):
        step = np.where(np.cumsum(np.abs(signs)) <= count, signs, 0.0)
        times = math.floor(size / distance(step) * (1 + 1e-12))
        if times >= 1:
            return step * times
    return signs * 0.0


def pairs_for(description: Description, knob: Knob, dimensions: tuple[int, ...], most: int | None = None) -> list[Pair]:
    """Neighbouring values along the designed directions, each with a play that ends where a black box sees most.

    No session has more than `most` releases, if that is given.
    """
    pairs: list[Pair] = []
    for d in sorted({dimensions[0], dimensions[-1]}):
        for index, direction in enumerate(directions(d, description.family.distance)):
            if description.family.rated and (d > 1 and index > 0):
                continue
            plays = _plays(description, knob, most)
            for number, (method, play, shift) in enumerate(plays):
                if index > 0 and number > 0:
                    continue
                value = tuple(float(x) for x in 5.0 + np.arange(d))
                step = direction * shift
                if description.integer:
                    step = largest_integers(np.sign(direction), shift, description.family.distance)
                neighbour = tuple(float(x) for x in np.array(value) - step)
                name = f"pair {d}-{index}-{number}"
                pairs.append(Pair(Case(name, value, play, method), neighbour))
    return pairs


def labelled_end(knob: Knob) -> float:
    """The ε at which sessions of pairs on a fixed schedule end."""
    return min(max(BLACK_BOX_CLAIM, knob.low), knob.high)


def _plays(description: Description, knob: Knob, most: int | None) -> list[tuple[str, Fixed | Follow, float]]:
    """(method, play, shift): three releases ending where the claim is about 2, and a stopped session."""
    method = ways_of(description)[0]
    if description.knob == "epsilon":
        end = labelled_end(knob)
        start = max(end / 4, knob.low)
        schedule: tuple[float, ...] = (start, (start * end) ** 0.5, end)
        shift = description.sensitivity or 1.0
        follow = Follow(start, end, 2.0, 1.4, 5, 0.0)
    else:
        end = knob.at(0.6)
        schedule = (min(4 * end, knob.high), min(2 * end, knob.high), end)
        shift = description.family.telling(end, description.rate or 1.0)
        follow = Follow(schedule[0], end, 0.5, 0.7, 5, 0.2 * float(np.sqrt(end)))
    if most is not None:
        schedule, follow = schedule[-most:], replace(follow, length=min(follow.length, most))
    plays: list[tuple[str, Fixed | Follow, float]] = [(method, Fixed(schedule), shift)]
    if "open" in description.methods and (most is None or most >= SHORTEST_ADAPTIVE):
        plays.append(("open", follow, shift))
    return plays
