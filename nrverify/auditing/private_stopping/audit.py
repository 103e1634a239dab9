"""Private stopping: its boundary is judged exactly, then runs on schedules chosen by it are sampled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.boundary.audit import BoundaryAudit
from nrverify.auditing.core.alpha import levels
from nrverify.auditing.core.applicable import applicable
from nrverify.auditing.core.check import observes, observes_labelled
from nrverify.auditing.core.exposed import with_streams
from nrverify.auditing.core.plots.data import Plot
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.private_stopping.context import StoppingContext
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.drawing import draw_stopped, score_stopped, score_stopping_pair
from nrverify.auditing.private_stopping.effects import with_losses
from nrverify.auditing.registry import declarations_in
from nrverify.auditing.sampling.audit import Mechanism
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host
from nrverify.subjects.requests import ScalarRequest

PAIR_SHARE = 0.25
"""Of the runs of a look, for the comparison of neighbours: they are told apart slower than a law is refuted."""
SMOKE_RUNS = 2
"""Of each design, tried before anything is judged by them."""
REACH, REHEARSED_TIMES = 1e6, 600
"""Where nothing is judged, the boundary is asked at so many times, for t/Δ² up to this and down to its inverse."""


class PrivateStoppingMechanism(Mechanism):
    """A `private-stopping` subject; what it is asked is known once its boundary was."""

    def __init__(self, host: Host, settings: Settings) -> None:
        self.level = levels(settings.alpha, settings.only, declarations_in("private_stopping"))
        self.context: StoppingContext | None = None
        """None until the boundary was asked, and where it has no proper values."""
        self.checks = []
        self.not_covered: list[CheckResult] = []
        self._host = host
        self._settings = settings
        self._boundary: BoundaryAudit | None = None
        self._judged: tuple[CheckResult, ...] = ()

    def smoke(self, drawer: Drawer) -> None:
        """Judges the boundary, chooses schedules on it, and tries each design; nothing where ψ has no proper value."""
        for method in ("run", "epsilon"):
            if method not in self._host.description.methods:
                raise SubjectFailed(f"a subject with mechanism 'private-stopping' needs {method}()")
        self._boundary = BoundaryAudit(self._host, replace(self._settings, only=()), drawer=drawer)
        self._judged = tuple(result for result in self._boundary.run() if self._wanted(result.id))
        if self._boundary.scan is None:
            drawer.in_time()
            return
        self._choose(StoppingContext.of(self._host.description, *self._boundary.scan, self._boundary.asker.epsilon))
        assert self.context is not None
        for design in self.context.designs if self.checks else ():
            drawer.in_time()
            runs = draw_stopped(drawer, design, SMOKE_RUNS)
            for check in self.checks:
                if check.in_smoke:
                    check.observe(runs)

    def rehearse(self) -> None:
        """Chooses schedules on the host's boundary, which is asked at a few times and not judged."""
        description = self._host.description
        assert description.sensitivity is not None
        square = description.sensitivity**2
        times = np.geomspace(square / REACH, square * REACH, REHEARSED_TIMES)
        epsilon = self._host.ask(ScalarRequest("epsilon", times.tolist()))
        self._choose(
            StoppingContext.of(description, times, epsilon, lambda at: self._host.ask(ScalarRequest("epsilon", at)))
        )

    def _choose(self, context: StoppingContext) -> None:
        self.context = context
        declarations = declarations_in("private_stopping")
        self.checks, self.not_covered = applicable(declarations, self._host.description, context, self._settings.only)

    def _wanted(self, id: str) -> bool:
        return not self._settings.only or id in self._settings.only

    @property
    def beside(self) -> int:
        """Runs that the smoke stage draws."""
        return SMOKE_RUNS * len(self.context.designs) if self.context and self.checks else 0

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """Every design, and every pair of neighbours."""
        if self.context is None:
            return []
        designs, pairs = self.context.designs, self.context.pairs
        scored = tuple(check for check in self.checks if observes(check))
        labelled = tuple(check for check in self.checks if observes_labelled(check))
        share = (PAIR_SHARE if scored else 1.0) if labelled else 0.0
        tasks = [
            SamplingTask(design.name, design, score_stopped, scored, (1 - share) / len(designs), _numbers(design))
            for design in (designs if scored else ())
        ]
        for pair in pairs if labelled else ():
            name, weight = f"pair {pair.design.name}", share / len(pairs)
            tasks.append(SamplingTask(name, pair, score_stopping_pair, labelled, weight, _numbers(pair.design)))
        return tasks

    def judged(self) -> tuple[CheckResult, ...]:
        """The results of the boundary."""
        return self._judged

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With those not covered, and those of the boundary."""
        description = self._host.description
        delta, designs = description.delta or 0.0, () if self.context is None else self.context.designs
        told = with_losses(results, designs, description.sensitivity or 1.0, delta)
        told = with_streams(told, delta, self._settings.alpha)
        return (*told, *self.not_covered, *self._judged)

    def tested_range(self) -> tuple[str, ...]:
        """Where the boundary was asked, and the rounds and charges of the designs."""
        if self.context is None or self._boundary is None:
            return ()
        rounds = [len(design.schedule) for design in self.context.designs]
        charges = [epsilon for design in self.context.designs for epsilon in design.epsilons]
        return (
            *self._boundary.asked,
            f"{len(rounds)} designs of {min(rounds)} to {max(rounds)} rounds",
            f"ψ from {min(charges):.3g} to {max(charges):.3g}",
        )

    def plots(self) -> dict[str, tuple[Plot, ...]]:
        """Those of the boundary."""
        if self._boundary is None:
            return {}
        return {id: shown for id, shown in self._boundary.plots().items() if self._wanted(id)}


def _numbers(design: StoppingDesign) -> int:
    return len(design.schedule) * (len(design.value) + 2)
