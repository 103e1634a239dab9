"""The loss of faults that second moments of one session do not show: shared, repeated, redrawn or missing noise.

A number known without noise, or the difference of two, has an infinite loss. A coordinate, or a session, with slope θ
on others has residual variance 1 − θ², so its precision is 1/(1 − θ²) for whoever knows the others' values.
"""

from __future__ import annotations

import math
from dataclasses import replace

from nrverify.auditing.core.effects import IDEAL, Priced
from nrverify.auditing.core.exposed import EXPOSED, exposed
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.closed_losses import HALF, closed_loss, loss_of_shared_coins
from nrverify.auditing.noise_reduction.diagnosis.count_losses import least_renyi, renyi_of_counts
from nrverify.auditing.noise_reduction.diagnosis.pricing import ROUNDING, SLACK
from nrverify.statistics.anytime import normal_half_width
from nrverify.statistics.estimate import Measure
from nrverify.statistics.wealth import LEAST_ODDS, ODDS_ALPHA
from nrverify.subjects.description import Description

SHARED = (of_noise.SHARED_COORDINATES, of_noise.SHARED_SESSIONS)
"""Faults that show as a slope, or as numbers that coincide."""
ON_GRID = (of_noise.ROUNDED, of_noise.NOISE_ROUNDED, of_noise.SOME_ROUNDED, of_noise.SINGLE_PRECISION)
"""Rounding after the noise is no loss, and shows in ties and shapes too."""
BEFORE = (of_noise.NOISE_ROUNDED, of_noise.SINGLE_PRECISION)
NOISE, MOSTLY = "noise", 0.9
OFF_THE_GRID = "for two values whose difference is not on the grid of the noise"
SHAPES = (of_noise.WRONG_SHAPE, of_noise.CLIPPED)
MANY = 50.0
"""A time that is asked unless a subject refuses it, of counts that are nearly normal."""
ANEW = 1.2
"""A change of an answer over the size of its noise, which is 1.41 for independent noise; a dither on top has less."""
COINS = "coins"
"""How the quantity of a bet on coins begins that decide whether coordinates stay."""
LINEAR = "correlation"
"""How the quantity of a bet on a linear dependence begins; sizes and products have slopes that are no correlations."""


def with_losses(results: list[CheckResult], description: Description, alpha: float) -> list[CheckResult]:
    """The results, findings of such faults with their loss; none where releases lie on a grid, which explains them."""
    if any(result.finding is not None and result.finding.fault in ON_GRID for result in results):
        return [_of_grid(result, description) for result in results]
    refuted = [r.finding.fault for r in results if r.verdict is CheckVerdict.REFUTED and r.finding and r.kind == "law"]
    if not all(fault in SHAPES for fault in refuted):
        # A shape has a known loss beside the variance claimed, and another fault may change that.
        return [result if _of_shape(result) else _with_loss(result, description, alpha) for result in results]
    return [_with_loss(result, description, alpha) for result in results]


def _of_grid(result: CheckResult, description: Description) -> CheckResult:
    """Noise on a grid before the value is added: what is left of a release beside the grid is the value's own."""
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or finding.texts.get("of") != NOISE:
        return result
    if finding.fault not in BEFORE or (description.knob == "epsilon" and (finding.share or 0.0) <= MOSTLY):
        return result
    return replace(result, finding=finding.with_price(Priced(Effect.LEAK, math.inf, 1.0, OFF_THE_GRID)))


def _of_shape(result: CheckResult) -> bool:
    return result.finding is not None and result.finding.fault == of_noise.WRONG_SHAPE


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
    if fault == of_noise.ONE_NUMBER_AGAIN and description.integer:
        return None  # an integer has a probability at other values, too
    if fault in EXPOSED and (fault not in SHARED or estimate.measure is Measure.COUNT):
        return exposed(finding, (description.delta or 0.0) if description.knob == "epsilon" else None, alpha)
    if description.knob != "time":
        return None
    if fault == of_noise.REPEATED_TIME_REDRAWN and estimate.numbers.get("change", 0.0) >= ANEW:
        return Priced(Effect.LEAK, 2.0, 1.0, f"{IDEAL} after the same time was asked for twice")
    linear = estimate.measure in (Measure.SLOPE, Measure.CORRELATION) and finding.quantity.startswith(LINEAR)
    if fault in SHARED and linear:
        return _sloped(finding, description, alpha)
    if fault in SHARED and finding.quantity.startswith(COINS) and description.family.pure and not description.integer:
        least = estimate.numbers.get(LEAST_ODDS, 1.0)
        loss = loss_of_shared_coins(max(least, 1.0), HALF) if alpha >= ODDS_ALPHA else 1.0
        where = f"{IDEAL}, after a step from half the time, for whoever knows the value of the other coordinate"
        return Priced(Effect.LEAK, loss, 1.0, where) if loss > 1 + ROUNDING else None
    return closed_loss(finding, description, alpha)


def _sloped(finding: Finding, description: Description, alpha: float) -> Priced | None:
    estimate = finding.estimate
    if estimate.observed is None or estimate.error is None or description.any_order:
        # Between two releases of their own noises may be shared: the less noisy one tells as much.
        return None
    width = normal_half_width(estimate.error**-2, alpha) if estimate.error else 0.0
    slope = min(abs(estimate.observed) - width, 1.0)
    if slope <= 0:
        return None
    precision = math.inf if slope >= 1 else 1 / (1 - slope**2)
    known = "for whoever knows the values that the others have"
    if description.family.rated and slope < 1:
        return _of_counts(precision, description, known)
    # The loss of noise that is not normal is only bounded from below.
    excess = precision if description.family.increments else math.sqrt(precision / SLACK)
    if excess <= 1 + ROUNDING:
        return None
    return Priced(Effect.LEAK, excess, 1.0, f"{IDEAL} {known}")


def _of_counts(precision: float, description: Description, known: str) -> Priced | None:
    """At times of which the counts are large, so that their precision is nearly all that they tell."""
    variance = 2 * (description.rate or 1.0) * MANY
    least, claimed = least_renyi(precision / variance), renyi_of_counts(variance)
    if least <= claimed * (1 + ROUNDING):
        return None
    where = f"or more, for a change of the value by 1 at time {MANY:g}, {known}"
    return Priced(Effect.LEAK, least, claimed, where, quantity="Rényi divergence of order 2")
