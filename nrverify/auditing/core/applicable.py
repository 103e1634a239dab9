"""Which checks a subject can be asked: the first form of each whose needs are met, and why others are not covered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nrverify.auditing.core.declaration import Declaration, Need
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.subjects.description import Description

LARGEST_CLAIM = 100.0
"""Beyond, e^ε leaves the floating-point numbers, and no sample tells the sides apart too well."""
MODERATE_CLAIM = Need(
    lambda context: context.record is None or context.record.largest_claim <= LARGEST_CLAIM,
    "the claim is so large that guessing says nothing: record neighbours with an ε of about 2",
)
"""Of checks that guess which neighbour was recorded, whatever the mechanism."""


def applicable(
    declarations: Iterable[Declaration], description: Description, context: Any, only: tuple[str, ...]
) -> tuple[list[Any], list[CheckResult]]:
    """The checks, each built from the context, and the results of those that are not covered; `only` keeps those named.

    Of a check with several forms the first that can be asked is; where none can, the last says why.
    """
    forms: dict[str, list[Declaration]] = {}
    for one in declarations:
        if one.asked(description) and (not only or one.id in only):
            forms.setdefault(one.id, []).append(one)
    checks, not_covered = [], []
    for id, known in forms.items():
        reasons = [one.why_not_covered(context) for one in known]
        if None in reasons:
            checks.append(known[reasons.index(None)].cls.build(context))
        else:
            gap = all(one.leaves_gap(context) for one in known)
            not_covered.append(CheckResult(id, known[0].kind, CheckVerdict.NOT_COVERED, message=reasons[-1], gap=gap))
    return checks, not_covered
