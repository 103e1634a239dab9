"""The audit of a threshold mechanism: runs of the battery look by look, until something is refuted or a limit comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from nrverify.auditing.check import Check
from nrverify.auditing.looks import conclusions, looks, reason_to_stop, share_out
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.settings import Settings
from nrverify.auditing.threshold_cases import Design, designs_for, neighbours_for
from nrverify.auditing.threshold_checks import ThresholdLaw, ThresholdProtocol
from nrverify.auditing.threshold_drawing import RunDrawer, Runs
from nrverify.auditing.threshold_privacy import ThresholdExPost
from nrverify.auditing.threshold_streams import BatchStreams
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host

Progress = Callable[[int, int], None]

IDS = ("threshold.protocol", "threshold.law", "randomness.streams", "privacy.ex-post")
"""Every check of a threshold audit; the error probability is divided over all of them, asked or not."""

PAIR_SHARE = 0.25
"""Of the runs of a look, for the comparison of neighbours."""
SCALAR_SHARE = 0.1
"""Of the runs of a design, one by one, where the subject also gives them in batches."""


class ThresholdAudit:
    """One audit of an `above-threshold` or `reduced-above-threshold` subject."""

    def __init__(self, host: Host, settings: Settings, progress: Progress | None = None) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = RunDrawer(host, settings)
        self.stopped = "samples"
        self.failure: str | None = None
        self._progress = progress
        self._designs = designs_for(self.description.mechanism)
        self._methods = tuple(name for name in ("run_many", "run") if name in self.description.methods)
        self._protocol, self._streams = ThresholdProtocol(), BatchStreams()
        self._law = ThresholdLaw(self._designs, self._methods)
        self._pairs = neighbours_for(self.description.mechanism)
        self._privacy = ThresholdExPost(self._pairs)
        checks: list[Check] = [self._protocol, self._law, self._streams, self._privacy]
        self._checks = [check for check in checks if not settings.only or check.id in settings.only]

    def run(self) -> tuple[CheckResult, ...]:
        """Smoke, then looks until something is refuted or a limit is reached; `SubjectFailed` if it cannot be run."""
        self._smoke()
        try:
            self._sample()
        except SubjectFailed as failure:
            if not self._refuted():
                raise
            self.failure, self.stopped = str(failure), "errored"
        return self._conclude()

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def _smoke(self) -> None:
        """A few runs of each method: sure to halt at once, sure not to, and in between."""
        epsilons = (1.0, 1.0, 1.0)
        for method in self._methods:
            for utilities in ((1e4, 1e4, 1e4), (-1e4, -1e4, -1e4), (-3.0, 0.0, 3.0)):
                self._protocol.observe(self.drawer.request(Design("smoke", utilities, epsilons), method, 2))
        if "run_many" in self._methods:
            for _ in range(2):
                self._streams.observe(self.drawer.request(self._designs[0], "run_many", 24))

    def _sample(self) -> None:
        tasks = [(design, method) for method in self._methods for design in self._designs]
        edges = np.cumsum([0.0, *(self._weight(method) for _, method in tasks)])
        edges /= edges[-1]
        share = PAIR_SHARE if self._privacy in self._checks else 0.0
        if self._checks == [self._privacy]:
            share = 1.0
        for look in looks():
            total = look * (1 - share)
            for (design, method), (low, high) in zip(tasks, pairwise(edges), strict=True):
                self.drawer.draw(design, method, int(total * high) - int(total * low), self._observe)
            for index, pair in enumerate(self._pairs if share else ()):
                count = share_out(look * share, len(self._pairs), index)
                self.drawer.draw_labelled(pair, self._methods[0], count, self._privacy.observe)
            if self._progress is not None:
                self._progress(self.drawer.drawn, self.settings.samples)
            if (reason := reason_to_stop(self.settings, self.drawer, self._refuted)) is not None:
                self.stopped = reason
                return

    def _weight(self, method: str) -> float:
        if len(self._methods) == 1:
            return 1.0
        return SCALAR_SHARE if method == "run" else 1 - SCALAR_SHARE

    def _observe(self, runs: Runs) -> None:
        self._protocol.observe(runs)
        self._law.observe(runs)
        self._streams.observe(runs)

    def _refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._checks)

    def _conclude(self) -> tuple[CheckResult, ...]:
        concluded = conclusions(self._checks, self.level, self.stopped)
        return tuple(
            replace(result, verdict=CheckVerdict.NOT_COVERED, message="the subject has no run_many()")
            if result.id == self._streams.id and "run_many" not in self._methods
            else result
            for result in concluded
        )
