"""The check that the privacy loss crosses a boundary with probability at most δ."""

from __future__ import annotations

from nrverify.auditing.boundary.brownian_enclosure import CrossingEnclosure
from nrverify.auditing.boundary.claim import MECHANISMS, BoundaryClaim
from nrverify.auditing.boundary.tolerances import RESOLUTION
from nrverify.auditing.core.boundary_faults import Undone, with_curve_faults
from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.curve import CROSSED
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.statistics.estimate import Estimate, Measure
from nrverify.subjects.description import Description

EXPECTED = "crossing probability at most δ = {expected:g} over {interval}"
OBSERVED = "between {low:.6g} and {high:.6g}{parts}, most easily near t = {time:.4g}"


@check(
    id="boundary.crossing",
    kind=CheckKind.PRIVACY,
    sentence="With probability at least 1 − δ no look ever loses more than the boundary says.",
    claims=("B08", "B09", "B18", "N14"),
    mechanisms=MECHANISMS,
    weight=0.0,
    order=30,
    templates=with_curve_faults("probability", EXPECTED, OBSERVED),
    decisive=True,
)
class BoundaryCrossing(Declared):
    """The loss passes ψ somewhere in the interval with probability at most δ, exactly computed, not simulated.

    Catches any boundary that is too low, single looks taken for all, re-tuning at every time, missing constants, and
    wrong units, at any δ. Kinks, jumps and steps are located. Misses violations below 0.1 % of δ, dips far narrower
    than the scan, and what happens outside the interval.
    """

    @classmethod
    def foreseen(cls, description: Description) -> tuple[Size, ...]:
        """An excess over δ that is wider than the enclosures."""
        limit = (description.delta or 0.0) * (1 + RESOLUTION)
        return (Size(f"crossing probability ({1 + RESOLUTION:g} δ)", limit, "δ"),)

    def conclude(
        self, found: CrossingEnclosure, claim: BoundaryClaim, calls: int, undone: Undone | None = None
    ) -> CheckResult:
        """Refuted when the whole enclosure lies above δ(1 + 1e-3); `undone` is the mistake that explains it."""
        limit = claim.delta * (1 + RESOLUTION)
        verdict, message = CheckVerdict.CONSISTENT, None
        finding = _finding(found, claim)
        if crossed(found, claim):
            verdict = CheckVerdict.REFUTED
            finding = finding.of(CROSSED) if undone is None else undone.explain(finding)
        elif found.high > limit:
            verdict = CheckVerdict.INCONCLUSIVE
            message = (
                f"{found.why}: its crossing probability is known only to lie "
                f"between {found.low:.3g} and {found.high:.3g}"
            )
        return concluded(
            self,
            verdict,
            samples=calls,
            statistic=0.5 * (found.low + found.high),
            finding=finding,
            sizes=(Size(f"crossing probability of the curve through {calls} times", limit, "δ"),),
            message=message,
        )


def crossed(found: CrossingEnclosure, claim: BoundaryClaim) -> bool:
    """Whether the crossing probability is certainly above δ."""
    return found.low > claim.delta * (1 + RESOLUTION)


def _finding(found: CrossingEnclosure, claim: BoundaryClaim) -> Finding:
    middle, half = 0.5 * (found.low + found.high), 0.5 * (found.high - found.low)
    numbers = {"low": found.low, "high": found.high, "time": found.at}
    parts = f" ({found.low / claim.delta:.5g} δ)" if claim.delta > 0 else ""
    estimate = Estimate(Measure.PROBABILITY, claim.delta, middle, half, numbers=numbers)
    return Finding("crossing probability", estimate, certain=True, texts={"interval": claim.text, "parts": parts})
