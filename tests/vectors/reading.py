"""The committed vectors as a consumer reads them, and the one rule by which a case passes."""

import json
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "vectors"
SCHEMA = ROOT / "reports" / "schema" / "vectors.json"

Refused = (ValueError, TypeError, ArithmeticError)
"""How Python refuses an input."""


def documents() -> dict[str, dict[str, Any]]:
    """Every file, by the name of its function."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def numbers(document: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a case as doubles; integers that are written as such as Python integers."""
    return {name: _read(document["inputs"][name]["type"], value) for name, value in case["inputs"].items()}


def _read(kind: str, value: str | list[str]) -> Any:
    if isinstance(value, list):
        return [_read(kind, entry) for entry in value]
    return int(value) if kind in ("integer", "integers", "bits") and "." not in value else float(value)


def faults(case: Mapping[str, Any], compute: Callable[[], Mapping[str, float]], scale: int = 1) -> list[str]:
    """Why an implementation fails a case; empty where it passes. `scale` multiplies the tolerance hint."""
    try:
        outputs = compute()
    except Refused as error:
        return [] if case["result"] == "invalid" else [f"refused: {error}"]
    if case["result"] == "invalid":
        return [f"answered {dict(outputs)}"]
    return [
        f"{name} = {outputs[name]!r}, not {expected['value']}"
        for name, expected in case["outputs"].items()
        if not _close(outputs[name], expected, scale)
    ]


def _close(computed: float, expected: Mapping[str, str], scale: int) -> bool:
    if not math.isfinite(computed):
        return False
    value = Fraction(expected["value"])
    allowed = scale * Fraction(expected["tolerance"]) * abs(value) + Fraction(expected["radius"])
    return abs(Fraction(computed) - value) <= allowed
