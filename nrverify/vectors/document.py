"""The file of a function: its cases in ball arithmetic, at a precision raised until every digit is certain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flint import ctx

from nrverify.vectors.ball import Uncertain
from nrverify.vectors.case import Case, Function, Invalid
from nrverify.vectors.conditioning import Inputs, tolerances
from nrverify.vectors.decimals import Decimal, decimal, exact_input

SCHEMA = "nrverify/vectors/1"
_LARGEST_PRECISION = 20_000
"""Bits: a digit still undecided then is exactly on the edge of rounding, or the ball never shrinks; either is a
mistake."""


def document(function: Function) -> dict[str, Any]:
    """Everything an implementer needs to know of the function, with its cases."""
    return {
        "schema": SCHEMA,
        "function": function.name,
        "statement": function.statement,
        "domain": function.domain,
        "inputs": {name: {"type": i.kind, "meaning": i.meaning} for name, i in function.inputs.items()},
        "outputs": dict(function.outputs),
        "flags": {name: {"bug": flag.bug, "effect": flag.effect} for name, flag in function.flags.items()},
        "cases": [entry(function, case) for case in function.cases],
    }


def text(function: Function) -> str:
    """The document as it is written."""
    return json.dumps(document(function), ensure_ascii=False, indent=1) + "\n"


def entry(function: Function, case: Case) -> dict[str, Any]:
    """One case: its inputs, and its certified outputs or the reason why there are none."""
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in case.inputs.items()}
    head = {
        "id": function.identifier(case),
        "comment": case.comment,
        "flags": list(case.flags),
        "inputs": listed,
    }
    try:
        inputs = {name: exact_input(name, function.inputs[name], value) for name, value in case.inputs.items()}
        results, hints = _certain(function, inputs)
    except Invalid as invalid:
        return {**head, "result": "invalid", "reason": str(invalid)}
    outputs = {
        name: {"value": result.value, "radius": result.radius, "tolerance": hints[name]}
        for name, result in results.items()
    }
    return {**head, "result": "valid", "outputs": outputs}


def _certain(function: Function, inputs: Inputs) -> tuple[dict[str, Decimal], dict[str, str]]:
    """The outputs and their tolerances, the precision doubled until the balls decide every digit."""
    precision = int(function.digits * 3.4) + 80
    while True:
        with ctx.workprec(precision):
            try:
                results = function.evaluate(**inputs)
                rounded = {name: decimal(result, function.digits) for name, result in results.items()}
                return rounded, tolerances(function, inputs, lambda at: _evaluated(function, at))
            except Uncertain:
                if precision > _LARGEST_PRECISION:
                    raise
        precision *= 2


def _evaluated(function: Function, inputs: Inputs) -> Mapping[str, Any]:
    return function.evaluate(**inputs)
