"""Calls on a loaded subject, exactly as the contract writes them, with their answers made into arrays."""

from __future__ import annotations

import reprlib
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.address import describe_error
from nrverify.subjects.answers import bits, halting_rounds, numbers, shown
from nrverify.subjects.description import METHODS, OPTIONAL, Description, describe
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Play, Session, take_turns
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]

ATTRIBUTES = (
    *("name", "version", "mechanism", "knob", "sensitivity", "delta"),
    *("rate", "process", "range", "dimensions", "interval"),
)
TOGETHER = 64
"""Sessions open at the same time: more than a small cache of states holds."""


class Adapter:
    """A Python subject behind the calls of the contract."""

    def __init__(self, subject: Any) -> None:
        self.subject = subject
        attributes = {key: _attribute(subject, key) for key in ATTRIBUTES}
        if not isinstance(attributes["name"], str):
            attributes["name"] = type(subject).__name__
        mechanism = attributes["mechanism"]
        known = (*METHODS.get(mechanism, ()), *OPTIONAL) if isinstance(mechanism, str) else ()
        attributes["methods"] = [name for name in known if callable(_attribute(subject, name))]
        self.description: Description = describe(attributes)
        self.integer = self.description.integer

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Whole transcripts at once, shape (sessions, len(schedule), d)."""
        answer = _call(
            "sample",
            self.subject.sample,
            self._value(value),
            [float(at) for at in schedule],
            sessions,
            seed,
            refusable=True,
        )
        return numbers(answer, (sessions, len(schedule), value.size), "sample()")

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions, some open together and taking turns: their releases (NaN after the end) and what was asked."""
        return take_turns(lambda seed: self._session(value, seed), value.size, play, seeds, TOGETHER)

    def _session(self, value: Floats, seed: int) -> Session:
        session = _call("open", self.subject.open, self._value(value), seed, refusable=True)
        release = getattr(session, "release", None)
        if not callable(release):
            raise SubjectFailed(f"open() returned {type(session).__name__}, which has no method release")
        return _PythonSession(release, (value.size,))

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """What happens to the last of these requests: 'refused: …', 'accepted' or 'answered …'."""
        session = _call("open", self.subject.open, self._value(value), seed, refusable=True)
        for at in requests[:-1]:
            _call("release", session.release, at, refusable=True)
        try:
            answer = np.asarray(session.release(requests[-1]))
            if np.iscomplexobj(answer):
                return "answered a complex number"
            answer = answer.astype(float)
        except Exception as error:
            return f"refused: {describe_error(error)}"
        return "accepted" if np.all(np.isfinite(answer)) else "answered NaN or infinity"

    def run(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        seeds: Sequence[int],
    ) -> list[list[int]]:
        """The bits printed by one run for each seed, unchecked but for being a list of numbers."""
        return [
            bits(_call("run", self.subject.run, list(utilities), list(epsilons), threshold, sensitivity, seed))
            for seed in seeds
        ]

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> NDArray[np.int64]:
        """Halting rounds of many runs, 1-based, 0 for never."""
        answer = _call(
            "run_many", self.subject.run_many, list(utilities), list(epsilons), threshold, sensitivity, runs, seed
        )
        return halting_rounds(answer, runs)

    def run_stopping(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seeds: Sequence[int],
    ) -> list[tuple[Floats, list[int]]]:
        """Private stopping: the releases shown, of shape (n, d), and the bits printed, for each seed."""
        return [
            shown(
                _call(
                    "run",
                    self.subject.run,
                    value.astype(np.float64, copy=True),
                    list(schedule),
                    utility,
                    threshold,
                    utility_sensitivity,
                    seed,
                ),
                value.size,
            )
            for seed in seeds
        ]

    def scalar(self, method: str, arguments: Sequence[float]) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon), one float at a time."""
        function = getattr(self.subject, method)
        answers = np.empty(len(arguments))
        for index, argument in enumerate(arguments):
            answers[index] = numbers(_call(method, function, float(argument)), (1,), f"{method}({argument!r})")[0]
        return answers

    def _value(self, value: Floats) -> NDArray[Any]:
        return value.astype(np.int64) if self.integer else value.astype(np.float64, copy=True)


@dataclass(frozen=True)
class _PythonSession:
    """A session of a Python subject; it needs no end."""

    function: Callable[[float], Any]
    shape: tuple[int, ...]

    def release(self, at: float, first: bool) -> Floats:
        return numbers(_call("release", self.function, at, refusable=first), self.shape, "release()")

    def close(self) -> None:
        pass


def _attribute(subject: Any, name: str) -> Any:
    try:
        return getattr(subject, name, None)
    except Exception as error:
        raise SubjectFailed(f"reading the attribute {name} raised {describe_error(error)}") from error


def _call(name: str, function: Callable[..., Any], *arguments: Any, refusable: bool = False) -> Any:
    try:
        return function(*arguments)
    except ValueError as error:
        if refusable:
            raise SubjectRefused(describe_error(error)) from error
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
