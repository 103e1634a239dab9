"""What a threshold mechanism may say of its noise: scales, kind of noise, number of positives, monotone queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nrverify.subjects.attributes import Attribute, AttributeKind, missing, one_of, real
from nrverify.subjects.errors import SubjectFailed

USUAL_SCALES = (2.0, 4.0)
"""Threshold noise 2Δ/ε and query noise 4Δ/ε, as the paper has them."""
NOISES = ("laplace", "exponential", "gaussian")
MOST_POSITIVES = 1000
"""An array (runs, c) of rounds is held in memory; libraries ask for a few tens."""
SMALLEST_SCALE, LARGEST_SCALE, MOST_APART = 1e-6, 1e6, 100.0
"""Wider than any use; quadrature as fine as the smaller noise covers the range of the larger one."""
REFUSED_BY_REDUCED = ("noise", "positives", "monotone")
"""Attributes of above-threshold only: noise reduction is defined for Laplace noise and one positive."""


def _scales(value: Any) -> tuple[float, float]:
    a, b = (real(scale) for scale in value)
    if not all(math.isfinite(scale) and scale > 0 for scale in (a, b)):
        raise ValueError(value)
    return a, b


def _positives(value: Any) -> int:
    found = real(value)
    if not found.is_integer() or not 1 <= found <= MOST_POSITIVES:
        raise ValueError(value)
    return int(found)


def _flag(value: Any) -> bool:
    if value is True or value is False or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise TypeError(value)


SCALES = AttributeKind("a pair (a, b) of positive finite numbers", _scales, many=True)
POSITIVES = AttributeKind(f"an integer from 1 to {MOST_POSITIVES}", _positives)
NOISE = one_of(*NOISES)
FLAG = AttributeKind("True or False", _flag)


def check_threshold(described: Any, given: Mapping[str, Any], rows: Mapping[str, Attribute], curve: bool) -> None:
    """`SubjectFailed` where the attributes of a threshold mechanism do not fit; a `curve` stands for `delta`."""
    if described.mechanism == "reduced-above-threshold":
        for name in REFUSED_BY_REDUCED:
            if given.get(name) is not None:
                raise rows[name].error(
                    given[name], "left out: it is for above-threshold, and this is reduced-above-threshold"
                )
    if described.noise == "gaussian":
        for name in ("scales",) if curve else ("scales", "delta"):
            if getattr(described, name) is None:
                why = f"noise is 'gaussian', which needs it: it must be {rows[name].kind.must}; set it"
                raise missing(rows[name], given, why)
    if described.scales is not None:
        a, b = described.scales
        if min(a, b) < SMALLEST_SCALE or max(a, b) > LARGEST_SCALE or max(a, b) > MOST_APART * min(a, b):
            raise SubjectFailed(
                f"attribute scales is {described.scales!r}: both must be between {SMALLEST_SCALE:g} and "
                f"{LARGEST_SCALE:g}, and at most {MOST_APART:g} times each other; give other units"
            )
