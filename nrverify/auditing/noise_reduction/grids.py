"""What a declared granularity means for an audit: room for it in doubles, values within that room, and the slack."""

from __future__ import annotations

import math
from dataclasses import replace

from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.context import NoiseReductionContext
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.single_release import least_time
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.guarantees import EX_POST

ROOM = 2.0**52
"""Cells of a grid beyond which a double has no bit below its integer."""
SLACK = "privacy.slack"
TO_BE_SURE = 2 * math.log(1e6)
"""Squared deviations of a mean at which a bet on it reaches 10⁶."""


def refuse_no_room(description: Description, knob: Knob) -> None:
    """`SubjectFailed` where a double has no room for the grid beside the least noise that is asked for."""
    grid = description.granularity
    if grid is None or not knob.falling:
        return
    least = math.sqrt(knob.low) if not description.family.pure else knob.low
    if least > ROOM * grid:
        raise SubjectFailed(
            f"attribute granularity is {grid!r}: it must be at least 2^-52 of the noise, which is {least:.3g} at time "
            f"{knob.low:g}, for doubles have no room for a finer grid; leave it out if releases are rounded to doubles"
        )


def within_room(case: Case, description: Description) -> Case:
    """The case with its value, and the one beside it, no larger than doubles have room for the grid at."""
    grid = description.granularity
    if grid is None:
        return case
    beside = None if case.beside is None else _within(case.beside, ROOM * grid)
    return replace(case, value=_within(case.value, ROOM * grid), beside=beside)


def _within(value: tuple[float, ...], most: float) -> tuple[float, ...]:
    largest = max(abs(x) for x in value)
    return value if largest <= most else tuple(x * (most / largest) for x in value)


def unseen_truncation(description: Description, knob: Knob) -> str:
    """What is not seen where noise as small as the grid cannot be asked for, and what it would take to see it."""
    return (
        "noise of the size of the grid; releases cut off to it instead of rounded would show after about "
        f"{_sessions(description, knob):.0e} sessions"
    )


def beyond_range(description: Description, knob: Knob, samples: int) -> str | None:
    """The same where the range that a subject says ends before, and so many samples are not enough."""
    if description.granularity is None or description.range is None or not knob.falling:
        return None
    if _sessions(description, knob) <= samples:
        return None
    return f"outside the range that the subject says, and so not covered: {unseen_truncation(description, knob)}"


def _sessions(description: Description, knob: Knob) -> float:
    """Cut off instead of rounded, releases move by g/2, which their mean shows after 2·log(10⁶)·(2σ/g)² sessions.

    σ is the least deviation that is asked for.
    """
    least = math.sqrt(knob.low) if not description.family.pure else math.sqrt(2) * knob.low
    return TO_BE_SURE * (2 * least / (description.granularity or math.inf)) ** 2


def slack_of(context: NoiseReductionContext) -> list[CheckResult]:
    """The slack that an ex-post claim of Brownian noise gets for rounding, said in every report of one."""
    said = context.description
    if said.granularity is None or said.family.pure or context.guarantee != EX_POST or said.sensitivity is None:
        return []
    d, delta = max(context.dimensions), said.delta or 0.0
    least = least_time(said.mechanism, context.knob.high, said.sensitivity, delta, 1.0) if delta > 0 else math.inf
    most = said.granularity * math.sqrt(d) * said.sensitivity / least
    words = (
        "an ex-post claim of releases rounded to a grid is that of ε + g·√d·Δ/t, because the loss varies by so much "
        f"over the ideal releases that are rounded to one: with g = {said.granularity:.6g} and d up to {d}, at most "
        f"{most:.3g} more than the ε asked, where the noise keeps the claim"
    )
    return [CheckResult(SLACK, CheckKind.PRIVACY, CheckVerdict.ADVICE, message=words)]
