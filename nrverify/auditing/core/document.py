"""A check as a row of a JSON report, and read back from one (also from rows of version 1)."""

from __future__ import annotations

from typing import Any

from nrverify.auditing.core.faults import Effect, fault_of
from nrverify.auditing.core.faults.forms import general_id
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, Explanation
from nrverify.statistics.estimate import Estimate, Measure

FIELDS = (
    *("id", "claims", "kind", "verdict", "samples", "statistic", "p_value", "e_value", "alpha"),
    *("detectable", "expected", "observed", "message", "reproduce"),
)
"""Fields of a check that are the same in both versions."""
NON_FINITE = ("nan", "inf", "-inf")
"""JSON has no such numbers: they are written as these words."""
NUMBERS = ("statistic", "p_value", "e_value", "alpha")
"""Fields that may be one of these words, and become floats again."""


def row_of(check: CheckResult) -> dict[str, Any]:
    """Every field present, null where it does not apply."""
    refuted = check.verdict is CheckVerdict.REFUTED
    finding = check.finding if refuted or check.verdict is CheckVerdict.ADVICE else None
    size = check.sizes[0] if check.sizes else None
    explained = check.explanation
    return {
        **{key: finite(getattr(check, key)) for key in FIELDS},
        "fault": (general_id(finding.fault) if finding and finding.fault else "unknown") if refuted else None,
        "form": finding.fault.id if finding and finding.fault else None,
        "numbers": {key: finite(value) for key, value in finding.numbers.items()} if finding else None,
        "effect": check.effect.value if check.effect else None,
        "detectable_size": None
        if size is None
        else {"quantity": size.quantity, "value": finite(size.value), "unit": size.unit},
        "decisive": check.decisive,
        "explanation": None if explained is None else {**vars(explained)},
    }


def check_from(row: dict[str, Any]) -> CheckResult:
    """The check whose row this is."""
    fields = {key: row[key] for key in FIELDS}
    if not isinstance(row["id"], str):
        raise ValueError(f"the id of a check is {row['id']!r:.60}: it must be text")
    for key in NUMBERS:
        fields[key] = None if fields[key] is None else float(fields[key])
    explained, size = row.get("explanation"), row.get("detectable_size")
    return CheckResult(
        **{**fields, "verdict": CheckVerdict(row["verdict"]), "claims": tuple(row["claims"])},
        finding=_finding(row),
        decisive=bool(row.get("decisive")),
        sizes=() if size is None else (Size(size["quantity"], float(size["value"]), size["unit"]),),
        explanation=None if explained is None else Explanation(**explained),
    )


def _finding(row: dict[str, Any]) -> Finding | None:
    numbers = dict(row.get("numbers") or {})
    if not numbers:
        return None
    quantity, measure = numbers.pop("quantity"), Measure(numbers.pop("measure"))
    expected, observed, error = (_number(numbers.pop(key)) for key in ("expected", "observed", "error"))
    count, precision = numbers.pop("count", None), _number(numbers.pop("precision", None))
    alternatives = tuple(numbers.pop("alternatives", ()))
    texts = {key: value for key, value in numbers.items() if isinstance(value, str) and value not in NON_FINITE}
    others = {key: float(value) for key, value in numbers.items() if key not in texts}
    estimate = Estimate(measure, expected, observed, error, count, others, alternatives)
    effect = Effect(row["effect"]) if row.get("effect") else None
    named = row.get("form") or row.get("fault")
    fault = fault_of(named) if named else None
    return Finding(quantity, estimate, fault, effect=effect, precision=precision, texts=texts)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def finite(value: Any) -> Any:
    """A number for JSON: non-finite numbers as the strings "nan", "inf", "-inf"."""
    if isinstance(value, float) and value - value != 0:
        return repr(value)
    if isinstance(value, tuple):
        return [finite(part) for part in value]
    if hasattr(value, "item"):
        return finite(value.item())
    return value
