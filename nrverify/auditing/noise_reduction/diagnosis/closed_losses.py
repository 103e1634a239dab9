"""Losses of faults of the law that have a closed form, at the confidence limit of what was measured; time knob only.

Shapes: normal noise has the least Fisher information of all noise of its variance, and the expected loss of a small
change is half of it times the change squared. Jumps: with X_t = X_s + B·J, X_s ~ Lap(s), P(B = 0) = q and J ~ Lap(ct),
u = s/t, the density f of X_t falls at 0 by −f'/f = (q/u²)/(q/u + (1−q)/(u+c))/t, and far out by 1/max(u, c)/t; ideal is
1/t.
"""

from __future__ import annotations

import math

import numpy as np

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.core.named_alternatives import SESSIONS
from nrverify.auditing.noise_reduction.diagnosis.pricing import IDEAL, ROUNDING, limit
from nrverify.statistics.estimate import Measure
from nrverify.subjects.description import Description

DEGREES = {"student-3": 3, "student-5": 5, "student-12": 12}
"""Alternatives that are Student's laws of unit variance, and their degrees of freedom."""
TENTH, HALF = 0.1, 0.5
"""The steps for which losses of bridges, and of jumps, are said: schedules of both kinds are asked."""
OF_EVERY_RELEASE = (of_noise.WRONG_SCALE, of_noise.ONE_COORDINATE, of_noise.DEVIATION_FOR_VARIANCE)
OF_STEPS = (of_noise.WRONG_BRIDGE_VARIANCE, of_noise.WRONG_BRIDGE, of_noise.AFTER_UNUSUAL)
RIGHT = 3.0
"""Standard errors within which the least noisy release has the scale claimed."""


def closed_loss(finding: Finding, description: Description, alpha: float) -> Priced | None:
    """What the fault of a finding means where a formula says it; None elsewhere."""
    normal, pure = bool(description.family.increments), bool(description.family.pure)
    match finding.fault:
        case of_noise.WRONG_SHAPE | of_noise.CLIPPED if normal:
            return _shaped(finding)
        case of_noise.CLIPPED if pure and not description.integer:
            where = f"{IDEAL} for a release far from the value, after a step from half the time"
            return Priced(Effect.LEAK, 1 / HALF, 1.0, where) if _cut_jumps(finding) else None
        case of_noise.RARE_SESSIONS if normal or pure:
            return _rare(finding, normal)
        case of_noise.WRONG_JUMPS if pure:
            return _jumping(finding, alpha)
        case of_noise.WRONG_STAY_PROBABILITY if pure and not description.integer:
            return _staying(finding, alpha)
    return _narrow(finding, alpha) if normal else None


def information(alternative: str) -> float | None:
    """Fisher information of a shape of unit variance, infinite where its support is bounded; None if not known."""
    if alternative in DEGREES:
        n = DEGREES[alternative]
        return n * (n + 1) / ((n - 2) * (n + 3))
    if alternative == "logistic":
        return math.pi**2 / 9
    return math.inf if alternative == "twelve-uniforms" or alternative.startswith("cut-at-") else None


def loss_of_jumps(stays: float, share: float, scale: float = 1.0) -> float:
    """The largest of the two losses over the ideal one: at 0 and far out, for a step from `share` of the time."""
    at_zero = stays / share**2 / (stays / share + (1 - stays) / (share + scale))
    # Without jumps nothing lies further out than the release before them.
    return max(at_zero, 1 / max(share, scale) if stays < 1 else 1 / share)


def _shaped(finding: Finding) -> Priced | None:
    known = [information(name) for name in finding.estimate.alternatives]
    if finding.estimate.measure is not Measure.ALTERNATIVE or not known or None in known:
        return None
    least = min(one for one in known if one is not None)
    if math.isinf(least):
        return Priced(Effect.LEAK, math.inf, 1.0, "for a release that only one of two values can give")
    return Priced(Effect.LEAK, least, 1.0, f"{IDEAL}, on average and for a small change of the value")


def _cut_jumps(finding: Finding) -> bool:
    return all(name.startswith("jumps-cut-at-") for name in finding.estimate.alternatives)


def _rare(finding: Finding, normal: bool) -> Priced | None:
    """Sessions of less noise; the least of those that are hardly told apart."""
    deviations = [SESSIONS[name][1] for name in finding.estimate.alternatives if name in SESSIONS]
    if not deviations or len(deviations) < len(finding.estimate.alternatives) or max(deviations) >= 1:
        return None
    return Priced(Effect.LEAK, max(deviations) ** (-2 if normal else -1), 1.0, f"{IDEAL}, in such a session")


def _jumping(finding: Finding, alpha: float) -> Priced | None:
    estimate = finding.estimate
    if estimate.measure is not Measure.SCALE or estimate.observed is None or not _least_noisy_right(finding):
        return None
    # The mean of n exponential numbers varies by 1/√n of itself.
    spread = math.sqrt(-2 * math.log(alpha) / max(estimate.count or 0, 1))
    seen = estimate.observed
    scale = min(1.0, seen * math.exp(spread)) if seen < 1 else max(1.0, seen * math.exp(-spread))
    return _of_jumps(loss_of_jumps(HALF**2, HALF, scale), "for a step from half the time")


def _staying(finding: Finding, alpha: float) -> Priced | None:
    """Of the steps asked at least one stays by as much too often as all do on average."""
    estimate = finding.estimate
    if estimate.measure is not Measure.EVENTS or not estimate.count or not _least_noisy_right(finding):
        return None
    surplus = ((estimate.observed or 0.0) - (estimate.expected or 0.0)) / estimate.count
    surplus -= math.sqrt(-math.log(alpha) / (2 * estimate.count))
    if surplus <= 0:
        return None
    shares = np.linspace(0.0, math.sqrt(1 - surplus), 513)[1:]
    least = min(loss_of_jumps(min(u * u + surplus, 1.0), u) for u in shares.tolist())
    return _of_jumps(least, "at one of the steps asked, at least")


def _least_noisy_right(finding: Finding) -> bool:
    """Whether the noise that jumps start from has the scale claimed: then it is the jumps that are wrong."""
    least, error = (finding.estimate.numbers.get(name) for name in (LEAST_NOISY, LEAST_NOISY_ERROR))
    return least is not None and error is not None and abs(least - 1) <= RIGHT * error


def _of_jumps(loss: float, where: str) -> Priced | None:
    return Priced(Effect.LEAK, loss, 1.0, f"{IDEAL}, {where}") if loss > 1 + ROUNDING else None


def _narrow(finding: Finding, alpha: float) -> Priced | None:
    """Normal noise of too small a variance: of every release, at some values, or of the step between two releases."""
    estimate = finding.estimate
    if estimate.measure is not Measure.VARIANCE or not estimate.count or (estimate.observed or 1.0) >= 1:
        return None
    ratio = limit(max(estimate.observed or 0.0, 1e-300), estimate.count, True, alpha)
    if ratio >= 1 - ROUNDING:
        return None
    if finding.fault in OF_EVERY_RELEASE:
        return Priced(Effect.LEAK, 1 / ratio, 1.0, IDEAL)
    if finding.fault == of_noise.DEPENDS_ON_VALUE:
        return Priced(Effect.LEAK, 1 / ratio, 1.0, f"{IDEAL}, at these values")
    if finding.fault in OF_STEPS:
        return Priced(Effect.LEAK, TENTH + (1 - TENTH) / ratio, 1.0, f"{IDEAL}, for a step to a tenth of the time")
    return None
