"""What noise drawn afresh at every look loses with an ε-knob whose times are not known, from the noise seen at each ε.

Independent releases lose in all what they lose one by one: Laplace noise of scales t_i loses Σ Δ/t_i, normal noise of
variances t_i what one release of variance 1/Σ 1/t_i does. Each t_i is taken to its upper confidence limit, which holds
for all schedules and looks at once; so noise that is suited to the number of looks, and pays for each, is no leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults.noise import FRESH_NOISE
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.diagnosis.pricing import ROUNDING, normal_price, pure_price
from nrverify.auditing.noise_reduction.epsilon.noise_bounds import NoiseLevels
from nrverify.subjects.description import Description
from nrverify.subjects.guarantees import DP, guarantee_of


def with_fresh_looks(
    results: list[CheckResult], levels: NoiseLevels | None, description: Description, alpha: float
) -> list[CheckResult]:
    """The results, those that name fresh noise with its loss at the schedule where it is most above the claim."""
    if levels is None or not any(_fresh(result) for result in results):
        return results
    found = price_of_looks(levels.by_schedule(alpha).values(), description)
    return results if found is None else [_with_price(result, found) for result in results]


def price_of_looks(schedules: Iterable[Mapping[float, float]], description: Description) -> Priced | None:
    """The worst of schedules, each the largest noise not excluded by ε; None where no claim is seen to be broken."""
    normal, pure = description.mechanism == "brownian", description.mechanism == "laplace"
    if not (normal or pure) or description.sensitivity is None or description.granularity is not None:
        return None
    found = [
        _of_looks({epsilon: limits[epsilon] for epsilon in sorted(limits)[:looks]}, description, normal)
        for limits in schedules
        for looks in range(2, len(limits) + 1)
    ]
    broken = [one for one in found if (one.loss or 0.0) > (one.claim or 0.0) * (1 + ROUNDING)]
    return max(broken, key=lambda one: (one.loss or 0.0) / max(one.claim or 0.0, 1e-300), default=None)


def _of_looks(limits: Mapping[float, float], description: Description, normal: bool) -> Priced:
    sensitivity, last = description.sensitivity or 1.0, max(limits)
    precision, where = sum(1 / t for t in limits.values()), f"after looks at {len(limits)} ε's"
    if not normal:
        return replace(pure_price(last, sensitivity * precision), where=f"in all {where}")
    dp = guarantee_of(description) == DP
    found = normal_price(last, 1 / precision, sensitivity, description.delta or 0.0, dp)
    return replace(found, where=f"{found.where}, {where}")


def _fresh(result: CheckResult) -> bool:
    finding = result.finding
    return (
        result.verdict is CheckVerdict.REFUTED
        and finding is not None
        and finding.fault == FRESH_NOISE
        and not finding.nearest
        and finding.priced is None
    )


def _with_price(result: CheckResult, priced: Priced) -> CheckResult:
    if not _fresh(result) or result.finding is None:
        return result
    return replace(result, finding=result.finding.with_price(priced))
