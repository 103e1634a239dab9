"""What the checks of the law bet on: topics, each with the fault it shows."""

from __future__ import annotations

from nrverify.auditing.core.bets.topic import Topic
from nrverify.auditing.core.faults.noise import (
    AFTER_UNUSUAL,
    FRESH_NOISE,
    ONE_COORDINATE,
    RARE_SESSIONS,
    ROUNDED_NORMALS,
    SHIFTED,
    WRONG_BRIDGE_VARIANCE,
    WRONG_SCALE,
    WRONG_SHAPE,
)
from nrverify.subjects.description import Description

LONGEST = 12
"""Releases of a session that have bets of their own: as many as the longest schedule of a time-knob has."""
ALWAYS, PLAYED = ("sample", "open"), ("play",)
"""Methods that have bets of their own: those that every subject may have, and what only commands offer."""
STRATA = (1.0, 2.0, 3.0)
"""Standard deviations beyond which a release, or an innovation, is unusual."""
STEPS = {"wide": (0.0, 0.1), "narrow": (0.9, 1.0)}
"""Steps to a time of such a share of the last."""
LATER = range(1, LONGEST)
"""Positions of the releases after the first."""


def _alone(variance: str, centre: str, position: int | None = None) -> tuple[Topic, Topic]:
    shift = Topic(centre, SHIFTED, alone=True, position=position)
    return Topic(variance, WRONG_SCALE, shift=shift, alone=True, position=position), shift


FIRST_VARIANCE, FIRST_CENTRE = _alone("variance of the first release", "centre of the first release")
FIRST_BINS = Topic("distribution of the first release", WRONG_SHAPE, alone=True)
FIRST_SHAPE = Topic("shape of the first release", WRONG_SHAPE, alone=True)
FIRST_RARE = Topic("first releases of rare sessions", RARE_SESSIONS, alone=True)
BY_METHOD = {
    method: _alone(f"variance of the first release by {method}()", f"centre of the first release by {method}()")
    for method in (*ALWAYS, *PLAYED)
}
"""Variance and centre of first releases, by the method they come from."""
AT_POSITION = {
    at: _alone(f"variance of release {at + 1}", f"centre of release {at + 1}", position=at + 1) for at in LATER
}
"""Variance and centre of a later release alone, by its position."""
BINS_AT_POSITION = {
    at: Topic(f"distribution of release {at + 1}", WRONG_SHAPE, alone=True, position=at + 1) for at in LATER
}
"""Bins of a later release alone, by its position."""


def methods_of(description: Description) -> tuple[str, ...]:
    """Methods that have bets of their own: what only commands offer takes nothing from the bets of other subjects."""
    return (*ALWAYS, *(name for name in PLAYED if name in description.methods))


def first_within(low: float, high: float) -> Topic:
    """The variance of first releases in a part of the range."""
    return Topic(f"variance of the first release at {low:.3g} to {high:.3g}", WRONG_SCALE, narrow=True, alone=True)


AT_ONE_TIME = Topic("variance of the first release at one time asked", WRONG_SCALE, narrow=True, alone=True)
ROUNDED_DOWN = {
    most: Topic(
        f"variance of the first release at numbers just above fractions with denominators up to {most}",
        WRONG_SCALE,
        narrow=True,
        alone=True,
    )
    for most in (8, 16)
}
"""By the denominators of a sampler that rounds them down."""


def first_at(at: float, falling: bool) -> str:
    """What is measured of first releases at a time, or at an ε."""
    return f"variance of the first release at {'time' if falling else 'ε ='} {at:.12g}"


COORDINATES = range(16)
"""Coordinates that have bets of their own."""
OF_COORDINATE = {
    at: (
        Topic(f"variance of the first release in coordinate {at + 1}", ONE_COORDINATE, narrow=True, alone=True),
        Topic(f"variance of every release in coordinate {at + 1}, given the past", ONE_COORDINATE, narrow=True),
    )
    for at in COORDINATES
}
"""Of first releases, and of all given the past, by coordinate."""


def coordinate_weight(at: int) -> float:
    """Few subjects have more than three coordinates, and those that have share little among them."""
    return 0.5 if at < 3 else 0.05


CENTRE = Topic("centre of a release given the one before", SHIFTED)
VARIANCE = Topic("variance of a release given the one before", WRONG_BRIDGE_VARIANCE, shift=CENTRE)
EVERY_VARIANCE = Topic("variance of every release given the past", WRONG_SCALE, broad=True)
EVERY_SCALE = Topic("scale of all jumps", WRONG_SCALE, broad=True)
GIVEN_BY_METHOD = {
    method: Topic(f"variance of a release given the one before by {method}()", WRONG_BRIDGE_VARIANCE, narrow=True)
    for method in (*ALWAYS, *PLAYED)
}
"""Of releases given the one before, by the method they come from."""
MEMORY = Topic("memory of the release before", FRESH_NOISE)
INNOVATION_BEFORE = Topic("dependence on the innovation before", FRESH_NOISE)
BINS = Topic("distribution given the release before", WRONG_SHAPE, broad=True)
SHAPE = Topic("shape of every release given the past", WRONG_SHAPE, broad=True)
RECURSION = Topic("law of a release given the one before", FRESH_NOISE)
RARE = Topic("rare sessions", RARE_SESSIONS)
COUNTS = Topic("law of the steps between releases", ROUNDED_NORMALS)
BROAD = (EVERY_VARIANCE, SHAPE, BINS)
"""Topics about all releases."""
CENTRE_AFTER = {
    size: Topic(f"centre after a release beyond {size:g} sd", AFTER_UNUSUAL, narrow=True) for size in STRATA
}
VARIANCE_AFTER = {
    size: Topic(f"variance after a release beyond {size:g} sd", AFTER_UNUSUAL, shift=CENTRE_AFTER[size], narrow=True)
    for size in STRATA
}
VARIANCE_AFTER_INNOVATION = {
    size: Topic(f"variance after an innovation beyond {size:g} sd", AFTER_UNUSUAL, narrow=True) for size in STRATA
}
OVER_STEP = {
    name: (
        Topic(f"variance over a {name} step in time", WRONG_BRIDGE_VARIANCE),
        Topic(f"memory over a {name} step in time", FRESH_NOISE),
    )
    for name in STEPS
}
"""Variance and memory over steps of a kind."""
GIVEN_AT_POSITION = {
    at: (
        Topic(f"variance of release {at + 1} given the one before", WRONG_BRIDGE_VARIANCE),
        Topic(f"memory at release {at + 1}", FRESH_NOISE),
    )
    for at in LATER
}
"""Variance and memory of a later release given the one before, by its position."""
MEMORIES = (
    MEMORY,
    INNOVATION_BEFORE,
    *(memory for _, memory in OVER_STEP.values()),
    *(memory for _, memory in GIVEN_AT_POSITION.values()),
)
"""Topics about the mean of a release given the past: noise drawn afresh has a wrong one, as other bridges have."""
