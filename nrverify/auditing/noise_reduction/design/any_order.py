"""Cases whose times are asked for in any order, of subjects that say they take them so.

What is new in such a subject shows at releases that have a neighbour on one side or on both: after less noise, between
two earlier looks, in narrow gaps and wide ones, in whatever order the neighbours came, and when an earlier time comes
again after others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.noise_reduction.design import values
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.ways import by_turns, several_ways, ways_of
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed, Roam

ORDERS: dict[str, tuple[int, ...]] = {
    "noisier, less noisy, between": (2, 0, 1),
    "less noisy, noisier, between": (0, 2, 1),
    "rising": (0, 1, 2, 3),
    "halving a gap": (4, 0, 2, 1, 3),
    "shuffled": (3, 1, 5, 3, 0, 4, 1, 2),
    "out and back": (2, 3, 1, 4, 2, 0),
}
"""Requests by the ranks of their times, 0 the least noisy; equal ranks are one time asked for again."""
VALUES = ((3.0, -1.0, 2.0), (-40.0, 7.0, 0.0), (0.0,), (500.0, -2.0, 1.0), (1.0, 6.0, -3.0), (-8.0, 2.0, 5.0))
"""Of the orders in turn: of either sign, some far from 0."""
NARROWEST = 1e-3
"""The least share of the range, in logarithms, over which the times of a schedule are spread."""
ROAMING = 6
"""Releases of an adaptive session: enough for neighbours on both sides, however it turns."""


def any_order_cases(description: Description, knob: Knob, dimensions: tuple[int, ...], most: int | None) -> list[Case]:
    """One case for each order, in few and in many dimensions in turn, and adaptive sessions where they can be opened.

    No session has more than `most` releases, if that is given; with one there are none.
    """
    if not description.in_any_order or most == 1:
        return []
    method, ways = ways_of(description)[0], several_ways(description)
    cases = []
    for index, (name, order) in enumerate(ORDERS.items()):
        ranks, d = order[:most], (dimensions[0], dimensions[-1])[index % 2]
        value = tuple(float(VALUES[index][at % len(VALUES[index])]) for at in range(d))
        schedule = _schedule(ranks, np.linspace(0.1, 0.9, max(order) + 1), knob)
        cases.append(Case(f"any order: {name}", value, Fixed(schedule), method, ways=ways, ranks=ranks))
    if "open" in description.methods:
        roam = Roam(knob.at(0.9), knob.at(0.1), min(ROAMING, most or ROAMING), 0.5)
        value = tuple((-2.0, 4.0, 9.0)[at % 3] for at in range(dimensions[-1]))
        cases.append(Case("any order: adaptive", value, roam, "open"))
    return cases


def reordered(case: Case, knob: Knob, integer: bool, rng: np.random.Generator) -> Case:
    """The case at other times, spread over more or less of the range, by one method or the other."""
    case = replace(case, value=values.moved(case.value, integer, rng))
    if case.ways:
        case = replace(case, method=by_turns(case.ways, rng))
    width = float(NARROWEST ** rng.random())
    start = float(rng.random()) * (1 - width)
    if case.ranks is None:
        roam = case.rule
        assert isinstance(roam, Roam)
        ends = knob.at(start + width), knob.at(start)
        return replace(case, play=replace(roam, low=ends[0], high=ends[1], share=0.2 + 0.6 * float(rng.random())))
    positions = start + width * np.sort(rng.random(max(case.ranks) + 1))
    return replace(case, play=Fixed(_schedule(case.ranks, positions, knob)))


def without_repeats(case: Case) -> Case:
    """The case with each time asked for once."""
    assert case.ranks is not None
    assert isinstance(case.play, Fixed)
    return replace(case, ranks=tuple(dict.fromkeys(case.ranks)), play=Fixed(tuple(dict.fromkeys(case.play.schedule))))


def _schedule(ranks: tuple[int, ...], positions: np.typing.NDArray[np.float64], knob: Knob) -> tuple[float, ...]:
    """The times of these ranks, from positions in rising order: position 0 of a knob is the noisiest."""
    times = [knob.at(float(position)) for position in positions[::-1]]
    return tuple(times[rank] for rank in ranks)
