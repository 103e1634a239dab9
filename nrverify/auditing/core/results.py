"""What a check came to."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.finding import Finding, Size


class CheckVerdict(StrEnum):
    """The verdict of one check."""

    CONSISTENT = "consistent"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    ERRORED = "errored"
    NOT_COVERED = "not-covered"
    ADVICE = "advice"


@dataclass(frozen=True)
class Explanation:
    """A refutation in sentences, part by part; reports only arrange them."""

    statement: str
    """What was claimed."""
    seen: str
    """What was expected and observed, and where."""
    evidence: str
    cause: str
    effect: str
    follows: str | None = None
    """The check whose refutation explains this one."""

    @property
    def lines(self) -> tuple[str, ...]:
        """All parts in the order of reading."""
        return (self.statement, self.seen, self.evidence, self.cause, self.effect)


@dataclass(frozen=True)
class CheckResult:
    """One check: its verdict, what it found and what it would have found as data, and the sentences made of them."""

    id: str
    kind: str
    verdict: CheckVerdict
    claims: tuple[str, ...] = ()
    samples: int | None = None
    statistic: float | None = None
    p_value: float | None = None
    e_value: float | None = None
    alpha: float | None = None
    finding: Finding | None = None
    sizes: tuple[Size, ...] = ()
    """The smallest faults that would have been refuted."""
    decisive: bool = False
    """Whether a run is inconclusive when every check so marked is."""
    form: str = field(default="", compare=False)
    """The class that concluded it, where a check has several forms with sentences of their own."""
    enough: bool = True
    """Whether so much was seen that not refuting says something; a plan tells by it what a budget is worth."""
    gap: bool = field(default=True, compare=False)
    """Whether something stays unexamined where it is not covered; where not, tables for people leave it out."""
    # What follows is text, made at the end of a run by `explain`; nothing reads it but reports.
    detectable: str | None = None
    expected: str | None = None
    observed: str | None = None
    message: str | None = None
    reproduce: str | None = None
    explanation: Explanation | None = None

    @property
    def effect(self) -> Effect | None:
        """What a refutation means for privacy."""
        if self.verdict is not CheckVerdict.REFUTED or self.finding is None:
            return None
        if self.kind == "privacy":
            return Effect.LEAK
        return self.finding.effect or (self.finding.fault.effect if self.finding.fault else Effect.UNPROVED)


class Judged(Protocol):
    """A check as its result needs it."""

    id: ClassVar[str]
    kind: ClassVar[str]
    claims: ClassVar[tuple[str, ...]]


def concluded(check: Judged, verdict: CheckVerdict, **fields: Any) -> CheckResult:
    """The result of a check with this verdict."""
    declaration = getattr(check, "declaration", None)
    decisive = declaration is not None and declaration.decisive
    if declaration is not None and declaration.expected:
        # That of this form: other forms of the same check may expect something else.
        fields.setdefault("expected", declaration.expected)
    form = type(check).__name__
    return CheckResult(check.id, check.kind, verdict, check.claims, decisive=decisive, form=form, **fields)


def from_bets(
    check: Judged,
    log_e: float,
    alpha: float,
    *,
    samples: int,
    enough: bool,
    statistic: float | None = None,
    **fields: Any,
) -> CheckResult:
    """The result of a check that rests on bets: refuted when the wealth reached 1/α, undecided with too few samples."""
    verdict = CheckVerdict.CONSISTENT if enough else CheckVerdict.INCONCLUSIVE
    if log_e >= -math.log(alpha):
        verdict = CheckVerdict.REFUTED
    return concluded(
        check,
        verdict,
        samples=samples,
        statistic=log_e if statistic is None else statistic,
        e_value=math.exp(min(log_e, 700.0)),
        alpha=alpha,
        enough=enough,
        **fields,
    )
