"""The check that a time asked twice gets the same answer."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.declaration import CheckKind, Declared, check
from nrverify.auditing.core.faults.noise import REPEATED_TIME_MOVED, REPEATED_TIME_REDRAWN
from nrverify.auditing.core.finding import Finding, Size
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.transforms.any_order import neighbours
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE
from nrverify.auditing.noise_reduction.context import MECHANISMS, REPEATABLE, WEIGHT, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.statistics.additive import Additive
from nrverify.statistics.estimate import Estimate, Measure

MOVES = (
    "{} of {} repeated times moved the release by less than a millionth of its noise: harmless as it is, but keep the "
    "release and give it again, and nothing can be averaged"
)
SLIGHT = 0.5
"""A change of an answer, over the size of its noise, that is too small for new noise, which changes it by 1.41
or more."""


NEGLIGIBLE = 1e-6
"""A change of an answer, over the size of its noise, that is only advised against: a matrix factorisation or a bridge
of length 0 leaves as much behind, and a million answers tell no more than one."""


@check(
    id="ties.repeated-time",
    kind=CheckKind.LAW,
    sentence="The same time asked twice gives the same answer.",
    claims=("P14", "A14"),
    mechanisms=MECHANISMS,
    weight=WEIGHT,
    order=61,
    needs=(REPEATABLE,),
    expected="the same release",
    templates={
        "count": (
            "the same release",
            "{observed:.0f} of {count} repeated times changed the release, on average by {change:.2g} of the noise",
        )
    },
    implied_by=("randomness.streams",),
    not_covered="no time was asked for twice",
)
class SameAnswer(Declared, Additive):
    """The same time, or ε, asked twice gives the same answer.

    Catches fresh noise at a repeated time, which an analyst could average away. A change of less than a millionth of
    the noise is only advised against. Needs no error probability: it has probability one.
    """

    sees_grid = True
    sees_any_order = True

    def __init__(self) -> None:
        self.sessions = 0
        self.repeats = 0
        self.changed = 0
        self.change = 0.0
        self.noise = 0.0
        self.negligible = 0

    @classmethod
    def build(cls, context: NoiseReductionContext) -> SameAnswer:
        """The same for every subject."""
        return cls()

    def observe(self, batch: Batch) -> None:
        """Counts repeated requests whose release changed beyond rounding."""
        repeated, steps = _repeats(batch)
        scale = batch.scale[:, 1:]
        self.sessions += int(repeated.any(axis=1).sum())
        self.repeats += int(repeated.sum())
        changed = repeated & ~(steps <= SAME_RELEASE * scale).all(axis=2)
        if not changed.any():
            return
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            sizes = np.nan_to_num(np.nanmedian(np.abs(batch.noise[:, 1:]), axis=(0, 2)))
        slight = changed & (steps <= np.maximum(NEGLIGIBLE * sizes[:, None], SAME_RELEASE * scale)).all(axis=2)
        self.negligible += int(slight.sum())
        changed &= ~slight
        self.changed += int(changed.sum())
        self.change += float(steps[changed].sum())
        self.noise += float(np.abs(batch.noise[:, 1:])[changed].sum())

    def refuted(self, alpha: float) -> bool:
        """Whether any repeated time changed its release."""
        return self.changed > 0

    def conclude(self, alpha: float) -> CheckResult:
        """Refuted by a single change; not covered where no time was asked twice."""
        verdict = CheckVerdict.REFUTED if self.changed else CheckVerdict.CONSISTENT
        message = None
        if self.repeats == 0:
            verdict, message = CheckVerdict.NOT_COVERED, "no time was asked twice"
        elif self.negligible and not self.changed:
            verdict, message = CheckVerdict.ADVICE, MOVES.format(self.negligible, self.repeats)
        return concluded(
            self,
            verdict,
            samples=self.sessions,
            p_value=0.0 if self.changed else 1.0,
            alpha=alpha,
            finding=self._finding() if self.changed else None,
            sizes=(Size("change", 1, "count"),),
            message=message,
        )

    def _finding(self) -> Finding:
        with np.errstate(divide="ignore", invalid="ignore"):
            change = float(np.float64(self.change) / self.noise)
        estimate = Estimate(Measure.COUNT, 0.0, float(self.changed), None, self.repeats, {"change": change})
        fault = REPEATED_TIME_MOVED if change < SLIGHT else REPEATED_TIME_REDRAWN
        return Finding("repeated times that changed the release", estimate, fault, certain=True)


def _repeats(batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which releases after the first are of a time asked for before, and by how much each differs from that one.

    Falling times come again at once; in any order they may come again after others.
    """
    if not batch.case.any_order:
        return batch.asked[:, 1:] == batch.asked[:, :-1], np.abs(np.diff(batch.releases, axis=1))
    same = neighbours(batch.asked).same[:, 1:]
    before = np.take_along_axis(batch.releases, np.maximum(same, 0)[..., None], axis=1)
    return same >= 0, np.abs(batch.releases[:, 1:] - before)
