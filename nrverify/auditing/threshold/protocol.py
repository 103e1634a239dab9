"""The check that a threshold mechanism stops answering at the first 1."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.declaration import CheckKind, Declared, check, form
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.faults.halting import GOES_ON, HALTS_EARLY
from nrverify.auditing.core.finding import Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.threshold.context import MECHANISMS, ONE_POSITIVE, SEVERAL_POSITIVES, ThresholdContext
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.variant_designs import variant_of
from nrverify.auditing.threshold.variant_effects import priced_one_more
from nrverify.statistics.additive import Additive, First
from nrverify.subjects.description import Description


@check(
    id="threshold.protocol",
    kind=CheckKind.PROTOCOL,
    sentence="A threshold mechanism halts at the first 1, or at the last of as many as it declares.",
    claims=("R02",),
    mechanisms=MECHANISMS,
    weight=0.22,
    order=10,
    needs=(ONE_POSITIVE,),
    records="records hold halting rounds and not bits: what is printed after a halt cannot be seen",
    expected="no bit after the first 1",
    templates={"count": ("no bit after the first 1", "{observed:.0f} of {count} runs went on, such as {example}")},
)
class ThresholdProtocol(Declared, Additive):
    """The bits stop at the first 1.

    Catches a mechanism that goes on answering after it has halted. Bits that are not 0 or 1, too few or too many of
    them, and halting rounds that do not exist mean that the subject could not be run. Misses everything about noise.
    """

    in_smoke = True
    configuration = ("going_on", "positives")

    def __init__(self, going_on: Priced | None = None, positives: int = 1) -> None:
        self.going_on = going_on
        """What one more 1 than is declared loses."""
        self.positives = positives
        self.runs = 0
        self.broken = 0
        self.another = 0
        """Runs with more ones than are declared: zeros after the last 1 may be mere padding."""
        self.example = First()

    @classmethod
    def build(cls, context: ThresholdContext) -> ThresholdProtocol:
        """With what going on would lose."""
        return cls(_loss_of_going_on(context.description))

    def observe(self, runs: Runs) -> None:
        """Counts runs that went on after a 1."""
        self.runs += runs.bins.size
        self.broken += len(runs.after_halt)
        self.another += sum(sum(bits) > self.positives for bits in runs.after_halt)
        if runs.after_halt:
            self.example.offer(f"{list(runs.after_halt[0])!r:.80}")

    def refuted(self, alpha: float) -> bool:
        """Whether one run went on: that has probability 0."""
        return self.broken > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        finding = None
        if self.broken:
            example = str(self.example.value)
            finding = counted("bits after the first 1", self.broken, self.runs, GOES_ON, example=example)
            if self.another and self.going_on is not None:
                finding = finding.with_price(self.going_on)
        return concluded(
            self,
            CheckVerdict.REFUTED if self.broken else CheckVerdict.CONSISTENT,
            samples=self.runs,
            alpha=alpha,
            finding=finding,
            sizes=(Size("run that goes on", 1, "count"),),
        )


@form(
    ThresholdProtocol,
    needs=(SEVERAL_POSITIVES,),
    records="records hold the rounds of the ones and not bits: what is printed after a halt cannot be seen",
    expected="a halt after the last 1 that positives allows",
    templates={
        "count": (
            "a halt after exactly {positives} ones",
            "{observed:.0f} of {count} runs halted elsewhere, such as {example}",
        )
    },
)
class SeveralPositives(ThresholdProtocol):
    """The bits stop at the c-th 1, and not before it.

    Catches a mechanism that goes on answering after it has halted, and one that halts before it printed c ones: run()
    ends with an earlier 1, or run_many() has fewer where every round is certain to print one. Misses everything about
    noise.
    """

    def __init__(self, positives: int, going_on: Priced | None = None) -> None:
        super().__init__(going_on, positives)
        self.short = 0

    @classmethod
    def build(cls, context: ThresholdContext) -> SeveralPositives:
        """For as many ones as are declared."""
        return cls(context.description.positives, _loss_of_going_on(context.description))

    def observe(self, runs: Runs) -> None:
        """Counts runs that halted anywhere but at the c-th 1."""
        super().observe(runs)
        self.short += sum(sum(bits) < self.positives for bits in runs.after_halt)

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        result = super().conclude(alpha)
        if result.finding is None:
            return result
        finding = replace(result.finding, quantity="runs that halt elsewhere")
        if self.short:
            finding = replace(finding.of(HALTS_EARLY), priced=None, effect=None)
        return replace(result, finding=replace(finding, texts={**finding.texts, "positives": str(self.positives)}))


def _loss_of_going_on(description: Description) -> Priced | None:
    delta = 1.0 if "delta_of" in description.methods else description.delta or 0.0
    return priced_one_more(variant_of(description), description.monotone, delta)
