"""The power plan: what a budget can detect, known before anything is sampled.

The audit is rehearsed on the claimed law: a few sessions of each task of the audit are drawn from it and scored by the
very checks of the audit, and count as often as the budget would draw them. What each check then says it would have
caught is the plan. Of the subject nothing is used but its description.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.declaration import CheckKind, Declaration
from nrverify.auditing.core.finding import Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.explain.text import size_text
from nrverify.auditing.mechanisms import mechanism_of
from nrverify.auditing.plan.claimed_law_host import ClaimedLaw
from nrverify.auditing.registry import declarations_for
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.looks import looks
from nrverify.auditing.sampling.work_units import SamplingTask, counts
from nrverify.plain_text import plain
from nrverify.subjects.description import Description

REHEARSED = 64
"""Sessions or runs of each task that are drawn from the claimed law; the rest of its share counts like them."""
PLACES = 4
"""The times of a task move from look to look: in how many places each is rehearsed."""
SEEDS_APART = 2**20
"""More than one task of a rehearsal draws."""
REPEATED_STREAMS = "streams that come again"
"""Into how many requests sessions will fall, and so how few streams would be noticed, is not known beforehand."""


@dataclass(frozen=True)
class Planned:
    """A check, how much it would see, and the smallest fault it would catch; whether that is enough to judge by."""

    id: str
    kind: str
    samples: int | None
    alpha: float | None
    sizes: tuple[Size, ...]
    detectable: str | None
    enough: bool


@dataclass(frozen=True)
class AuditPlan:
    """What an audit with these settings would be able to detect."""

    subject: dict[str, Any]
    alpha: float
    samples: int
    checks: tuple[Planned, ...]
    not_covered: tuple[CheckResult, ...]

    def __post_init__(self) -> None:
        for part in fields(self):
            object.__setattr__(self, part.name, plain(getattr(self, part.name)))

    def document(self) -> dict[str, Any]:
        """The plan as data, `nrverify/plan/1`."""
        return {
            "schema": "nrverify/plan/1",
            "subject": self.subject,
            "alpha": self.alpha,
            "samples": self.samples,
            "checks": [asdict(check) for check in self.checks],
            "not_covered": [{"id": result.id, "why": result.message} for result in self.not_covered],
        }

    def to_json(self) -> str:
        """The plan as one JSON document."""
        import json

        return json.dumps(self.document(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plan(description: Description, settings: Settings, address: str | None = None) -> AuditPlan:
    """The plan of an audit of a subject that describes itself so."""
    said = {name: getattr(description, name) for name in ("name", "version", "mechanism", "knob")}
    subject = {**said, "address": address}
    host = ClaimedLaw(description)
    mechanism = mechanism_of(host, settings)
    found: list[Planned] = []
    not_covered: list[CheckResult] = []
    if mechanism is not None:
        # The rehearsal repeats itself: its bets mean nothing, and their arithmetic may overflow.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = _rehearsed(mechanism, host, settings)
        not_covered = list(mechanism.not_covered)
    for one in declarations_for(description.mechanism):
        if one.weight == 0 and (not settings.only or one.id in settings.only):
            _calculated(one, description, found, not_covered)
    return AuditPlan(subject, settings.alpha, settings.samples, tuple(found), tuple(not_covered))


def _calculated(
    one: Declaration, description: Description, found: list[Planned], not_covered: list[CheckResult]
) -> None:
    """What a check that is judged by calculation would catch, whatever the budget."""
    if (why := one.why_not_covered(description)) is not None:
        not_covered.append(CheckResult(one.id, one.kind, CheckVerdict.NOT_COVERED, message=why))
        return
    sizes = one.cls.foreseen(description)
    found.append(Planned(one.id, one.kind, None, None, sizes, _text(sizes), True))


def _rehearsed(mechanism: Mechanism, host: ClaimedLaw, settings: Settings) -> list[Planned]:
    mechanism.rehearse()
    tasks = _whole_run(mechanism, settings.samples)
    drawn = max(0, settings.samples - mechanism.beside)
    for number, (task, count) in enumerate(zip(tasks, counts(tasks, drawn), strict=True)):
        _rehearse(task, count, Drawer(host.stand_in, settings, number * SEEDS_APART, (number,)))
    found = [_planned(check.conclude(mechanism.level(check)), check.planned) for check in mechanism.checks]
    return [
        *found,
        *(_planned(check.foreseen_after(mechanism.drawn_aside), check.planned) for check in mechanism.aside),
    ]


def _whole_run(mechanism: Mechanism, samples: int) -> list[SamplingTask]:
    """The tasks of a whole run with their share of it, each in some of the places where its times move."""
    shares: dict[int, float] = {}
    places: dict[int, list[SamplingTask]] = {}
    drawn = 0.0
    for number, size in enumerate(looks()):
        look = min(size, samples - drawn)
        tasks = mechanism.tasks(number, int(drawn))
        total = sum(task.weight for task in tasks)
        for index, task in enumerate(tasks):
            shares[index] = shares.get(index, 0.0) + look / samples * task.weight / total
            if number < PLACES:
                places.setdefault(index, []).append(task)
        drawn += look
        if drawn >= samples:
            break
    return [
        replace(task, weight=shares[index] / len(found))
        for index, moved in places.items()
        for found in (_different(moved),)
        for task in found
    ]


def _different(tasks: list[SamplingTask]) -> list[SamplingTask]:
    """All of them where the setting moves; one where it stays."""
    return tasks if any(task.setting != tasks[0].setting for task in tasks) else tasks[:1]


def _rehearse(task: SamplingTask, count: int, drawer: Drawer) -> None:
    """Some of a task, taken in by its checks as often as makes up the count, and once more for the rest."""
    times, rest = divmod(count, REHEARSED)
    for size, repeats in ((REHEARSED, times), (rest, 1)):
        if size == 0 or repeats == 0:
            continue
        scored = tuple(check.empty_copy() for check in task.checks)
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
            double = check.empty_copy()
            double.merge(seen)
            double.merge(seen)
            seen = double


def _planned(result: CheckResult, looked_for: str | None = None) -> Planned:
    detectable = looked_for or result.detectable or _text(result.sizes)
    sizes = () if looked_for else result.sizes
    if result.kind == CheckKind.RANDOMNESS and result.samples:
        sizes, detectable = (), REPEATED_STREAMS
    return Planned(result.id, result.kind, result.samples, result.alpha, sizes, detectable, _enough(result))


def _text(sizes: tuple[Size, ...]) -> str | None:
    return "; ".join(map(size_text, sizes)) or None


def _enough(result: CheckResult) -> bool:
    """By the check's own rule; not by a refutation, which says nothing where the rehearsal repeats itself."""
    return result.enough and result.verdict is not CheckVerdict.INCONCLUSIVE
