"""Different seeds give different runs, of a threshold mechanism that offers run() alone."""

from __future__ import annotations

from nrverify.auditing.core.declaration import Declared, Need, form
from nrverify.auditing.core.faults.noise import SEED_IGNORED
from nrverify.auditing.core.finding import Finding
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.streams import BatchStreams
from nrverify.statistics.additive import Additive
from nrverify.statistics.rare_wealth import RareWealth

TWINS = "runs agree as often as independent ones where their seeds agree in the last 24 bits and modulo a million"
FEWEST_TWINS = 200
"""With so many pairs a seed that is cut short is certain to be refuted: each that agrees by less than chance says a nat
or more."""


@form(
    BatchStreams,
    needs=(Need(lambda context: "run_many" not in context.methods, "the subject has run_many()"),),
    records="records do not say which runs came from one seed",
    expected=TWINS,
    templates={"count": (TWINS, "{observed:.0f} of {count} pairs agree, where {expected:.1f} are expected")},
)
class RunStreams(Declared, Additive):
    """Runs whose seeds agree in the last 24 bits, and modulo a million, are as independent as others.

    Catches a seed that is ignored, cut down to 24 bits or fewer, or taken modulo a power of ten up to a million. A seed
    of 32 bits is let pass. Misses a seed that is mapped to few values in another way: a run has too few outcomes to
    know its stream by.
    """

    def __init__(self) -> None:
        self.runs = 0
        self.agreeing = RareWealth()

    def observe(self, runs: Runs) -> None:
        """Bets that twins agree; each has the claimed probability of the other's outcome."""
        first, second = runs.bins[: runs.twins], runs.bins[runs.twins : 2 * runs.twins]
        if first.size:
            self.runs += 2 * first.size
            self.agreeing.bet(first == second, claimed_law(runs.design)[first])

    def refuted(self, alpha: float) -> bool:
        """Whether the wealth has reached 1/α."""
        return self.agreeing.reached(alpha)

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by twins that agree."""
        refuted = self.refuted(alpha)
        verdict = CheckVerdict.CONSISTENT if self.agreeing.count >= FEWEST_TWINS else CheckVerdict.INCONCLUSIVE
        estimate = self.agreeing.estimate()
        return concluded(
            self,
            CheckVerdict.REFUTED if refuted else verdict,
            samples=self.runs,
            statistic=self.agreeing.log_e,
            alpha=alpha,
            finding=Finding("runs of seeds that agree in part", estimate, SEED_IGNORED) if refuted else None,
            detectable="a seed cut to its last 24 bits or fewer, or taken modulo a power of ten up to a million",
        )
