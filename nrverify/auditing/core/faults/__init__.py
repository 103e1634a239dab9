"""The faults an audit can name: one table with permanent ids, and for each its cause, its effect and where to look."""

from nrverify.auditing.core.faults import any_order, curve, halting, noise, outputs, recursion
from nrverify.auditing.core.faults.fault import (
    Alternative,
    Effect,
    Fault,
    alternative,
    alternative_of,
    fault_of,
    known_faults,
)

__all__ = [
    "Alternative",
    "Effect",
    "Fault",
    "alternative",
    "alternative_of",
    "any_order",
    "curve",
    "fault_of",
    "halting",
    "known_faults",
    "noise",
    "outputs",
    "recursion",
]
