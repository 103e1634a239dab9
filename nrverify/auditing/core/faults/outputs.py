"""Faults of a mechanism whose law is not known, seen in its outputs alone."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import fault

PRICE_OF_STATE = fault(
    "price-of-state",
    "spent() reads what the last run left behind, and not the output it is given",
    "what an output has cost is not defined, so that its claim means nothing",
    look="spent(): it must compute the price from its argument alone",
)
