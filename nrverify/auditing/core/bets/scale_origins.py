"""Where a wrong variance may come from: ratios to the claimed one that a simple mistake explains."""

from __future__ import annotations

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.noise import (
    DEVIATION_FOR_VARIANCE,
    UNKNOWN,
    WRONG_BRIDGE,
    WRONG_BRIDGE_VARIANCE,
    WRONG_SCALE,
)

ORIGINS = {
    2.0: "the noise of two draws added, or a scale taken for a standard deviation",
    0.5: "a standard deviation taken for a scale, or a factor 2 forgotten",
    0.25: "half the scale",
    4.0: "twice the scale",
}
"""Where a ratio of variances near a simple one may come from."""
NEAR = 0.05
"""Within this, relative, a ratio is near a simple one."""
CONSTANT = (0.5, 2.0)
"""Between these a variance is taken to have a wrong constant; beyond, to be of another kind."""


def origin_of(ratio: float) -> str | None:
    """Where a ratio of variances near a simple one may come from."""
    return next((origin for simple, origin in ORIGINS.items() if abs(ratio / simple - 1) < NEAR), None)


def fault_of_scale(fault: Fault, ratio: float, alone: bool, position: int | None = None) -> Fault:
    """The fault that a ratio of variances shows; `alone` for a release by itself, not given the one before.

    A variance taken for a deviation shows in first releases: of a later one alone (`position`) it is not said.
    """
    constant = CONSTANT[0] < ratio < CONSTANT[1] or origin_of(ratio) is not None
    if constant or fault not in (WRONG_SCALE, WRONG_BRIDGE_VARIANCE):
        return fault
    if alone and position is not None:
        return UNKNOWN
    return DEVIATION_FOR_VARIANCE if alone else WRONG_BRIDGE
