"""The check that a threshold mechanism stops answering at the first 1."""

from __future__ import annotations

from nrverify.auditing.core.declaration import Declared, Kind, check
from nrverify.auditing.core.faults.halting import GOES_ON
from nrverify.auditing.core.finding import Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.threshold.context import MECHANISMS, ThresholdContext
from nrverify.auditing.threshold.drawing import Runs
from nrverify.statistics.additive import Additive, First


@check(
    id="threshold.protocol",
    kind=Kind.PROTOCOL,
    sentence="A threshold mechanism halts at the first 1.",
    claims=("R02",),
    mechanisms=MECHANISMS,
    weight=0.22,
    order=10,
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
        self.runs += runs.cells.size
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
