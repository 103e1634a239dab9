"""Claims that are calculated from what a subject says of its noise: worth nothing where its noise is another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict


def of_declared(calculated: Sequence[CheckResult], sampled: Sequence[CheckResult], said: str) -> list[CheckResult]:
    """What was calculated from what is `said`, where the subject does that; where not, no claim is kept by it."""
    wrong = [
        r.id for r in sampled if r.verdict is CheckVerdict.REFUTED and r.kind in (CheckKind.LAW, CheckKind.PROTOCOL)
    ]
    if not wrong:
        return list(calculated)
    why = f"{wrong[0]} is refuted: what follows from {said} says nothing of what is released"
    return [
        replace(one, verdict=CheckVerdict.INCONCLUSIVE, finding=None, sizes=(), enough=False, message=why)
        if one.verdict is CheckVerdict.CONSISTENT
        else one
        for one in calculated
    ]


def of_declared_among(results: Sequence[CheckResult], id: str, said: str) -> list[CheckResult]:
    """All results, that of the check with this id calculated from what is `said`."""
    return [
        one for result in results for one in (of_declared([result], results, said) if result.id == id else [result])
    ]
