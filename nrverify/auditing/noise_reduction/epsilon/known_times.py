"""The times that a subject itself gives for its ε's."""

from __future__ import annotations

from collections.abc import Mapping


class KnownTimes:
    """By ε. Merging is a union and not a sum: every worker is told the same time for the same ε."""

    def __init__(self) -> None:
        self.known: dict[float, float] = {}

    def add(self, times: Mapping[float, float]) -> None:
        """Takes in times by ε."""
        self.known.update(times)

    def empty_copy(self) -> KnownTimes:
        """None yet."""
        return KnownTimes()

    def merge(self, other: KnownTimes) -> None:
        """Those of another, too."""
        self.add(other.known)
