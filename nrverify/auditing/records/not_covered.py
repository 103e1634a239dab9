"""What records alone cannot show: said in the report, so that a verdict on records is not read as more than it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from nrverify.auditing.core.declaration import CheckKind, Declaration
from nrverify.auditing.core.results import CheckResult, CheckVerdict


@dataclass(frozen=True)
class Limit:
    """Something that no check of records can judge, and why."""

    id: str
    kind: CheckKind
    why: str


OF_ALL = (
    Limit(
        "records.selection",
        CheckKind.PROTOCOL,
        "whether sessions were left out, repeated or chosen before they were recorded cannot be seen in the records",
    ),
    Limit(
        "records.other-settings",
        CheckKind.PROTOCOL,
        "nothing is said about other values, dimensions, schedules and noise levels than those recorded",
    ),
    Limit(
        "randomness.repeats",
        CheckKind.RANDOMNESS,
        "records do not show how the implementation uses its seeds",
    ),
)
"""Of every record."""
OF_ADAPTIVE = Limit(
    "records.rule",
    CheckKind.PROTOCOL,
    "that each request and stop depended on earlier releases of its session alone, by one rule for both values, is "
    "taken from the recorder: the releases are judged given what was asked",
)
"""Of sessions that were not on a schedule fixed in advance."""
OF_TRANSCRIPTS = Limit("protocol.refusals", CheckKind.PROTOCOL, "refused requests leave no record")


def limits(known: Iterable[Limit], only: tuple[str, ...]) -> list[CheckResult]:
    """Each as a result of its own, as far as it is asked for."""
    return [
        CheckResult(one.id, one.kind, CheckVerdict.NOT_COVERED, message=one.why)
        for one in known
        if not only or one.id in only
    ]


IN_ANY_ORDER = "the recorded times do not fall in every session: law.any-order judges them, in the order asked"
"""Why a check of falling times saw nothing of a record in any order."""


def as_seen(result: CheckResult, declarations: Mapping[str, Declaration], falling: bool = True) -> CheckResult:
    """A check that saw nothing says so, whatever it concluded from nothing."""
    seen = result.samples and result.verdict is not CheckVerdict.NOT_COVERED
    if seen or result.verdict is CheckVerdict.REFUTED:
        return result
    why = declarations[result.id].not_covered if falling else IN_ANY_ORDER
    return replace(result, verdict=CheckVerdict.NOT_COVERED, sizes=(), message=why)
