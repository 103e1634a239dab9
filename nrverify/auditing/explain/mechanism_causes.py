"""Likely causes and effects of what is found in threshold mechanisms, boundaries and private stopping."""

from __future__ import annotations

import math
import re

from nrverify.auditing.core.boundary_faults import (
    DECIMAL,
    DEVIATION,
    DOUBLED,
    DRIFT_NOT_SQUARED,
    FLAT,
    HALVED,
    OTHER_SENSITIVITY,
    ROOT,
    WITHOUT_DRIFT,
)
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.noise_reduction.epsilon.claim import TIMES
from nrverify.auditing.private_stopping.checks import ANEW
from nrverify.auditing.threshold.halting_bets import UNFIT

LEAK = "an attacker learns more from the bits than was paid for: a leak"
WASTE = "too much noise: only accuracy suffers, nothing leaks"
NEAR = 0.05
"""A ratio is a simple one when it is within this part of it."""
OFF_BY_ONE = "an off-by-one between ε's and rounds"

NAMED = {
    "query noise halved": ("query noise Lap(2Δ/ε) where it must be Lap(4Δ/ε)", LEAK),
    "query noise divided by √2": ("a standard deviation taken for the scale of the query noise", LEAK),
    "query noise doubled": ("query noise Lap(8Δ/ε) where Lap(4Δ/ε) is enough", WASTE),
    "no noise at all": ("neither the utilities nor the threshold get any noise", LEAK),
    "no query noise": ("the utilities get no noise of their own", LEAK),
    "threshold noise halved": ("threshold noise Lap(Δ/ε) where it must be Lap(2Δ/ε)", LEAK),
    "threshold noise doubled": ("threshold noise Lap(4Δ/ε) where Lap(2Δ/ε) is enough", WASTE),
    "no threshold noise": ("the threshold gets no noise", LEAK),
    "noises exchanged": ("the scales 2Δ/ε of the threshold and 4Δ/ε of the utilities are exchanged", LEAK),
    "both noises halved": ("the sensitivity or ε is wrong by a factor of 2", LEAK),
    "both noises doubled": ("the sensitivity or ε is wrong by a factor of 2", WASTE),
    "threshold noise drawn anew in every round": ("threshold noise drawn inside the loop, not before it", LEAK),
    "threshold noise drawn anew when ε changes": ("threshold noise drawn for every new ε; it must be reduced", LEAK),
    "threshold noise stays with probability s/t, not its square": (
        "a wrong probability of staying in the Laplace process: it is (s/t)²",
        "the threshold's noise has another law than was proved private",
    ),
    "normal query noise": ("the query noise is normal where it must be Laplace", LEAK),
    "normal threshold noise": ("the threshold noise is normal where it must be Laplace", LEAK),
    "threshold noise kept or drawn anew by a coin": (
        "threshold noise drawn afresh with probability 1 − (s/t)²; it must be reduced by the reverse kernel",
        "the threshold's noise has another law than was proved private",
    ),
    "one number for the threshold and the first query": (
        "two generators with the same seed, or one draw used twice",
        LEAK,
    ),
    "query noise of the last ε throughout": ("query noise of the last ε in every round", LEAK),
    "query noise drawn once": ("query noise drawn before the loop, not inside it", LEAK),
    "sensitivity ignored": ("noise scaled for sensitivity 1 whatever was asked", LEAK),
    "threshold ignored": ("the threshold given is not the one compared with", "the answers are to another question"),
    "comparison reversed": ("it halts below the threshold, not above", "the answers are to another question"),
    "utility of the round before": ("an off-by-one between utilities and rounds", "the answers come a round late"),
    "utility of the next round": ("an off-by-one between utilities and rounds", "the answers come a round early"),
    "rounds counted from 0": ("rounds counted from 0, so that the first looks like never", "the answers are misread"),
    "last ε throughout": ("the last ε used in every round", LEAK),
    "first ε throughout": ("the first ε used in every round", WASTE),
    "query noise never reduced": ("query noise kept at the scale of the first ε", WASTE),
    "ε of the round before": (OFF_BY_ONE, WASTE),
    "query ε of the round before": (OFF_BY_ONE, WASTE),
    "query ε of the next round": (OFF_BY_ONE, LEAK),
    "threshold ε of the round before": (OFF_BY_ONE, WASTE),
    "ε of the next round": (OFF_BY_ONE, LEAK),
    "threshold noise never reduced": ("threshold noise kept at the scale of the first ε", WASTE),
    "threshold noise scaled down, not reduced": (
        "threshold noise multiplied by the ratio of scales; the Laplace process must be walked",
        "the threshold's noise is no noise reduction: the ε claimed is not proved, and may leak",
    ),
    "utility of the release before": ("an off-by-one between releases and utilities", "the stop comes a round late"),
    "utility of the exact value": ("the utility is evaluated at the exact value", "the stop betrays the value: a leak"),
}

_NAMES = re.compile("|".join(map(re.escape, sorted(NAMED, key=len, reverse=True))))

BY_ID = {
    "threshold.protocol": ("no return at the first 1", "every further answer costs ε again, unpaid: a leak"),
    "stopping.protocol": (
        "something computed ahead is returned too",
        "what is shown after the stop is not covered by the charge: a leak",
    ),
    "boundary.values": ("overflow, a logarithm or root outside its range", "the ε charged means nothing there"),
    "boundary.monotone": (
        "a missing division by the time, or parameters tuned again at each time",
        "it cannot be inverted, and noise chosen by it may leak",
    ),
    "boundary.crossing": (
        "a curve for a single look, for another δ, tuned again at every time, or with a missing term",
        "with probability above δ the loss is more than was charged: a leak",
    ),
    "boundary.inverse": (
        "another branch, parameter or unit than in epsilon()",
        "too little noise for the ε asked: a leak",
    ),
}

CURVES = {
    FLAT: "the quantile of a single look, a union over a few looks, or parameters tuned again at every time",
    DOUBLED: "a boundary built for 2δ, where one side alone must keep δ",
    ROOT: "half the exponent: δ where δ² must stand, or a factor 2 missing in the slope or the intercept",
    WITHOUT_DRIFT: "the term Δ²/2t of the loss is left out",
    DRIFT_NOT_SQUARED: "the term Δ²/2t of the loss is written Δ/2t",
    OTHER_SENSITIVITY: "the sensitivity is ignored, or its root is taken",
    DEVIATION: "the time, which is a variance, is taken for a standard deviation",
    HALVED: "a factor 2 missing under the root, or the sensitivity taken there",
    DECIMAL: "logarithms to base 10",
}
"""What a boundary is, or would be if a mistake were undone; and the mistake."""

EXCESS = {
    2.0: "half the scale: a factor 2 forgotten, or a sensitivity of half the size",
    math.sqrt(2): "a standard deviation taken for the scale, or in two dimensions the wrong norm of the sensitivity",
}
"""The ε that Laplace noise costs, over the one asked for."""

NO_NUMBER = (
    "overflow or an invalid operation at a valid request",
    "the release is useless, and NaN may reveal the value",
)
"""For a release that is NaN or infinite."""
ANOTHER_LAW = (
    "noise of another law than claimed, or answers to another question",
    "the ε claimed is not proved, and may leak",
)
DRAWN_ANEW = "new noise is drawn for a time already answered", "averaging repeated answers removes the noise: a leak"


def mechanism_cause(result: CheckResult) -> tuple[str, str] | None:
    """(likely cause, effect) for the checks of these mechanisms; None for others."""
    observed = result.observed or ""
    if result.id == "stopping.protocol" and observed.startswith("the release "):
        return NO_NUMBER
    if result.id == "stopping.protocol" and observed.startswith(ANEW):
        return DRAWN_ANEW
    if result.id in ("boundary.crossing", "privacy.epsilon") and (cause := _curve_cause(observed)) is not None:
        return cause, BY_ID["boundary.crossing"][1]
    if result.id in BY_ID:
        return BY_ID[result.id]
    if result.id not in ("threshold.law", "stopping.law"):
        return None
    if "noise of the release" in observed or "size of that noise" in observed:
        return "the threshold mechanism shares random numbers with the releases", "the stop betrays the noise: a leak"
    if UNFIT in observed:
        return ANOTHER_LAW
    if named := [NAMED[name] for name in dict.fromkeys(_NAMES.findall(observed))]:
        causes, effects = (list(dict.fromkeys(words)) for words in zip(*named, strict=True))
        guess = "if so, " if result.id == "stopping.law" else ""
        return ", or ".join(causes), guess + "; or ".join(effects)
    if "run before" in observed or "runs further back" in observed:
        return "noise shared by runs", "whoever sees two runs cancels their common noise: a leak"
    return ANOTHER_LAW


def _curve_cause(observed: str) -> str | None:
    """The mistake in a curve of ε's, by what it is told from; None where that is not known."""
    if TIMES in observed:
        excess = float(observed.rsplit(TIMES, 1)[1])
        return next((cause for simple, cause in EXCESS.items() if abs(excess / simple - 1) < NEAR), None)
    return next((cause for words, cause in CURVES.items() if words in observed), None)
