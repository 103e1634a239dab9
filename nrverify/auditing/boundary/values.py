"""The check that a boundary is a positive number wherever it is claimed."""

from __future__ import annotations

from nrverify.auditing.boundary.claim import MECHANISMS
from nrverify.auditing.boundary.queries import ImproperValue
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.curve import IMPROPER_VALUE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.description import Description

EXPECTED = "a positive number at every time of the interval"


@check(
    id="boundary.values",
    kind=CheckKind.PROTOCOL,
    sentence="The boundary is a positive number wherever it is claimed.",
    claims=("B07",),
    mechanisms=MECHANISMS,
    weight=0.0,
    order=10,
    expected=EXPECTED,
    templates={"value": (EXPECTED, "ε({time:.6g}) = {observed!r}")},
)
class BoundaryValues(Declared):
    """ψ(t) is a positive number at every time where it is claimed.

    Catches NaN, zero and negative values at the times asked, some thousands over the interval. An infinite value claims
    nothing and is allowed. Misses improper values at times never asked.
    """

    @classmethod
    def foreseen(cls, description: Description) -> tuple[Size, ...]:
        """One value is enough."""
        return (Size("improper value at one of some thousands of times", 1, "count"),)

    def conclude(self, calls: int, improper: ImproperValue | None) -> CheckResult:
        """Refuted by one value."""
        finding = None
        if improper is not None:
            estimate = Estimate(Measure.VALUE, None, improper.value, numbers={"time": improper.time})
            finding = Finding("ε at a time of the interval", estimate, IMPROPER_VALUE, certain=True)
        return concluded(
            self,
            CheckVerdict.CONSISTENT if improper is None else CheckVerdict.REFUTED,
            samples=calls,
            finding=finding,
            sizes=(Size(f"improper value among {calls} times", 1, "count"),),
        )
