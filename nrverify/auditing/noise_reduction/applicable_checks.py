"""The battery: which checks a noise-reduction subject can be asked, by what it offers."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.core.check import Check, PairCheck, TranscriptCheck
from nrverify.auditing.core.portfolio_check import LawCheck
from nrverify.auditing.core.results import CheckResult, CheckVerdict
from nrverify.auditing.noise_reduction.checks.change_of_measure import ChangeOfMeasure
from nrverify.auditing.noise_reduction.checks.ex_post import ExPost
from nrverify.auditing.noise_reduction.checks.finite import Finite
from nrverify.auditing.noise_reduction.checks.independence import CoordinateIndependence, SessionIndependence
from nrverify.auditing.noise_reduction.checks.lattice import Lattice, WholeNumbers
from nrverify.auditing.noise_reduction.checks.law import AdaptiveLaw, ReleaseLaw, TranscriptLaw
from nrverify.auditing.noise_reduction.checks.streams import Streams
from nrverify.auditing.noise_reduction.checks.ties import LaplaceTies, NoTies, SameAnswer
from nrverify.auditing.noise_reduction.checks.value import ValueLaw
from nrverify.auditing.noise_reduction.design.cases import Case, Knob
from nrverify.auditing.noise_reduction.epsilon.claim import EpsilonClaim
from nrverify.auditing.noise_reduction.unknown_times.coordinate_signs import UnknownCoordinates
from nrverify.auditing.noise_reduction.unknown_times.increment_signs import SignIncrements
from nrverify.auditing.noise_reduction.unknown_times.increments import IncrementLaw
from nrverify.auditing.noise_reduction.unknown_times.release_shape import SCORES, UnknownReleases
from nrverify.auditing.noise_reduction.unknown_times.value_sizes import UnknownValues
from nrverify.subjects.description import Description

IDS = (
    *("protocol.finite", "randomness.streams", "lattice", "law.release", "law.transcript", "law.adaptive", "law.value"),
    *("law.increments", "independence.coordinates", "independence.sessions", "ties", "ties.repeated-time"),
    *("loss.stopping", "privacy.epsilon", "privacy.ex-post"),
)
"""Every check of a noise-reduction audit; the error probability is divided over all of them, asked or not."""


@dataclass(frozen=True)
class Battery:
    """The checks that take transcripts, those that take labelled pairs, and why others are not covered."""

    transcripts: list[TranscriptCheck]
    pairs: list[PairCheck]
    not_covered: list[CheckResult]

    @property
    def of_pairs(self) -> tuple[Check, ...]:
        """The checks that take what is drawn of pairs: their own, and those whose question is the same at any value."""
        of_any_value = (
            check
            for check in self.transcripts
            if isinstance(check, LawCheck | Streams) and not isinstance(check, ValueLaw | UnknownValues)
        )
        return (*of_any_value, *self.pairs)

    @property
    def checks(self) -> list[Check]:
        """All checks that run."""
        return [*self.transcripts, *self.pairs]


def battery_for(
    description: Description, cases: list[Case], knob: Knob, times_known: bool, only: tuple[str, ...]
) -> Battery:
    """The checks a subject can be asked; `only` keeps those named."""
    transcripts: list[TranscriptCheck] = [Finite(), *_integrity(description), SameAnswer()]
    pairs: list[PairCheck] = []
    missing = {"lattice.double-precision": "attacks on the last bits of double precision are not examined"}
    adaptive = any(not case.fixed for case in cases)
    if times_known:
        process = description.claimed_process
        transcripts += [ReleaseLaw(knob), TranscriptLaw(process), ValueLaw(cases), SessionIndependence()]
        transcripts += _ties(description)
        pairs.append(ChangeOfMeasure(process))
        if adaptive:
            transcripts.append(AdaptiveLaw(process))
        else:
            missing["law.adaptive"] = "the subject has no open(): sessions cannot be driven adaptively"
        if description.knob == "epsilon":
            missing["law.increments"] = "the times are known: law.transcript judges the steps by them"
        if any(len(case.value) > 1 for case in cases):
            transcripts.append(CoordinateIndependence())
        else:
            missing["independence.coordinates"] = "the subject has one dimension"
    else:
        if description.family.increments:
            transcripts.append(IncrementLaw())
        else:
            transcripts.append(SignIncrements())
        if any(len(case.value) > 1 for case in cases):
            transcripts.append(UnknownCoordinates())
        else:
            missing["independence.coordinates"] = "the subject has one dimension"
        transcripts.append(UnknownValues())
        if description.mechanism in SCORES:
            transcripts.append(UnknownReleases(SCORES[description.mechanism]))
        else:
            missing["law.release"] = "the noise level of an ε is not known: offer time_of(epsilon)"
        for name in ("law.transcript", "law.adaptive", "ties", "independence.sessions", "loss.stopping"):
            missing[name] = "the noise level of an ε is not known: offer time_of(epsilon)"
    _privacy(description, knob, times_known, transcripts, pairs, missing)
    kept = [check for check in transcripts if not only or check.id in only]
    return Battery(
        kept,
        [check for check in pairs if not only or check.id in only],
        [_not_covered(name, why) for name, why in missing.items() if not only or name in only],
    )


def _integrity(description: Description) -> list[TranscriptCheck]:
    return [
        Streams(description.mechanism, description.rate or 1.0),
        WholeNumbers() if description.integer else Lattice(),
    ]


def _ties(description: Description) -> list[TranscriptCheck]:
    if description.family.tied:
        return [LaplaceTies()]
    return [] if description.integer else [NoTies()]


def _privacy(
    description: Description,
    knob: Knob,
    times_known: bool,
    transcripts: list[TranscriptCheck],
    pairs: list[PairCheck],
    missing: dict[str, str],
) -> None:
    delta = description.delta or 0.0
    if description.knob == "epsilon":
        assert description.sensitivity is not None
        pairs.append(ExPost(description.mechanism, description.sensitivity, delta, knob.low))
        transcripts.append(
            EpsilonClaim(
                description.mechanism,
                description.sensitivity,
                delta,
                description.rate or 1.0,
                known_times=times_known,
            )
        )
    elif description.family.pure:
        pairs.append(ExPost(description.mechanism, None, 0.0, 0.5))
    else:
        missing["privacy.ex-post"] = "with knob 'time' the claim is the law itself"


def _not_covered(name: str, why: str) -> CheckResult:
    return CheckResult(name, "law", CheckVerdict.NOT_COVERED, message=why)
