"""Calls on a loaded subject, exactly as the contract writes them, with their answers made into arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.address import describe_error
from nrverify.subjects.description import METHODS, OPTIONAL, Description, describe
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.plays import Play
from nrverify.subjects.utilities import Utility

Floats = NDArray[np.float64]

ATTRIBUTES = (
    *("name", "version", "mechanism", "knob", "sensitivity", "delta"),
    *("rate", "process", "range", "dimensions", "interval"),
)


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
        self.integer = self.description.mechanism == "skellam"

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
        return _array(answer, (sessions, len(schedule), value.size), "sample()")

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions, two open at a time and taking turns: their releases (NaN after the end) and what was asked."""
        releases = np.full((len(seeds), play.length, value.size), np.nan)
        asked = np.full((len(seeds), play.length), np.nan)
        for first in range(0, len(seeds), 2):
            rows = range(first, min(first + 2, len(seeds)))
            turns = [self._session(value, play, seeds[row], releases[row], asked[row]) for row in rows]
            while turns:
                turns = [turn for turn in turns if next(turn, None) is not None]
        return releases, asked

    def _session(self, value: Floats, play: Play, seed: int, releases: Floats, asked: Floats) -> Iterator[float]:
        """One session, a release a turn, written into its row."""
        session = _call("open", self.subject.open, self._value(value), seed, refusable=True)
        release = getattr(session, "release", None)
        if not callable(release):
            raise SubjectFailed(f"open() returned {type(session).__name__}, which has no method release")
        history: list[Floats] = []
        requests: list[float] = []
        shape = (value.size,)
        while (at := play.next_at(requests, history)) is not None:
            column = len(requests)
            releases[column] = _array(_call("release", release, at, refusable=not requests), shape, "release()")
            asked[column] = at
            requests.append(at)
            history.append(releases[column])
            yield at

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """What happens to the last of these requests: 'refused: …', 'accepted' or 'answered NaN'."""
        session = _call("open", self.subject.open, self._value(value), seed, refusable=True)
        for at in requests[:-1]:
            _call("release", session.release, at, refusable=True)
        try:
            answer = np.asarray(session.release(requests[-1]), dtype=float)
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
            _bits(_call("run", self.subject.run, list(utilities), list(epsilons), threshold, sensitivity, seed))
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
        rounds = _array(answer, (runs,), "run_many()")
        if not np.all(rounds == np.round(rounds)):
            raise SubjectFailed("run_many() must return whole numbers (halting rounds, 0 for never)")
        return rounds.astype(np.int64)

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
            _shown(
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
            answers[index] = _array(_call(method, function, float(argument)), (1,), f"{method}({argument!r})")[0]
        return answers

    def _value(self, value: Floats) -> NDArray[Any]:
        return value.astype(np.int64) if self.integer else value.astype(np.float64, copy=True)


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
        raise SubjectFailed(f"{name}() raised {describe_error(error)} for a valid request") from error
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise SubjectFailed(f"{name}() raised {describe_error(error)} for a valid request") from error


def _array(answer: Any, shape: tuple[int, ...], what: str) -> Floats:
    """The answer as floats of that shape (a scalar where one number is wanted)."""
    try:
        array = np.asarray(answer)
    except Exception as error:
        raise SubjectFailed(f"{what} returned no array of numbers of shape {shape}: {describe_error(error)}") from error
    if array.dtype.kind not in "iufb":
        raise SubjectFailed(
            f"{what} returned {type(answer).__name__} of {array.dtype}: numbers of shape {shape} are needed"
        )
    if array.shape == shape:
        return array.astype(np.float64, copy=False)
    if array.shape == () and shape == (1,):
        return array.astype(np.float64).reshape(1)
    raise SubjectFailed(f"{what} returned shape {array.shape}: shape {shape} is needed")


def _shown(answer: Any, d: int) -> tuple[Floats, list[int]]:
    """(releases, bits) of a private stopping run; a scalar release does where d = 1."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise SubjectFailed(f"run() returned {type(answer).__name__}: the pair (releases, bits) is needed")
    bits = _bits(answer[1])
    array = np.asarray(answer[0])
    if array.ndim == 1 and d == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != d or array.dtype.kind not in "iuf":
        raise SubjectFailed(f"run() returned releases of shape {array.shape}: shape (rounds, {d}) is needed")
    return array.astype(np.float64, copy=False), bits


def _bits(answer: Any) -> list[int]:
    array = np.asarray(answer)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iufb"):
        raise SubjectFailed(f"run() returned {answer!r:.100}: a list of bits such as [0, 0, 1] is needed")
    if array.dtype.kind == "f" and not np.all(array == np.round(array)):
        raise SubjectFailed(f"run() returned {answer!r:.100}: bits must be 0 or 1")
    return [int(bit) for bit in array]
