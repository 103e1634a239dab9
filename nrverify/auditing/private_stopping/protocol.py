"""The check that private stopping shows finite releases, the same at the same time, and nothing after the stop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults import Fault
from nrverify.auditing.core.faults.halting import SHOWS_MORE
from nrverify.auditing.core.faults.noise import NOT_A_NUMBER, REPEATED_TIME_REDRAWN
from nrverify.auditing.core.finding import Finding, Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE
from nrverify.auditing.private_stopping.context import MECHANISMS, WEIGHT, StoppingContext
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.statistics.additive import Additive, First

EXPECTED = "finite releases, the same at the same time, and nothing after the first 1"
FAULTS = {fault.id: fault for fault in (SHOWS_MORE, NOT_A_NUMBER, REPEATED_TIME_REDRAWN)}
QUANTITIES = {
    SHOWS_MORE: "runs that show something after the stop",
    NOT_A_NUMBER: "runs with a release that is not a finite number",
    REPEATED_TIME_REDRAWN: "runs with another release at the same time",
}


@check(
    id="stopping.protocol",
    kind=CheckKind.PROTOCOL,
    sentence="Nothing is shown after the stop, and a time that comes again gets the same release.",
    claims=("R01",),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=10,
    expected=EXPECTED,
    templates={"count": (EXPECTED, "{example} ({quantity}: {observed:.0f} of {count})")},
)
class StoppingProtocol(Declared, Additive):
    """Nothing is shown after the stop, every release is a finite number, and a time that comes again is the same.

    Catches a release or a bit after the first 1, which the charge at the stop does not cover, releases that are NaN or
    infinite, and new noise at a time already answered. Misses everything about the laws.
    """

    in_smoke = True

    def __init__(self) -> None:
        self.runs = 0
        self.broken = dict.fromkeys(FAULTS, 0)
        """How many runs show each fault."""
        self.first = First()
        """The first fault met, by its id, and an example of it."""

    @classmethod
    def build(cls, context: StoppingContext) -> StoppingProtocol:
        """The same for every subject."""
        return cls()

    def observe(self, runs: Stopped) -> None:
        """Counts runs that showed more, no number, or another release at the same time."""
        self.runs += runs.bins.size
        if runs.after_halt:
            self._count(SHOWS_MORE, len(runs.after_halt), runs.after_halt[0])
        improper = ~np.isfinite(runs.releases) & runs.present[:, :, None]
        if improper.any():
            number = float(runs.releases[improper][0])
            self._count(NOT_A_NUMBER, int(improper.any(axis=(1, 2)).sum()), f"the release {number!r}")
        redrawn = _redrawn(runs).any(axis=1)
        if redrawn.any():
            self._count(REPEATED_TIME_REDRAWN, int(redrawn.sum()), "another release at the same time")

    def _count(self, fault: Fault, runs: int, example: str) -> None:
        self.broken[fault.id] += runs
        self.first.offer((fault.id, example))

    def refuted(self, alpha: float) -> bool:
        """Whether one run broke the protocol: that has probability 0."""
        return any(self.broken.values())

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single run."""
        return concluded(
            self,
            CheckVerdict.REFUTED if self.refuted(alpha) else CheckVerdict.CONSISTENT,
            samples=self.runs,
            alpha=alpha,
            finding=self._finding() if self.refuted(alpha) else None,
            sizes=(Size("run that breaks the protocol", 1, "count"),),
        )

    def _finding(self) -> Finding:
        id, example = self.first.value
        fault = FAULTS[id]
        return counted(QUANTITIES[fault], self.broken[id], self.runs, fault, example=example)


def _redrawn(runs: Stopped) -> NDArray[np.bool_]:
    """Where a time that comes twice, one after the other, has two releases: (n, k − 1)."""
    again = np.diff(runs.design.schedule) == 0
    scale = np.abs(runs.releases[:, 1:]) + np.abs(runs.design.array)
    with np.errstate(invalid="ignore"):
        changed = np.abs(np.diff(runs.releases, axis=1)) > SAME_RELEASE * scale
    return np.asarray(again & changed.any(axis=2))
