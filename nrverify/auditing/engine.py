"""The engine: draws transcripts look by look, hands them to every check, and stops when something is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.battery import IDS, Battery, battery_for, process_of
from nrverify.auditing.cases import Case, Knob, cases_for, knob_of, varied
from nrverify.auditing.check import Batch
from nrverify.auditing.drawing import Drawer
from nrverify.auditing.epsilon_claim import EpsilonClaim
from nrverify.auditing.innovations import innovations
from nrverify.auditing.looks import conclusions, looks, reason_to_stop, share_out
from nrverify.auditing.pairs import Labelled, Pair, draw_labelled, pairs_for
from nrverify.auditing.protocol import Finite, refusals, sound
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.settings import Settings
from nrverify.auditing.smoke import INWARDS, admitted_range, repeats_itself, smoke
from nrverify.subjects.errors import SubjectFailed, SubjectRefused
from nrverify.subjects.host import Host
from nrverify.subjects.plays import shrunk

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

PAIR_SHARE = 0.25
"""Of the sessions of a look, for checks that compare two neighbouring values."""
MOST_REFUSALS = 40
ADVICE_SAMPLES = 6
DENSE = 200
"""At so many ε's a subject is asked for its own times."""


class NoiseReductionAudit:
    """One audit of a noise-reduction subject."""

    def __init__(self, host: Host, settings: Settings, progress: Progress | None = None) -> None:
        self.settings = settings
        self.description = host.description
        self.drawer = Drawer(host, settings)
        self.stopped = "samples"
        self.failure: str | None = None
        self._progress = progress
        self._process = process_of(self.description)
        self._knob: Knob = knob_of(self.description)
        self._times: dict[float, float] = {}
        self._advice: list[CheckResult] = []
        self._refused: list[str] = []
        self._battery = Battery([], [], [])
        self.drawer.reserved = ADVICE_SAMPLES

    def run(self) -> tuple[CheckResult, ...]:
        """Smoke, then looks until something is refuted or a limit is reached; `SubjectFailed` if it cannot be run."""
        self._knob, self._refused = admitted_range(self.drawer, self.description, self._knob)
        dimensions, refused = smoke(self.drawer, self.description, self._knob)
        self._refused += refused
        cases = cases_for(self.description, self._knob, dimensions)
        pairs = pairs_for(self.description, self._knob, dimensions)
        times_known = self.description.knob == "time" or "time_of" in self.description.methods
        self._battery = battery_for(self.description, cases, self._knob, times_known, self.settings.only)
        if "time_of" in self.description.methods:
            self._times_of(np.geomspace(self._knob.low, self._knob.high, DENSE))
            for check in self._battery.transcripts:
                if isinstance(check, EpsilonClaim):
                    check.ask_densely(self._times)
        # A subject may answer with absurd numbers: their arithmetic overflows, and the checks refute them.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                self._sample(cases, pairs if self._battery.pairs else [])
            except SubjectFailed as failure:
                if not self._refuted():
                    raise
                self.failure, self.stopped = str(failure), "errored"
            self._advise(cases[0].value)
            return self._conclude()

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def _sample(self, cases: list[Case], pairs: list[Pair]) -> None:
        share = PAIR_SHARE if pairs else 0.0
        for look in looks():
            for index in range(len(cases)):
                self._draw(cases, index, share_out(look * (1 - share), len(cases), index))
            for index, pair in enumerate(pairs):
                count = share_out(look * share, len(pairs), index)
                draw_labelled(self.drawer, pair, count, self._times_of, self._observe_labelled)
            if self._progress is not None:
                self._progress(self.drawer.drawn, self.settings.samples)
            if (reason := reason_to_stop(self.settings, self.drawer, self._refuted)) is not None:
                self.stopped = reason
                return

    def _draw(self, cases: list[Case], index: int, count: int) -> None:
        """Draws a case; a setting that the subject refuses is moved inwards and reported as not covered."""
        for _ in range(MOST_REFUSALS):
            case = varied(cases[index], self._knob, self.drawer.rng)
            try:
                self.drawer.sessions(case, count, partial(self._observe, case))
                return
            except SubjectRefused as refusal:
                self._refused.append(f"{case.name} at value {list(case.value)} ({refusal})")
                low, high = self._knob.low * INWARDS, self._knob.high / INWARDS
                if low < high:
                    self._knob = replace(self._knob, low=low, high=high)
                value = tuple(float(np.trunc(x / INWARDS)) for x in case.value)
                cases[index] = replace(case, value=value, play=shrunk(case.play, self._knob.low, self._knob.high))
        raise SubjectFailed(f"the subject refuses every setting tried: {self._refused[-1]}")

    def _observe(self, case: Case, releases: Floats, asked: Floats) -> None:
        times = self._times_of(asked)
        finite = sound(releases, asked)
        found = None
        if times is not None and finite and self._whole(releases):
            scale = np.abs(releases) + np.abs(case.array)
            found = innovations(self._process, releases - case.array, times, scale, self.drawer.rng)
        batch = Batch(case, releases, asked, times, found)
        for check in self._battery.transcripts:
            if finite or isinstance(check, Finite):
                check.observe(batch)

    def _observe_labelled(self, drawn: Labelled) -> None:
        if sound(drawn.releases, drawn.asked) and self._whole(drawn.releases):
            for check in self._battery.pairs:
                check.observe_labelled(drawn)

    def _whole(self, releases: Floats) -> bool:
        """Integer noise is only scored when it is integer; a release that is not is another check's finding."""
        return self.description.mechanism != "skellam" or bool(
            np.all((releases == np.round(releases)) | np.isnan(releases))
        )

    def _times_of(self, asked: Floats) -> Floats | None:
        """The times behind what was asked: itself, or the subject's own time_of."""
        if self.description.knob == "time":
            return asked
        if "time_of" not in self.description.methods:
            return None
        unknown = [float(at) for at in np.unique(asked[np.isfinite(asked)]) if float(at) not in self._times]
        if unknown:
            times = self.drawer.host.scalar("time_of", unknown)
            bad = [at for at, t in zip(unknown, times, strict=True) if not (np.isfinite(t) and t > 0)]
            if bad:
                raise SubjectFailed(f"time_of({bad[0]!r}) is not a positive finite time")
            self._times.update(zip(unknown, (float(t) for t in times), strict=True))
        return np.asarray(np.vectorize(lambda at: self._times.get(at, np.nan), otypes=[float])(asked))

    def _refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._battery.checks)

    def _advise(self, value: tuple[float, ...]) -> None:
        """Invalid requests and repeated seeds, tried last: they may upset a subject, and are only advice."""
        if self.failure is not None:
            return
        try:
            repeats = repeats_itself(self.drawer, self.description, self._knob)
            if "open" in self.description.methods:
                self._advice.append(refusals(self.drawer, self._knob, value))
        except (SubjectFailed, SubjectRefused):
            return
        if not repeats:
            words = "the same seed gives another transcript: a finding cannot be replayed from its seed alone"
            self._advice.append(CheckResult("randomness.repeats", "randomness", CheckVerdict.ADVICE, message=words))

    def _conclude(self) -> tuple[CheckResult, ...]:
        concluded = conclusions(self._battery.checks, self.level, self.stopped)
        covered = [*concluded, *self._battery.not_covered, *self._advice]
        if self._refused:
            words = f"refused, and so not covered: {'; '.join(self._refused[:5])}"
            covered.append(CheckResult("protocol.range", "protocol", CheckVerdict.NOT_COVERED, message=words))
        return tuple(covered)
