"""How cases differ from look to look: other values, times moved and stretched; and what is asked again and again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nrverify.auditing.noise_reduction.design import values
from nrverify.auditing.noise_reduction.design.cases import AWKWARD, Case
from nrverify.auditing.noise_reduction.design.knob import EPSILONS, Knob
from nrverify.auditing.noise_reduction.design.ways import by_turns
from nrverify.subjects.policies import Fixed

WANDER = 10.0
"""How far the times of a case move from look to look, up or down."""
STRETCH = 2.5
"""The power to which ratios of times are raised from look to look, or its inverse."""
CLOSEST, CLOSE_SHARE = 1e-3, 0.05
"""Now and then the power is as small as this: times a hundred-thousandth apart are not the same."""
MOST_SCATTERED, SCATTERED_SHARE = 5, 0.15
"""Schedules of no more times than this are now and then scattered over the whole range."""
AWKWARD_SHARE = 0.5
"""Of single releases of integer noise, and of subjects that release once; the others lie anywhere in the range. So the
same times come again, and each has enough releases to be judged by itself."""


def at_other_values(case: Case, integer: bool, rng: np.random.Generator) -> Case:
    """The case, by a coin, at a value drawn anew; two values side by side are always of different sizes."""
    if case.one_by_one or case.adjacent or case.still or not any(case.value):
        return case
    if rng.random() < values.ANEW:
        case = replace(case, value=values.drawn(len(case.value), integer, case.largest, rng))
        if case.beside is not None:
            case = replace(case, beside=values.drawn(len(case.value), integer, case.largest, rng))
    return case


def varied(case: Case, knob: Knob, integer: bool, rng: np.random.Generator, alone: bool = False) -> Case:
    """The case with its times moved and stretched together, its value turned and shifted, by one method or the other.

    So over the looks no stretch of the range, no ratio of two times and no kind of value is left out. An ε-knob keeps
    its grid, where the noise at each ε is to be seen often: where sessions have one release `alone`, it moves on it.
    Transcripts one by one, which are compared, stay as they are.
    """
    if case.one_by_one or case.adjacent or case.still:
        return case
    case = replace(case, value=values.moved(case.value, integer, rng))
    if case.ways:
        case = replace(case, method=by_turns(case.ways, rng))
    rule = case.falling_rule
    if case.pinned:
        return case
    if not knob.falling:
        return replace(case, play=Fixed((knob.at(float(rng.random())),))) if alone else case
    if isinstance(rule, Fixed):
        if rule.length == 1:
            at = _awkward(knob, rng) if integer or alone else knob.at(float(rng.random()))
            return replace(case, play=Fixed((at,)))
        if len(set(rule.schedule)) == rule.length <= MOST_SCATTERED and rng.random() < SCATTERED_SHARE:
            return replace(case, play=Fixed(knob.apart(_scattered(rule.length, knob, rng))))
        schedule = _stretched(rule.schedule, knob.low, rng)
        factor = _factor(schedule[-1], schedule[0], knob, rng)
        return replace(case, play=Fixed(knob.apart([at * factor for at in schedule])))
    factor = _factor(rule.end, rule.start, knob, rng)
    return replace(case, play=replace(rule, start=rule.start * factor, end=rule.end * factor))


def recurring(cases: Sequence[Case], knob: Knob) -> tuple[float, ...]:
    """What first releases are asked for again and again, as the doubles that they are: known before the first look.

    Of a time-knob the awkward times, and those of cases whose times stay; of an ε-knob its grid.
    """
    if not knob.falling:
        return tuple(dict.fromkeys(knob.at(place / (EPSILONS - 1)) for place in range(EPSILONS)))
    staying = [case.rule.schedule[0] for case in cases if _stays(case) and isinstance(case.rule, Fixed)]
    return tuple(dict.fromkeys([*_known(knob), *staying]))


def _stays(case: Case) -> bool:
    return case.play is not None and (case.one_by_one or case.adjacent or case.still or case.pinned)


def _known(knob: Knob) -> list[float]:
    """The ends of the range, and the awkward times in it."""
    return [knob.low, knob.high, *(at for at in AWKWARD if knob.low < at < knob.high)]


def _awkward(knob: Knob, rng: np.random.Generator) -> float:
    """A time at which samplers of integers go wrong, where the range has any; or one anywhere in it."""
    known = _known(knob)
    if rng.random() < AWKWARD_SHARE:
        return known[int(rng.integers(len(known)))]
    return knob.at(float(rng.random()))


def _scattered(releases: int, knob: Knob, rng: np.random.Generator) -> tuple[float, ...]:
    """Times anywhere in the range: among so few, some are far apart."""
    return tuple(knob.at(float(position)) for position in np.sort(rng.random(releases)))


def _stretched(schedule: tuple[float, ...], low: float, rng: np.random.Generator) -> tuple[float, ...]:
    """Ratios of times to the first raised to one power, no lower than the range allows; equal times stay equal."""
    first, last = schedule[0], schedule[-1]
    coin = rng.random()
    if coin < CLOSE_SHARE:
        least, most = CLOSEST, 1 / STRETCH
    elif coin < 0.5 and last < first:
        least, most = 1 / STRETCH, min(STRETCH, math.log(first / low) / math.log(first / last))
    else:
        # The longest schedules reach both ends of the range only as they are.
        least = most = 1.0
    power = float(least * (most / least) ** rng.random())
    return tuple(first * (at / first) ** power for at in schedule)


def _factor(last: float, first: float, knob: Knob, rng: np.random.Generator) -> float:
    """How far times from first to last are moved inside the range."""
    low, high = max(knob.low / last, 1 / WANDER), min(knob.high / first, WANDER)
    return float(low * (high / low) ** rng.random()) if low < high else 1.0
