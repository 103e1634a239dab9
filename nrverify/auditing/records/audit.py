"""The audit of a `records:` subject: by what was recorded, transcripts or runs of a threshold mechanism."""

from __future__ import annotations

from collections.abc import Callable

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.threshold_runs import RecordedRunsAudit
from nrverify.auditing.records.transcripts import RecordedTranscriptsAudit
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.records.threshold_runs import RecordedRuns

RecordsAudit = RecordedTranscriptsAudit | RecordedRunsAudit


def records_audit(
    file: RecordsFile, settings: Settings, progress: Callable[[int, int], None] | None = None
) -> RecordsAudit:
    """The engine for what the file holds; --budget and --timeout have nothing to limit."""
    if isinstance(file.record, RecordedRuns):
        return RecordedRunsAudit(file.record, settings, progress)
    return RecordedTranscriptsAudit(file.record, settings, progress)
