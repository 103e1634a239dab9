"""Losses of faults of the law that have a closed form, at the confidence limit of what was measured; time knob only.

Shapes: normal noise has the least Fisher information of all noise of its variance, and the expected loss of a small
change is half of it times the change squared. Jumps: with X_t = X_s + B·J, X_s ~ Lap(s), P(B = 0) = q and J ~ Lap(ct),
u = s/t, the density f of X_t falls at 0 by −f'/f = (q/u²)/(q/u + (1−q)/(u+c))/t, and far out by 1/max(u, c)/t; ideal is
1/t.
"""

from __future__ import annotations

import math

import numpy as np

from nrverify.auditing.core.bets.named_alternatives import SESSIONS
from nrverify.auditing.core.effects import IDEAL, Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults import any_order as of_any_order
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import LEAST_NOISY, LEAST_NOISY_ERROR, Finding
from nrverify.auditing.noise_reduction.diagnosis.count_losses import worst_of_rounded_normals
from nrverify.auditing.noise_reduction.diagnosis.pricing import ROUNDING, limit
from nrverify.statistics.anytime import mean_limits, normal_half_width
from nrverify.statistics.estimate import Measure
from nrverify.subjects.description import Description

DEGREES = {"student-3": 3, "student-5": 5, "student-12": 12}
"""Alternatives that are Student's laws of unit variance, and their degrees of freedom."""
TENTH, HALF = 0.1, 0.5
"""The steps for which losses of bridges, and of jumps, are said: schedules of both kinds are asked."""
OF_EVERY_RELEASE = (of_noise.WRONG_SCALE, of_noise.ONE_COORDINATE, of_noise.DEVIATION_FOR_VARIANCE)
OF_STEPS = (of_noise.WRONG_BRIDGE_VARIANCE, of_noise.WRONG_BRIDGE, of_noise.AFTER_UNUSUAL)
NEIGHBOURS = "after the times 4t, t and 2t"
"""X at 2t is then drawn from X at 4t alone. The joint density is f_t f_2t J J'/f_4t in the noises, with J, J' of their
differences: of normal noise the precision is 1/t + 1/2t − 1/4t, of Laplace noise the loss Δ/t + Δ/2t + Δ/4t where the
first two noises are negative and the third is above Δ."""
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
        case of_noise.CLIPPED if description.integer:
            return _shaped(finding)
        case of_noise.ROUNDED_NORMALS if description.family.rated:
            return _rounded_normals(finding, description.rate or 1.0)
        case of_noise.FRESH_NOISE if finding.estimate.measure is Measure.ALTERNATIVE:
            return Priced(Effect.LEAK, 2.0, 1.0, f"{IDEAL} after two times that are nearly equal")
        case of_any_order.LOWER_IGNORED | of_any_order.ORDER_REMEMBERED if normal or (pure and not description.integer):
            return Priced(Effect.LEAK, 1.25 if normal else 1.75, 1.0, f"{IDEAL} t, {NEIGHBOURS}")
        case of_noise.AFTER_UNUSUAL if normal and (finding.estimate.observed or 0.0) > 1:
            return _wider_after_unusual(finding, alpha)
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


def loss_of_shared_coins(odds: float, share: float) -> float:
    """The loss over the ideal one of X_t near 0 where another coordinate, of known value, has X_t = 0.

    Both are X_s + B·J as above, with coins of this odds ratio. With a and b the densities at 0 without and with a jump,
    and p_ij the probabilities of the coins, −∂f/∂x is (p_00 a + p_01 b)·a/s, since the density with a jump is flat.
    """
    stays = share**2
    # The joint law of two coins with these margins and odds ratio p_00 p_11/(p_01 p_10).
    both = _both(stays, odds)
    a, b = 1 / (2 * share), 1 / (2 * (share + 1))
    one = stays - both
    density = both * a * a + 2 * one * a * b + (1 - stays - one) * b * b
    return (both * a + one * b) * a / share / density


def _both(p: float, odds: float) -> float:
    """The probability of two events of probability p with an odds ratio."""
    if odds == 1:
        return p * p
    half = 1 + 2 * p * (odds - 1)
    return (half - math.sqrt(half**2 - 4 * odds * (odds - 1) * p * p)) / (2 * (odds - 1))


def _shaped(finding: Finding) -> Priced | None:
    known = [information(name) for name in finding.estimate.alternatives]
    if finding.estimate.measure is not Measure.ALTERNATIVE or not known or None in known:
        return None
    least = min(one for one in known if one is not None)
    if math.isinf(least):
        return Priced(Effect.LEAK, math.inf, 1.0, "for a release that only one of two values can give")
    return Priced(Effect.LEAK, least, 1.0, f"{IDEAL}, on average and for a small change of the value")


def _rounded_normals(finding: Finding, rate: float) -> Priced | None:
    """Of one release with the mean count from which on normals are drawn, or a little more."""
    means = [float(name.rpartition("-")[2]) for name in finding.estimate.alternatives]
    if not means:
        return None
    mean = max(2 * max(means), 2.0)
    epsilon, own, claimed = worst_of_rounded_normals(2 * mean)
    if own <= claimed * (1 + ROUNDING):
        return None
    where = f"at ε = {epsilon:.3g} for a change of the value by 1 and a release at time {mean / rate:.3g}"
    return Priced(Effect.LEAK, own, claimed, where, quantity="hockey-stick divergence")


def _wider_after_unusual(finding: Finding, alpha: float) -> Priced | None:
    """Where a step has r times the variance, its density at the centre is √r times smaller."""
    estimate = finding.estimate
    if estimate.measure is not Measure.VARIANCE or not estimate.count or estimate.observed is None:
        return None
    loss = 0.5 * math.log(limit(estimate.observed, estimate.count, True, alpha))
    where = "at the step after it, for a change of the value, however small, that makes a usual release unusual"
    return Priced(Effect.LEAK, loss, 0.0, where) if loss > ROUNDING else None


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
    low, high = mean_limits(estimate.observed, max(estimate.count or 0, 1), alpha)
    scale = min(1.0, high) if estimate.observed < 1 else max(1.0, low)
    return _of_jumps(loss_of_jumps(HALF**2, HALF, scale), "for a step from half the time")


def _staying(finding: Finding, alpha: float) -> Priced | None:
    """Of the steps asked at least one stays by as much too often as all do on average."""
    estimate = finding.estimate
    if estimate.measure is not Measure.EVENTS or not estimate.count or not _least_noisy_right(finding):
        return None
    surplus = ((estimate.observed or 0.0) - (estimate.expected or 0.0)) / estimate.count
    # An event less its probability has no larger exponential moments than a normal number of variance ¼.
    surplus -= normal_half_width(4 * estimate.count, alpha)
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
