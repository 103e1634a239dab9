"""What is asked of a subject, known from its mechanism and knob alone, before anything runs."""

from __future__ import annotations

from typing import Any

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.subjects.description import MECHANISMS, NOISE_REDUCTION, THRESHOLD, Description
from nrverify.subjects.noise_families import FAMILIES


def asked_of(subject: Any, timeout: float) -> tuple[str, ...]:
    """The checks of a subject; it is started only where its class does not say what mechanism it is.

    `SubjectFailed` where it cannot be started or describes itself wrongly.
    """
    mechanism, knob = _read(subject, "mechanism"), _read(subject, "knob")
    if mechanism not in MECHANISMS or knob not in (None, "time", "epsilon"):
        from nrverify.auditing.audit import description_of

        description = description_of(subject, timeout)
        mechanism, knob = description.mechanism, description.knob
    return check_ids(mechanism, knob or "time")


def check_ids(mechanism: str, knob: str) -> tuple[str, ...]:
    """The checks that a subject with this mechanism and knob may be asked, in the order of their report."""
    if mechanism in THRESHOLD:
        from nrverify.auditing.threshold.audit import IDS as THRESHOLD_IDS

        return THRESHOLD_IDS
    if mechanism in NOISE_REDUCTION:
        from nrverify.auditing.noise_reduction.applicable_checks import IDS as NOISE_IDS

        never = _never(mechanism, knob)
        return tuple(id for id in NOISE_IDS if id not in never)
    from nrverify.auditing.boundary.audit import IDS as BOUNDARY_IDS

    if mechanism == "boundary":
        return BOUNDARY_IDS
    from nrverify.auditing.private_stopping.audit import IDS as STOPPING_IDS

    return (*STOPPING_IDS, *BOUNDARY_IDS)


def unasked(description: Description, only: tuple[str, ...]) -> list[CheckResult]:
    """Checks that were asked for by name, and are for other subjects than this."""
    asked = check_ids(description.mechanism, description.knob or "time")
    knob = f" and knob {description.knob!r}" if description.mechanism in NOISE_REDUCTION else ""
    why = f"it is not for subjects with mechanism {description.mechanism!r}{knob}"
    others = dict.fromkeys(id for id in only if id not in asked)
    return [CheckResult(id, "law", CheckVerdict.NOT_COVERED, message=why) for id in others]


def _never(mechanism: str, knob: str) -> set[str]:
    """Checks that have no meaning for this mechanism and knob."""
    never = {"law.increments", "privacy.epsilon"} if knob == "time" else set()
    if FAMILIES[mechanism].integer:
        never.add("ties")
    return never


def _read(subject: Any, name: str) -> str | None:
    """An attribute as far as it can be read without making the subject; an address has none."""
    try:
        value = None if isinstance(subject, str) else getattr(subject, name, None)
    except Exception:
        return None
    return value if isinstance(value, str) else None
