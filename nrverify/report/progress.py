"""How far a run is: a line on a terminal's standard error, gone when the run is over."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from nrverify.ledger.verdicts import Result, Settled

BAR = 20
"""Columns: 5 % each, and most of the line is left for words."""
BESIDE = BAR + 20
"""Columns of the bar, its name and the time left; the words take what is left of the line."""

SamplesSeen = Callable[[int, int], None]
EvidenceSeen = Callable[[int, int, "Result", "tuple[Settled, ...]"], None]


@contextmanager
def samples_progress(quiet: bool, budget: float = math.inf) -> Iterator[SamplesSeen | None]:
    """For an audit: samples and seconds used of the most there can be; the bar shows whichever ends the run first."""
    with _bar(quiet, "samples") as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None, words="")
        started = time.monotonic()

        def show(drawn: int, total: int) -> None:
            seconds = time.monotonic() - started
            words = f"{drawn:,} of at most {total:,} samples"
            words += f", {seconds:.0f} of {budget:.0f} s" if budget < math.inf else ""
            bar.update(task, completed=share(drawn, total, seconds, budget), total=1.0, words=_cut(bar, words))
            bar.refresh()

        yield show


def share(drawn: int, total: int, seconds: float, budget: float) -> float:
    """How much of a run is over: by its samples or by its time, whichever is further."""
    return min(1.0, max(drawn / max(total, 1), seconds / budget if budget > 0 else 1.0))


@contextmanager
def evidence_progress(quiet: bool) -> Iterator[EvidenceSeen | None]:
    """For a verification: pieces of evidence that ran, and the claims as they are settled, the last with its verdict.

    On one line, since all claims are printed in the end.
    """
    with _bar(quiet, "evidence") as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None, words="")
        claims: list[str] = []

        def show(done: int, total: int, result: Result, settled: tuple[Settled, ...]) -> None:
            claims.extend(f"{item.claim.id} {item.verdict.value}" for item in settled)
            words = f"{done} of {total}, {len(claims)} claims settled, last {claims[-1]}" if claims else result.name
            bar.update(task, completed=done, total=total, words=_cut(bar, words))
            bar.refresh()

        yield show


def _cut(bar: Bar, words: str) -> str:
    room = max(10, bar.console.width - BESIDE)
    return words if len(words) <= room else f"{words[: room - 1]}…"


@contextmanager
def _bar(quiet: bool, what: str) -> Iterator[Bar | None]:
    """A bar that redraws itself only when told: no thread may run while worker processes are forked."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    with Progress(
        TextColumn(what),
        BarColumn(bar_width=BAR),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        TextColumn("{task.fields[words]}", table_column=Column(no_wrap=True)),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        yield bar
