"""Sentences about a curve of ε's that is crossed too often: what it is, or would be without the mistake."""

from __future__ import annotations

from nrverify.auditing.core.faults import curve

UNDONE = {
    curve.SINGLE_LOOK: "the same quantile at every time, which a path passes sooner or later",
    curve.DELTA_DOUBLED: "it is right for 2δ",
    curve.DELTA_ROOTED: "it is right for √δ",
    curve.DRIFT_MISSING: "with the drift Δ²/2t added it would be {part:.3g} δ",
    curve.DRIFT_NOT_SQUARED: "with the drift Δ²/2t for Δ/2t it would be {part:.3g} δ",
    curve.SENSITIVITY_IGNORED: "for the sensitivity {own_sensitivity:.4g} it would be {part:.3g} δ",
    curve.TIME_AS_DEVIATION: "with the time for a standard deviation it would be {part:.3g} δ",
    curve.ROOT_HALVED: "with twice the square of the curve it would be {part:.3g} δ",
    curve.DECIMAL_LOGARITHM: "with natural for decimal logarithms it would be {part:.3g} δ",
}
"""By fault; the fields are the numbers of `Undone`."""


def with_curve_faults(measure: str, expected: str, observed: str) -> dict[str, tuple[str, str]]:
    """Templates of a check whose finding may be explained by a mistake in a curve, and of one that is not."""
    explained = {fault.id: (expected, f"{observed}; {clause}") for fault, clause in UNDONE.items()}
    return {measure: (expected, observed), **explained}
