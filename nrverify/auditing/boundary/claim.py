"""What a boundary claims: δ, the sensitivity, and the interval of times."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed

MECHANISMS = ("boundary", "private-stopping")
"""Mechanisms that have a boundary of their own."""
FARTHEST = 1e9
"""All t > 0 means t/Δ² between one part in so many and so many: no budget of noise is used beyond."""
BEYOND = 1e15
"""An end that a subject names may lie so far out: over more decades the crossing probability loses its digits."""


@dataclass(frozen=True)
class BoundaryClaim:
    """What a boundary claims: δ at neighbours up to the sensitivity apart, over an interval of times."""

    delta: float
    sensitivity: float
    interval: tuple[float, float]
    declared: bool
    """Whether the subject named the interval; the default stands for all t > 0."""

    @property
    def text(self) -> str:
        """The interval, for people."""
        low, high = self.interval
        if self.declared:
            return f"t in [{low:.4g}, {high:.4g}]"
        return f"all t > 0, looked at for t/Δ² in [1e-9, 1e9], t in [{low:.4g}, {high:.4g}]"


def claim_of(description: Description) -> BoundaryClaim:
    """The claim of a boundary; the default interval, and open ends, stand for t/Δ² in [1e-9, 1e9]."""
    assert description.sensitivity is not None
    assert description.delta is not None
    if description.process == "skellam" and description.sensitivity != int(description.sensitivity):
        raise SubjectFailed(f"sensitivity is {description.sensitivity!r}: for skellam noise it must be an integer")
    square = description.sensitivity**2
    low, high = description.interval or (0.0, math.inf)
    for end in (low, high):
        if 0 < end < math.inf and not square / BEYOND <= end <= square * BEYOND:
            raise SubjectFailed(
                f"interval is {description.interval!r}: an end must have t/Δ² between {1 / BEYOND:g} and {BEYOND:g}, "
                f"that is t between {square / BEYOND:g} and {square * BEYOND:g}; 0 and infinity are open ends"
            )
    ends = (low if low > 0 else square / FARTHEST, high if math.isfinite(high) else square * FARTHEST)
    if not ends[0] < ends[1]:
        raise SubjectFailed(f"interval is {description.interval!r}: it must have a part with t/Δ² in [1e-9, 1e9]")
    return BoundaryClaim(description.delta, description.sensitivity, ends, description.interval is not None)
