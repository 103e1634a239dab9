"""What the properties are searched over: runs of adaptive mechanisms in exact rationals, and ranges of parameters."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .transcripts import STATISTICS, Question, Release, Run, Schedule, play

THIRDS_AND_SEVENTHS = 84
"""A denominator of rationals that no double represents."""

BINARY = 16
"""A denominator of rationals whose sums and differences are doubles."""

FACTORS = tuple(Fraction(f) for f in ("1", "1", "9/10", "3/4", "1/2", "1/3"))
"""How far one step goes; 1 is a tie, and a constant stretch where it is the answer to both sides of a question."""

MOST_RELEASES = 6
"""Of a run: enough for a step to depend on the one before, for ties in a row and for a stop after both."""

GOLDEN = (1 + math.sqrt(5)) / 2
"""Of all steps, those of the golden section spread most evenly."""

UNIT = 2.0**-53
"""The unit roundoff of double precision, as a double."""

PARTS = 10_000
"""Of a range that is drawn from evenly."""


@cache
def integers(low: int, high: int) -> SearchStrategy[int]:
    """An integer in [low, high], all about as likely.

    Hypothesis draws small numbers far more often than large ones. Steps of the golden section around the range, from
    0 or its low end, put the small ones everywhere in it.
    """
    count = high - low + 1
    step = next(k for k in range(max(1, round(count / GOLDEN)), count + 2) if math.gcd(k, count) == 1)
    start = max(low, min(0, high)) - low
    return st.integers(0, count - 1).map(lambda k: low + (start + k * step) % count)


@cache
def rationals(size: int, denominator: int) -> SearchStrategy[Fraction]:
    """A rational of at most `size` in absolute value."""
    return integers(-size * denominator, size * denominator).map(lambda k: Fraction(k, denominator))


@cache
def vectors(dimension: int, size: int, denominator: int) -> SearchStrategy[Release]:
    """A vector of rationals."""
    return st.tuples(*[rationals(size, denominator)] * dimension)


@cache
def questions(size: int) -> SearchStrategy[Question]:
    """A threshold test on the releases so far."""
    drawn = st.tuples(st.sampled_from(sorted(STATISTICS)), st.integers(0, 2), rationals(size, 2))
    return drawn.map(lambda parts: Question(*parts))


@cache
def schedules(size: int) -> SearchStrategy[Schedule]:
    """Times that depend on the releases so far, with ties."""
    factors = st.sampled_from([(if_so, otherwise) for if_so in FACTORS for otherwise in FACTORS])
    step = st.tuples(questions(size), factors).map(lambda parts: (parts[0], *parts[1]))
    drawn = st.tuples(integers(8, 320), st.lists(step, min_size=1, max_size=2))
    return drawn.map(lambda parts: Schedule(Fraction(parts[0], 8), tuple(parts[1])))


@cache
def runs(
    size: int = 8, denominator: int = THIRDS_AND_SEVENTHS, dimensions: int = 3, with_atoms: bool = False
) -> SearchStrategy[Run]:
    """A run of an adaptive mechanism under two values: dimension, times, stop and releases all drawn."""
    return st.one_of(*(_runs(dimension, size, denominator, with_atoms) for dimension in range(1, dimensions + 1)))


def _runs(dimension: int, size: int, denominator: int, with_atoms: bool) -> SearchStrategy[Run]:
    vector, value = vectors(dimension, size, denominator), vectors(dimension, size // 2, denominator)
    # Bit i of the number says whether coordinate i keeps its last release.
    proposal = st.tuples(vector, st.integers(0, 2**dimension - 1) if with_atoms else st.just(0))
    # A stop that needs a large statistic lets most runs go on to their last proposal.
    return st.builds(
        _run,
        value,
        value,
        schedules(size),
        questions(2 * size).map(lambda question: replace(question, threshold=2 * abs(question.threshold))),
        st.lists(proposal, min_size=1, max_size=MOST_RELEASES),
    )


def _run(
    value: Release, neighbour: Release, schedule: Schedule, stop: Question, proposals: list[tuple[Release, int]]
) -> Run:
    kept = [[bool(bits >> i & 1) for i in range(len(value))] for _, bits in proposals[1:]]
    return Run(value, neighbour, play(schedule, stop, [proposal for proposal, _ in proposals], kept))


def evenly(low: float, high: float) -> SearchStrategy[float]:
    """A number in [low, high], each part of the range as likely."""
    return integers(0, PARTS).map(lambda k: low + (high - low) * (k / PARTS))


def powers_of_ten(low: float, high: float) -> SearchStrategy[float]:
    """A positive number between 10^low and 10^high, each order of magnitude as likely."""
    return evenly(low, high).map(lambda exponent: 10.0**exponent)
