"""The check that every release is on the grid that is claimed."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.core.declaration import CheckKind, Declared, Need, check
from nrverify.auditing.core.faults.noise import OFF_GRID
from nrverify.auditing.core.finding import Finding, Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.transforms.ideal_paths import on_grid
from nrverify.auditing.noise_reduction.context import MECHANISMS, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.additive import Additive, First

WEIGHT = 0.005
"""It needs no error probability; a share keeps it among the sampled checks."""
GRANULAR = Need(lambda context: context.description.granularity is not None, "no granularity is claimed", gap=False)


@check(
    id="protocol.granularity",
    kind=CheckKind.PROTOCOL,
    sentence="Every release is a multiple of the granularity.",
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=12,
    needs=(GRANULAR,),
    expected="releases on the grid",
    templates={
        OFF_GRID.id: (
            "releases that are multiples of {grid}",
            "{observed:.0f} of {count} releases that are not, such as {example}",
        )
    },
)
class Granularity(Declared, Additive):
    """Releases are g times an integer, up to a unit in the last place.

    Catches releases that are not rounded, now and then or always. Needs no error probability: one such release
    refutes. Coarser grids than the one claimed are found by lattice.
    """

    configuration = ("grid",)
    any_value = True
    sees_grid = True

    def __init__(self, grid: float) -> None:
        self.grid = grid
        self.samples = 0
        self.releases = 0
        self.off = 0
        self.example = First()

    @classmethod
    def build(cls, context: NoiseReductionContext) -> Granularity:
        """For the grid that is claimed."""
        assert context.description.granularity is not None
        return cls(context.description.granularity)

    def observe(self, batch: Batch) -> None:
        """Counts releases off the grid."""
        self.samples += batch.sessions
        self.releases += int(np.isfinite(batch.releases).sum())
        off = ~on_grid(batch.releases, self.grid) & np.isfinite(batch.releases)
        if off.any():
            self.off += int(off.sum())
            self.example.offer(float(batch.releases[off][0]))

    def refuted(self, alpha: float) -> bool:
        """Whether any release was off the grid."""
        return self.off > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single release."""
        return concluded(
            self,
            CheckVerdict.REFUTED if self.off else CheckVerdict.CONSISTENT,
            samples=self.samples,
            p_value=0.0 if self.off else 1.0,
            alpha=alpha,
            finding=self._finding() if self.off else None,
            sizes=(Size("release off the grid", 1, "count"),),
        )

    def _finding(self) -> Finding:
        texts = {"grid": f"{self.grid:.10g}", "example": repr(self.example.value)}
        return counted("releases off the grid", self.off, self.releases, OFF_GRID, **texts)
