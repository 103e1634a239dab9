"""The smoke stage: decides whether the adapter works before its mathematics is discussed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.noise_reduction.design.cases import DEFAULT_DIMENSIONS, Case, Knob
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Fixed
from nrverify.subjects.requests import Play, Sample

INWARDS = 1.5
VALUES = (2.0, -7.0)


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
    for d in description.dimensions or (1, 2, 3):
        for value in VALUES:
            vector = tuple(value + index for index in range(d))
            for method in methods_of(description):
                try:
                    drawer.sessions(Case("smoke", vector, Fixed(schedule), method), 2)
                except SubjectRefused as refusal:
                    refused[d] = f"dimension {d} ({refusal})"
    admitted = tuple(d for d in description.dimensions or DEFAULT_DIMENSIONS if d not in refused)
    if not admitted:
        raise SubjectFailed(f"the subject refuses every dimension: {', '.join(refused.values())}")
    return admitted, list(refused.values())


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
        drawer.sessions(Case("smoke", value, Fixed(schedule), method), 1)


def _smallest(description: Description) -> int:
    return (description.dimensions or DEFAULT_DIMENSIONS)[0]
