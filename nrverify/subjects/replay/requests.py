"""Exchanges: a request to a subject as a name and a digest, its answer as numbers or words, and hosts made of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.description import Description
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.policies import Play
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]

METHODS = ("sample", "play", "refusal", "run", "run_many", "run_stopping", "scalar")
"""The requests of a host."""


@dataclass(frozen=True)
class Exchange:
    """What a request came to: an answer, or words of a refusal or a failure; and the seconds the subject took."""

    outcome: str
    answer: Any
    seconds: float

    def result(self) -> Any:
        """The answer, or the exception the host raised."""
        if self.outcome == "refused":
            raise SubjectRefused(self.answer)
        if self.outcome == "failed":
            raise SubjectFailed(self.answer)
        return self.answer


def digest(method: str, arguments: tuple[Any, ...]) -> str:
    """The same for the same request, in any session on any machine."""
    words = json.dumps([method, *map(_plain, arguments)], separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()[:32]


def _plain(argument: Any) -> Any:
    """An argument as JSON: arrays and tuples as lists, plays and utilities by their fields."""
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


class ExchangeHost:
    """A host that leaves every request to one function; its seconds are those of the exchanges."""

    def __init__(
        self,
        description: Description,
        timeout: float,
        exchange: Callable[[str, tuple[Any, ...]], Exchange],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.description = description
        self.timeout = timeout
        self.seconds = 0.0
        self.exchanges = 0
        """How many there were."""
        self.replays = False
        """Whether the answers are those of a record."""
        self.cut: tuple[int, ...] | None = None
        """The place of the run where its time was up, if it was."""
        self._exchange = exchange
        self._close = close

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Whole transcripts at once, shape (sessions, len(schedule), d)."""
        answer: Floats = self._ask("sample", value, schedule, sessions, seed)
        return answer

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions: their releases (NaN after the end) and what was asked."""
        answer: tuple[Floats, Floats] = self._ask("play", value, play, seeds)
        return answer

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """What happens to the last of these requests in a session of its own."""
        answer: str = self._ask("refusal", value, requests, seed)
        return answer

    def run(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        seeds: Sequence[int],
    ) -> list[list[int]]:
        """The bits printed by one run for each seed."""
        answer: list[list[int]] = self._ask("run", utilities, epsilons, threshold, sensitivity, seeds)
        return answer

    def run_many(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        runs: int,
        seed: int,
    ) -> NDArray[np.int64]:
        """Halting rounds of many runs."""
        answer: NDArray[np.int64] = self._ask("run_many", utilities, epsilons, threshold, sensitivity, runs, seed)
        return answer

    def run_stopping(
        self,
        value: Floats,
        schedule: Sequence[float],
        utility: Utility,
        threshold: float,
        utility_sensitivity: float,
        seeds: Sequence[int],
    ) -> list[tuple[Floats, list[int]]]:
        """Private stopping: the releases shown and the bits printed, for each seed."""
        answer: list[tuple[Floats, list[int]]] = self._ask(
            "run_stopping", value, schedule, utility, threshold, utility_sensitivity, seeds
        )
        return answer

    def scalar(self, method: str, arguments: Sequence[float]) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon) at each argument."""
        answer: Floats = self._ask("scalar", method, arguments)
        return answer

    def close(self) -> None:
        """Closes what lies behind."""
        self._close()

    def _ask(self, method: str, *arguments: Any) -> Any:
        found = self._exchange(method, arguments)
        self.seconds += found.seconds
        self.exchanges += 1
        return found.result()
