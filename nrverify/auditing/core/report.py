"""The report of a run: its verdict, both answers, the subject and every check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from nrverify.auditing.core.document import check_from, finite, row_of
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.plain_text import plain

SCHEMA = "nrverify/report/2"
"""Raised when a field changes its meaning or goes; new fields leave it as it is."""
SCHEMAS = ("nrverify/report/1", SCHEMA)
"""Versions that can be read, so that old reports stay comparable."""
EXIT = {"consistent": 0, "refuted": 1, "errored": 3, "inconclusive": 4}
"""Exit codes by the verdict of a run."""


@dataclass(frozen=True)
class Report:
    """A whole audit: its verdict, the subject, the run, and every check.

    Attributes
    ----------
    verdict
        "consistent", "refuted", "inconclusive" or "errored".
    law, privacy
        The two answers: is the noise what it is said to be, and is the privacy claim kept?
    checks
        Every check, with `id`, `verdict`, `finding` and sentences.
    run
        Seed, α, samples, seconds and versions.

    Examples
    --------
    >>> from nrverify import Report
    >>> subject = {"name": "Mine", "mechanism": "brownian", "knob": "time"}
    >>> report = Report("errored", 3, subject, {"seed": 0}, message="it could not be started")
    >>> report.law, report.message
    ('not-covered', 'it could not be started')
    """

    verdict: str
    exit_code: int
    subject: dict[str, Any]
    run: dict[str, Any]
    checks: tuple[CheckResult, ...] = field(default=())
    message: str | None = None
    plots: Mapping[str, tuple[Plot, ...]] = field(default_factory=dict, repr=False, compare=False)
    """What each check saw, by its id: for the page, not part of the document."""
    asked: tuple[str, ...] = ()
    """The tested range, in words: for people, not part of the document."""

    def __post_init__(self) -> None:
        for part in fields(self):
            object.__setattr__(self, part.name, plain(getattr(self, part.name)))

    @property
    def law(self) -> str:
        """Whether the noise is what it is said to be: the verdict over the checks of the law."""
        return _answer(check for check in self.checks if check.kind == "law")

    @property
    def privacy(self) -> str:
        """Whether what is released keeps the privacy claimed: the verdict over the checks of privacy."""
        claims = [check for check in self.checks if check.kind == "privacy"]
        claimed = self.subject.get("knob") == "epsilon" or any(
            c.verdict is not CheckVerdict.NOT_COVERED for c in claims
        )
        if self.subject.get("numerics") == "exact" and claimed:
            # Then what is claimed is claimed of the releases to their last bits.
            claims += [check for check in self.checks if check.kind == "numerics"]
        return _answer(claims)

    def to_json(self) -> str:
        """The report as one JSON document (`nrverify/report/2`)."""
        return json.dumps(self.document(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def document(self) -> dict[str, Any]:
        """The document behind the JSON report: every field present, null where it does not apply."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "law": self.law,
            "privacy": self.privacy,
            "message": self.message,
            "subject": self.subject,
            "run": {key: finite(value) for key, value in self.run.items()},
            "checks": [row_of(check) for check in self.checks],
        }


def report_from(found: dict[str, Any]) -> Report:
    """The report whose document this is, of either version."""
    if found.get("schema") not in SCHEMAS:
        raise ValueError(f"schema is {found.get('schema')!r:.60}: it must be one of {', '.join(SCHEMAS)}")
    code = EXIT[found["verdict"]]
    for name, kind, words in (("subject", dict, "an object"), ("run", dict, "an object"), ("checks", list, "a list")):
        if not isinstance(found[name], kind):
            raise ValueError(f"{name} is {found[name]!r:.60}: it must be {words}")
    return Report(
        found["verdict"],
        code,
        found["subject"],
        found["run"],
        tuple(check_from(row) for row in found["checks"]),
        found["message"],
    )


def _answer(checks: Iterable[CheckResult]) -> str:
    """Refuted if any is, else consistent if any is, else inconclusive if any is, else not covered."""
    verdicts = {check.verdict for check in checks}
    order = (CheckVerdict.REFUTED, CheckVerdict.CONSISTENT, CheckVerdict.INCONCLUSIVE)
    return next((verdict.value for verdict in order if verdict in verdicts), CheckVerdict.NOT_COVERED.value)
