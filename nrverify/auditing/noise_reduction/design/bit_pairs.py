"""Where the last bits are attacked: two pairs of values about 0, as far apart as the noise of the last release."""

from __future__ import annotations

import math

import numpy as np

from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.neighbours import Pair
from nrverify.auditing.noise_reduction.design.ways import ways_of
from nrverify.auditing.sampling.own_times import OwnTimes
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed

TIMES = (4.5, 2.0, 1.0)
"""Several releases add up. The root of the first is not a power of two (products would be exact); the last is 1,
so that values are plain numbers."""
ONE_TIME = 2.0
"""Of a single release: its root is not a power of two either."""
EPSILONS = (0.5, 0.7, 1.0)
"""Where the noise behind an ε is not known: between ½ and 1 a label that is certain wins most against the claim."""
PLACES = ((0.0, 1.0), (-1 / 3, 2 / 3))
"""Of both values, in units of their distance: 0 reaches every double and its neighbour does not, and a third uses all
of its bits. Far from 0 the last bits of a sum hardly depend on the value."""


LONGEST_ATTACK = len(TIMES)
"""Releases of a transcript."""


def bit_schedule(knob: Knob, releases: int) -> tuple[float, ...]:
    """What transcripts of at most so many releases are asked at."""
    return _times(knob, releases) if knob.falling else _epsilons(knob, releases)


def bit_pairs(description: Description, schedule: tuple[float, ...], d: int, times_of: OwnTimes) -> list[Pair]:
    """The pairs, as far apart as the noise of the last release, or as the claim allows."""
    distance = _distance(description, schedule, times_of)
    method = ways_of(description)[0]
    pairs = []
    for index, (low, high) in enumerate(PLACES):
        value, neighbour = ((place * distance, *(0.0,) * (d - 1)) for place in (high, low))
        pairs.append(Pair(Case(f"last bits {index + 1}", value, Fixed(schedule), method), neighbour))
    return pairs


def _times(knob: Knob, releases: int) -> tuple[float, ...]:
    wanted = TIMES[-releases:] if releases > 1 else (ONE_TIME,)
    if knob.high / knob.low < wanted[0] / wanted[-1]:
        return (knob.high, math.sqrt(knob.high * knob.low), knob.low)[-releases:]
    factor = min(max(1.0, knob.low / wanted[-1]), knob.high / wanted[0])
    return tuple(at * factor for at in wanted)


def _epsilons(knob: Knob, releases: int) -> tuple[float, ...]:
    return tuple(dict.fromkeys(min(max(at, knob.low), knob.high) for at in EPSILONS[-releases:]))


def _distance(description: Description, schedule: tuple[float, ...], times_of: OwnTimes) -> float:
    """One deviation (the scale, for Laplace noise) of the last release; the sensitivity where that is not known."""
    times = times_of(np.array([schedule]))
    if times is None:
        return description.sensitivity or 1.0
    last = float(times[0, -1])
    return math.sqrt(last) if description.mechanism == "brownian" else last
