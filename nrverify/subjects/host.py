"""What a host is: the subject as the engines see it, whatever language it is written in and however it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.description import Description
from nrverify.subjects.policies import Play
from nrverify.subjects.stopping_utilities import Utility

Floats = NDArray[np.float64]


class Host(Protocol):
    """Requests to a subject, each under a time limit; counts the time the subject took.

    Every request may raise `SubjectFailed`; `SubjectRefused` only where a setting may be refused: at the first release
    of a session, and by `sample`.
    """

    description: Description
    timeout: float
    seconds: float

    def sample(self, value: Floats, schedule: Sequence[float], sessions: int, seed: int) -> Floats:
        """Whole transcripts at once, shape (sessions, len(schedule), d)."""

    def play(self, value: Floats, play: Play, seeds: Sequence[int]) -> tuple[Floats, Floats]:
        """Sessions: their releases (NaN after the end) and what was asked."""

    def refusal(self, value: Floats, requests: Sequence[float], seed: int) -> str:
        """What happens to the last of these requests in a session of its own."""

    def run(
        self,
        utilities: Sequence[float],
        epsilons: Sequence[float],
        threshold: float,
        sensitivity: float,
        seeds: Sequence[int],
    ) -> list[list[int]]:
        """The bits printed by one run for each seed."""

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

    def scalar(self, method: str, arguments: Sequence[float]) -> Floats:
        """epsilon(time), time(epsilon) or time_of(epsilon) at each argument."""

    def close(self) -> None:
        """Ends the subject and everything it started."""
