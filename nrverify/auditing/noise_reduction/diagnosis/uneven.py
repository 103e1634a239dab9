"""Whether the variance of the noise differs from place to place, and whether the first release is right.

It decides no verdict. Noise whose variance differs by position or time looks heavy-tailed when it is pooled: then no
shape is named. Where the first release is right and later ones are not, the fault is in the step between releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.fault_location import FIRST, LATER, Places

SPREAD = 12.0
"""Times as much as chance spreads variances of normal noise: more than heavy tails do."""
FEWEST = 40
"""Innovations of a place, below which its variance is not compared."""
RIGHT, WRONG = 3.5, 6.0
"""Standard errors within which the first release is right, and beyond which later ones are wrong."""
OF_SHAPE = (
    of_noise.WRONG_SHAPE,
    of_noise.RARE_RELEASES,
    of_noise.RARE_SESSIONS,
    of_noise.CLIPPED,
    of_noise.WRONG_SCALE,
    of_noise.DEVIATION_FOR_VARIANCE,
)
"""Faults that say the same of all releases."""
OF_LAW = ("law.release", "law.transcript", "law.adaptive")
"""Ids of checks, as declared."""

Sum = tuple[float, float]


def told_apart(results: Sequence[CheckResult], places: Places | None) -> list[CheckResult]:
    """The results, in which no fault of all releases is named where they differ from each other."""
    if places is None or not any(result.verdict is CheckVerdict.REFUTED for result in results):
        return list(results)
    first_alone = only_first_right(places)
    uneven = first_alone or differs(places)
    return [_told(result, first_alone, uneven) for result in results]


def _told(result: CheckResult, first_alone: bool, uneven: bool) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or result.id not in OF_LAW:
        return result
    if first_alone:
        result = replace(result, finding=replace(finding, texts={**finding.texts, "first": "right"}))
        finding = result.finding
        assert finding is not None
    named = (finding.fault, *finding.nearest)
    if not uneven or not any(fault in OF_SHAPE for fault in named):
        return result
    kept: list[Fault] = [fault for fault in named if fault is not None and fault not in OF_SHAPE]
    faults = kept or [of_noise.WRONG_BRIDGE if first_alone else of_noise.UNKNOWN]
    return replace(result, finding=finding.of(*faults))


def differs(places: Places) -> bool:
    """Whether variances differ between releases, or between times, by more than chance and heavy tails explain."""
    return any(_spread(levels_of(places, kind).values()) > SPREAD for kind in ("release", "time"))


def only_first_right(places: Places) -> bool:
    """Whether first releases have the variance claimed, and some later ones have not, at the same times.

    Later releases have smaller times: a fault of small times alone is none of the bridge.
    """
    before, after = levels_of(places, FIRST), levels_of(places, LATER)
    times = {time for time, sums in before.items() if sums[0] >= FEWEST and time in after}
    if not times or abs(_errors(_added(after[time] for time in times))) < WRONG:
        return False
    levels = levels_of(places, "release")
    levels.pop(1.0, None)
    first = _added(before[time] for time in times)
    if first[0] < FEWEST or abs(_errors(first)) > RIGHT:
        return False
    # The same deviation as the later ones have would have shown in the first.
    far = [_errors(sums) for sums in levels.values() if sums[0] >= FEWEST]
    worst = max((sums for sums in levels.values() if sums[0] >= FEWEST), key=lambda x: abs(_errors(x)), default=None)
    if worst is None or max(map(abs, far)) < WRONG:
        return False
    return bool(abs(np.log(worst[1] / worst[0])) * np.sqrt(first[0] / 2) > WRONG)


def _added(sums: Iterable[Sum]) -> Sum:
    parts = list(sums)
    return sum(count for count, _ in parts), sum(square for _, square in parts)


def levels_of(places: Places, kind: str) -> dict[float, Sum]:
    found: dict[float, Sum] = {}
    for (of, level, _), (count, square) in places.sums.items():
        if of == kind:
            before = found.get(level, (0.0, 0.0))
            found[level] = before[0] + float(count), before[1] + float(square)
    return {level: sums for level, sums in found.items() if sums[1] > 0}


def _errors(sums: Sum) -> float:
    """How many standard errors a variance is from 1."""
    count, square = sums
    return float((square / count - 1) * np.sqrt(count / 2))


def _spread(levels: Iterable[Sum]) -> float:
    """The weighted variance of the logarithms of variances, over that of normal noise of one variance."""
    sums = [one for one in levels if one[0] >= FEWEST]
    if len(sums) < 2:
        return 0.0
    count, square = np.array(sums).T
    logs = np.log(square / count)
    mean = np.average(logs, weights=count)
    return float((0.5 * count * (logs - mean) ** 2).sum() / (len(sums) - 1))
