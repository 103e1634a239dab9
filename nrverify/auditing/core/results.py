"""What a check came to, and the report of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from nrverify.auditing.core.pictures import Picture
from nrverify.plain_text import plain_fields

if TYPE_CHECKING:
    from nrverify.auditing.noise_reduction.diagnosis.second_moments import Suspect


class CheckVerdict(StrEnum):
    """The verdict of one check."""

    CONSISTENT = "consistent"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    ERRORED = "errored"
    NOT_COVERED = "not-covered"
    ADVICE = "advice"


@dataclass(frozen=True)
class CheckResult:
    """One check: what was expected, what was observed, and how sure it is."""

    id: str
    kind: str
    verdict: CheckVerdict
    claims: tuple[str, ...] = ()
    samples: int | None = None
    statistic: float | None = None
    p_value: float | None = None
    e_value: float | None = None
    alpha: float | None = None
    detectable: str | None = None
    expected: str | None = None
    observed: str | None = None
    message: str | None = None
    reproduce: str | None = None
    suspect: Suspect | None = None
    """The fault that explains the second moments of the noise: for the words of a refutation, not in the document."""
    where: str | None = None
    """Where a fault of the law is seen, if it is not everywhere: for the same words."""


class Judged(Protocol):
    """A check as its result needs it."""

    id: str
    kind: str
    claims: tuple[str, ...]


def from_bets(
    check: Judged,
    log_e: float,
    alpha: float,
    *,
    samples: int,
    enough: bool,
    statistic: float | None = None,
    **words: Any,
) -> CheckResult:
    """The result of a check that rests on bets: refuted when the wealth reached 1/α, undecided with too few samples."""
    verdict = CheckVerdict.CONSISTENT if enough else CheckVerdict.INCONCLUSIVE
    if log_e >= -math.log(alpha):
        verdict = CheckVerdict.REFUTED
    return CheckResult(
        check.id,
        check.kind,
        verdict,
        check.claims,
        samples=samples,
        statistic=log_e if statistic is None else statistic,
        e_value=math.exp(min(log_e, 700.0)),
        alpha=alpha,
        **words,
    )


@dataclass(frozen=True)
class Report:
    """A whole audit: its verdict, the subject, the run, and every check."""

    verdict: str
    exit_code: int
    subject: dict[str, Any]
    run: dict[str, Any]
    checks: tuple[CheckResult, ...] = field(default=())
    message: str | None = None
    pictures: Mapping[str, tuple[Picture, ...]] = field(default_factory=dict, repr=False, compare=False)
    """What each check saw, by its id: for the page, not part of the document."""
    asked: tuple[str, ...] = ()
    """Where the subject was asked, in words: for people, not part of the document."""

    def __post_init__(self) -> None:
        plain_fields(self)

    def to_json(self) -> str:
        """The report as one JSON document (`nrverify/report/1`)."""
        import json

        return json.dumps(self.document(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def document(self) -> dict[str, Any]:
        """The document behind the JSON report: every field present, null where it does not apply."""
        return {
            "schema": "nrverify/report/1",
            "verdict": self.verdict,
            "message": self.message,
            "subject": self.subject,
            "run": {key: _finite(value) for key, value in self.run.items()},
            "checks": [{key: _finite(getattr(check, key)) for key in FIELDS} for check in self.checks],
        }


FIELDS = (
    *("id", "claims", "kind", "verdict", "samples", "statistic", "p_value", "e_value", "alpha"),
    *("detectable", "expected", "observed", "message", "reproduce"),
)


def _finite(value: Any) -> Any:
    """Non-finite numbers as the strings "nan", "inf", "-inf"."""
    if isinstance(value, float) and value - value != 0:
        return repr(value)
    if isinstance(value, tuple):
        return list(value)
    return value
