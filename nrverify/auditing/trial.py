"""A trial of an adapter, in about a second: each thing an audit will ask, asked once; nothing is judged."""

from __future__ import annotations

import reprlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.auditing.claims.pairs import cases_of
from nrverify.auditing.noise_reduction.design.knob import knob_of
from nrverify.subjects.describe import noise_mechanisms
from nrverify.subjects.description import ANY, THRESHOLD, Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host
from nrverify.subjects.outputs import Outputs
from nrverify.subjects.policies import Fixed
from nrverify.subjects.reach import opener
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.requests import (
    InteractRequest,
    PlayRequest,
    PolicyRequest,
    Request,
    RunAnyRequest,
    RunManyAnyRequest,
    RunManyRequest,
    RunRequest,
    SampleRequest,
    ScalarRequest,
)
from nrverify.subjects.trace import Trace

SEEDS = (1, 2)
"""Of the sessions and runs that are tried: two, so that what works only once fails here."""
UTILITIES, EPSILONS, LIMIT = (0.0, 0.5, 2.0), (1.0, 1.0, 1.0), 1.0
"""A small run of a threshold mechanism, below and above its threshold."""
POSITIONS = (0.4, 0.5, 0.6)
"""Where a subject is asked, as shares of its range: in the middle, which whatever works at all admits."""


@dataclass(frozen=True)
class TrialStep:
    """One thing that was tried."""

    name: str
    worked: bool
    words: str
    """What was answered, or how it failed."""


def trial(subject: Any, timeout: float = 60.0, trace: Trace | None = None) -> Iterator[TrialStep]:
    """Each step as it is tried; the first that does not work is the last."""
    started = time.monotonic()
    open_host = opener(subject) if trace is None else trace.opening(opener(subject))
    try:
        host = open_host(timeout)
    except SubjectFailed as failure:
        yield TrialStep("describe", False, str(failure))
        return
    try:
        described = host.description
        offered = ", ".join(described.methods)
        yield TrialStep("describe", True, f"{described.mechanism}" + (f", with {offered}" if offered else ""))
        for step in () if isinstance(host, RecordsFile) else _tried(host):
            yield step
            if not step.worked:
                return
    finally:
        host.close()
    yield TrialStep("close", True, f"{time.monotonic() - started:.1f} s in all")


def _tried(host: Host) -> Iterator[TrialStep]:
    """Every request; more releases than one, and the same one again, may be refused."""
    for name, request, refusable in _requests(host.description):
        try:
            yield TrialStep(name, True, _words(host.ask(request)))
        except SubjectRefused as refusal:
            yield TrialStep(name, refusable, f"refused: {refusal}")
        except SubjectFailed as failure:
            yield TrialStep(name, False, str(failure))


def _requests(description: Description) -> Iterator[tuple[str, Request[Any], bool]]:
    """What is tried of a mechanism, by what it offers; and whether it may be refused."""
    methods = description.methods
    if description.mechanism in noise_mechanisms():
        yield from _releases(description)
    if description.mechanism in THRESHOLD:
        asked = (UTILITIES, EPSILONS, LIMIT, 1.0)
        if "run" in methods:
            yield "run, twice", RunRequest(*asked, SEEDS), False
        if "run_many" in methods:
            yield "run_many", RunManyRequest(*asked, 2, SEEDS[0]), False
    if description.mechanism in ANY:
        yield from _runs_of_any(description)
    if "epsilon" in methods:
        yield "epsilon", ScalarRequest("epsilon", (1.0,)), False


def _runs_of_any(description: Description) -> Iterator[tuple[str, Request[Any], bool]]:
    """The first case by every method, and the claimed curve."""
    plain = [case for case in cases_of(description) if case.strategy is None][:1]
    for case in plain:
        if "run" in description.methods:
            yield "run, twice", RunAnyRequest(case.first, SEEDS), False
        if "run_many" in description.methods:
            yield "run_many", RunManyAnyRequest(case.first, 2, SEEDS[0]), False
    for case in [case for case in cases_of(description) if case.strategy is not None][:1]:
        yield "open and ask, twice", InteractRequest(case.first, case.strategy or 0, SEEDS), False
    if "delta_of" in description.methods:
        yield "delta_of", ScalarRequest("delta_of", (1.0,)), False


def _releases(description: Description) -> Iterator[tuple[str, Request[Any], bool]]:
    knob = knob_of(description)
    value = np.full((description.dimensions or (1,))[0], 2.0)
    first, *_ = times = tuple(knob.at(position) for position in POSITIONS)
    several = description.most_releases != 1
    if "open" in description.methods:
        yield f"open, release at {first:.4g}", PolicyRequest(value, Fixed((first,)), SEEDS[:1]), False
        if several:
            yield "the same release again", PolicyRequest(value, Fixed((first, first)), SEEDS[:1]), True
        yield "two sessions together", PolicyRequest(value, Fixed(times[: description.most_releases]), SEEDS), True
    if "play" in description.methods:
        yield f"play at {first:.4g}", PlayRequest(value, (first,), SEEDS), False
        if several:
            yield "play, three releases", PlayRequest(value, times[: description.most_releases], SEEDS), True
    if "sample" in description.methods:
        yield f"sample at {first:.4g}", SampleRequest(value, (first,), 2, SEEDS[0]), False
        if several:
            yield "sample, three releases", SampleRequest(value, times[: description.most_releases], 2, SEEDS[0]), True
    if "time_of" in description.methods:
        yield "time_of", ScalarRequest("time_of", (first,)), False


def _words(answer: Any) -> str:
    """An answer in few words."""
    if isinstance(answer, Outputs):
        return reprlib.repr(answer.outputs)
    shown = answer[0] if isinstance(answer, tuple) else answer
    return np.array2string(np.asarray(shown), precision=4, threshold=12, separator=", ").replace("\n", "")
