"""The audit of a `records:` subject: by what was recorded, transcripts or runs of a threshold mechanism."""

from __future__ import annotations

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.records.any_outputs import RecordedOutputsMechanism
from nrverify.auditing.records.random_order import RecordedOrder
from nrverify.auditing.records.threshold_runs import RecordedRunsMechanism
from nrverify.auditing.records.transcripts import RecordedTranscriptsMechanism
from nrverify.auditing.sampling.audit import SampledAudit
from nrverify.auditing.sampling.sampler import Progress
from nrverify.subjects.records.file import RecordsFile
from nrverify.subjects.records.outputs import RecordedOutputs
from nrverify.subjects.records.threshold_runs import RecordedRuns


def records_audit(file: RecordsFile, settings: Settings, progress: Progress | None = None) -> SampledAudit:
    """The audit of what the file holds; --budget and --timeout have nothing to limit."""
    record = file.record
    if isinstance(record, RecordedRuns):
        runs = (len(record.rounds_neighbour), len(record.rounds))
        return SampledAudit(RecordedRunsMechanism(record, settings), RecordedOrder(runs, settings, progress))
    if isinstance(record, RecordedOutputs):
        sides = (len(record.neighbour.outputs), len(record.value.outputs))
        mechanism = RecordedOutputsMechanism(record, file.description, settings)
        return SampledAudit(mechanism, RecordedOrder(sides, settings, progress))
    sessions = (record.neighbour.sessions, record.value.sessions)
    return SampledAudit(RecordedTranscriptsMechanism(record, settings), RecordedOrder(sessions, settings, progress))
