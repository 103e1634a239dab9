"""Calls on a loaded subject, exactly as the contract writes them, with their answers made into arrays."""

from __future__ import annotations

import inspect
import reprlib
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.address import describe_error
from nrverify.subjects.answers import bits, halting_rounds, numbers, shown, transcripts
from nrverify.subjects.attributes import misspelt
from nrverify.subjects.describe import attributes, describe, methods_of
from nrverify.subjects.description import ANY, Description
from nrverify.subjects.dialogues import copies_of, dialogue, prepared, queries
from nrverify.subjects.errors import ReleaseRefused, SubjectFailed, SubjectRefused
from nrverify.subjects.generated_strategies import from_queries
from nrverify.subjects.neighbour_data import FROM_QUERIES
from nrverify.subjects.outputs import Outputs, charge, copied, feature_rows, many, normal
from nrverify.subjects.policies import take_turns
from nrverify.subjects.requests import (
    Answering,
    InteractRequest,
    PlayRequest,
    PolicyRequest,
    RefusalRequest,
    RunAnyRequest,
    RunManyAnyRequest,
    RunManyRequest,
    RunRequest,
    RunStoppingRequest,
    SampleRequest,
    ScalarRequest,
)

Floats = NDArray[np.float64]

TOGETHER = 64
"""Sessions open at the same time: more than a small cache of states holds."""


class Adapter(Answering):
    """A Python subject behind the calls of the contract."""

    def __init__(self, subject: Any) -> None:
        self.subject = subject
        given = {**dict.fromkeys(_names(subject)), **{name: _attribute(subject, name) for name in attributes()}}
        if not isinstance(given["name"], str):
            given["name"] = type(subject).__name__
        mechanism = given["mechanism"]
        known = methods_of(mechanism) if isinstance(mechanism, str) else ()
        if mechanism in ANY:
            given = prepared(given)
        given["methods"] = [name for name in known if callable(_attribute(subject, name))]
        described = describe(given)
        found = misspelt(attributes(), _plain_names(subject), described, described.mechanism)
        self.description: Description = replace(described, misspelt=found)
        self.integer = self.description.integer

    def sample(self, request: SampleRequest) -> Floats:
        """sample(value, schedule, sessions, seed)."""
        schedule = [float(at) for at in request.schedule]
        arguments = (self._value(request.value), schedule, request.sessions, request.seed)
        shape = (request.sessions, len(schedule), request.value.size)
        return transcripts(_call("sample", self.subject.sample, *arguments, refusable=True), shape)

    def play(self, request: PolicyRequest) -> tuple[Floats, Floats]:
        """open(value, seed) and release(at): some sessions are open together and take turns."""

        def opened(number: int) -> _PythonSession:
            return self._session(request.value_of(number), request.seeds[number])

        return take_turns(opened, request.dimension, request.policy, len(request.seeds), TOGETHER)

    def play_schedule(self, request: PlayRequest) -> Floats:
        """Of the protocol alone: in Python, sessions one after the other cost no lines."""
        raise SubjectFailed("play is an op of the subprocess protocol: a Python subject has open() or sample()")

    def _session(self, value: Floats, seed: int) -> _PythonSession:
        session = _call("open", self.subject.open, self._value(value), seed, refusable=True)
        release = getattr(session, "release", None)
        if not callable(release):
            raise SubjectFailed(f"open() returned {type(session).__name__}, which has no method release")
        return _PythonSession(release, (value.size,))

    def refusal(self, request: RefusalRequest) -> str:
        """The last release of a session, which is invalid."""
        session = _call("open", self.subject.open, self._value(request.value), request.seed, refusable=True)
        for at in request.requests[:-1]:
            _call("release", session.release, at, refusable=True)
        try:
            answer = np.asarray(session.release(request.requests[-1]))
            if np.iscomplexobj(answer):
                return "answered a complex number"
            answer = answer.astype(float)
        except Exception as error:
            return f"refused: {describe_error(error)}"
        return "accepted" if np.all(np.isfinite(answer)) else "answered NaN or infinity"

    def run(self, request: RunRequest) -> list[list[int]]:
        """run(utilities, epsilons, threshold, sensitivity, seed), unchecked but for being a list of numbers."""
        return [bits(_call("run", self.subject.run, *_design(request), seed)) for seed in request.seeds]

    def run_many(self, request: RunManyRequest) -> NDArray[np.int64]:
        """run_many(utilities, epsilons, threshold, sensitivity, runs, seed)."""
        answer = _call("run_many", self.subject.run_many, *_design(request), request.runs, request.seed)
        return halting_rounds(answer, request.runs, self.description.positives)

    def run_stopping(self, request: RunStoppingRequest) -> list[tuple[Floats, list[int]]]:
        """run(value, schedule, utility, threshold, utility_sensitivity, seed)."""
        value, schedule, *rest, seeds = request.arguments
        found = []
        for seed in seeds:
            arguments = (value.astype(np.float64, copy=True), list(schedule), *rest, seed)
            found.append(shown(_call("run", self.subject.run, *arguments), value.size))
        return found

    def run_any(self, request: RunAnyRequest) -> Outputs:
        """run(data, seed) for each seed."""
        copies = copies_of(request.data)
        return self._judged([normal(_call("run", self.subject.run, copies(), seed), "run()") for seed in request.seeds])

    def run_many_any(self, request: RunManyAnyRequest) -> Outputs:
        """run_many(data, runs, seed)."""
        data = copies_of(request.data)()
        answer = _call("run_many", self.subject.run_many, data, request.runs, request.seed)
        return self._judged(many(answer, request.runs))

    def interact(self, request: InteractRequest) -> Outputs:
        """open(data, seed) and ask(query), as a strategy of the subject says."""
        copies = copies_of(request.data)
        if self.description.strategies == FROM_QUERIES:
            next_query = from_queries(self.description.queries or (), request.strategy)
        else:
            next_query = queries(self.subject.strategies[request.strategy], _call)
        return self._judged([dialogue(self._asking(copies(), seed), next_query) for seed in request.seeds])

    def _asking(self, data: Any, seed: int) -> Callable[[Any], Any]:
        session = _call("open", self.subject.open, data, seed)
        ask = getattr(session, "ask", None)
        if not callable(ask):
            raise SubjectFailed(f"open() returned {type(session).__name__}, which has no method ask")
        return lambda query: normal(_call("ask", ask, query), "ask()")

    def _judged(self, outputs: list[Any]) -> Outputs:
        """Outputs with what the subject says of each: it gets copies, so that it cannot change them."""
        spent = rows = None
        if "spent" in self.description.methods:
            smallest = self.description.smallest_epsilon or 0.0
            spent = [charge(_call("spent", self.subject.spent, copied(o)), smallest, o) for o in outputs]
        if "features" in self.description.methods:
            rows = feature_rows([_call("features", self.subject.features, copied(o)) for o in outputs])
        return Outputs(outputs, spent, rows)

    def scalar(self, request: ScalarRequest) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon), one float at a time."""
        name, function = request.function, getattr(self.subject, request.function)
        answers = np.empty(len(request.numbers))
        for index, number in enumerate(request.numbers):
            answers[index] = numbers(_call(name, function, float(number)), (1,), f"{name}({number!r})")[0]
        return answers

    def _value(self, value: Floats) -> NDArray[Any]:
        return value.astype(np.int64) if self.integer else value.astype(np.float64, copy=True)


@dataclass(frozen=True)
class _PythonSession:
    """A session of a Python subject; it needs no explicit close."""

    function: Callable[[float], Any]
    shape: tuple[int, ...]

    def release(self, at: float, first: bool) -> Floats:
        return numbers(_call("release", self.function, at, refusable=first, later=not first), self.shape, "release()")

    def close(self) -> None:
        pass


def _design(request: RunRequest | RunManyRequest) -> tuple[Any, ...]:
    """What is run, in lists of its own: a subject may change them."""
    return list(request.utilities), list(request.epsilons), request.threshold, request.sensitivity


def _names(subject: Any) -> list[str]:
    """What the subject has, for a guess at what was meant by a misspelt name."""
    try:
        return [name for name in dir(subject) if not name.startswith("_")]
    except Exception:
        return []


def _plain_names(subject: Any) -> list[str]:
    """Its names that are no methods and no properties: those that may be attributes with a slip in their spelling."""
    methods = (FunctionType, property, classmethod, staticmethod, type)
    return [name for name in _names(subject) if not isinstance(inspect.getattr_static(subject, name, None), methods)]


def _attribute(subject: Any, name: str) -> Any:
    try:
        return getattr(subject, name, None)
    except Exception as error:
        raise SubjectFailed(f"reading the attribute {name} raised {describe_error(error)}") from error


def _call(
    name: str, function: Callable[..., Any], *arguments: Any, refusable: bool = False, later: bool = False
) -> Any:
    try:
        return function(*arguments)
    except ValueError as error:
        if refusable:
            raise SubjectRefused(describe_error(error)) from error
        if later:
            raise ReleaseRefused(_raised(name, arguments, error)) from error
        raise SubjectFailed(_raised(name, arguments, error)) from error
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise SubjectFailed(_raised(name, arguments, error)) from error


def _raised(name: str, arguments: Sequence[Any], error: BaseException) -> str:
    """What a valid request raised, and where in the subject's own code, if it was reached."""
    own = Path(__file__).parent
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).parent != own]
    request = f"{name}({', '.join(map(reprlib.repr, arguments))})"
    where = f", line {frames[-1].lineno} of {Path(frames[-1].filename).name}" if frames else ""
    return f"{name}() raised {describe_error(error)} for a valid request: {request}{where}"
