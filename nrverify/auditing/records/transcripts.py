"""The audit of recorded transcripts: the checks of a noise-reduction audit, fed from a file in its own order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.pictures import Gallery, Picture
from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.applicable_checks import IDS, Battery, battery_for
from nrverify.auditing.noise_reduction.checks.ex_post import ExPost
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.neighbours import LARGEST_BATCH, Labelled, Pair
from nrverify.auditing.noise_reduction.diagnosis.fault_location import with_places
from nrverify.auditing.noise_reduction.diagnosis.second_moments import with_suspect
from nrverify.auditing.noise_reduction.observe import show, show_labelled
from nrverify.auditing.noise_reduction.unknown_times.value_sizes import UnknownValues
from nrverify.auditing.records.not_covered import (
    ADAPTIVE,
    BEYOND,
    LARGE_CLAIM,
    LARGEST_CLAIM,
    NEIGHBOURS,
    TRANSCRIPTS,
    UNKNOWN_TIMES,
    UNSEEN,
    as_covered,
    not_covered,
    too_few,
)
from nrverify.auditing.records.random_order import Portion, Unused
from nrverify.auditing.records.shared_noise import refuse_shared_noise
from nrverify.auditing.sampling.looks import conclusions, looks, reason_to_stop
from nrverify.subjects.policies import Fixed, Follow
from nrverify.subjects.records.transcripts import RecordedTranscripts

Floats = NDArray[np.float64]
Progress = Callable[[int, int], None]

MOST_NUMBERS = 2_000_000
DOUBLE_PRECISION = "lattice.double-precision"


class RecordedTranscriptsAudit:
    """One audit of recorded transcripts; the order of the file is the order of use."""

    def __init__(self, record: RecordedTranscripts, settings: Settings, progress: Progress | None = None) -> None:
        self.settings = settings
        self.record = record
        self.stopped = "samples"
        self.failure: str | None = None
        self._progress = progress
        self._rng = np.random.default_rng(np.random.SeedSequence(settings.seed))
        self.drawer = Unused(record.neighbour.sessions, record.value.sessions, settings.samples, self._rng)
        self._gallery = Gallery()
        self._pair = _pair_of(record)
        self._battery = _battery_of(record, self._pair, settings.only)

    def run(self) -> tuple[CheckResult, ...]:
        """Looks until something is refuted or the records are used up; `SubjectFailed` if they cannot be used."""
        refuse_shared_noise(self.record)
        with np.errstate(over="ignore", invalid="ignore"):
            self._use_records()
            return self._conclude()

    @property
    def level(self) -> float:
        """The error probability of one check: the run's, divided over all checks there are."""
        return self.settings.alpha / len(IDS)

    def pictures(self) -> dict[str, tuple[Picture, ...]]:
        """What every check saw."""
        return self._gallery.pictures(self.level)

    @property
    def asked(self) -> tuple[str, ...]:
        """Nowhere: what was recorded was asked before."""
        return ("what was recorded",)

    def _use_records(self) -> None:
        total = min(self.settings.samples, sum(side.sessions for side in self.record.sides))
        most = max(1, min(LARGEST_BATCH, MOST_NUMBERS // (self.record.length * self._pair.shift.size)))
        for look in looks():
            end = self.drawer.drawn + max(1, int(look))
            while self.drawer.left > 0 and self.drawer.drawn < end:
                self._observe(self.drawer.take(min(most, end - self.drawer.drawn)))
            if self._progress is not None:
                self._progress(self.drawer.drawn, total)
            self._gallery.look(self._battery.checks, self.drawer.drawn)
            if (reason := reason_to_stop(self.settings, self.drawer, self._refuted)) is not None:
                self.stopped = reason
                return

    def _observe(self, portion: Portion) -> None:
        """One portion to every check: side by side to those of transcripts, shuffled together to those of pairs."""
        description, transcripts, pairs = self.record.description, self._battery.transcripts, self._battery.pairs
        parts = []
        for case, side, rows in zip(self._pair.sides, self.record.sides, portion.sides, strict=True):
            releases, asked, times = side.part(rows.start, rows.stop)
            parts.append((releases, asked, times))
            if releases.shape[0]:
                scored = [check.fresh() for check in transcripts]
                show(description, case, releases, asked, times, self._rng, scored)
                for check, seen in zip(transcripts, scored, strict=True):
                    check.merge(seen)
        if portion.label is not None:
            (releases, asked, times), own = parts
            releases, asked = (_shuffled(both, portion.label) for both in ((releases, own[0]), (asked, own[1])))
            times = None if times is None or own[2] is None else _shuffled((times, own[2]), portion.label)
            guessed = [check.fresh() for check in pairs]
            show_labelled(description, Labelled(self._pair, releases, asked, times, portion.label), guessed)
            for guess, made in zip(pairs, guessed, strict=True):
                guess.merge(made)

    def _refuted(self) -> bool:
        return any(check.refuted(self.level) for check in self._battery.checks)

    def _conclude(self) -> tuple[CheckResult, ...]:
        checks = self._battery.checks
        found = with_places(conclusions(checks, self.level, self.stopped), checks)
        concluded = with_suspect(found, checks, self.record.description)
        beyond = BEYOND | TRANSCRIPTS | ({} if self.record.fixed else ADAPTIVE)
        covered = [as_covered(result, self.record.length, self.record.fixed) for result in concluded]
        results = (*covered, *self._battery.not_covered, *not_covered(beyond, self.settings.only))
        self.failure = too_few(results, self.drawer.drawn)
        return results


def _shuffled(sides: tuple[Floats, Floats], label: NDArray[np.bool_]) -> Floats:
    """The neighbour's and the value's in the order of the coin."""
    together = np.empty((label.size, *sides[0].shape[1:]))
    together[~label], together[label] = sides
    return together


def _pair_of(record: RecordedTranscripts) -> Pair:
    """The two values as a pair; what was asked adaptively stands for a play whose program is not known."""
    value, neighbour = (tuple(float(x) for x in side.value) for side in (record.value, record.neighbour))
    first = record.value.asked[0]
    play: Fixed | Follow = Fixed(tuple(float(at) for at in first))
    if not record.fixed:
        play = Follow(float(first[0]), float(first[0]), 1.0, 1.0, record.length, 0.0)
    # Whether recorded sessions shared a request is not known: each stands for itself.
    return Pair(Case("recorded", value, play, "open"), neighbour)


def _battery_of(record: RecordedTranscripts, pair: Pair, only: tuple[str, ...]) -> Battery:
    """The checks that these records can be put to, and why others cannot."""
    description = record.description
    first = float(record.value.asked[0, 0])
    knob = Knob(first, first, description.knob == "time")
    battery = battery_for(description, list(pair.sides), knob, record.value.times is not None, only)
    reasons = [replace(result, message=_why_not(result, record)) for result in battery.not_covered]
    pairs = battery.pairs
    if _largest_claim(record, pair) > LARGEST_CLAIM and any(isinstance(check, ExPost) for check in pairs):
        pairs = [check for check in pairs if not isinstance(check, ExPost)]
        reasons += not_covered({ExPost.id: LARGE_CLAIM}, only)
    transcripts = [check for check in battery.transcripts if not isinstance(check, UnknownValues)]
    if len(transcripts) < len(battery.transcripts):
        reasons += not_covered({UnknownValues.id: NEIGHBOURS}, only)
    return Battery(transcripts, pairs, reasons)


def _why_not(result: CheckResult, record: RecordedTranscripts) -> str | None:
    """The reason in words about records rather than about subjects that could be asked."""
    if record.value.times is None and result.kind == "law" and result.id != DOUBLE_PRECISION:
        return UNKNOWN_TIMES
    if record.value.times is not None and result.id == "law.increments":
        return result.message
    return UNSEEN.get(result.id, result.message)


def _largest_claim(record: RecordedTranscripts, pair: Pair) -> float:
    """The largest ε that is claimed at any stop: what was asked, or for Laplace noise Σ|shift|/t."""
    if record.description.knob == "epsilon":
        return float(max(np.nanmax(side.asked) for side in record.sides))
    smallest = float(min(np.nanmin(side.asked) for side in record.sides))
    return float(np.abs(pair.shift).sum()) / smallest
