"""The audit of a noise-reduction subject: what it is asked, what is done when it refuses, and what comes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.core.pictures import Picture
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.applicable_checks import IDS, Battery, battery_for
from nrverify.auditing.noise_reduction.checks.finite import refusals
from nrverify.auditing.noise_reduction.design.cases import Case, cases_for, shares, varied
from nrverify.auditing.noise_reduction.design.knob import Knob, knob_of
from nrverify.auditing.noise_reduction.design.neighbours import Pair, pairs_for
from nrverify.auditing.noise_reduction.diagnosis.fault_location import with_places
from nrverify.auditing.noise_reduction.diagnosis.second_moments import with_suspect
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.observe import score_case, score_pair
from nrverify.auditing.noise_reduction.smoke import INWARDS, admitted_range, repeats_itself, smoke
from nrverify.auditing.sampling.looks import conclusions
from nrverify.auditing.sampling.sampler import Progress, Sampler
from nrverify.auditing.sampling.work_units import Task
from nrverify.auditing.sampling.workers import Crew, alone
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host
from nrverify.subjects.policies import Fixed, shrunk

PAIR_SHARE = 0.25
"""Of the sessions of a look, for checks that compare two neighbouring values."""
FEWEST = 16
"""Sessions of a case that are drawn together: what one has to do with the next is seen from the second on."""
ADVICE_SAMPLES = 6
DENSE, TELLING = 200, 800
"""At so many ε's a subject is asked for its own times: over the whole range, and where the claim most likely fails."""


class NoiseReductionAudit:
    """One audit of a noise-reduction subject."""

    def __init__(
        self, host: Host, settings: Settings, progress: Progress | None = None, crew: Crew | None = None
    ) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = Sampler(host, settings, crew or alone(host), progress)
        self.stopped = "samples"
        self._knob: Knob = knob_of(self.description)
        self._cases: list[Case] = []
        self._pairs: list[Pair] = []
        self._advice: list[CheckResult] = []
        self._refused: list[str] = []
        self._battery = Battery([], [], [])
        self.drawer.reserved = ADVICE_SAMPLES

    def run(self) -> tuple[CheckResult, ...]:
        """Smoke, then looks until something is refuted or a limit is reached; `SubjectFailed` if it cannot be run."""
        requests = self.drawer.requests
        self._knob, self._refused = admitted_range(requests, self.description, self._knob)
        dimensions, refused = smoke(requests, self.description, self._knob)
        self._refused += refused
        self._cases = cases_for(self.description, self._knob, dimensions)
        times_known = self.description.knob == "time" or "time_of" in self.description.methods
        self._battery = battery_for(self.description, self._cases, self._knob, times_known, self.settings.only)
        if not self._battery.checks:
            self._cases = []
            return self._conclude()
        if self._battery.pairs:
            self._pairs = pairs_for(self.description, self._knob, dimensions)
        if "time_of" in self.description.methods:
            self._ask_densely()
        # A subject may answer with absurd numbers: their arithmetic overflows, and the checks refute them.
        with np.errstate(over="ignore", invalid="ignore"):
            self.stopped = self.drawer.run(self._tasks, self._any_refuted, self._moved)
            self._advise(self._cases[0].value)
            return self._conclude()

    def _ask_densely(self) -> None:
        """Asks a subject for its own times at many ε's."""
        times_of = self.drawer.requests.times_of
        times_of(np.geomspace(self._knob.low, self._knob.high, DENSE))
        for check in self._battery.transcripts:
            if isinstance(check, EpsilonClaim):
                check.ask_densely(times_of.known)
                telling = check.telling()
                if telling is not None and telling[0] < telling[1]:
                    times_of(np.geomspace(*telling, TELLING))
                    check.ask_densely(times_of.known)

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
        sizes = [abs(x) for case in self._cases for x in case.value]
        lengths = [case.play.length for case in self._cases]
        if not sizes:
            return ()
        what = "times" if self._knob.falling else "ε"
        return (
            f"{what} from {self._knob.low:g} to {self._knob.high:g}",
            f"values up to {max(sizes):g} in size",
            _range(sorted({len(case.value) for case in self._cases}), "dimension"),
            _range(sorted(set(lengths)), "release"),
        )

    def _tasks(self, look: int) -> list[Task]:
        """Every case, with its times moved anew, and every pair."""
        rng = np.random.default_rng(np.random.SeedSequence(self.settings.seed, spawn_key=(2, look)))
        transcripts, pairs = tuple(self._battery.transcripts), self._battery.of_pairs
        share = PAIR_SHARE if self._pairs else 0.0
        if not transcripts and self._pairs:
            share = 1.0
        tasks = []
        for case, own in zip(self._cases, shares(self._cases, self.drawer.drawn), strict=True):
            moved = varied(case, self._knob, self.description.integer, rng)
            tasks.append(Task(case.name, moved, score_case, transcripts, (1 - share) * own, _numbers(case), FEWEST))
        for pair in self._pairs:
            weight = share / len(self._pairs)
            tasks.append(Task(pair.case.name, pair, score_pair, pairs, weight, _numbers(pair.case), FEWEST))
        return tasks

    def _moved(self, task: Task, reason: str) -> Task | None:
        """A case that is refused loses repeated times or is moved inwards, a pair is left out; all are reported."""
        if isinstance(task.setting, Pair):
            self._refused.append(f"{task.name} ({reason})")
            self._pairs = [pair for pair in self._pairs if pair != task.setting]
            return None
        case = task.setting
        if isinstance(case.play, Fixed) and len(set(case.play.schedule)) < case.play.length:
            self._refused.append(f"repeated times ({reason})")
            return self._replaced(task, replace(case, play=Fixed(tuple(dict.fromkeys(case.play.schedule)))))
        value = ", ".join(f"{x:g}" for x in case.value)
        self._refused.append(f"the value ({value}) at {case.play.words} ({reason})")
        low, high = self._knob.low * INWARDS, self._knob.high / INWARDS
        if low < high:
            self._knob = replace(self._knob, low=low, high=high)
        nearer = tuple(float(np.trunc(x / INWARDS)) for x in case.value)
        play = shrunk(case.play, self._knob.low, self._knob.high)
        return self._replaced(task, replace(case, value=nearer, play=play))

    def _replaced(self, task: Task, moved: Case) -> Task:
        """The task with another case, which takes the place of the first from now on."""
        self._cases = [moved if case.name == task.name else case for case in self._cases]
        return replace(task, setting=moved)

    def _any_refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._battery.checks)

    def _advise(self, value: tuple[float, ...]) -> None:
        """Invalid requests and repeated seeds, tried last: they may upset a subject, and are only advice."""
        if self.drawer.failure is not None:
            return
        requests = self.drawer.requests
        try:
            repeats = repeats_itself(requests, self.description, self._knob)
            if "open" in self.description.methods:
                self._advice.append(refusals(requests, self._knob, value))
        except (SubjectFailed, SubjectRefused):
            return
        if not repeats:
            words = "the same seed gives another transcript: a finding cannot be replayed from its seed alone"
            self._advice.append(CheckResult("randomness.repeats", "randomness", CheckVerdict.ADVICE, message=words))

    def _conclude(self) -> tuple[CheckResult, ...]:
        checks = self._battery.checks
        found = with_places(conclusions(checks, self.level, self.stopped), checks)
        concluded = with_suspect(found, checks, self.description)
        covered = [*concluded, *self._battery.not_covered, *self._advice]
        if self._refused:
            words = f"refused, and so not covered: {'; '.join(self._refused[:5])}"
            covered.append(CheckResult("protocol.range", "protocol", CheckVerdict.NOT_COVERED, message=words))
        return tuple(covered)


def _range(numbers: list[int], what: str) -> str:
    words = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 2 else " and ".join(map(str, numbers))
    return f"{words} {what}" if numbers == [1] else f"{words} {what}s"


def _numbers(case: Case) -> int:
    return case.play.length * len(case.value)
