"""Looks: how sampling grows, and when it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from nrverify.auditing.core.plots.data import PlotCollector
from nrverify.auditing.core.settings import Settings

FIRST_LOOK = 64
"""Small, so that a gross fault is refuted after a few sessions; smaller looks would cost more in overhead than they
save."""
LEAST_LOOK = 16
"""A look costs as much as some dozen sessions, and what consecutive sessions have in common is seen only where several
are drawn together."""
GROWTH, FINE_UNTIL, LATER_GROWTH = 1.1, 100_000, 1.25
"""Until so much was drawn a refutation comes at most a tenth later than it could, then at most a quarter: 200,000
samples take 80 looks."""
MOST_LOOKS = 128
"""More than any run has: the last would come after 1e10 samples. A check without bets divides its α over them."""


class Limits(Protocol):
    """What a source of samples knows of the limits of the run."""

    @property
    def drawn(self) -> int:
        """How much was drawn."""

    @property
    def left(self) -> int:
        """How much may still be drawn."""

    @property
    def out_of_time(self) -> bool:
        """Whether the run has used its budget of time."""


def looks() -> Iterator[float]:
    """The sizes of successive looks: the first of 64, then each a tenth of all before, or a quarter after many.

    >>> from itertools import accumulate, islice
    >>> [round(drawn) for drawn in islice(accumulate(looks()), 10)]
    [64, 80, 96, 112, 128, 144, 160, 176, 194, 213]
    """
    drawn = 0.0
    while True:
        growth = GROWTH if drawn < FINE_UNTIL else LATER_GROWTH
        look = max(drawn * (growth - 1), LEAST_LOOK) if drawn else float(FIRST_LOOK)
        yield look
        drawn += look


def reason_to_stop(settings: Settings, limits: Limits, refuted: Callable[[], bool]) -> str | None:
    """Why sampling ends after this look; None to go on."""
    if not settings.keep_going and refuted():
        return "refuted"
    if limits.out_of_time:
        return "time"
    return None if limits.left > 0 else "samples"


def look_by_look(
    settings: Settings,
    limits: Limits,
    gallery: PlotCollector,
    draw: Callable[[int, int], Iterable[object]],
    refuted: Callable[[], bool],
) -> str:
    """Looks until something is refuted or a limit is reached, and which.

    `draw` takes the number of the look and its size, and gives the checks that saw it.
    """
    for number, look in enumerate(looks()):
        gallery.look(draw(number, int(look)), limits.drawn)
        if (reason := reason_to_stop(settings, limits, refuted)) is not None:
            return reason
    raise AssertionError("looks never end")
