"""Looks: how sampling grows, and when it stops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from nrverify.auditing.core.plots.data import PlotCollector
from nrverify.auditing.core.settings import Settings

FIRST_LOOK = 64
"""Small, so that a gross fault is refuted after a few sessions; smaller looks would cost more in overhead than they
save."""
GROWTH = 1.25
"""A refutation comes at most a quarter later than it could, and 200,000 samples take fewer than 40 looks."""
FINE_GROWTH, FINE_UNTIL = 1.1, 100_000
"""Where everything is judged by bets that learn between looks, looks are smaller until so much was drawn: a claim is
refuted a tenth earlier, and what was learned is used sooner."""
MOST_LOOKS = 128
"""More than any run has: the last would come after 1e14 samples, with fine looks after 9e9. A check without bets
divides its α over them."""


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


def looks(fine: bool = False) -> Iterator[float]:
    """The sizes of successive looks: the first of 64, then each a quarter of all before; of fine ones at first a tenth.

    >>> from itertools import accumulate, islice
    >>> [round(drawn) for drawn in islice(accumulate(looks()), 4)], [round(one) for one in islice(looks(fine=True), 3)]
    ([64, 80, 100, 125], [64, 6, 7])
    """
    drawn = 0.0
    while True:
        growth = FINE_GROWTH if fine and drawn < FINE_UNTIL else GROWTH
        look = max(drawn * (growth - 1), 1.0) if drawn else float(FIRST_LOOK)
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
    fine: bool = False,
) -> str:
    """Looks until something is refuted or a limit is reached, and which.

    `draw` takes the number of the look and its size, and gives the checks that saw it.
    """
    for number, look in enumerate(looks(fine)):
        gallery.look(draw(number, int(look)), limits.drawn)
        if (reason := reason_to_stop(settings, limits, refuted)) is not None:
            return reason
    raise AssertionError("looks never end")
