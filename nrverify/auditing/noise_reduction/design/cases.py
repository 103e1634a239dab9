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
from nrverify.auditing.noise_reduction.design.knob import EPSILONS, FINE_EPSILONS, Knob
from nrverify.auditing.noise_reduction.design.ways import by_turns, fixed_way, several_ways, ways_of
from nrverify.subjects.description import Description
from nrverify.subjects.policies import Fixed, Follow, Roam

DEFAULT_DIMENSIONS = (1, 2, 3)
"""Of a subject that takes any: one coordinate, an even number, and enough to see what three have in common."""
WANDER = 10.0
"""How far the times of a case move from look to look, up or down."""
STRETCH = 2.5
"""The power to which ratios of times are raised from look to look, or its inverse."""
CLOSEST, CLOSE_SHARE = 1e-3, 0.05
"""Now and then the power is as small as this: times a hundred-thousandth apart are not the same."""
HARDLY_LESS = 1 - 2e-6
"""Two times that a comparison with a tolerance takes for the same."""
MOST_SCATTERED, SCATTERED_SHARE = 5, 0.15
"""Schedules of no more times than this are now and then scattered over the whole range."""
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
AWKWARD_SHARE = 0.5
"""Of single releases of integer noise, and of subjects that release once; the others lie anywhere in the range. So the
same times come again, and each has enough releases to be judged by itself."""
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
        ("nearly equal", small, (8.0, -8.0), knob.steps(middle, [0.98, 0.99, 0.5, HARDLY_LESS])),
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
            return replace(case, play=Fixed(_scattered(rule.length, knob, rng)))
        schedule = _stretched(rule.schedule, knob.low, rng)
        factor = _factor(schedule[-1], schedule[0], knob, rng)
        return replace(case, play=Fixed(tuple(at * factor for at in schedule)))
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


def _evenly(knob: Knob, releases: int) -> tuple[float, ...]:
    return tuple(knob.at(float(position)) for position in np.linspace(0.0, 1.0, releases))


def _repeated(knob: Knob) -> tuple[float, ...]:
    first, second, third = knob.steps(0.5, [0.5, 0.5])
    return (first, first, first, second, second, third)


def _spread(numbers: Sequence[float], d: int) -> tuple[float, ...]:
    return tuple(float(numbers[index % len(numbers)]) for index in range(d))
