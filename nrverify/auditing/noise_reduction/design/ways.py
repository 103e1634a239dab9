"""The ways a subject gives transcripts on fixed schedules, and which of them a look takes."""

from __future__ import annotations

import numpy as np

from nrverify.subjects.description import Description

WAYS = ("sample", "play", "open")
"""In the order of their speed: many sessions from one seed, many sessions each with its own, one release at a time."""
ONE_SEED_EACH = 1 / 3
"""Of the fixed schedules, where a subject offers sample() too: sessions with a seed each, by play or by open()."""
OPENED_BESIDE_PLAY = 1 / 8
"""Of the sessions with a seed each, where a subject offers both. With the adaptive ones, which go by open() alone,
about a third of all sessions are then opened, and each kind of schedule is asked by both: either is judged."""


def ways_of(description: Description) -> list[str]:
    """Those that the subject offers."""
    return [name for name in WAYS if name in description.methods]


def several_ways(description: Description) -> tuple[str, ...]:
    """Those that it offers, if they are more than one."""
    found = tuple(ways_of(description))
    return found if len(found) > 1 else ()


def by_turns(ways: tuple[str, ...], rng: np.random.Generator) -> str:
    """One of several ways, by a coin."""
    coin, each = float(rng.random()), 1.0
    if "sample" in ways:
        if coin >= ONE_SEED_EACH or len(ways) == 1:
            return "sample"
        each = ONE_SEED_EACH
    if "play" not in ways:
        return "open"
    return "open" if "open" in ways and coin < each * OPENED_BESIDE_PLAY else "play"


def fixed_way(description: Description, index: int) -> str:
    """The way of the case of this number, where all its looks have the same: every third has a seed a session."""
    sample, *each = ways_of(description) if "sample" in description.methods else ["", *ways_of(description)]
    if sample and (index % 3 != 2 or not each):
        return sample
    if len(each) == 1:
        return each[0]
    return "open" if index % (6 if sample else 3) == (5 if sample else 2) else "play"
