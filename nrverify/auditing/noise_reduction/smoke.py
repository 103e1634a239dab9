"""Single requests beside the looks: whether the adapter works, what it refuses, and what is only advice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case
from nrverify.auditing.noise_reduction.design.drawing import draw_sessions
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import Play, Refusal, Sample

INWARDS = 1.5
"""An end of the range that is refused is moved inwards by this factor: few requests find what is admitted."""
VALUES = (2.0, -7.0)
"""Tried in every dimension: of either sign, and not 0."""
DIMENSIONS = (1, 2, 3)
"""Tried of a subject that takes any: one, and two that tell an even number from an odd one."""
SMOKE_SESSIONS = 2
"""For each method, dimension and value: two, so that a method that works only once fails here."""
MORE_NOISE = "a request for more noise after less"
ADVICE_SAMPLES = 6
"""Sessions of `repeats_itself` and `refusals` together."""


def admitted_range(drawer: Drawer, description: Description, knob: Knob) -> tuple[Knob, list[str]]:
    """The part of the knob's range that the subject does not refuse, and what it refused."""
    refused: list[str] = []
    low, high = knob.low, knob.high
    for end in ("high", "low"):
        while True:
            at = high if end == "high" else low
            try:
                _try(drawer, description, (at,), (VALUES[0],) * _smallest(description))
                break
            except SubjectRefused as refusal:
                refused.append(f"{at:.4g} ({refusal})")
                low, high = (low, high / INWARDS) if end == "high" else (low * INWARDS, high)
            if low >= high:
                raise SubjectFailed(f"the subject refuses every request: {refused[0]}")
    return replace(knob, low=low, high=high), refused


def smoke(drawer: Drawer, description: Description, knob: Knob) -> tuple[tuple[int, ...], list[str]]:
    """Three releases at two values in dimensions 1, 2 and 3 by every method.

    The dimensions to audit (the subject's own, or those of the default it does not refuse) and what was refused;
    `SubjectFailed` when a request does not work, or every dimension is refused.
    """
    schedule = knob.steps(0.4, [0.5, 0.5])
    refused: dict[int, str] = {}
    for d in description.dimensions or DIMENSIONS:
        for value in VALUES:
            vector = tuple(value + index for index in range(d))
            for method in methods_of(description):
                try:
                    draw_sessions(drawer, Case("smoke", vector, Fixed(schedule), method), SMOKE_SESSIONS)
                except SubjectRefused as refusal:
                    refused[d] = f"dimension {d} ({refusal})"
    admitted = tuple(d for d in description.dimensions or DEFAULT_DIMENSIONS if d not in refused)
    if not admitted:
        raise SubjectFailed(f"the subject refuses every dimension: {', '.join(refused.values())}")
    return admitted, list(refused.values())


def drawn_beside(description: Description) -> int:
    """Sessions that are drawn beside the looks where nothing is refused: of the smoke stage, and for advice."""
    trials = 2 + len(description.dimensions or DIMENSIONS) * len(VALUES) * SMOKE_SESSIONS
    return len(methods_of(description)) * trials + ADVICE_SAMPLES


def methods_of(description: Description) -> list[str]:
    """The ways a subject gives transcripts."""
    return [name for name in ("sample", "open") if name in description.methods]


def repeats_itself(drawer: Drawer, description: Description, knob: Knob) -> bool:
    """Whether the same seed gives the same transcript."""
    value = np.array((VALUES[0],) * _smallest(description))
    schedule = knob.steps(0.4, [0.5, 0.5])
    seed = drawer.seed()
    drawer.drawn += 2
    if "sample" in description.methods:
        twice = [drawer.host.ask(Sample(value, schedule, 1, seed)) for _ in range(2)]
    else:
        twice = [drawer.host.ask(Play(value, Fixed(schedule), [seed]))[0] for _ in range(2)]
    return bool(np.array_equal(twice[0], twice[1]))


def _try(drawer: Drawer, description: Description, schedule: tuple[float, ...], value: tuple[float, ...]) -> None:
    for method in methods_of(description):
        draw_sessions(drawer, Case("smoke", value, Fixed(schedule), method), 1)


def _smallest(description: Description) -> int:
    return (description.dimensions or DEFAULT_DIMENSIONS)[0]


def refusals(drawer: Drawer, knob: Knob, value: tuple[float, ...]) -> CheckResult:
    """What happens to invalid requests: advice, never a refutation."""
    middle, back = knob.at(0.5), knob.at(0.25)
    requests = {
        MORE_NOISE: [middle, back],
        "zero": [0.0],
        "a negative number": [-1.0],
        "NaN": [float("nan")],
    }
    answers = {}
    for name, asked in requests.items():
        drawer.drawn += 1
        try:
            answers[name] = drawer.host.ask(Refusal(np.array(value), asked, drawer.seed()))
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
