"""The audit of a threshold mechanism: what it is asked, and what comes of it."""

from __future__ import annotations

from dataclasses import replace

from nrverify.auditing.core.check import Check
from nrverify.auditing.core.pictures import Picture
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.sampling.looks import conclusions
from nrverify.auditing.sampling.sampler import Progress, Sampler
from nrverify.auditing.sampling.work_units import Task
from nrverify.auditing.sampling.workers import Crew, alone
from nrverify.auditing.threshold.checks import ThresholdLaw, ThresholdProtocol
from nrverify.auditing.threshold.designs import Design, designs_for, every_design, neighbours_for
from nrverify.auditing.threshold.drawing import draw_runs, score_design, score_neighbours
from nrverify.auditing.threshold.ex_post import ThresholdExPost
from nrverify.auditing.threshold.streams import BatchStreams, few_together
from nrverify.subjects.host import Host

IDS = ("threshold.protocol", "threshold.law", "randomness.streams", "privacy.ex-post")
"""Every check of a threshold audit; the error probability is divided over all of them, asked or not."""

PAIR_SHARE = 0.2
"""Of the runs of a look, for the comparison of neighbours; they tell the law, too, so it costs the law little."""
SCALAR_SHARE = 0.1
"""Of the runs of a design, one by one, where the subject also gives them in batches."""
MOST_IN_SMALL_REQUESTS = 2**20
"""As long as no more runs than this are drawn in all, some are asked for a few at a time: requests take time."""
BATCH_NUMBERS = 4
"""What a run weighs in a batch: a halting round, and what is made of it."""


class ThresholdAudit:
    """One audit of an `above-threshold` or `reduced-above-threshold` subject."""

    def __init__(
        self, host: Host, settings: Settings, progress: Progress | None = None, crew: Crew | None = None
    ) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = Sampler(host, settings, crew or alone(host), progress)
        self.stopped = "samples"
        self._designs = designs_for(self.description.mechanism)
        self._methods = tuple(name for name in ("run_many", "run") if name in self.description.methods)
        self._pairs = neighbours_for(self.description.mechanism)
        self._protocol, self._streams = ThresholdProtocol(), BatchStreams()
        self._law = ThresholdLaw(every_design(self.description.mechanism), self._methods)
        self._privacy = ThresholdExPost(self._pairs)
        checks: list[Check] = [self._protocol, self._law, self._streams, self._privacy]
        self._checks = [check for check in checks if not settings.only or check.id in settings.only]

    def run(self) -> tuple[CheckResult, ...]:
        """Smoke, then looks until something is refuted or a limit is reached; `SubjectFailed` if it cannot be run."""
        self._smoke()
        if not self._checks:
            return ()
        self.stopped = self.drawer.run(lambda _: self._tasks(), self._any_refuted)
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
        """What every check saw."""
        return self.drawer.gallery.pictures(self.level)

    @property
    def asked(self) -> tuple[str, ...]:
        """Where it was asked, in words."""
        epsilons = [epsilon for design in self._designs for epsilon in design.epsilons]
        rounds = [design.rounds for design in self._designs]
        return (
            f"{len(self._designs)} designs of {min(rounds)} to {max(rounds)} rounds",
            f"ε from {min(epsilons):g} to {max(epsilons):g}",
        )

    def _smoke(self) -> None:
        """A few runs of each method: sure to halt at once, sure not to, and in between; and two batches to compare."""
        epsilons = (1.0, 1.0, 1.0)
        for method in self._methods:
            for utilities in ((1e4, 1e4, 1e4), (-1e4, -1e4, -1e4), (-3.0, 0.0, 3.0)):
                design = Design("smoke", utilities, epsilons)
                self._protocol.observe(draw_runs(self.drawer.requests, design, method, 2))
        if "run_many" in self._methods:
            streams = self._streams.fresh()
            for _ in range(2):
                streams.observe(draw_runs(self.drawer.requests, self._designs[0], "run_many", 24))
            self._streams.merge(streams)

    def _tasks(self) -> list[Task]:
        """Every design by every method, and every pair of neighbours."""
        share = PAIR_SHARE if self._privacy in self._checks else 0.0
        if self._checks == [self._privacy]:
            share = 1.0
        scored: tuple[Check, ...] = (self._protocol, self._law, self._streams)
        many = self.drawer.drawn <= MOST_IN_SMALL_REQUESTS
        tasks = []
        for method in self._methods:
            for design in self._designs:
                weight = (1 - share) * self._share(method) / len(self._designs)
                numbers = BATCH_NUMBERS if method == "run_many" else BATCH_NUMBERS + design.rounds
                setting = (design, method, few_together(design) if many else 0)
                tasks.append(Task(f"{design.name} {method}", setting, score_design, scored, weight, numbers))
        for pair in self._pairs if share else ():
            method, name = self._methods[0], f"pair {pair.design.name}"
            numbers = BATCH_NUMBERS + pair.design.rounds
            weight = share / len(self._pairs)
            tasks.append(Task(name, (pair, method), score_neighbours, (self._law, self._privacy), weight, numbers))
        return tasks

    def _share(self, method: str) -> float:
        if len(self._methods) == 1:
            return 1.0
        return SCALAR_SHARE if method == "run" else 1 - SCALAR_SHARE

    def _any_refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._checks)

    def _conclude(self) -> tuple[CheckResult, ...]:
        concluded = conclusions(self._checks, self.level, self.stopped)
        return tuple(
            replace(result, verdict=CheckVerdict.NOT_COVERED, message="the subject has no run_many()")
            if result.id == self._streams.id and "run_many" not in self._methods
            else result
            for result in concluded
        )
