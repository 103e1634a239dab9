"""Faults of a privacy boundary: of its values, and mistakes that explain why it is crossed too often."""

from __future__ import annotations

from nrverify.auditing.core.faults.fault import Effect, Fault, fault

PAST_THE_CHARGE = "with probability above δ the loss is more than was charged"

IMPROPER_VALUE = fault(
    "boundary-value",
    "overflow, a logarithm or root outside its range",
    "the ε charged means nothing there",
    look="the formula at the ends of the interval",
)
RISES = fault(
    "boundary-rises",
    "a missing division by the time, or parameters tuned again at each time",
    "it cannot be inverted, and noise chosen by it may leak",
    look="the formula of the boundary, and what is optimised inside it",
)
CROSSED = fault(
    "boundary-crossed",
    "a curve for a single look, for another δ, tuned again at every time, or with a missing term",
    PAST_THE_CHARGE,
    Effect.LEAK,
    look="the formula of the boundary",
)
INVERSE = fault(
    "inverse-too-small",
    "another branch, parameter or unit than in epsilon()",
    "too little noise for the ε asked",
    Effect.LEAK,
    look="time(): it must give back a time that epsilon() charges no more than asked",
)


def _mistake(id: str, cause: str) -> Fault:
    return fault(id, cause, PAST_THE_CHARGE, Effect.LEAK, look="the formula of the boundary")


SINGLE_LOOK = _mistake(
    "single-look-quantile",
    "the quantile of a single look, a union over a few looks, or parameters tuned again at every time",
)
DELTA_DOUBLED = _mistake("delta-doubled", "a boundary built for 2δ, where one side alone must keep δ")
DELTA_ROOTED = _mistake(
    "delta-rooted", "half the exponent: δ where δ² must stand, or a factor 2 missing in the slope or the intercept"
)
DRIFT_MISSING = _mistake("drift-missing", "the term Δ²/2t of the loss is left out")
DRIFT_NOT_SQUARED = _mistake("drift-not-squared", "the term Δ²/2t of the loss is written Δ/2t")
SENSITIVITY_IGNORED = _mistake("boundary-sensitivity", "the sensitivity is ignored, or its root is taken")
TIME_AS_DEVIATION = _mistake("time-as-deviation", "the time, which is a variance, is taken for a standard deviation")
ROOT_HALVED = _mistake("root-halved", "a factor 2 missing under the root, or the sensitivity taken there")
DECIMAL_LOGARITHM = _mistake("decimal-logarithm", "logarithms to base 10")
