"""The power plan: what a budget can detect, known before anything is sampled.

The audit is rehearsed on the claimed law: a few sessions of each design are drawn from it and scored by the very checks
of the audit, and count as often as the budget would draw them. What each check then says it would have caught is the
plan. Of the subject nothing is used but its description.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.plan.tasks import exact_words, foreseen
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.work_units import Task, counts
from nrverify.subjects.description import Description

FEWEST = 1000
WORST = {r"variance off by (\S+) %": 10.0, r"probability .* (?:off by|above) (\S+)": 0.05}
"""Fewer samples, or a coarser sight of a variance (in per cent) or a probability, leave a check inconclusive."""
REHEARSED = 64
"""Sessions or runs of each task that are drawn from the claimed law; the rest of its share counts like them."""


@dataclass(frozen=True)
class Planned:
    """A check, how much it would see, and the smallest fault it would catch; whether that is enough to judge by."""

    id: str
    kind: str
    samples: int | None
    alpha: float | None
    detectable: str | None
    enough: bool


@dataclass(frozen=True)
class Plan:
    """What an audit with these settings would be able to detect."""

    subject: dict[str, Any]
    alpha: float
    samples: int
    checks: tuple[Planned, ...]
    not_covered: tuple[CheckResult, ...]

    def document(self) -> dict[str, Any]:
        """The plan as data, `nrverify/plan/1`."""
        return {
            "schema": "nrverify/plan/1",
            "subject": self.subject,
            "alpha": self.alpha,
            "samples": self.samples,
            "checks": [vars(check) for check in self.checks],
            "not_covered": [{"id": result.id, "why": result.message} for result in self.not_covered],
        }

    def to_json(self) -> str:
        """The plan as one JSON document."""
        import json

        return json.dumps(self.document(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plan(description: Description, settings: Settings, address: str | None = None) -> Plan:
    """The plan of an audit of a subject that describes itself so."""
    fields = ("name", "version", "mechanism", "knob")
    subject = {**{field: getattr(description, field) for field in fields}, "address": address}
    found: list[Planned] = []
    missing: list[CheckResult] = []
    if description.mechanism != "boundary":
        # The rehearsal repeats itself: its bets mean nothing, and their arithmetic may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found, missing = _rehearsed(description, settings)
    if description.mechanism in ("boundary", "private-stopping"):
        only = settings.only
        exact = [pair for pair in exact_words(description) if not only or pair[0] in only]
        found += [Planned(id, "boundary", None, None, words, True) for id, words in exact]
    return Plan(subject, settings.alpha, settings.samples, tuple(found), tuple(missing))


def _rehearsed(description: Description, settings: Settings) -> tuple[list[Planned], list[CheckResult]]:
    host = ClaimedLaw(description)
    work = foreseen(description, host, settings.only, settings.samples)
    drawn = max(0, settings.samples - work.beside)
    for number, (task, count) in enumerate(zip(work.tasks, counts(work.tasks, drawn), strict=True)):
        _rehearse(task, count, Drawer(host, settings, number * 2**20, (number,)))
    level = settings.alpha / work.divided
    return [_planned(check.conclude(level)) for check in work.checks], work.not_covered


def _rehearse(task: Task, count: int, drawer: Drawer) -> None:
    """Some of a task, taken in by its checks as often as makes up the count, and once more for the rest."""
    times, rest = divmod(count, REHEARSED)
    for size, repeats in ((REHEARSED, times), (rest, 1)):
        if size == 0 or repeats == 0:
            continue
        scored = tuple(check.fresh() for check in task.checks)
        task.score(drawer, task.setting, size, scored)
        for check, seen in zip(task.checks, scored, strict=True):
            _merge_often(check, seen, repeats)


def _merge_often(check: Check, seen: Check, repeats: int) -> None:
    """Merges what was seen so many times, by doubling it."""
    while repeats:
        if repeats % 2:
            check.merge(seen)
        repeats //= 2
        if repeats:
            double = check.fresh()
            double.merge(seen)
            double.merge(seen)
            seen = double


def _planned(result: CheckResult) -> Planned:
    # Into how many requests the sessions will fall, and so how few streams would be noticed, is not known beforehand.
    detectable = "streams that come again" if result.id == Streams.id and result.samples else result.detectable
    return Planned(result.id, result.kind, result.samples, result.alpha, detectable, _enough(result))


def _enough(result: CheckResult) -> bool:
    """Whether the check could judge: its verdict in the rehearsal says nothing, for the rehearsal repeats itself."""
    for pattern, worst in WORST.items():
        if (found := re.search(pattern, result.detectable or "")) is not None:
            return (result.samples or 0) >= FEWEST and float(found[1]) <= worst
    return result.kind != "privacy" or (result.samples or 0) >= FEWEST
