"""Advice on a boundary that is crossed far less often than δ allows: how much noise it could save."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.auditing.boundary.brownian_enclosure import TOO_ROUGH, CrossingEnclosure
from nrverify.auditing.boundary.claim import BoundaryClaim
from nrverify.auditing.boundary.queries import Scaled
from nrverify.auditing.core.declaration import CheckKind
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.laws.crossing import crossing_probability

WASTEFUL = 0.9
"""Below this part of δ something is said: what is saved above it is hardly noticed."""
STEPS = 5
"""Secant steps at most; two or three are the rule."""


@dataclass(frozen=True)
class _Lowered:
    """s·c."""

    curve: Scaled
    factor: float

    def __call__(self, tau: Any) -> Any:
        return self.factor * np.asarray(self.curve(tau))[()]


def waste_advice(curve: Scaled | None, found: CrossingEnclosure, claim: BoundaryClaim) -> CheckResult | None:
    """Said when the crossing probability is below 0.9 δ: advice, not a fault.

    The curve times the least s that keeps its crossing probability at δ is a boundary too; at the ε it claims where it
    is tightest it needs less noise by the part said.
    """
    if not found.high < WASTEFUL * claim.delta or found.why != TOO_ROUGH:
        return None
    said = f"the crossing probability is {found.high / claim.delta:.3g} δ"
    if found.high < 1e-300 or curve is None:
        return _advice(f"{said}: a lower boundary, and so less noise, would do")
    factor = _factor(curve, found, claim.delta)
    tau = found.at / claim.sensitivity**2
    epsilon = float(curve.epsilon(np.array([tau]))[0])
    saved = max(1 - _time_needed(curve, factor, epsilon, tau) / tau, 0.0)
    return _advice(
        f"{said}: the curve could be {100 * (1 - factor):.2g} % lower, and at ε = {epsilon:.3g} (t = {found.at:.4g}) "
        f"{100 * saved:.2g} % of the noise variance saved"
    )


def _factor(curve: Scaled, found: CrossingEnclosure, delta: float) -> float:
    """s with P(W ≥ s·c somewhere) ≈ δ, by secant steps in s², in which log P is nearly linear."""
    tau = np.array([found.at]) / curve.square
    level = float(curve.level(np.log(tau))[0])
    square, log_p = 1.0, math.log(found.high)
    slope = -0.5 * max(level, 1.0) ** 2
    if not found.smooth:
        # One step without checking it: a curve of many steps takes long to integrate.
        return math.sqrt(min(max(1 + (math.log(delta) - log_p) / slope, 0.02), 1.0))
    for _ in range(STEPS):
        # Never below what gives a single look probability δ, and never above the curve itself.
        new = min(max(square + (math.log(delta) - log_p) / slope, 0.02), 1.0)
        lowered = crossing_probability(_Lowered(curve, math.sqrt(new)), interval=curve.ends)
        at = math.log(max(lowered.probability, 1e-300))
        if abs(at - math.log(delta)) < 0.02 or new == square:
            return math.sqrt(new)
        slope = (at - log_p) / (new - square)
        square, log_p = new, at
    return math.sqrt(square)


def _time_needed(curve: Scaled, factor: float, epsilon: float, tau: float) -> float:
    """The time at which the lowered boundary s·c/τ + ½/τ comes down to ε, at most τ."""
    low, high = math.log(curve.ends[0]), math.log(tau)
    for _ in range(40):
        middle = 0.5 * (low + high)
        t = math.exp(middle)
        lowered = (factor * float(curve(t)) + 0.5) / t
        low, high = (low, middle) if lowered <= epsilon else (middle, high)
    return math.exp(high)


def _advice(message: str) -> CheckResult:
    return CheckResult("boundary.waste", CheckKind.PRIVACY, CheckVerdict.ADVICE, message=message)
