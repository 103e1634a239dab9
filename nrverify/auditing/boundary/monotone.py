"""The check that a boundary never rises with the time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.boundary.claim import MECHANISMS
from nrverify.auditing.boundary.tolerances import SOLVER, VALUE_ROUNDING
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.digits import told_apart
from nrverify.auditing.core.faults.curve import RISES
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.description import Description

Floats = NDArray[np.float64]

EXPECTED = "ε never rises with the time"
RISE = "ε({at_before}) = {epsilon_before:.10g} but ε({at_after}) = {epsilon_after:.10g}"


@check(
    id="boundary.monotone",
    kind=CheckKind.PROTOCOL,
    sentence="More noise is never charged more.",
    claims=("B15", "R11"),
    mechanisms=MECHANISMS,
    weight=0.0,
    order=20,
    expected=EXPECTED,
    templates={RISES.id: (EXPECTED, RISE), "value": (EXPECTED, "{quantity} {observed:.2g}")},
)
class BoundaryMonotone(Declared):
    """ψ never rises with the time: more noise is never charged more.

    Catches a boundary that rises anywhere between two times of a dense scan, by more than a solver leaves behind.
    Misses a rise and fall between neighbouring times of the scan. For Skellam noise right boundaries rise at times, and
    a rise is only said.
    """

    @classmethod
    def foreseen(cls, description: Description) -> tuple[Size, ...]:
        """Any rise that a solver does not leave behind."""
        return (Size("relative rise between two of some thousands of times", SOLVER, "ratio"),)

    def conclude(self, times: Floats, epsilon: Floats, process: str) -> CheckResult:
        """The largest rise above an earlier value."""
        finding = largest_rise(times, epsilon)
        size = finding.estimate.observed or 0.0
        verdict, message = CheckVerdict.CONSISTENT, None
        if size > VALUE_ROUNDING:
            seen = RISE.format(**finding.estimate.numbers, **finding.texts)
            verdict = CheckVerdict.ADVICE
            if process == "skellam":
                message = f"{seen}: on the lattice a right boundary may rise; it is then no privacy function to stop on"
            elif size <= SOLVER:
                message = f"{seen}: as little as a solver leaves behind; round the other way"
            else:
                verdict, finding = CheckVerdict.REFUTED, finding.of(RISES)
        return concluded(
            self,
            verdict,
            samples=times.size,
            statistic=size,
            finding=finding,
            sizes=(Size(f"relative rise between two of {times.size} times", SOLVER, "ratio"),),
            message=message,
        )


def largest_rise(times: Floats, epsilon: Floats) -> Finding:
    """The largest relative rise of ε above its value at an earlier time, and both times."""
    lowest = np.minimum.accumulate(epsilon)
    with np.errstate(invalid="ignore"):
        rise = np.where(np.isfinite(epsilon), epsilon / lowest - 1, np.where(np.isfinite(lowest), np.inf, 0.0))
    worst = int(np.argmax(rise))
    earlier = int(np.argmin(epsilon[: worst + 1]))
    before, after = float(times[earlier]), float(times[worst])
    numbers = {
        "before": before,
        "after": after,
        "epsilon_before": float(epsilon[earlier]),
        "epsilon_after": float(epsilon[worst]),
    }
    texts = dict(zip(("at_before", "at_after"), told_apart((before, after), least=10), strict=True))
    estimate = Estimate(Measure.VALUE, 0.0, max(float(rise[worst]), 0.0), numbers=numbers)
    return Finding("largest relative rise", estimate, certain=True, texts=texts)
