"""Looks: how sampling grows, when it stops, and what stopping means for checks left undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings

FIRST_LOOK = 64
GROWTH = 1.25
MOST_LOOKS = 128
"""More than any run has: the last would come after 1e14 samples. A check without bets divides its α over them."""


class Limits(Protocol):
    """What a drawer knows of the limits of the run."""

    @property
    def left(self) -> int:
        """How much may still be drawn."""

    @property
    def out_of_time(self) -> bool:
        """Whether the run has used its budget of time."""


def looks() -> Iterator[float]:
    """The sizes of successive looks: the first of 64, then each a quarter of all before."""
    drawn = 0.0
    while True:
        look = max(drawn * (GROWTH - 1), 1.0) if drawn else float(FIRST_LOOK)
        yield look
        drawn += look


def reason_to_stop(settings: Settings, limits: Limits, refuted: Callable[[], bool]) -> str | None:
    """Why sampling ends after this look; None to go on."""
    if not settings.keep_going and refuted():
        return "refuted"
    if limits.out_of_time:
        return "time"
    return None if limits.left > 0 else "samples"


def conclusions(checks: Sequence[Check], level: float, stopped: str) -> list[CheckResult]:
    """The verdicts of all checks; one left undecided by another's refutation says so."""
    results = [check.conclude(level) for check in checks]
    if stopped not in ("refuted", "errored"):
        return results
    why = "sampling stopped because another check was refuted"
    return [
        replace(result, message=why) if result.verdict is CheckVerdict.INCONCLUSIVE else result for result in results
    ]
