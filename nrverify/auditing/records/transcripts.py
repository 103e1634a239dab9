"""Recorded transcripts: the checks of a noise-reduction audit, fed from a file in its own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.check import Observes, ObservesLabelled
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.core.settings import Settings
from nrverify.auditing.noise_reduction.audit import NoiseReductionMechanism
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies
from nrverify.auditing.noise_reduction.context import FromRecords, NoiseReductionContext
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.noise_reduction.observe import show, show_labelled
from nrverify.auditing.records.last_digits import holds_last_bits
from nrverify.auditing.records.not_covered import OF_ADAPTIVE, OF_ALL, OF_TRANSCRIPTS, as_seen, limits
from nrverify.auditing.records.random_order import RecordedOrder
from nrverify.auditing.records.shared_noise import refuse_shared_noise
from nrverify.auditing.registry import declarations_by_id
from nrverify.auditing.sampling.work_units import SamplingTask
from nrverify.subjects.policies import Fixed
from nrverify.subjects.records.transcripts import RecordedTranscripts

Floats = NDArray[np.float64]

ADAPTIVE_TIES = "ties of adaptive sessions are bet on, and not refuted; what would have been caught is not computed"


class RecordedTranscriptsMechanism(NoiseReductionMechanism):
    """Recorded transcripts; the order of the file is the order of use."""

    more = "recorded sessions are too few to exclude anything useful: record more"

    def __init__(self, record: RecordedTranscripts, settings: Settings) -> None:
        self.begin(record.description, settings)
        self._record = record
        self._pair = _pair_of(record)
        first = float(record.value.asked[0, 0])
        context = NoiseReductionContext(
            self.description,
            self._pair.sides,
            Knob(first, first, self.description.knob == "time"),
            record.value.times is not None,
            (record.value.value.size,),
            FromRecords(record.length, record.fixed, _largest_claim(record, self._pair), holds_last_bits(record)),
            numerics=settings.numerics or self.description.numerics or "idealized",
        )
        self.ask(context)

    @property
    def reserved(self) -> int:
        """Nothing: no more can be asked."""
        return 0

    def admit(self) -> None:
        """`SubjectFailed` where both sides have the same noise."""
        refuse_shared_noise(self._record)

    def tasks(self, look: int, drawn: int) -> list[SamplingTask]:
        """The record as a whole."""
        numbers = self._record.length * self._pair.shift.size
        return [SamplingTask("recorded", self._record, self._score, tuple(self.checks), 1.0, numbers)]

    def _score(self, order: RecordedOrder, record: RecordedTranscripts, size: int, checks: Sequence[Any]) -> None:
        """So many sessions more: side by side to the checks of transcripts, shuffled together to those of pairs."""
        portion = order.unused.take(size)
        scored = [check for check in checks if isinstance(check, Observes)]
        parts = []
        for case, side, rows in zip(self._pair.sides, record.sides, portion.sides, strict=True):
            parts.append(side.part(rows.start, rows.stop))
            releases, asked, times = parts[-1]
            if releases.shape[0]:
                show(self.description, case, releases, asked, times, order.rng, scored)
        if portion.label is not None:
            (releases, asked, times), own = parts
            releases, asked = (_shuffled(both, portion.label) for both in ((releases, own[0]), (asked, own[1])))
            times = None if times is None or own[2] is None else _shuffled((times, own[2]), portion.label)
            labelled = [check for check in checks if isinstance(check, ObservesLabelled)]
            drawn = Labelled(self._pair, *_in_falling_order(releases, asked, times), portion.label)
            show_labelled(self.description, drawn, labelled, order.rng)

    def finished(self, results: list[CheckResult]) -> tuple[CheckResult, ...]:
        """With those that saw nothing or are not covered, and what records cannot show."""
        declarations, falling = declarations_by_id(self.description.mechanism), self._record.falling
        seen = [as_seen(self._of_adaptive_ties(result), declarations, falling) for result in results]
        known = (*OF_ALL, OF_TRANSCRIPTS) if self._record.fixed else (*OF_ALL, OF_TRANSCRIPTS, OF_ADAPTIVE)
        return (*super().finished(seen), *limits(known, self.settings.only))

    def _of_adaptive_ties(self, result: CheckResult) -> CheckResult:
        undecided = result.verdict is CheckVerdict.INCONCLUSIVE and result.id == LaplaceTies.id
        if undecided and not self._record.fixed:
            return replace(result, sizes=(), message=ADAPTIVE_TIES)
        return result

    def tested_range(self) -> tuple[str, ...]:
        """Nowhere: what was recorded was asked before."""
        return ("what was recorded",)


def _shuffled(sides: tuple[Floats, Floats], label: NDArray[np.bool_]) -> Floats:
    """The neighbour's and the value's in the order of the coin."""
    together = np.empty((label.size, *sides[0].shape[1:]))
    together[~label], together[label] = sides
    return together


def _pair_of(record: RecordedTranscripts) -> Pair:
    """The two values as a pair; the rule by which adaptive sessions were asked is not known."""
    value, neighbour = (tuple(float(x) for x in side.value) for side in (record.value, record.neighbour))
    play = Fixed(tuple(float(at) for at in record.value.asked[0])) if record.fixed else None
    ranks = None if record.falling else _ranks(record.value.asked[0])
    # Whether recorded sessions shared a request is not known: each stands for itself.
    return Pair(Case("recorded", value, play, "open", ranks=ranks), neighbour)


def _ranks(asked: Floats) -> tuple[int, ...]:
    """Of the first session's requests: the rank of each among its times."""
    return tuple(np.unique(asked[np.isfinite(asked)], return_inverse=True)[1].tolist())


def _in_falling_order(releases: Floats, asked: Floats, times: Floats | None) -> tuple[Floats, Floats, Floats | None]:
    """What was asked in any order, the noisiest first: all that a session shows of the value is in its last then."""
    if times is None or not (np.diff(times, axis=1) > 0).any():
        return releases, asked, times
    order = np.argsort(-times, axis=1, kind="stable")  # NaN, after a stop, stays last
    asked, times = (np.take_along_axis(numbers, order, axis=1) for numbers in (asked, times))
    return np.take_along_axis(releases, order[..., None], axis=1), asked, times


def _largest_claim(record: RecordedTranscripts, pair: Pair) -> float:
    """The largest ε that is claimed at any stop: what was asked, or for Laplace noise Σ|shift|/t."""
    if record.description.knob == "epsilon":
        return float(max(np.nanmax(side.asked) for side in record.sides))
    smallest = float(min(np.nanmin(side.asked) for side in record.sides))
    bound = record.description.family.bound
    return 0.0 if bound is None else float(np.max(bound(np.array([smallest]), pair.shift)))
