"""What is asked of a subject, known from its mechanism and knob alone, before anything runs."""

from __future__ import annotations

from typing import Any

from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.registry import asking_attributes, check_ids, declaration_of
from nrverify.subjects.description import MECHANISMS, NOISE_REDUCTION, Description
from nrverify.subjects.reach import description_of

LAST_BITS = "numerics.last-bits"
"""The id of the check, as declared."""


def asked_of(subject: Any, timeout: float, law: Any = None) -> tuple[str, ...]:
    """The checks of a subject; it is started only where its class does not say what mechanism it is.

    `SubjectFailed` where it cannot be started or describes itself wrongly; `ValueError` where `law`, the law of one's
    own that judges it, is none.
    """
    if law is not None:
        from nrverify.auditing.own_law.limited import loaded
        from nrverify.subjects.own_laws.loading import in_use

        given = loaded(law, timeout)
        with in_use(given):
            return check_ids(given.name, _read(subject, "knob") or "time", _having(subject, given.name))
    mechanism, knob, described = _read(subject, "mechanism"), _read(subject, "knob"), subject
    if mechanism not in MECHANISMS or knob not in (None, "time", "epsilon"):
        described = description_of(subject, timeout)
        mechanism, knob = described.mechanism, described.knob
    return check_ids(mechanism, knob or "time", _having(described, mechanism))


def not_covered(description: Description, only: tuple[str, ...], numerics: str | None = None) -> list[CheckResult]:
    """Checks that were asked for by name, or by a claim about the last bits, and are for other subjects than this."""
    mechanism = description.mechanism
    asked = check_ids(mechanism, description.knob or "time", _having(description, mechanism))
    knob = f" and knob {description.knob!r}" if mechanism in NOISE_REDUCTION else ""
    why = f"it is not for subjects with mechanism {mechanism!r}{knob}"
    named = (*only, LAST_BITS) if numerics == "exact" and not only else only
    found = [(id, declaration_of(id)) for id in dict.fromkeys(named) if id not in asked]
    return [
        CheckResult(id, one.kind, CheckVerdict.NOT_COVERED, message=_needs(one.attribute) or why)
        for id, one in found
        if one is not None
    ]


def _needs(attribute: str) -> str:
    return f"it is for subjects with {attribute} = True" if attribute else ""


def _having(subject: Any, mechanism: str) -> tuple[str, ...]:
    """The attributes that ask for checks of their own, as far as they can be read without making the subject."""
    return tuple(name for name in asking_attributes(mechanism) if _said(subject, name) is True)


def _read(subject: Any, name: str) -> str | None:
    """An attribute that is text, as far as it can be read without making the subject."""
    value = _said(subject, name)
    return value if isinstance(value, str) else None


def _said(subject: Any, name: str) -> Any:
    """An attribute of a class or object; None where it has none, raises when asked, or is an address."""
    try:
        return None if isinstance(subject, str) else getattr(subject, name, None)
    except Exception:  # whatever a property of a subject raises: the audit itself says it later
        return None
