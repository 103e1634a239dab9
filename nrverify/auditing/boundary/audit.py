"""The audit of a privacy boundary: nothing is sampled; its values are asked for and judged exactly."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.boundary.advice import waste_advice
from nrverify.auditing.boundary.brownian_enclosure import CrossingEnclosure, brownian_enclosure
from nrverify.auditing.boundary.claim import BoundaryClaim, claim_of
from nrverify.auditing.boundary.crossing import BoundaryCrossing, crossed
from nrverify.auditing.boundary.inverse import BoundaryInverse
from nrverify.auditing.boundary.monotone import BoundaryMonotone
from nrverify.auditing.boundary.plots import boundary_plots
from nrverify.auditing.boundary.queries import Asker, ImproperValue, Scaled
from nrverify.auditing.boundary.skellam_enclosure import skellam_enclosure
from nrverify.auditing.boundary.values import BoundaryValues
from nrverify.auditing.core.boundary_faults import undone
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.results import CheckResult, CheckVerdict, concluded
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.clock import OutOfTime
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.subjects.host import Host

Floats = NDArray[np.float64]

CHECKS = (BoundaryValues(), BoundaryMonotone(), BoundaryCrossing(), BoundaryInverse())
"""Every check of a boundary, in the order of a report; they are calculated and have no share of α."""
SCAN, FEWEST_TIMES = 2000, 300
"""Times of a scan of the whole interval: 110 a decade of the default interval; fewer where the subject is slow."""
SECONDS_A_SCAN = 0.8
"""A slow subject is scanned with as many times as it answers in so long, so that an audit takes some seconds."""
ROUND_TIMES = np.concatenate([np.arange(1.0, 101.0), np.outer(10.0 ** np.arange(-3, 6), [1.0, 2.0, 5.0]).ravel()])
"""Times a person would ask for."""
USED, DENSER = (1e-3, 1e5), 2
"""t/Δ² where boundaries are used, scanned with so many times the points; a slow subject is spared."""


class BoundaryAudit:
    """One audit of a `boundary` subject, or of the boundary inside another subject."""

    def __init__(
        self,
        host: Host,
        settings: Settings,
        progress: Callable[[int, int], None] | None = None,
        scan: int = SCAN,
        drawer: Drawer | None = None,
    ) -> None:
        """With a drawer, the budget is that of the run it belongs to."""
        self.settings = settings
        self.description = host.description
        self.drawer = drawer or Drawer(host, settings)
        self.stopped = "samples"
        self.failure: str | None = None
        self.suspect = None
        self.asker = Asker(self.drawer)
        self.scan: tuple[Floats, Floats] | None = None
        """Times over the whole interval, and ψ there; None until it was asked."""
        self._size = scan
        self._enclosure: CrossingEnclosure | None = None

    @cached_property
    def claim(self) -> BoundaryClaim:
        """What is claimed; `SubjectFailed` when it makes no sense."""
        return claim_of(self.description)

    def run(self) -> tuple[CheckResult, ...]:
        """Values, monotonicity, crossing probability, inverse; `SubjectFailed` if it cannot be run."""
        improper: ImproperValue | None = None
        found: list[CheckResult] = []
        try:
            # A subject may answer with absurd numbers: their arithmetic overflows, and they are judged all the same.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                self._judge(found)
        except ImproperValue as value:
            improper = value
        except OutOfTime:
            self.stopped = "time"
        results = [BoundaryValues().conclude(self.asker.calls, improper), *found]
        results += self._unanswered(results, improper)
        order = {check.id: check.declaration.order for check in CHECKS}
        results.sort(key=lambda result: order.get(result.id, len(order) * 10 + 10))
        if any(result.verdict is CheckVerdict.REFUTED for result in results):
            self.stopped = "refuted"
        only = self.settings.only
        return tuple(result for result in results if not only or result.id in only)

    def _judge(self, found: list[CheckResult]) -> None:
        """All judgements, each added when it is made; what the subject's values raised, as it was raised."""
        try:
            self._smoke()
            self._look()
            # The crossing asks where it matters: monotonicity is judged on all that was asked.
            for judge in (self._crossing, self._monotone, self._inverse):
                found += judge()
        except ValueError:
            if self.asker.raised is None:
                raise
            raise self.asker.raised from None

    def measure_loss(self) -> None:
        """Nothing is drawn of a boundary."""

    def plots(self) -> dict[str, tuple[Plot, ...]]:
        """The boundary and where it is crossed; none where it has no proper values."""
        if self.scan is None:
            return {}
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return boundary_plots(self.scan, self.claim, self._enclosure, self.description.process)

    @property
    def asked(self) -> tuple[str, ...]:
        """Where the boundary was asked, for people."""
        return (self.claim.text,)

    def _smoke(self) -> None:
        """Three times well inside the interval, then its ends."""
        low, high = self.claim.interval
        self.asker.epsilon([low ** (1 - share) * high**share for share in (0.4, 0.5, 0.6)])
        self.asker.epsilon([low, high])

    def _look(self) -> None:
        """A scan of the whole interval, as dense as the subject's speed allows."""
        low, high = self.claim.interval
        self.asker.epsilon(np.clip(np.geomspace(low, high, 64), low, high))
        count = max(FEWEST_TIMES, min(self._size, int(SECONDS_A_SCAN / self.asker.pace)))
        times = np.clip(np.geomspace(low, high, count), low, high)
        self.scan = (times, self.asker.epsilon(times))
        # Where boundaries are used the scan is dense enough to expose a local rise of 1 %.
        unit = self.claim.sensitivity**2
        start, end = max(low, USED[0] * unit), min(high, USED[1] * unit)
        if start < end and count == self._size:
            dense = np.concatenate([np.geomspace(start, end, DENSER * self._size), ROUND_TIMES])
            self.asker.epsilon(np.unique(dense[(dense >= start) & (dense <= end)]))

    def _monotone(self) -> list[CheckResult]:
        return [BoundaryMonotone().conclude(*self.asker.everything(), self.description.process)]

    def _crossing(self) -> list[CheckResult]:
        claim = self.claim
        assert self.scan is not None
        curve: Scaled | None = None
        if self.description.process == "skellam":
            rate = self.description.rate or 1.0
            found = skellam_enclosure(self.asker, int(claim.sensitivity), rate, self.scan)
        else:
            found = brownian_enclosure(self.asker, claim.sensitivity, self.scan)
            curve = Scaled(self.asker, claim.sensitivity, claim.interval)
        self._enclosure = found
        explained = None
        if crossed(found, claim) and curve is not None and found.smooth:
            explained = undone(*self.scan, claim.sensitivity, claim.delta)
        result = BoundaryCrossing().conclude(found, claim, self.asker.calls, explained)
        advice = waste_advice(curve, found, claim) if result.verdict is CheckVerdict.CONSISTENT else None
        return [result] if advice is None else [result, advice]

    def _inverse(self) -> list[CheckResult]:
        not_covered = BoundaryInverse.declaration.why_not_covered(self.description)
        if not_covered is not None:
            return [concluded(BoundaryInverse(), CheckVerdict.NOT_COVERED, message=not_covered)]
        assert self.scan is not None
        return [BoundaryInverse().conclude(self.asker, *self.scan)]

    def _unanswered(self, results: list[CheckResult], improper: ImproperValue | None) -> list[CheckResult]:
        """Checks that could not be put, because ψ has no proper value or the time was up."""
        message = "the run's budget of time was used up (--budget)"
        if improper is not None:
            message = f"not judged: ψ has no proper value at t = {improper.time:.6g}"
        have = {result.id for result in results}
        return [
            concluded(check, CheckVerdict.INCONCLUSIVE, message=message) for check in CHECKS if check.id not in have
        ]
