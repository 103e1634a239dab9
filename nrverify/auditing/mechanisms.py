"""Which audit fits a mechanism, or what was recorded of it: one row a room, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import ROOMS
from nrverify.auditing.sampling.audit import SampledAudit
from nrverify.auditing.sampling.workers import Crew
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile

SAMPLED = {
    "noise_reduction": "NoiseReductionMechanism",
    "threshold": "ThresholdMechanism",
    "private_stopping": "PrivateStoppingMechanism",
}
"""The class in the module `audit` of a room that says what is sampled."""


def audit_of(
    host: Host | RecordsFile, settings: Settings, progress: Callable[[int, int], None] | None, crew: Crew | None
) -> Any:
    """The audit of a host: it has run(), and afterwards says what was drawn, why it stopped and what was seen."""
    if isinstance(host, RecordsFile):
        return import_module("nrverify.auditing.records.audit").records_audit(host, settings, progress)
    room = ROOMS[host.description.mechanism]
    module = import_module(f"nrverify.auditing.{room}.audit")
    if room not in SAMPLED:
        return module.BoundaryAudit(host, settings, progress)
    return SampledAudit(getattr(module, SAMPLED[room])(host, settings), host, settings, progress, crew)
