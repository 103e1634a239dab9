"""Which faults a check of the law names, where what stands out says less than it seems, or another says the same."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.bets.named_alternatives import SESSIONS
from nrverify.auditing.core.faults.noise import FRESH_NOISE, RARE_SESSIONS, WRONG_BRIDGE, WRONG_SCALE, WRONG_SHAPE
from nrverify.auditing.core.finding import Finding
from nrverify.statistics.wealth import RatioWealth

FRESH_EXPLAINS = 0.5
"""A share of the log e-value of the mean given the past: noise drawn afresh has a far larger likelihood than its mean
alone tells, and other bridges have a smaller one than the claim."""
BOTH_WAYS = 0.5
"""A share of the evidence for the likeliest rare sessions: where noisier and quieter ones both have it, neither is."""
AS_GOOD_A_SHAPE = 0.75
"""A share of the log e-value of a variance from which on the shape is as likely: a true constant gives shapes less."""


def fresh_or_bridge(found: Finding, evidence: float, afresh: RatioWealth) -> Finding:
    """Of a wrong mean given the past, noise drawn afresh only where its likelihood says so; else another bridge."""
    if found.fault is not FRESH_NOISE or max(afresh.log_wealth.values()) >= FRESH_EXPLAINS * evidence:
        return found
    return found.of(WRONG_BRIDGE)


def rare_or_shape(found: Finding, sessions: RatioWealth) -> Finding:
    """Where some sessions seem noisier and others quieter, all differ from each other: another shape."""
    if found.fault is not RARE_SESSIONS:
        return found
    noisier, quieter = (
        max(won for name, won in sessions.log_wealth.items() if (SESSIONS[name][1] > 1) == wide)
        for wide in (True, False)
    )
    return found.of(WRONG_SHAPE) if min(noisier, quieter) >= BOTH_WAYS * max(noisier, quieter) else found


def scale_or_shape(found: Finding, evidence: float, shapes: RatioWealth) -> Finding:
    """A wrong constant, and another shape as well where it explains nearly as much."""
    if found.fault is not WRONG_SCALE or found.nearest or shapes.log_e < AS_GOOD_A_SHAPE * evidence:
        return found
    return replace(found, nearest=(WRONG_SHAPE,))
