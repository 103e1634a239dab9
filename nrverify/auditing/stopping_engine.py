"""The audit of private stopping: its boundary exactly, then runs look by look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nrverify.auditing.boundary_engine import BoundaryAudit
from nrverify.auditing.check import Check
from nrverify.auditing.innovations import innovations
from nrverify.auditing.looks import conclusions, looks, reason_to_stop, share_out
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.settings import Settings
from nrverify.auditing.stopping_cases import StoppingDesign, StoppingPair, schedule_of, stopping_designs, stopping_pair
from nrverify.auditing.stopping_checks import StoppingLaw, StoppingProtocol, StoppingReleases
from nrverify.auditing.stopping_drawing import LabelledStopped, Stopped, StoppingDrawer
from nrverify.auditing.stopping_privacy import StoppingExPost
from nrverify.laws.brownian import Brownian
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

Progress = Callable[[int, int], None]

IDS = ("stopping.protocol", "stopping.releases", "stopping.law", "privacy.ex-post")
"""Every check that samples; the error probability is divided over all of them, asked or not."""

PAIR_SHARE = 0.25
ROUNDS = (3, 4, 10)
DEFAULT_DIMENSIONS = (1, 3)


class PrivateStoppingAudit:
    """One audit of a `private-stopping` subject."""

    def __init__(self, host: Host, settings: Settings, progress: Progress | None = None) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = StoppingDrawer(host, settings)
        self.stopped = "samples"
        self.failure: str | None = None
        self._host = host
        self._progress = progress
        self._process = Brownian()
        self._boundary: tuple[CheckResult, ...] = ()
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
            self._protocol.observe(self.drawer.request(design, 2))
        try:
            self._sample(designs, pairs)
        except SubjectFailed as failure:
            if not self._refuted():
                raise
            self.failure, self.stopped = str(failure), "errored"
        return self._conclude()

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def _designs(self) -> tuple[tuple[StoppingDesign, ...], list[StoppingPair]]:
        """Judges the boundary and chooses schedules on it; none where it has no proper values."""
        boundary = BoundaryAudit(self._host, replace(self.settings, only=()))
        results = boundary.run()
        only = self.settings.only
        self._boundary = tuple(result for result in results if not only or result.id in only)
        if boundary.scan is None:
            return (), []
        schedules = {rounds: schedule_of(*boundary.scan, rounds) for rounds in ROUNDS}
        epsilons = {rounds: tuple(boundary.asker.epsilon(times).tolist()) for rounds, times in schedules.items()}
        dimensions = self.description.dimensions or DEFAULT_DIMENSIONS
        designs = stopping_designs(schedules, epsilons, dimensions)
        assert self.description.sensitivity is not None
        return designs, [stopping_pair(design, self.description.sensitivity) for design in designs[:2]]

    def _sample(self, designs: tuple[StoppingDesign, ...], pairs: list[StoppingPair]) -> None:
        share = PAIR_SHARE if self._privacy in self._checks else 0.0
        for look in looks():
            for index, design in enumerate(designs):
                self.drawer.draw(design, share_out(look * (1 - share), len(designs), index), self._observe)
            for index, pair in enumerate(pairs if share else ()):
                self.drawer.draw_labelled(pair, share_out(look * share, len(pairs), index), self._observe_labelled)
            if self._progress is not None:
                self._progress(self.drawer.drawn, self.settings.samples)
            if (reason := reason_to_stop(self.settings, self.drawer, self._refuted)) is not None:
                self.stopped = reason
                return

    def _observe(self, runs: Stopped) -> None:
        self._protocol.observe(runs)
        if not np.isfinite(runs.releases[runs.present]).all():
            return
        scale = np.abs(np.nan_to_num(runs.releases)) + np.abs(runs.design.array)
        found = innovations(self._process, runs.releases - runs.design.array, runs.times, scale, self.drawer.rng)
        self._releases.observe(found)
        self._law.observe(runs, found)

    def _observe_labelled(self, drawn: LabelledStopped) -> None:
        rounds = np.minimum(drawn.cells + 1, drawn.releases.shape[1])
        present = np.arange(drawn.releases.shape[1]) < rounds[:, None]
        if self._privacy is not None and np.isfinite(drawn.releases[present]).all():
            self._privacy.observe(drawn)

    def _refuted(self) -> bool:
        judged = any(result.verdict is CheckVerdict.REFUTED for result in self._boundary)
        return judged or any(check.refuted(self.level) for check in self._checks)

    def _conclude(self) -> tuple[CheckResult, ...]:
        concluded = conclusions(self._checks, self.level, self.stopped)
        return (*concluded, *self._boundary)
