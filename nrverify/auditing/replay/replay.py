"""`nrverify replay FILE`: the verdict of a recorded audit, recomputed without the subject."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from nrverify.auditing.core.report import Report
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.replay.recorder import summary
from nrverify.auditing.run import audit_host
from nrverify.subjects.replay.host import DoesNotFit, Recording, read_recording

DIGITS = 1e-9
"""Evidence is the same to so many digits on another machine, whose mathematical functions round differently."""


@dataclass(frozen=True)
class Replayed:
    """A verdict recomputed, and in what it differs from the recorded one."""

    report: Report
    recorded: str
    """The recorded verdict."""
    differences: tuple[str, ...]
    """Empty when verdict, checks and evidence are the same."""


def replay(file: str | os.PathLike[str], progress: Callable[[int, int], None] | None = None) -> Replayed:
    """Recomputes the verdict of a recorded audit with the code at hand; `ValueError` when the record does not fit."""
    recording = read_recording(Path(file))
    settings = _settings(recording.header["settings"])
    address = recording.header.get("address")
    recorded = recording.header["report"]
    if not (address is None or isinstance(address, str)) or not _is_summary(recorded):
        raise DoesNotFit(f"{file}: its header does not say what was audited, or what came of it")
    report = audit_host(recording.host(), address, settings, time.monotonic(), progress)
    return Replayed(report, recorded["verdict"], _differences(report, recording))


def _is_summary(found: dict[str, Any]) -> bool:
    checks = found.get("checks")
    return (
        isinstance(found.get("verdict"), str)
        and isinstance(checks, list)
        and all(isinstance(check, dict) and isinstance(check.get("id"), str) for check in checks)
    )


def _settings(found: dict[str, Any]) -> Settings:
    kinds: dict[str, tuple[type, ...]] = {"samples": (int,), "seed": (int,), "keep_going": (bool,), "only": (list,)}
    kinds["numerics"] = (str, type(None))
    kinds["claim"] = (list, type(None))
    found = {"numerics": None, "claim": None, **found}  # records of version 0.1 say nothing of them
    if set(found) != {field.name for field in fields(Settings)} or not all(
        type(value) in kinds.get(name, (int, float)) for name, value in found.items()
    ):
        raise DoesNotFit("the settings in its header are not those of an audit")
    if not all(isinstance(name, str) for name in found["only"]):
        raise DoesNotFit("the checks in its header are not names")
    claim = found["claim"]
    if claim is not None and (len(claim) != 2 or not all(type(part) in (int, float) for part in claim)):
        raise DoesNotFit("the claim in its header is not an ε and a δ")
    return Settings(**{**found, "only": tuple(found["only"]), "claim": None if claim is None else tuple(claim)})


def _differences(report: Report, recording: Recording) -> tuple[str, ...]:
    recorded, found = recording.header["report"], summary(report)
    words = []
    if recorded["verdict"] != found["verdict"]:
        words.append(f"the verdict was {recorded['verdict']}, and is {found['verdict']}")
    before = {check["id"]: check for check in recorded["checks"]}
    after = {check["id"]: check for check in found["checks"]}
    for id in [*before, *(id for id in after if id not in before)]:
        old, new = before.get(id, {}), after.get(id, {})
        if old.get("verdict") != new.get("verdict"):
            words.append(f"{id} was {old.get('verdict', 'not there')}, and is {new.get('verdict', 'not there')}")
        elif not all(_same(old.get(key), new.get(key)) for key in ("e_value", "p_value")):
            words.append(f"{id} has other evidence")
    if words and recording.asked < recording.requests:
        words.append(f"it used {recording.asked} of {recording.requests} recorded requests")
    return tuple(words)


def _same(old: Any, new: Any) -> bool:
    if type(old) in (int, float) and type(new) in (int, float):
        return math.isclose(old, new, rel_tol=DIGITS)
    return bool(old == new)
