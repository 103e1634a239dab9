"""The budget of a run: wall seconds since the subject's first answer, and in a replay the place where they were up."""

from __future__ import annotations

import time
from typing import Any

from nrverify.subjects.host import Host
from nrverify.subjects.replay.exchanges import ExchangeHost

Place = tuple[int, ...]
"""How far the run is, in numbers that do not depend on speed and never fall."""
LATE = 2**31
"""The first number of a place after all looks: what is tried there has time of its own."""


class OutOfTime(Exception):
    """The run has used its budget of time."""


class Clock:
    """Whether the time is up. Once it is, it is; where the run is recorded, the place is left with its host.

    A replay takes another time than the run it replays: it is up at the place that was recorded, and nowhere else.
    """

    def __init__(self, host: Host | Any, budget: float) -> None:
        self._recorded = host if isinstance(host, ExchangeHost) else None
        self._budget = budget
        self._started = time.monotonic()
        self._up = False

    def up(self, place: Place) -> bool:
        """Whether the budget is used up, asked at this place of the run."""
        if self._up:
            return True
        if self._recorded is not None and self._recorded.replays:
            cut = self._recorded.late_cut if place[0] >= LATE else self._recorded.cut
            self._up = cut is not None and place >= cut
        elif time.monotonic() - self._started >= self._budget:
            self._up = True
            if self._recorded is not None and place[0] >= LATE:
                self._recorded.late_cut = place
            elif self._recorded is not None and self._recorded.cut is None:
                self._recorded.cut = place
        return self._up
