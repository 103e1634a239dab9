"""The check that the time a boundary gives for an ε costs no more than that ε."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.boundary.claim import MECHANISMS
from nrverify.auditing.boundary.queries import Asker
from nrverify.auditing.boundary.tolerances import INVERSES, SOLVER, VALUE_ROUNDING
from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults.curve import INVERSE
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.description import Description

Floats = NDArray[np.float64]

LARGEST_EPSILON = 100.0
"""Inverses are asked up to here: beyond, nothing is protected, and a solver's absolute tolerance would be judged."""
WIDE = 40
"""So many of the ε's are spread over all that the boundary reaches, the others over those in use."""
USUAL = (0.01, 20.0)
"""The ε's in use: below, noise swamps every answer; above, little is protected."""
WASTE = 1.05
"""A time larger by this factor than one of the scan that would do is said."""
EXPECTED = f"ψ(time(ε)) at most ε(1 + {SOLVER:g}), and a positive finite time"


@check(
    id="boundary.inverse",
    kind=CheckKind.PRIVACY,
    sentence="The time given for an ε costs at most that ε.",
    claims=("B13", "B14"),
    mechanisms=MECHANISMS,
    weight=0.0,
    order=40,
    needs=(Need(lambda description: "time" in description.methods, "the subject has no time(epsilon)"),),
    expected=EXPECTED,
    templates={
        "epsilon": (EXPECTED, "time({expected:.6g}) = {time:.6g}, where ε is {observed:.10g}"),
        "value": (EXPECTED, "time({epsilon:.6g}) = {observed!r}"),
    },
)
class BoundaryInverse(Declared):
    """time(ε) is on the safe side: ψ(time(ε)) ≤ ε(1 + 1e-6).

    Catches an inverse that gives too little noise for the ε asked, no noise at all, or no number. Asked at ε's up to
    100 that the boundary reaches within its interval. Misses an inverse that gives too much noise, or too little by
    less than a millionth, as a bisection that stops early does: both are said as advice.
    """

    @classmethod
    def foreseen(cls, description: Description) -> tuple[Size, ...]:
        """Any excess that a solver does not leave behind."""
        return (Size(f"relative excess at one of some {INVERSES} values of ε", SOLVER, "ratio"),)

    def conclude(self, asker: Asker, times: Floats, epsilon: Floats) -> CheckResult:
        """The worst excess of ψ(time(ε)) over ε."""
        asked = _reachable(epsilon)
        if not asked.size:
            why = "no ε lies well inside what the boundary reaches: it hardly varies over its interval, or is infinite"
            return concluded(self, CheckVerdict.NOT_COVERED, message=why)
        given = asker.time(asked)
        improper = np.flatnonzero(~((given > 0) & np.isfinite(given)))
        if improper.size:
            first = int(improper[0])
            at = {"epsilon": float(asked[first])}
            estimate = Estimate(Measure.VALUE, None, float(given[first]), numbers=at)
            return self._refuted(Finding("time of an ε", estimate, certain=True), asked.size)
        charged = asker.epsilon(given)
        worst = int(np.argmax(charged / asked))
        excess = float(charged[worst] / asked[worst]) - 1
        numbers = {"time": float(given[worst]), "excess": excess}
        estimate = Estimate(Measure.EPSILON, float(asked[worst]), float(charged[worst]), numbers=numbers)
        finding = Finding("ε at the time of an ε", estimate, certain=True)
        if excess > SOLVER:
            return self._refuted(finding, asked.size)
        message = _wasted(asked, given, times, epsilon)
        if excess > VALUE_ROUNDING:
            message = f"the time of an ε costs up to {excess:.1g} more than it, relatively: round it up"
        return self._result(CheckVerdict.CONSISTENT, finding, asked.size, message)

    def _refuted(self, finding: Finding, asked: int) -> CheckResult:
        return self._result(CheckVerdict.REFUTED, finding.of(INVERSE), asked)

    def _result(self, verdict: CheckVerdict, finding: Finding, asked: int, message: str | None = None) -> CheckResult:
        quantity = f"relative excess of ψ(time(ε)) over ε at one of {asked} values of ε"
        return concluded(
            self,
            verdict,
            samples=asked,
            finding=finding,
            sizes=(Size(quantity, SOLVER, "ratio"),),
            message=message,
        )


def _reachable(epsilon: Floats) -> Floats:
    """ε's well inside what the boundary reaches: between its ends, the middle of [0.01, 20] preferred."""
    finite = epsilon[np.isfinite(epsilon)]
    if not finite.size:
        return finite
    low, high = float(finite.min()), float(finite.max())
    wide = np.geomspace(low * (1 + 1e-6), max(min(high / (1 + 1e-6), LARGEST_EPSILON), low * (1 + 1e-6)), WIDE)
    usual = np.geomspace(*USUAL, INVERSES - WIDE)
    asked = np.concatenate([wide[1:-1], usual])
    # At the very floor of a boundary its inverse is infinite: nothing nearer than a thousandth is asked.
    return np.unique(asked[(asked > low * 1.001) & (asked < high / 1.001)]) if high > 1.01 * low else finite[:0]


def _wasted(asked: Floats, given: Floats, times: Floats, epsilon: Floats) -> str | None:
    """What is said of an inverse that gives much more noise than the scan shows to be needed."""
    enough = np.array([_first_low_enough(times, epsilon, level) for level in asked])
    worst = int(np.argmax(given / enough))
    if given[worst] <= WASTE * enough[worst]:
        return None
    return f"time({asked[worst]:.6g}) = {given[worst]:.6g} where {enough[worst]:.6g} would do"


def _first_low_enough(times: Floats, epsilon: Floats, level: float) -> float:
    """The first time of the scan at which ψ is at most the level."""
    return float(times[min(int(np.argmax(epsilon <= level)), times.size - 1)]) if np.any(epsilon <= level) else math.inf
