"""What faults of stopped releases mean for privacy: noise drawn afresh, and a release beyond the one that was paid for.

k releases with fresh noise near time t, or one more release at time t/k, have k times the precision of one at t. For a
change Δ of the value the loss is then normal with mean kΔ²/2t and variance kΔ²/t, and 2ψ(t) was paid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from scipy.special import ndtr

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults.halting import SHOWS_MORE
from nrverify.auditing.core.faults.noise import FRESH_NOISE
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.statistics.estimate import Measure

MOST = 2**20
"""Times the precision that is looked at: with any more the schedule would be absurd."""


def with_losses(
    results: Iterable[CheckResult], designs: Sequence[StoppingDesign], sensitivity: float, delta: float
) -> list[CheckResult]:
    """The results, those of such faults with the probability of a loss above what was paid."""
    return [_with_loss(result, designs, sensitivity, delta) for result in results]


def _with_loss(result: CheckResult, designs: Sequence[StoppingDesign], sensitivity: float, delta: float) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or not designs or finding.nearest:
        return result
    design = max(designs, key=lambda one: one.epsilons[-1] * one.schedule[-1])
    priced = _price(finding, design.schedule[-1], design.epsilons[-1], sensitivity, delta)
    return result if priced is None else replace(result, finding=finding.with_price(priced))


def _price(finding: Finding, time: float, psi: float, sensitivity: float, delta: float) -> Priced | None:
    # Fresh noise only where its exact law has won: a wrong mean of the bridge has other losses.
    fresh = finding.fault == FRESH_NOISE and finding.estimate.measure is Measure.ALTERNATIVE
    if not fresh and finding.fault != SHOWS_MORE:
        return None
    times = precision_that_breaks(time, psi, sensitivity)
    if times is None:
        return None
    found = probability_of_loss(time / times, 2 * psi, sensitivity)
    after = f"after {times} releases near time {time:.3g}" if fresh else f"after a release at time {time / times:.3g}"
    where = f"{after}, where 2ψ = {2 * psi:.3g} is paid"
    return Priced(Effect.LEAK, found, delta, where, quantity="probability of a loss above 2ψ")


def precision_that_breaks(time: float, psi: float, sensitivity: float) -> int | None:
    """The smallest power of two by which the precision must grow for a loss above 2ψ in half of the sessions."""
    times = 2
    while probability_of_loss(time / times, 2 * psi, sensitivity) < 0.5:
        times *= 2
        if times > MOST:
            return None
    return times


def probability_of_loss(time: float, epsilon: float, sensitivity: float) -> float:
    """P(L > ε) of normal noise of this variance: L has mean Δ²/2t and variance Δ²/t."""
    root = math.sqrt(time)
    return float(ndtr(0.5 * sensitivity / root - epsilon * root / sensitivity))
