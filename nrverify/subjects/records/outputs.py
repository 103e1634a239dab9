"""Recorded outputs of a mechanism whose law is not known, on two neighbouring data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.describe import describe, recorded_attributes
from nrverify.subjects.description import ANY, Description
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.outputs import Outputs, charge, normal
from nrverify.subjects.records.fields import OUTPUTS, Fields

UNNAMED = (("value", "neighbour"),)
"""The pair of data (of `outputs`, of `outputs_neighbour`), where the record does not say which they are."""


@dataclass(frozen=True)
class RecordedOutputs:
    """Outputs on the data and on their neighbour, and where that is claimed what each has spent."""

    description: Description
    value: Outputs
    neighbour: Outputs


def outputs_of(fields: Fields) -> RecordedOutputs:
    """A record from its fields; `SubjectFailed` says what is wrong."""
    rows = recorded_attributes(ANY)
    fields.allow((*rows, *OUTPUTS))
    given = {**fields.attributes(rows, "recorded outputs"), "neighbours": UNNAMED}
    if "neighbours" in fields:
        texts = fields.array("neighbours")
        if texts.size != 1:
            raise SubjectFailed(
                f"array neighbours has {texts.size} entries: it must be one text, json.dumps(neighbours)"
            )
        given["neighbours"] = _json(str(texts.reshape(-1)[0]), "neighbours")
    spends = "spent" in fields
    description = describe({**given, "methods": ["run_many", *(["spent"] if spends else [])]})
    sides = []
    for suffix in ("", "_neighbour"):
        outputs = _outputs(fields, f"outputs{suffix}")
        sides.append(Outputs(outputs, _spent(fields, f"spent{suffix}", outputs, description) if spends else None))
    fields.seeds(len(sides[0].outputs), len(sides[1].outputs))
    return RecordedOutputs(description, *sides)


def _outputs(fields: Fields, name: str) -> list[Any]:
    """JSON texts, one for each run; or numbers, of which each (or each row) is an output."""
    array: NDArray[Any] = fields.array(name)
    if array.ndim == 0 or array.size == 0 or (array.dtype.kind == "U" and array.ndim != 1):
        raise SubjectFailed(f"array {name} has the shape {array.shape}: one output for each run is needed")
    if array.dtype.kind != "U":
        found: list[Any] = array.tolist()
        return found
    return [normal(_json(text, name), f"array {name}") for text in array.tolist()]


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise SubjectFailed(f"array {name} holds {text!r:.60}, which is not JSON: write json.dumps(output)") from None


def _spent(fields: Fields, name: str, outputs: list[Any], description: Description) -> list[float]:
    prices = np.asarray(fields.vector(name, len(outputs)))
    smallest = description.smallest_epsilon or 0.0
    return [charge(price, smallest, output) for price, output in zip(prices.tolist(), outputs, strict=True)]
