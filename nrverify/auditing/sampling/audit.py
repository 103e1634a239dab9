"""The one sampled audit: smoke stage, looks until something is refuted or a limit is reached, conclusions.

A mechanism is what it is asked (`tasks`, a function of the look and of how much was drawn, used by audits, plans and
calibration alike), its checks, its smoke stage, and what it does where a subject refuses a request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from nrverify.auditing.core.alpha import Level
from nrverify.auditing.core.check import Check
from nrverify.auditing.core.effects import Priced
from nrverify.auditing.core.plots.data import Plot, PlotCollector
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.core.suspect import Suspect
from nrverify.auditing.sampling.clock import OutOfTime
from nrverify.auditing.sampling.drawer import Drawer
from nrverify.auditing.sampling.sampler import Progress, Refused, Sampler, TasksOf
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.auditing.sampling.workers import Workers, alone
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.host import Host


class Mechanism:
    """What the sampled audit needs to know of a mechanism; `checks` are those that run."""

    checks: Sequence[Any]
    not_covered: Sequence[CheckResult] = ()
    """Checks that cannot be asked, and why."""
    level: Level
    aside: Sequence[Any] = ()
    """Checks that the mechanism itself draws for, outside the looks; `foreseen_after(samples)` says what they catch."""
    after_refutation = 0
    """How much was drawn after a refutation, to learn what it means."""
    more = "samples are too few to exclude anything useful; draw more with --samples or --budget"
    """What would help where so many samples leave everything undecided."""

    @property
    def answers_still(self) -> bool:
        """Whether it is known that a subject answers that has failed after a refutation."""
        return False

    @property
    def beside(self) -> int:
        """How much is drawn beside the looks where nothing is refused."""
        return 0

    @property
    def drawn_aside(self) -> int:
        """How much is drawn for each check aside where it finds nothing."""
        return 0

    @property
    def reserved(self) -> int:
        """Samples kept back for what is tried at the end."""
        return 0

    @property
    def reserved_time(self) -> float:
        """The share of the budget of time kept back for it."""
        return 0.0

    def rehearse(self) -> None:
        """Completes what it is asked on a host that follows the claim, for a plan; nothing is judged."""

    def admit(self) -> None:
        """`SubjectFailed` where what there is cannot be judged at all; before anything is asked or read."""

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """What the look asks for, after so many sessions or runs were drawn."""
        raise NotImplementedError

    def smoke(self, drawer: Drawer) -> None:
        """Tries every method; `SubjectFailed` where the adapter does not work."""

    def refused(self, task: SamplingTask, reason: str) -> SamplingTask | None:
        """What takes the place of a task that was refused, None for nothing; by default no refusal is allowed."""
        raise SubjectFailed(f"the subject refuses {task.name}: {reason}")

    def advise(self, drawer: Drawer, refuted: bool) -> None:
        """Tries, last of all, what may upset a subject and is only advice; told whether something is refuted."""

    def diagnose(self, drawer: Drawer) -> None:
        """Asks, after a refutation, what tells its cause; nothing is judged by it, and nothing may be raised."""

    def measure_loss(self, drawer: Drawer) -> Priced | None:
        """The leak that more samples show where nothing else says what a wrong law gives away; asked last of all."""
        return None

    def judged(self) -> tuple[CheckResult, ...]:
        """Checks that were judged by calculation before anything is sampled."""
        return ()

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """All results: those of the checks that ran, completed, and those not covered."""
        return tuple(results)

    refused_settings: dict[str, Any] | None = None
    """What the subject refused, as data."""

    def tested_range(self) -> tuple[str, ...]:
        """Where the subject was asked, in words."""
        return ()

    def suspect(self) -> Suspect | None:
        """The fault that explains the second moments of the noise, where one does."""
        return None

    def plots(self) -> dict[str, tuple[Plot, ...]]:
        """What was seen besides the plots of sampled checks."""
        return {}


class Source(Protocol):
    """Where the samples of an audit come from: a subject that is asked, or records."""

    gallery: PlotCollector
    failure: str | None
    """How the subject failed after it was refuted."""

    @property
    def requests(self) -> Drawer | None:
        """For single requests outside the looks; None where nothing can be asked, of records."""

    @property
    def drawn(self) -> int:
        """How much was drawn so far."""

    def run(self, tasks_of: TasksOf, refuted: Callable[[], bool], refused: Refused | None = None) -> str:
        """Looks until something is refuted or a limit is reached, and which."""


class SampledAudit:
    """One audit of a mechanism that is sampled, or was recorded."""

    def __init__(self, mechanism: Mechanism, source: Source) -> None:
        self.mechanism = mechanism
        self.drawer = source
        self.stopped = "samples"

    @classmethod
    def of_host(
        cls,
        mechanism: Mechanism,
        host: Host,
        settings: Settings,
        progress: Progress | None = None,
        workers: Workers | None = None,
    ) -> SampledAudit:
        """Of a subject that is asked, by the workers or by this process alone."""
        sampler = Sampler(host, settings, workers or alone(host), progress)
        sampler.reserved = mechanism.reserved
        if mechanism.reserved_time:
            sampler.keep_back(mechanism.reserved_time)
        return cls(mechanism, sampler)

    def run(self) -> tuple[CheckResult, ...]:
        """All results; `SubjectFailed` if the subject cannot be run."""
        mechanism, requests = self.mechanism, self.drawer.requests
        # A subject may answer with absurd numbers: their arithmetic overflows, and the checks refute them.
        with np.errstate(over="ignore", invalid="ignore"):
            mechanism.admit()
            tried = requests is None or self._tried(requests)
            if self._attacked() and requests is not None and not requests.settings.keep_going:
                self.stopped = "refuted"
            elif mechanism.checks:
                self.stopped = self.drawer.run(
                    lambda look: mechanism.tasks(look, self.drawer.drawn), self._any_refuted, mechanism.refused
                )
                if requests is not None and self._any_refuted():
                    mechanism.diagnose(requests)
            elif self._any_refuted():
                self.stopped = "refuted"
            elif not tried:
                self.stopped = "time"
            checks = [*mechanism.checks, *mechanism.aside]
            if checks and tried and requests is not None and self.drawer.failure is None:
                mechanism.advise(requests, self._any_refuted())
            return mechanism.finished(conclusions(checks, mechanism.level, self.stopped))

    def _tried(self, requests: Drawer) -> bool:
        """Whether the smoke stage came to its end within the budget; if not, nothing more is asked."""
        try:
            self.mechanism.smoke(requests)
        except OutOfTime:
            return False
        return True

    def measure_loss(self) -> Priced | None:
        """The leak that more samples show, where nothing else says what a wrong law gives away."""
        requests = self.drawer.requests
        if requests is None or (self.failure is not None and not self.mechanism.answers_still):
            return None
        return self.mechanism.measure_loss(requests)

    @property
    def more(self) -> str:
        """What would help where everything is left undecided."""
        return self.mechanism.more

    @property
    def failure(self) -> str | None:
        """How the subject failed after it was refuted."""
        return self.drawer.failure

    @property
    def suspect(self) -> Suspect | None:
        """The fault that explains the second moments of the noise, where one does."""
        return self.mechanism.suspect()

    @property
    def refused_settings(self) -> dict[str, Any] | None:
        """What the subject refused, as data."""
        return self.mechanism.refused_settings

    @property
    def asked(self) -> tuple[str, ...]:
        """Where the subject was asked, in words."""
        return self.mechanism.tested_range()

    def plots(self) -> dict[str, tuple[Plot, ...]]:
        """What every check saw."""
        self.drawer.gallery.add(self.mechanism.aside)
        return {**self.drawer.gallery.plots(self.mechanism.level), **self.mechanism.plots()}

    def _attacked(self) -> bool:
        """Whether what is drawn beside the looks, and before them, refutes already: the looks would add nothing."""
        return any(check.refuted(self.mechanism.level(check)) for check in self.mechanism.aside)

    def _any_refuted(self) -> bool:
        judged = any(result.verdict is CheckVerdict.REFUTED for result in self.mechanism.judged())
        checks = (*self.mechanism.checks, *self.mechanism.aside)
        return judged or any(check.refuted(self.mechanism.level(check)) for check in checks)


def conclusions(checks: Sequence[Check], level: Level, stopped: str) -> list[CheckResult]:
    """The verdicts of all checks; one left undecided by another's refutation says so."""
    results = [check.conclude(level(check)) for check in checks]
    if stopped not in ("refuted", "errored"):
        return results
    why = "sampling stopped because another check was refuted"
    return [
        replace(result, message=why) if result.verdict is CheckVerdict.INCONCLUSIVE else result for result in results
    ]
