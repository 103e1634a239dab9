"""The check that every release is a finite number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import NOT_A_NUMBER
from nrverify.auditing.core.finding import Size, counted
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.noise_reduction.context import MECHANISMS, WEIGHT
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.additive import Additive

Floats = NDArray[np.float64]

LARGEST = 1e100
"""No noise of the ranges audited reaches this: a release beyond is as good as infinite."""


def sound(releases: Floats, asked: Floats) -> bool:
    """Whether every release that was asked for is a number of sane size."""
    if releases.size == 0 or (releases.max() < LARGEST and releases.min() > -LARGEST):
        return True
    return bool((np.abs(releases[np.isfinite(asked)]) < LARGEST).all())


@check(
    id="protocol.finite",
    kind=CheckKind.PROTOCOL,
    sentence="Every release is a finite number.",
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=10,
    expected="finite releases",
    templates={
        "count": ("finite releases", f"{{observed:.0f}} of {{count}} releases are NaN, infinite or beyond {LARGEST:g}")
    },
)
class Finite(Declared, Additive):
    """Every release is a finite number.

    Catches overflow and invalid arithmetic at valid requests. Needs no error probability.
    """

    sees_grid = True
    sees_any_order = True

    def __init__(self) -> None:
        self.samples = 0
        self.releases = 0
        self.bad = 0

    def observe(self, batch: Batch) -> None:
        """Counts releases that are NaN or infinite although they were asked for."""
        self.samples += batch.sessions
        asked = np.isfinite(batch.asked)
        self.releases += int(asked.sum())
        if not sound(batch.releases, batch.asked):
            self.bad += int((~(np.abs(batch.releases[asked]) < LARGEST)).any(axis=-1).sum())

    def refuted(self, alpha: float) -> bool:
        """Whether any release was not finite."""
        return self.bad > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single release."""
        finding = counted("releases that are not finite numbers", self.bad, self.releases, NOT_A_NUMBER)
        return concluded(
            self,
            CheckVerdict.REFUTED if self.bad else CheckVerdict.CONSISTENT,
            samples=self.samples,
            alpha=alpha,
            finding=finding if self.bad else None,
            sizes=(Size(f"release that is NaN, infinite or beyond {LARGEST:g}", 1, "count"),),
        )
