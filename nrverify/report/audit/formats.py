"""The documents an audit can be written as: one table, from which every command and the pytest plugin take theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nrverify.auditing.core.report import Report
    from nrverify.report.audit.source_location import Location


@dataclass(frozen=True)
class Document:
    """A kind of document: its line in the help, and the fold that makes it of a report."""

    help: str
    fold: Callable[[Report, Location | None], str]


def _json(report: Report, location: Location | None) -> str:
    return report.to_json()


def _junit(report: Report, location: Location | None) -> str:
    from nrverify.report.audit.junit import junit

    return junit(report)


def _sarif(report: Report, location: Location | None) -> str:
    from nrverify.report.audit.sarif import sarif

    return sarif(report, location)


def _html(report: Report, location: Location | None) -> str:
    from nrverify.report.audit.page import audit_html

    return audit_html(report)


DOCUMENTS = {
    "json": Document("The report as data (nrverify/report/2).", _json),
    "junit": Document("The report as JUnit XML.", _junit),
    "sarif": Document("The report as SARIF 2.1.0.", _sarif),
    "html": Document("The report as one page for a browser, with pictures.", _html),
}
"""By the name of the option, which takes a file. What is imported is imported when a document is written."""
