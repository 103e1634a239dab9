"""Policies: how a session is asked for its releases, on a fixed schedule or adaptively, with or without stopping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.errors import ReleaseRefused, SubjectRefused

Floats = NDArray[np.float64]


class Policy(Protocol):
    """A program of the history: the next request (a time or an ε), or None to stop."""

    @property
    def length(self) -> int:
        """The most releases a session by this policy has."""

    def next_at(self, asked: Sequence[float], releases: Sequence[Floats]) -> float | None:
        """What to ask for after these requests and releases."""


@dataclass(frozen=True)
class Fixed:
    """The same schedule whatever is released."""

    schedule: tuple[float, ...]

    @property
    def length(self) -> int:
        """How many releases."""
        return len(self.schedule)

    @property
    def words(self) -> str:
        """From where to where it asks."""
        return f"{self.schedule[0]:.3g} to {self.schedule[-1]:.3g}"

    def next_at(self, asked: Sequence[float], releases: Sequence[Floats]) -> float | None:
        """The next entry of the schedule."""
        return self.schedule[len(asked)] if len(asked) < len(self.schedule) else None


@dataclass(frozen=True)
class Follow:
    """Moves by one of two factors as the last release rose or fell, and stops when it came close to the one before.

    `fast` and `slow` multiply the last request (below 1 for times, above 1 for ε); the first step is slow.
    """

    start: float
    end: float
    fast: float
    slow: float
    length: int
    close: float
    """Stops when two releases differ by less than this in the first coordinate; 0 never stops."""

    @property
    def words(self) -> str:
        """From where to where it asks."""
        return f"{self.start:.3g} to {self.end:.3g}"

    def next_at(self, asked: Sequence[float], releases: Sequence[Floats]) -> float | None:
        """The next request; it depends on the releases alone, as an analyst's may."""
        if not asked:
            return self.start
        if len(asked) == self.length or asked[-1] == self.end:
            return None
        if len(asked) == 1:
            return self._toward(asked[-1] * self.slow)
        change = float(releases[-1][0]) - float(releases[-2][0])
        if abs(change) < self.close:
            return None
        return self._toward(asked[-1] * (self.fast if change > 0 else self.slow))

    def _toward(self, at: float) -> float:
        return max(at, self.end) if self.end < self.start else min(at, self.end)


@dataclass(frozen=True)
class Roam:
    """Asks for times in any order: between, above or below those asked before, by what was released.

    After a release that rose above the one before it looks for the widest gap among larger times, else among smaller
    ones, and asks at a share of the gap. The last request is the first again.
    """

    low: float
    high: float
    length: int
    share: float
    """Where in a gap it asks, from the smaller end, evenly in logarithms."""

    @property
    def words(self) -> str:
        """From where to where it asks."""
        return f"{self.low:.3g} to {self.high:.3g} in any order"

    def next_at(self, asked: Sequence[float], releases: Sequence[Floats]) -> float | None:
        """The next request; it depends on the releases alone, as an analyst's may."""
        if not asked:
            return self._within(self.low, self.high)
        if len(asked) >= self.length:
            return None
        if len(asked) == self.length - 1 and self.length > SHORTEST_RETURN:
            return asked[0]
        rose = len(releases) > 1 and float(releases[-1][0]) > float(releases[-2][0])
        ends = sorted({self.low, *asked, self.high})
        gaps = [(low, high) for low, high in pairwise(ends) if (low >= asked[-1]) == rose]
        gaps = gaps or list(pairwise(ends))
        return self._within(*max(gaps, key=lambda gap: gap[1] / gap[0]))

    def _within(self, low: float, high: float) -> float:
        return float(low * (high / low) ** self.share)


SHORTEST_RETURN = 3
"""Sessions of more releases end with the first request again."""


def shrunk(policy: Fixed | Follow | Roam, low: float, high: float) -> Fixed | Follow | Roam:
    """The same policy with its requests moved into [low, high]."""
    if isinstance(policy, Roam):
        return replace(policy, low=min(max(policy.low, low), high), high=min(max(policy.high, low), high))
    if isinstance(policy, Fixed):
        return Fixed(tuple(min(max(at, low), high) for at in policy.schedule))
    return replace(policy, start=min(max(policy.start, low), high), end=min(max(policy.end, low), high))


class Session(Protocol):
    """One run of a subject's mechanism."""

    def release(self, at: float, first: bool) -> Floats:
        """The next release, of shape (d,).

        `SubjectRefused` where the first is refused, `ReleaseRefused` where a later one is.
        """

    def close(self) -> None:
        """Nothing more will be asked."""


def take_turns(
    open_session: Callable[[int], Session], dimension: int, policy: Policy, sessions: int, together: int
) -> tuple[Floats, Floats]:
    """Sessions by number, some open together and taking turns: their releases (NaN after the end), what was asked."""
    releases = np.full((sessions, policy.length, dimension), np.nan)
    asked = np.full((sessions, policy.length), np.nan)
    for first in range(0, sessions, together):
        rows = range(first, min(first + together, sessions))
        turns = [_turns(open_session, policy, row, releases[row], asked[row]) for row in rows]
        while turns:
            turns = [turn for turn in turns if next(turn, None) is not None]
    return releases, asked


def _turns(
    open_session: Callable[[int], Session], policy: Policy, number: int, releases: Floats, asked: Floats
) -> Iterator[float]:
    """One session, a release a turn, written into its row."""
    session = open_session(number)
    history: list[Floats] = []
    requests: list[float] = []
    while (at := policy.next_at(requests, history)) is not None:
        column = len(requests)
        releases[column] = _released(session, requests, at)
        asked[column] = at
        requests.append(at)
        history.append(releases[column])
        yield at
    session.close()


def _released(session: Session, requests: Sequence[float], at: float) -> Floats:
    """The next release; refusing the same time again is refusing a setting, and not the end of the session."""
    try:
        return session.release(at, first=not requests)
    except ReleaseRefused as refusal:
        if at in requests:
            raise SubjectRefused(refusal) from refusal
        raise
