"""The times that a subject itself gives for its ε's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nrverify.auditing.core.calculated import of_declared_among
from nrverify.auditing.core.results import CheckResult

CALCULATED, TOLD = "privacy.epsilon", "the times told (time_of)"
"""The check that calculates where times are told, and what from."""


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


def of_own_times(results: Sequence[CheckResult], told: bool) -> list[CheckResult]:
    """The results; where times are `told` and the law is refuted, the claim is not kept by what follows from them."""
    return of_declared_among(results, CALCULATED, TOLD) if told else list(results)
