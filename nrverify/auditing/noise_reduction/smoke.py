"""Single requests beside the looks: whether the adapter works, what it refuses, and what is only advice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.ways import ways_of
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.description import Description
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import PlayRequest, PolicyRequest, RefusalRequest, SampleRequest

INWARDS = 1.5
"""An end of the range that is refused is moved inwards by this factor: few requests find what is admitted."""
VALUES = (2.0, -7.0)
"""Tried in every dimension: of either sign, and not 0."""
DIMENSIONS = (1, 2, 3)
"""Tried of a subject that takes any: one, and two that tell an even number from an odd one."""
SMOKE_SESSIONS = 2
"""For each method, dimension and value: two, so that a method that works only once fails here."""
MOST_TRIED = 1000
"""Releases at most of the schedule by which a subject's own `most_releases` is tried: whatever it says, it is quick."""
LONGEST = 12
"""Releases of the longest schedule that is tried where no case asks for any: that of the usual designs."""
ANY_ORDER = (0.5, 0.2, 0.8, 0.4)
"""Positions in the range of a schedule in any order: noisier after less noise, and between two others."""
MORE_NOISE = "a request for more noise after less"
ADVICE_SAMPLES = 10
"""Sessions of `repeats_itself`, `disturbed` and `refusals` together."""


@dataclass(frozen=True)
class Admitted:
    """What a subject takes of what it is tried with, and what it refused."""

    dimensions: tuple[int, ...]
    most_releases: int | None
    """Of a session: as the subject says, or as it was found to refuse more; None for any number."""
    refused: tuple[str, ...]
    settings: dict[str, Any] | None
    """What was refused, as data: `releases`, the length of the shortest schedule that was."""


def admitted_range(drawer: Drawer, description: Description, knob: Knob) -> tuple[Knob, list[str]]:
    """The part of the knob's range that the subject does not refuse, and what it refused."""
    refused: list[str] = []
    low, high = knob.low, knob.high
    value = (VALUES[0],) * _smallest(description)
    for end in ("high", "low"):
        while True:
            at = high if end == "high" else low
            try:
                _try(drawer, description, (at,), value)
                break
            except SubjectRefused as refusal:
                refused.append(f"{at:.4g} ({refusal})")
                low, high = (low, high / INWARDS) if end == "high" else (low * INWARDS, high)
            if low >= high:
                raise SubjectFailed(_refuses_all(description, knob, value, refused[0]))
    return replace(knob, low=low, high=high), refused


def _refuses_all(description: Description, knob: Knob, value: tuple[float, ...], first: str) -> str:
    """That no time or ε is admitted, by the request that was refused first."""
    what, others = ("time", "times") if knob.falling else ("ε", "ε's")
    return (
        f"the subject refuses every request of one release at the value {_vector(value)}, whatever the {what} from "
        f"{knob.low:g} to {knob.high:g}: {what} {first}. If it takes other {others}, set "
        + "; ".join(("`range = (smallest, largest)`", "if values of other lengths, `dimensions`", *description.unread))
    )


def smoke(drawer: Drawer, description: Description, knob: Knob, longest: int) -> Admitted:
    """Three releases at two values in dimensions 1, 2 and 3 by every method, the first of each as long as is asked.

    The dimensions to audit (the subject's own, or those of the default it does not refuse), how many releases a session
    may have, and what was refused; `SubjectFailed` when a request does not work, or every dimension is refused.
    """
    lengths: dict[str, Length] = {}
    refused: dict[tuple[int, float], str] = {}
    tried = description.dimensions or DIMENSIONS
    for d in tried:
        for value in VALUES:
            vector = tuple(value + index for index in range(d))
            for method in ways_of(description):
                drawer.in_time()
                try:
                    if method not in lengths:
                        lengths[method] = _admitted_length(drawer, description, knob, longest, vector, method)
                    else:
                        schedule = knob.steps(0.4, [0.5, 0.5])[: lengths[method].admitted]
                        draw_sessions(drawer, Case("smoke", vector, Fixed(schedule), method), SMOKE_SESSIONS)
                except ReleaseRefused as refusal:
                    raise SubjectFailed(refusal) from None
                except SubjectRefused as refusal:
                    refused[d, value] = f"the value {_vector(vector)} ({refusal})"
    whole = [d for d in tried if all((d, value) in refused for value in VALUES)]
    admitted = tuple(d for d in description.dimensions or DEFAULT_DIMENSIONS if d not in whole)
    words = [
        f"dimension {d}: {why}" if d in whole else why
        for (d, value), why in refused.items()
        if d not in whole or value == VALUES[0]
    ]
    if not admitted:
        raise SubjectFailed(f"the subject refuses every dimension: {'; '.join(words)}")
    shortest = min(lengths.values(), key=lambda length: length.admitted)
    if shortest.refused is None:
        return Admitted(admitted, description.most_releases, tuple(words), None)
    words.insert(0, f"schedules of {shortest.admitted + 1} releases or more ({shortest.refused})")
    return Admitted(admitted, shortest.admitted, tuple(words), {"releases": shortest.admitted + 1})


@dataclass(frozen=True)
class Length:
    """How many releases a session may have, and why no more; None where no more were asked for."""

    admitted: int
    refused: str | None


def _admitted_length(
    drawer: Drawer, description: Description, knob: Knob, longest: int, value: tuple[float, ...], method: str
) -> Length:
    """The most releases, up to the longest schedule, that a session has at strictly decreasing times (rising ε's).

    `SubjectRefused` where one release is refused: then it is not the length that is.
    """
    most = min(description.most_releases or longest, max(longest, MOST_TRIED))

    def refusal(releases: int) -> str | None:
        start, end = (knob.high, knob.low) if knob.falling else (knob.low, knob.high)
        middle = (knob.at(0.5),)
        schedule = tuple(np.geomspace(start, end, releases).tolist()) if releases > 1 else middle
        drawer.in_time()
        try:
            draw_sessions(drawer, Case("smoke", value, Fixed(schedule), method), SMOKE_SESSIONS)
        except SubjectRefused as refused:
            if releases == 1:
                raise
            return str(refused)
        return None

    why = refusal(most)
    if why is None:
        return Length(most, None)
    refusal(1)
    if description.most_releases is not None:
        raise SubjectFailed(
            f"attribute most_releases is {description.most_releases}: a schedule of {most} releases at the value "
            f"{_vector(value)} by {method}() is refused ({why}); it must be the number of releases that a session can "
            "have"
        )
    admitted, beyond = 1, most
    while beyond - admitted > 1:
        middle = (admitted + beyond) // 2
        if (found := refusal(middle)) is None:
            admitted = middle
        else:
            beyond, why = middle, found
    return Length(admitted, why)


def smoke_any_order(drawer: Drawer, description: Description, knob: Knob, most: int | None) -> None:
    """Times in any order by every method; `SubjectFailed` where a subject that says it takes them so refuses them."""
    value = (VALUES[0],) * _smallest(description)
    schedule = tuple(knob.at(position) for position in ANY_ORDER)[:most]
    for method in ways_of(description):
        drawer.in_time()
        try:
            draw_sessions(drawer, Case("smoke", value, Fixed(schedule), method), SMOKE_SESSIONS)
        except (SubjectRefused, ReleaseRefused) as refusal:
            asked = ", ".join(f"{at:.4g}" for at in schedule)
            raise SubjectFailed(
                f"attribute any_order is True: the times {asked} at the value {_vector(value)} by {method}() are "
                f"refused ({refusal}); it must be left out where times may not rise"
            ) from None


def _vector(value: tuple[float, ...]) -> str:
    return f"[{', '.join(f'{x:g}' for x in value)}]"


def drawn_beside(description: Description) -> int:
    """Sessions that are drawn beside the looks where nothing is refused: of the smoke stage, and for advice."""
    trials = 2 + len(description.dimensions or DIMENSIONS) * len(VALUES) * SMOKE_SESSIONS
    trials += SMOKE_SESSIONS if description.any_order else 0
    return len(ways_of(description)) * trials + ADVICE_SAMPLES


def repeats_itself(drawer: Drawer, description: Description, knob: Knob, most: int | None) -> bool:
    """Whether the same seed gives the same transcript."""
    value = np.array((VALUES[0],) * _smallest(description))
    schedule = knob.steps(0.4, [0.5, 0.5])[:most]
    seed = drawer.seed()
    drawer.drawn += 2
    way = ways_of(description)[0]
    if way == "sample":
        twice = [drawer.host.ask(SampleRequest(value, schedule, 1, seed)) for _ in range(2)]
    elif way == "play":
        twice = [drawer.host.ask(PlayRequest(value, schedule, [seed])) for _ in range(2)]
    else:
        twice = [drawer.host.ask(PolicyRequest(value, Fixed(schedule), [seed]))[0] for _ in range(2)]
    return bool(np.array_equal(twice[0], twice[1]))


def disturbed(drawer: Drawer, description: Description, knob: Knob, most: int | None) -> bool:
    """Whether a session that repeats itself alone does not while another, of another value, is open beside it."""
    if "open" not in description.methods:
        return False
    d = _smallest(description)
    values = np.array([(VALUES[0],) * d, (VALUES[1],) * d])
    policy, seeds = Fixed(knob.steps(0.4, [0.5, 0.5])[:most]), [drawer.seed(), drawer.seed()]
    drawer.drawn += 4
    try:
        alone, again = (drawer.host.ask(PolicyRequest(values[0], policy, seeds[:1]))[0][0] for _ in range(2))
    except (SubjectFailed, SubjectRefused):
        return False
    try:
        together = drawer.host.ask(PolicyRequest(values, policy, seeds))[0][0]
    except (SubjectFailed, SubjectRefused):
        # What works alone fails beside another: that is a disturbance, too.
        return bool(np.array_equal(alone, again))
    return bool(np.array_equal(alone, again) and not np.array_equal(alone, together))


def _try(drawer: Drawer, description: Description, schedule: tuple[float, ...], value: tuple[float, ...]) -> None:
    for method in ways_of(description):
        drawer.in_time()
        draw_sessions(drawer, Case("smoke", value, Fixed(schedule), method), 1)


def _smallest(description: Description) -> int:
    return (description.dimensions or DEFAULT_DIMENSIONS)[0]


def refusals(drawer: Drawer, knob: Knob, value: tuple[float, ...], falling: bool) -> CheckResult:
    """What happens to invalid requests: advice, never a refutation.

    More noise after less is invalid where times must be `falling`; after a session of one release nothing is asked.
    """
    middle, back = knob.at(0.5), knob.at(0.25)
    requests = {
        MORE_NOISE: [middle, back],
        "zero": [0.0],
        "a negative number": [-1.0],
        "NaN": [float("nan")],
    }
    if not falling:
        del requests[MORE_NOISE]
    answers = {}
    for name, asked in requests.items():
        drawer.drawn += 1
        try:
            answers[name] = drawer.host.ask(RefusalRequest(np.array(value), asked, drawer.seed()))
        except (SubjectRefused, SubjectFailed) as error:
            answers[name] = f"refused: {error}"
    accepted = [name for name, answer in answers.items() if answer == "accepted"]
    message = None
    if accepted:
        message = f"accepts {', '.join(accepted)}; refusing with a ValueError protects the analyst"
        if MORE_NOISE in accepted:
            message += (
                ". More noise after less is harmless where it is a fresh look at the same path, and a leak where new "
                "noise is drawn around the value"
            )
    return CheckResult(
        "protocol.refusals",
        "protocol",
        CheckVerdict.ADVICE,
        samples=len(requests),
        expected="invalid requests are refused",
        observed="; ".join(f"{name}: {answer}" for name, answer in answers.items()),
        message=message,
    )
