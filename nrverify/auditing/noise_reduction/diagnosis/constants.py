"""Whether a wrong constant that was fitted is one: the same at all values, and whatever went before.

It decides no verdict. A variance that is right at small values and too large at great ones is, on average, a constant
times the right one; to name the constant would be false, and so would what follows from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import chdtrc

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.faults.recursion import ALL_SCALED, FIRST_SCALED, STEPS_SCALED
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.noise_reduction.diagnosis.fault_location import AFTER, VALUE_FIRST, VALUE_LATER, Places
from nrverify.auditing.noise_reduction.diagnosis.uneven import FEWEST, levels_of

OF_CONSTANT = {
    ALL_SCALED: (VALUE_FIRST, VALUE_LATER, AFTER),
    FIRST_SCALED: (VALUE_FIRST,),
    STEPS_SCALED: (VALUE_LATER, AFTER),
}
"""Kinds of places at which the variance must be the same, by the constant that was fitted."""
INSTEAD = {
    VALUE_FIRST: of_noise.DEPENDS_ON_VALUE,
    VALUE_LATER: of_noise.DEPENDS_ON_VALUE,
    AFTER: of_noise.WRONG_BRIDGE_VARIANCE,
}
"""What is named where it is not."""
PLAIN = (of_noise.WRONG_SCALE, of_noise.WRONG_BRIDGE_VARIANCE, of_noise.DEVIATION_FOR_VARIANCE)
"""Faults of a check that say no more than a constant does."""
UNLIKELY = 1e-3
"""A constant is taken for none where its variances would differ so much with a smaller probability."""


def without_constant(
    results: Sequence[CheckResult], suspect: Suspect | None, places: Places | None
) -> tuple[list[CheckResult], Suspect | None]:
    """The results and the suspect; where its constant is none, no suspect, and in its place what the variance says."""
    instead = None if suspect is None or places is None else _instead(suspect, places)
    if instead is None:
        return list(results), suspect
    return [_of(result, instead) for result in results], None


def _instead(suspect: Suspect, places: Places) -> Fault | None:
    """The fault in the place of a constant; None where it is one, or where the noise is not normal."""
    kinds = OF_CONSTANT.get(suspect.faults[0], ()) if suspect.normal else ()
    return next((INSTEAD[kind] for kind in kinds if _alike(places, kind) < UNLIKELY), None)


def _alike(places: Places, kind: str) -> float:
    """The probability that normal noise of one variance has variances that differ so much between the levels."""
    sums = [one for one in levels_of(places, kind).values() if one[0] >= FEWEST]
    if len(sums) < 2:
        return 1.0
    count, square = np.array(sums).T
    logs = np.log(square / count)
    # The logarithm of a mean of n squares has the variance 2/n.
    apart = 0.5 * count @ (logs - np.average(logs, weights=count)) ** 2
    return float(chdtrc(len(sums) - 1, apart))


def _of(result: CheckResult, fault: Fault) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or finding.fault not in PLAIN:
        return result
    return replace(result, finding=finding.of(fault))
