"""The check that a threshold mechanism stops answering at the first 1."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.declaration import CheckKind, Declared, check, form
from nrverify.auditing.core.faults.halting import GOES_ON, HALTS_EARLY
from nrverify.auditing.core.finding import Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.threshold.context import MECHANISMS, ONE_POSITIVE, SEVERAL_POSITIVES, ThresholdContext
from nrverify.auditing.threshold.drawing import Runs
from nrverify.statistics.additive import Additive, First


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

    def __init__(self) -> None:
        self.runs = 0
        self.broken = 0
        self.example = First()

    @classmethod
    def build(cls, context: ThresholdContext) -> ThresholdProtocol:
        """The same for every subject."""
        return cls()

    def observe(self, runs: Runs) -> None:
        """Counts runs that went on after a 1."""
        self.runs += runs.bins.size
        self.broken += len(runs.after_halt)
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

    Catches a mechanism that goes on answering after it has halted, and one that halts before it printed c ones, by runs
    in which every round is certain to print a 1. Misses everything about noise.
    """

    configuration = ("positives",)

    def __init__(self, positives: int) -> None:
        super().__init__()
        self.positives = positives
        self.short = 0

    @classmethod
    def build(cls, context: ThresholdContext) -> SeveralPositives:
        """For as many ones as are declared."""
        return cls(context.description.positives)

    def observe(self, runs: Runs) -> None:
        """Counts runs that halted anywhere but at the c-th 1."""
        super().observe(runs)
        self.short += sum(sum(bits) < self.positives for bits in runs.after_halt)

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        result = super().conclude(alpha)
        if result.finding is None:
            return result
        fault = HALTS_EARLY if self.short else GOES_ON
        finding = replace(result.finding.of(fault), quantity="runs that halt elsewhere")
        return replace(result, finding=replace(finding, texts={**finding.texts, "positives": str(self.positives)}))
