"""Which audit fits a mechanism, or what was recorded of it: one row a room, imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from nrverify.auditing.core.settings import Settings
from nrverify.auditing.registry import ROOMS
from nrverify.auditing.sampling.audit import Mechanism, SampledAudit
from nrverify.auditing.sampling.workers import Workers
from nrverify.subjects.host import Host
from nrverify.subjects.records.file import RecordsFile

SAMPLED = {
    "noise_reduction": "NoiseReductionMechanism",
    "threshold": "ThresholdMechanism",
    "private_stopping": "PrivateStoppingMechanism",
    "claims": "AnyMechanism",
}
"""The class in the module `audit` of a room that says what is sampled."""


OF_NOISE = "noise_reduction"
"""The room of a law of one's own."""


def mechanism_of(host: Host, settings: Settings) -> Mechanism | None:
    """What a subject is asked, by which checks; None for a boundary, which is judged by calculation."""
    room = ROOMS.get(host.description.mechanism, OF_NOISE)
    if room not in SAMPLED:
        return None
    found: Mechanism = getattr(import_module(f"nrverify.auditing.{room}.audit"), SAMPLED[room])(host, settings)
    return found


def audit_of(
    host: Host | RecordsFile, settings: Settings, progress: Callable[[int, int], None] | None, workers: Workers | None
) -> Any:
    """The audit of a host: it has run(), and afterwards says what was drawn, why it stopped and what was seen."""
    if isinstance(host, RecordsFile):
        return import_module("nrverify.auditing.records.audit").records_audit(host, settings, progress)
    mechanism = mechanism_of(host, settings)
    if mechanism is None:
        return import_module("nrverify.auditing.boundary.audit").BoundaryAudit(host, settings, progress)
    return SampledAudit.of_host(mechanism, host, settings, progress, workers)
