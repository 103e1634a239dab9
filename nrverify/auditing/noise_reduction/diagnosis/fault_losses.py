"""The loss of faults that second moments of one session do not show: shared, repeated, redrawn or missing noise.

A number known without noise, or the difference of two, has an infinite loss. A coordinate, or a session, with slope θ
on others has residual variance 1 − θ², so its precision is 1/(1 − θ²) for whoever knows the others' values.
"""

from __future__ import annotations

import math
from dataclasses import replace

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.pricing import IDEAL, ROUNDING, SLACK
from nrverify.statistics.estimate import Measure
from nrverify.statistics.proportions import clopper_pearson
from nrverify.subjects.description import Description

EXPOSED = {
    of_noise.VALUE_IN_CLEAR: "where the value is released as it is",
    of_noise.NO_NOISE: "where the value is released as it is",
    of_noise.SEED_IGNORED: "for two sessions with the same noise: releases differ by what the values do",
    of_noise.FEW_STREAMS: "for whoever tries all streams of noise there are",
    of_noise.SHARED_COORDINATES: "for two coordinates with the same noise: releases differ by what the values do",
    of_noise.SHARED_SESSIONS: "for two sessions with the same noise: releases differ by what the values do",
}
"""Faults that show a value, or a difference of values, without noise; counted, where they are one of these."""
SHARED = (of_noise.SHARED_COORDINATES, of_noise.SHARED_SESSIONS)
"""Faults that show as a slope, or as numbers that coincide."""
ANEW = 1.2
"""A change of an answer over the size of its noise, which is 1.41 for independent noise; a dither on top has less."""
LINEAR = "correlation"
"""How the quantity of a bet on a linear dependence begins; sizes and products have slopes that are no correlations."""


def with_losses(results: list[CheckResult], description: Description, alpha: float) -> list[CheckResult]:
    """The results, findings of such faults with their loss."""
    return [_with_loss(result, description, alpha) for result in results]


def _with_loss(result: CheckResult, description: Description, alpha: float) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or result.kind == "privacy" or finding is None:
        return result
    priced = price_of(finding, description, alpha)
    return result if priced is None else replace(result, finding=finding.with_price(priced))


def price_of(finding: Finding, description: Description, alpha: float) -> Priced | None:
    """What the fault of a finding means; None where nothing is computed for it."""
    fault, estimate = finding.fault, finding.estimate
    if finding.priced is not None or finding.nearest or fault is None:
        return None
    if fault in EXPOSED and (fault not in SHARED or estimate.measure is Measure.COUNT):
        return _exposed(finding, description, alpha)
    if description.knob != "time":
        return None
    if fault == of_noise.REPEATED_TIME_REDRAWN and estimate.numbers.get("change", 0.0) >= ANEW:
        return Priced(Effect.LEAK, 2.0, 1.0, f"{IDEAL} after the same time was asked for twice")
    if fault in SHARED and estimate.measure is Measure.SLOPE and finding.quantity.startswith(LINEAR):
        return _sloped(finding, description, alpha)
    return None


def _exposed(finding: Finding, description: Description, alpha: float) -> Priced | None:
    """An infinite loss; with an ε only where it is seen to happen more often than δ allows."""
    assert finding.fault is not None
    seen, of = finding.estimate.observed, finding.estimate.count
    if description.knob == "epsilon" and seen is not None and of:
        low, _ = clopper_pearson(int(min(seen, of)), int(of), 2 * alpha)
        if low <= (description.delta or 0.0):
            return None
    return Priced(Effect.LEAK, math.inf, 1.0, EXPOSED[finding.fault])


def _sloped(finding: Finding, description: Description, alpha: float) -> Priced | None:
    estimate = finding.estimate
    if estimate.observed is None or estimate.error is None:
        return None
    slope = min(abs(estimate.observed) - math.sqrt(-2 * math.log(alpha)) * estimate.error, 1.0)
    if slope <= 0:
        return None
    precision = math.inf if slope >= 1 else 1 / (1 - slope**2)
    # The loss of noise that is not normal is only bounded from below.
    excess = precision if description.family.increments else math.sqrt(precision / SLACK)
    if excess <= 1 + ROUNDING:
        return None
    return Priced(Effect.LEAK, excess, 1.0, f"{IDEAL} for whoever knows the values that the others have")
