"""What a check came to, and the report of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True)
class Report:
    """A whole audit: its verdict, the subject, the run, and every check."""

    verdict: str
    exit_code: int
    subject: dict[str, Any]
    run: dict[str, Any]
    checks: tuple[CheckResult, ...] = field(default=())
    message: str | None = None

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
