"""The audit of private stopping: its boundary exactly, then runs look by look."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.boundary.audit import BoundaryAudit
from nrverify.auditing.core.check import Check
from nrverify.auditing.core.pictures import Picture
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.private_stopping.checks import StoppingLaw, StoppingProtocol, StoppingReleases
from nrverify.auditing.private_stopping.designs import (
    StoppingDesign,
    StoppingPair,
    schedules_of,
    stopping_designs,
    stopping_pair,
)
from nrverify.auditing.private_stopping.drawing import draw_stopped, score_stopped, score_stopping_pair
from nrverify.auditing.private_stopping.ex_post import StoppingExPost
from nrverify.auditing.sampling.looks import conclusions
from nrverify.auditing.sampling.sampler import Progress, Sampler
from nrverify.auditing.sampling.work_units import Task
from nrverify.auditing.sampling.workers import Crew, alone
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

IDS = ("stopping.protocol", "stopping.releases", "stopping.law", "privacy.ex-post")
"""Every check that samples; the error probability is divided over all of them, asked or not."""

PAIR_SHARE = 0.25
DEFAULT_DIMENSIONS = (1, 3)


class PrivateStoppingAudit:
    """One audit of a `private-stopping` subject."""

    def __init__(
        self, host: Host, settings: Settings, progress: Progress | None = None, crew: Crew | None = None
    ) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = Sampler(host, settings, crew or alone(host), progress)
        self.stopped = "samples"
        self._host = host
        self._boundary: tuple[CheckResult, ...] = ()
        self._boundary_pictures: dict[str, tuple[Picture, ...]] = {}
        self._asked: tuple[str, ...] = ()
        self._checks: list[Check] = []
        self._protocol, self._releases, self._law = StoppingProtocol(), StoppingReleases(), StoppingLaw()
        self._privacy: StoppingExPost | None = None

    def run(self) -> tuple[CheckResult, ...]:
        """The boundary, then looks until something is refuted or a limit is reached."""
        for method in ("run", "epsilon"):
            if method not in self.description.methods:
                raise SubjectFailed(f"a subject with mechanism 'private-stopping' needs {method}()")
        designs, pairs = self._designs()
        if not designs:
            self.stopped = "refuted"
            return self._boundary
        self._privacy = StoppingExPost(pairs, self.description.delta or 0.0)
        checks: list[Check] = [self._protocol, self._releases, self._law, self._privacy]
        self._checks = [check for check in checks if not self.settings.only or check.id in self.settings.only]
        if not self._checks:
            return self._boundary
        for design in designs:
            self._protocol.observe(draw_stopped(self.drawer.requests, design, 2))
        tasks = self._tasks(designs, pairs)
        self.stopped = self.drawer.run(lambda _: tasks, self._refuted)
        return self._conclude()

    @property
    def failure(self) -> str | None:
        """How the subject failed after it was refuted."""
        return self.drawer.failure

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def pictures(self) -> dict[str, tuple[Picture, ...]]:
        """What every check saw, and its boundary."""
        return {**self._boundary_pictures, **self.drawer.gallery.pictures(self.level)}

    @property
    def asked(self) -> tuple[str, ...]:
        """Where it was asked, in words."""
        return self._asked

    def _designs(self) -> tuple[tuple[StoppingDesign, ...], list[StoppingPair]]:
        """Judges the boundary and chooses schedules on it; none where it has no proper values."""
        boundary = BoundaryAudit(self._host, replace(self.settings, only=()))
        results = boundary.run()
        only = self.settings.only
        self._boundary = tuple(result for result in results if not only or result.id in only)
        self._boundary_pictures = {id: shown for id, shown in boundary.pictures().items() if not only or id in only}
        if boundary.scan is None:
            return (), []
        schedules = schedules_of(*boundary.scan)
        epsilons = {rounds: tuple(boundary.asker.epsilon(times).tolist()) for rounds, times in schedules.items()}
        dimensions = self.description.dimensions or DEFAULT_DIMENSIONS
        designs = stopping_designs(schedules, epsilons, dimensions)
        self._asked = (
            *boundary.asked,
            f"{len(designs)} designs of {min(schedules)} to {max(schedules)} rounds",
            f"ψ from {min(min(found) for found in epsilons.values()):.3g} to "
            f"{max(max(found) for found in epsilons.values()):.3g}",
        )
        assert self.description.sensitivity is not None
        return designs, [stopping_pair(design, self.description.sensitivity) for design in designs[:2]]

    def _tasks(self, designs: tuple[StoppingDesign, ...], pairs: list[StoppingPair]) -> list[Task]:
        """Every design, and every pair of neighbours."""
        assert self._privacy is not None
        share = PAIR_SHARE if self._privacy in self._checks else 0.0
        scored: tuple[Check, ...] = (self._protocol, self._releases, self._law)
        tasks = [
            Task(design.name, design, score_stopped, scored, (1 - share) / len(designs), _numbers(design))
            for design in designs
        ]
        for pair in pairs if share else ():
            name, weight = f"pair {pair.design.name}", share / len(pairs)
            tasks.append(Task(name, pair, score_stopping_pair, (self._privacy,), weight, _numbers(pair.design)))
        return tasks

    def _refuted(self) -> bool:
        judged = any(result.verdict is CheckVerdict.REFUTED for result in self._boundary)
        return judged or any(check.refuted(self.level) for check in self._checks)

    def _conclude(self) -> tuple[CheckResult, ...]:
        concluded = conclusions(self._checks, self.level, self.stopped)
        return (*concluded, *self._boundary)


def _numbers(design: StoppingDesign) -> int:
    return len(design.schedule) * (len(design.value) + 2)
