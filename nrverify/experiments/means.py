"""A bounded mean beside the one expected, in words."""

from __future__ import annotations

from nrverify.statistics.bounded_means import BoundedMeanWealth


def mean_text(wealth: BoundedMeanWealth, unit: str = "") -> str:
    """What was expected and observed."""
    return f"mean {wealth.mean:.6g}{unit}, mean {wealth.observed:.6g} of {wealth.count}"
