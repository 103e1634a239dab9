"""Cases: the values and plays at which a noise-reduction subject is audited, interleaved from the first look.

Each design exposes faults the others hide: a value far from 0 shows a pull towards 0, nearly equal times show fresh
noise, long schedules show a wrong bridge, several coordinates show a shared coin, adaptive plays show a wrong memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.noise_reduction.design import values
from nrverify.auditing.noise_reduction.design.knob import FINE_EPSILONS, Knob
from nrverify.auditing.noise_reduction.design.ways import fixed_way, several_ways, ways_of
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed, Follow, Roam

DEFAULT_DIMENSIONS = (1, 2, 3)
"""Of a subject that takes any: one coordinate, an even number, and enough to see what three have in common."""
ONE_BY_ONE = "one by one"
ONE_BY_ONE_SHARE = 0.02
"""Of the sessions of a look: with 4,000 requests a seed cut to 16 bits comes again a hundred times."""
MOST_ONE_BY_ONE = 2**20
"""As long as no more sessions than this are drawn in all: requests take time."""
ADJACENT = "adjacent seeds"
ADJACENT_SHARE = 0.02
"""Of the sessions of a look: users' seeds are 0, 1, 2, …, and what neighbouring ones share shows in a few hundred."""
SIDE_BY_SIDE = "different values side by side"
MOST_SINGLE_ONE_BY_ONE = 2**16
"""The same where a session is a single release, and requests take most of the time: of 1,300 requests a seed cut to 16
bits comes again a dozen times."""
AT_THE_GRID = "at the grid"
"""Noise of the size of a declared grid: there releases that are cut off differ from rounded ones by half a deviation,
and nowhere else could it be seen where the grid is fine."""
AT_ONCE = "at once"
AT_ONCE_SHARE, AT_ONCE_AFTER = 0.3, 2**17
"""Of the sessions of a look after so many: one request for more than are usually drawn together."""
DENSE_GROUPS, DENSE_CASES = 4, 16
"""Schedules that share the grid between them, fewer in few dimensions, and how many cases there are of them in all."""
DENSE_AFTER = 2**12
"""Dense schedules are asked for after so many sessions: fewer say little of so many ε's."""
SHORTEST_ADAPTIVE = 3
"""Releases of a session whose times depend on what was released: the third is the first that depends on a step."""
LONG = 8
"""Schedules of so many times run through the range: cut short, they keep their last time."""
GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio modulo one are spread evenly, however many there are."""
AWKWARD = (
    *(1 / 3, 0.37, 3 / 7, 0.7, 1.0, 1 + 2**-40, 1.1, math.sqrt(2), 1.5, math.pi / 2, 1.9, 7 / 3, 2.5, math.e),
    *(22 / 7, 4.9, 7.3, 99 / 7, 31.6, 1000003 / 9973, 314.159, 999.5),
)
"""Scales and variances with large denominators, irrational, next to an integer, or rounded away by a sampler that takes
integers, tenths or small fractions: real samplers of integers went wrong exactly there."""
ROUNDED_DOWN = {8: (1.06, 0.535, 0.2675), 16: (1.031, 0.516, 0.258, 0.129)}
"""Scales and variances that a sampler of fractions with denominators of 8, or of 16, or less rounds to 1, 1/2, 1/4 and
1/8: by six or three per cent, all in one direction, so that what is seen of each adds up. At times drawn at random such
errors cancel."""
ALONE_ROUNDS = 4
"""Cases of one look, at the last ε: it takes many sessions to see whether many looks have the same noise there."""


@dataclass(frozen=True)
class Case:
    """One setting: a value, how sessions are asked, and by which method of the subject."""

    name: str
    value: tuple[float, ...]
    play: Fixed | Follow | Roam | None
    """How sessions are asked; None for recorded sessions, whose rule is not known."""
    method: str
    one_by_one: bool = False
    """Whether each transcript is a request of its own, with a seed of its own, where the method gives many at once."""
    at_once: bool = False
    """Whether it is asked for in one large request."""
    after: int = 0
    """It is not asked for before so many sessions were drawn."""
    ways: tuple[str, ...] = ()
    """The methods by which it is asked, one or another from look to look; none where it is always the same."""
    adjacent: bool = False
    """Whether its seeds are small and follow each other, one for each transcript."""
    beside: tuple[float, ...] | None = None
    """The value of every second session: sessions of both are open together."""
    still: bool = False
    """Whether its times and its value stay as they are from look to look."""
    largest: float = values.LARGEST
    """No value is drawn beyond this: a subject may refuse larger ones."""
    pinned: bool = False
    """Whether its times stay as they are."""
    ranks: tuple[int, ...] | None = None
    """The order of a schedule in any order: the rank of each request among its times; None where times fall."""

    @property
    def any_order(self) -> bool:
        """Whether times are asked for in another order than falling."""
        return self.ranks is not None or isinstance(self.play, Roam)

    @property
    def rule(self) -> Fixed | Follow | Roam:
        """How sessions are asked, of a case that is asked and not recorded."""
        if self.play is None:
            raise ValueError(f"the play of {self.name!r} is None: recorded sessions cannot be asked again")
        return self.play

    @property
    def falling_rule(self) -> Fixed | Follow:
        """The same of a case whose times fall."""
        if self.any_order or isinstance(self.rule, Roam):
            raise ValueError(f"the case {self.name!r} asks in any order: its times must fall here")
        return self.rule

    @property
    def together(self) -> bool:
        """Whether one request, with one seed, gives all sessions."""
        return self.method == "sample" and not self.one_by_one

    @property
    def sides(self) -> tuple[Case, ...]:
        """The case at each of the values that its sessions have in turn."""
        if self.beside is None:
            return (self,)
        return replace(self, beside=None), replace(self, value=self.beside, beside=None)

    @property
    def every_value(self) -> tuple[float, ...]:
        """The coordinates of all its values."""
        return self.value if self.beside is None else (*self.value, *self.beside)

    @property
    def array(self) -> NDArray[np.float64]:
        """The value f(x)."""
        return np.array(self.value, dtype=float)

    @property
    def fixed(self) -> bool:
        """Whether every session has the same schedule."""
        return isinstance(self.play, Fixed)


def cases_for(description: Description, knob: Knob, dimensions: tuple[int, ...], most: int | None = None) -> list[Case]:
    """The battery for a noise-reduction subject in the smallest and the largest of its dimensions, and one between.

    No session has more than `most` releases, if that is given.
    """
    cases, fine = _battery(description, knob, dimensions), _at_the_grid(description, knob, dimensions[0], most or 3)
    if most is None:
        return cases + fine
    kept = [case for case in cases if case.fixed or most >= SHORTEST_ADAPTIVE]
    return [replace(case, play=_no_longer(case.rule, most, knob, index)) for index, case in enumerate(kept)] + fine


def _at_the_grid(description: Description, knob: Knob, d: int, most: int) -> list[Case]:
    """A value off the grid, with noise down to the size of the grid, also where all other noise asked for is larger.

    A subject that says the range of its times is not asked beyond it.
    """
    grid = description.granularity
    if grid is None or not knob.falling:
        return []
    least = grid if description.family.pure else grid * grid
    lowest = 0.0 if description.range is None else knob.low
    if not (0 < least <= knob.high and lowest <= least):
        return []
    value = _spread((3.3 * grid, -1.7 * grid), d)
    times = [min(factor * least, knob.high) for factor in (4.0, 2.0, 1.0)]
    schedule = tuple(dict.fromkeys(times))[-most:]
    return [Case(AT_THE_GRID, value, Fixed(schedule), fixed_way(description, 0), still=True)]


def _no_longer(rule: Fixed | Follow | Roam, most: int, knob: Knob, index: int) -> Fixed | Follow | Roam:
    """The same with no more releases; single ones anywhere in the range, each case at a place of its own."""
    if rule.length <= most:
        return rule
    if not isinstance(rule, Fixed):
        return replace(rule, length=most)
    if most > 1:
        return Fixed(rule.schedule[: most - 1] + rule.schedule[-1:] if _wide(rule) else rule.schedule[:most])
    return Fixed((knob.at((index * GOLDEN) % 1.0),))


def _wide(rule: Fixed) -> bool:
    """Whether a schedule is meant to reach from one end of the range to the other."""
    return len(set(rule.schedule)) == rule.length >= LONG


def _battery(description: Description, knob: Knob, dimensions: tuple[int, ...]) -> list[Case]:
    small, large, between = dimensions[0], dimensions[-1], dimensions[len(dimensions) // 2]
    middle = 0.5
    long = [0.6] * 10 + [0.9]
    designs: list[tuple[str, int, Sequence[float], tuple[float, ...]]] = [
        ("halving", small, (3.0, -1.0), knob.steps(middle, [0.5, 0.5])),
        ("geometric", large, (1000.0, -2.0, 1.0), _evenly(knob, 10)),
        ("long", small, (-37.0, 5.0), knob.steps(0.2, long) if knob.falling else _evenly(knob, 12)),
        ("nearly equal", small, (8.0, -8.0), knob.steps(middle, [0.98, 0.99, 0.5, description.family.hardly_less])),
        ("repeated", large, (-1.0, -1.0, 2.0), _repeated(knob)),
        ("origin", small, (0.0,), knob.steps(0.3, [0.7, 0.25, 0.7, 0.25])),
        ("far", small, (1000.0, -1000.0), knob.steps(0.4, [0.7, 0.5, 0.25])),
        ("mixed", large, (0.0, -20.0, 300.0), knob.steps(0.6, [0.7, 0.7, 0.7])),
        ("single", small, (-2.0, 2.0), (knob.at(middle),)),
    ]
    if between not in (small, large):
        designs.append(("between", between, (7.0, -4.0), knob.steps(0.35, [0.6, 0.3])))
    if not knob.falling:
        # Times wander and are scattered; ε's stay on their grid, so the largest steps are asked for by themselves.
        designs.append(("ends", small, (2.0, -1.0), (knob.at(0.0), knob.at(1.0))))
    if description.integer and knob.falling:
        # Few counts tell a Poisson law from others best, and few of the other schedules begin with them.
        designs.append(("few counts", large, (2.0, -1.0, 1.0), knob.steps(0.97, [0.5])))
    ways = several_ways(description) if knob.falling or "time_of" in description.methods else ()
    cases = [
        Case(name, _spread(value, d), Fixed(schedule), fixed_way(description, index), ways=ways)
        for index, (name, d, value, schedule) in enumerate(designs)
    ]
    if "sample" in description.methods:
        schedule = knob.steps(0.1, [0.4] * 5)
        cases.append(Case(ONE_BY_ONE, _spread((4.0, -3.0), small), Fixed(schedule), "sample", one_by_one=True))
        single = Fixed((knob.at(middle),))
        few = Fixed(knob.steps(0.3, [0.4]))
        cases.append(Case(ADJACENT, _spread((2.0, -6.0, 9.0), large), few, "sample", one_by_one=True, adjacent=True))
        cases.append(Case(AT_ONCE, _spread((-3.0, 5.0), small), single, "sample", at_once=True, after=AT_ONCE_AFTER))
    if "open" in description.methods:
        fast, slow = (0.25, 0.7) if knob.falling else (4.0, 1.4)
        ends = (knob.at(0.1), knob.at(0.9))
        close = 0.3 * math.sqrt(knob.at(0.5)) if knob.falling else 0.3
        cases += [
            Case("adaptive", _spread((-2.0, 4.0), small), Follow(*ends, fast, slow, 6, 0.0), "open"),
            Case("stopped", _spread((6.0, -1.0, 2.0), large), Follow(*ends, fast, slow, 8, close), "open"),
            Case(
                SIDE_BY_SIDE,
                _spread((3.0, -70.0), small),
                Fixed(knob.steps(0.3, [0.5, 0.5])),
                "open",
                beside=_spread((-500.0, 12.0), small),
            ),
        ]
    if "sample" not in description.methods:
        few = Fixed(knob.steps(0.3, [0.4]))
        cases.append(Case(ADJACENT, _spread((2.0, -6.0, 9.0), large), few, ways_of(description)[0], adjacent=True))
    if description.integer and knob.falling and not (description.family.rated or description.family.own):
        cases += _rounded_down(description, knob, large, ways)
    if description.family.increments and description.knob == "epsilon" and "time_of" not in description.methods:
        cases += _dense(description, knob, large)
    return cases


def _rounded_down(description: Description, knob: Knob, d: int, ways: tuple[str, ...]) -> list[Case]:
    """Releases at scales that samplers of fractions round down, together, and the first of them where one is asked."""
    groups = [tuple(at for at in times if knob.low <= at <= knob.high) for times in ROUNDED_DOWN.values()]
    once = description.family.once or description.most_releases == 1
    schedules = [(at,) for times in groups for at in times] if once else [times for times in groups if times]
    value = _spread((4.0, -2.0, 1.0), d)
    return [
        Case(f"rounded down {at[0]:g}", value, Fixed(at), fixed_way(description, index), ways=ways, pinned=True)
        for index, at in enumerate(schedules)
    ]


def _dense(description: Description, knob: Knob, d: int) -> list[Case]:
    """Long schedules that together ask for every ε of the fine grid, so that the noise at each can be bounded.

    And the last ε by itself, so that noise that suits itself to the number of looks is told from noise that does not.
    """
    grid = [float(knob.low * (knob.high / knob.low) ** (i / (FINE_EPSILONS - 1))) for i in range(FINE_EPSILONS)]
    groups = min(d + 1, DENSE_GROUPS)
    designs = [
        (f"dense {group}-{round_}", 2.0 + group, tuple(grid[group::groups]), round_)
        for round_ in range(DENSE_CASES // groups)
        for group in range(groups)
    ]
    designs += [(f"alone {round_}", 2.0 + round_, (knob.at(1.0),), round_) for round_ in range(ALONE_ROUNDS)]
    return [
        Case(
            name, _spread((first, -3.0, 1.0), d), Fixed(schedule), fixed_way(description, 2 * round_), after=DENSE_AFTER
        )
        for name, first, schedule, round_ in designs
    ]


def shares(cases: Sequence[Case], drawn: float = 0.0) -> list[float]:
    """The share of each case in a look after so many sessions: few one by one, as long as they are worth it."""
    own = [_own_share(case, drawn) for case in cases]
    usual = (1 - sum(share or 0.0 for share in own)) / own.count(None)
    return [usual if share is None else share for share in own]


def _own_share(case: Case, drawn: float) -> float | None:
    """None for a case that has as much as most others."""
    if drawn < case.after:
        return 0.0
    if case.adjacent or case.one_by_one:
        rare = ADJACENT_SHARE if case.adjacent else ONE_BY_ONE_SHARE
        single = case.one_by_one and case.rule.length == 1
        return rare if drawn <= (MOST_SINGLE_ONE_BY_ONE if single else MOST_ONE_BY_ONE) else 0.0
    return AT_ONCE_SHARE if case.at_once else None


def _evenly(knob: Knob, releases: int) -> tuple[float, ...]:
    return tuple(knob.at(float(position)) for position in np.linspace(0.0, 1.0, releases))


def _repeated(knob: Knob) -> tuple[float, ...]:
    first, second, third = knob.steps(0.5, [0.5, 0.5])
    return (first, first, first, second, second, third)


def _spread(numbers: Sequence[float], d: int) -> tuple[float, ...]:
    return tuple(float(numbers[index % len(numbers)]) for index in range(d))
