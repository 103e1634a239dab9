"""Faults that show a value, or a difference of values, without noise: their loss is infinite."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults import Effect
from nrverify.auditing.core.faults import noise as of_noise
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.statistics.anytime import least_probability
from nrverify.statistics.estimate import Measure

EXPOSED = {
    of_noise.VALUE_IN_CLEAR: "where the value is released as it is",
    of_noise.NO_NOISE: "where the value is released as it is",
    of_noise.SEED_IGNORED: "for two sessions with the same noise: releases differ by what the values do",
    of_noise.EQUAL_TRANSCRIPTS: "for two sessions with the same noise: releases differ by what the values do",
    of_noise.FEW_STREAMS: "for whoever tries all streams of noise there are",
    of_noise.ONE_NUMBER_AGAIN: "where it comes again: nearly every other value gives that release with probability 0",
    of_noise.SHARED_COORDINATES: "for two coordinates with the same noise: releases differ by what the values do",
    of_noise.SHARED_SESSIONS: "for two sessions with the same noise: releases differ by what the values do",
}
"""Where it is infinite, by fault."""
STREAMS = (of_noise.SEED_IGNORED.id, of_noise.FEW_STREAMS.id)
"""By their ids: other mechanisms word the same fault differently."""
SHARED = (of_noise.SHARED_COORDINATES, of_noise.SHARED_SESSIONS)
"""Of releases that are sums of value and noise, where equal noises were counted."""
TRIED = "for whoever tries all streams of noise there are"
"""Of outputs that are no sums of value and noise."""


def exposed(finding: Finding, delta: float | None, alpha: float) -> Priced | None:
    """An infinite loss; beside a claim with δ only where it is seen to happen more often than that allows."""
    assert finding.fault is not None
    if delta is not None and not _more_often_than(finding, delta, alpha):
        return None
    return Priced(Effect.LEAK, math.inf, 1.0, EXPOSED[finding.fault])


def _more_often_than(finding: Finding, delta: float, alpha: float) -> bool:
    """Whether it is seen to happen with a larger probability; so it is where nothing was counted."""
    seen, of = finding.estimate.observed, finding.estimate.count
    return seen is None or not of or least_probability(int(min(seen, of)), int(of), alpha) > delta


def with_streams(results: Iterable[CheckResult], delta: float, alpha: float) -> list[CheckResult]:
    """The results of a mechanism with a claim, those of too few random streams with what that means."""
    return [_with_streams(result, delta, alpha) for result in results]


def _with_streams(result: CheckResult, delta: float, alpha: float) -> CheckResult:
    finding = result.finding
    if result.verdict is not CheckVerdict.REFUTED or finding is None or finding.nearest or finding.priced is not None:
        return result
    if finding.fault in SHARED and finding.estimate.measure is Measure.COUNT:
        found = exposed(finding, delta, alpha)
        return result if found is None else replace(result, finding=finding.with_price(found))
    if finding.fault is None or finding.fault.id not in STREAMS or not _more_often_than(finding, delta, alpha):
        return result
    return replace(result, finding=finding.with_price(Priced(Effect.LEAK, math.inf, 1.0, TRIED)))
