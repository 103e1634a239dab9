"""Requests to a subject, as values: what is asked, in a form that can be sent, written down, compared and answered.

A host has one method, `ask`; the type of its answer is the request's own. The names and the order of the fields of a
request are those of the subject's method, and part of the digest by which recorded audits find their answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.outputs import Outputs
from nrverify.subjects.policies import Policy
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]
A_co = TypeVar("A_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Request(Generic[A_co]):
    """One request; `A_co` is what answers it. Two requests are the same when their digests are."""

    method: ClassVar[str]
    """What it is called in records of audits, and the method of a host's class that answers it."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Its fields in their order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def digest(self) -> str:
        """The same for the same request, in any session on any machine."""
        text = json.dumps([self.method, *map(_plain, self.arguments)], separators=(",", ":"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def words(self) -> str:
        """It, in a sentence."""
        return f"{self.method}()"


@dataclass(frozen=True, eq=False)
class SampleRequest(Request[Floats]):
    """Whole transcripts at once; answered by an array (sessions, len(schedule), d), or refused."""

    method = "sample"
    value: Floats
    schedule: Sequence[float]
    sessions: int
    seed: int


@dataclass(frozen=True, eq=False)
class PolicyRequest(Request[tuple[Floats, Floats]]):
    """A session for each seed, asked as a policy says; answered by the releases (NaN after the end) and what was asked.

    The first release of a session may be refused. Several values, (values, d), are those of the sessions in turn.
    """

    method = "play"
    words = "open() and release() of some sessions"
    value: Floats
    policy: Policy
    seeds: Sequence[int]

    @property
    def dimension(self) -> int:
        """Of every value."""
        return int(self.value.shape[-1])

    def value_of(self, number: int) -> Floats:
        """The value (d,) of a session."""
        return self.value if self.value.ndim == 1 else np.asarray(self.value[number % len(self.value)])


@dataclass(frozen=True, eq=False)
class PlayRequest(Request[Floats]):
    """A session for each seed, all on one schedule; answered by an array (len(seeds), len(schedule), d), or refused.

    The sessions of a `PolicyRequest` on a fixed schedule, asked for at once: the op `play` of the subprocess protocol.
    """

    method = "play_schedule"
    words = "play of some sessions"
    value: Floats
    schedule: Sequence[float]
    seeds: Sequence[int]


@dataclass(frozen=True, eq=False)
class RefusalRequest(Request[str]):
    """Releases of one session, of which the last is invalid; answered by what happened to it.

    One of 'refused: …', 'accepted', 'answered NaN or infinity', 'not asked: …'.
    """

    method = "refusal"
    words = "an invalid request"
    value: Floats
    requests: Sequence[float]
    seed: int


@dataclass(frozen=True, eq=False)
class _Threshold(Request[A_co]):
    """Utilities, one for each round, against a threshold."""

    utilities: Sequence[float]
    epsilons: Sequence[float]
    threshold: float
    sensitivity: float


@dataclass(frozen=True, eq=False)
class RunRequest(_Threshold[list[list[int]]]):
    """A run for each seed; answered by the bits that each printed."""

    method = "run"
    seeds: Sequence[int]


@dataclass(frozen=True, eq=False)
class RunManyRequest(_Threshold[NDArray[np.int64]]):
    """Many runs at once; answered by the round in which each halted, from 1, or 0 for never."""

    method = "run_many"
    runs: int
    seed: int


@dataclass(frozen=True, eq=False)
class RunStoppingRequest(Request[list[tuple[Floats, list[int]]]]):
    """A run of private stopping for each seed; answered by the releases shown, (n, d), and the bits printed."""

    method = "run_stopping"
    value: Floats
    schedule: Sequence[float]
    utility: Utility
    threshold: float
    utility_sensitivity: float
    seeds: Sequence[int]


@dataclass(frozen=True, eq=False)
class ScalarRequest(Request[Floats]):
    """epsilon(time), time(epsilon) or time_of(epsilon), at each of some numbers."""

    method = "scalar"
    function: str
    numbers: Sequence[float]

    @property
    def words(self) -> str:
        """The function, in a sentence."""
        return f"{self.function}()"


@dataclass(frozen=True, eq=False)
class RunAnyRequest(Request[Outputs]):
    """A run on the data for each seed, of a mechanism whose law is not known."""

    method = "run_any"
    words = "run()"
    data: Any
    seeds: Sequence[int]


@dataclass(frozen=True, eq=False)
class RunManyAnyRequest(Request[Outputs]):
    """Many runs on the data at once."""

    method = "run_many_any"
    words = "run_many()"
    data: Any
    runs: int
    seed: int


@dataclass(frozen=True, eq=False)
class InteractRequest(Request[Outputs]):
    """A session on the data for each seed, asked as the strategy of that number says; the output is its answers."""

    method = "interact"
    words = "open() and ask() of some sessions"
    data: Any
    strategy: int
    seeds: Sequence[int]


REQUESTS: dict[str, type[Request[Any]]] = {
    kind.method: kind
    for kind in (
        *(SampleRequest, PolicyRequest, PlayRequest, RefusalRequest, RunRequest, RunManyRequest, RunStoppingRequest),
        *(ScalarRequest, RunAnyRequest, RunManyAnyRequest, InteractRequest),
    )
}


class Answering:
    """Answers each kind of request by the method of the same name."""

    def ask(self, request: Request[A_co]) -> A_co:
        """The answer; may raise `SubjectFailed`, and `SubjectRefused` where a setting may be refused."""
        answer: A_co = getattr(self, request.method)(request)
        return answer


def _plain(argument: Any) -> Any:
    """An argument as JSON: arrays and tuples as lists, policies and utilities by their fields."""
    if isinstance(argument, np.ndarray):
        return argument.tolist()
    if isinstance(argument, np.generic):
        return argument.item()
    if isinstance(argument, (list, tuple)):
        return [_plain(part) for part in argument]
    if is_dataclass(argument):
        parts = {field.name: _plain(getattr(argument, field.name)) for field in fields(argument)}
        return {"is": type(argument).__name__, **parts}
    if callable(argument):
        return {"is": f"{argument.__module__}.{argument.__qualname__}"}
    return argument
