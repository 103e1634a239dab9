"""The battery: which checks a noise-reduction subject can be asked, by what it offers."""

from __future__ import annotations

from dataclasses import dataclass

from nrverify.auditing.cases import Case, Knob
from nrverify.auditing.check import Check, PairCheck, TranscriptCheck
from nrverify.auditing.epsilon_claim import EpsilonClaim
from nrverify.auditing.expost import ExPost
from nrverify.auditing.independence import CoordinateIndependence, SessionIndependence
from nrverify.auditing.lattice import Lattice, WholeNumbers
from nrverify.auditing.law import AdaptiveLaw, ReleaseLaw, TranscriptLaw, ValueLaw
from nrverify.auditing.measure import ChangeOfMeasure
from nrverify.auditing.protocol import Finite
from nrverify.auditing.results import CheckResult, CheckVerdict
from nrverify.auditing.streams import Streams
from nrverify.auditing.ties import LaplaceTies, NoTies, SameAnswer
from nrverify.auditing.unknown_times import IncrementLaw
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.laws.process import Process
from nrverify.laws.skellam import Skellam
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
    def checks(self) -> list[Check]:
        """All checks that run."""
        return [*self.transcripts, *self.pairs]


def process_of(description: Description) -> Process:
    """The process whose law the subject claims."""
    if description.mechanism == "skellam":
        return Skellam(description.rate or 1.0)
    return Laplace() if description.mechanism == "laplace" else Brownian()


def battery_for(
    description: Description, cases: list[Case], knob: Knob, times_known: bool, only: tuple[str, ...]
) -> Battery:
    """The checks a subject can be asked; `only` keeps those named."""
    transcripts: list[TranscriptCheck] = [Finite(), *_integrity(description)]
    pairs: list[PairCheck] = []
    missing = {"lattice.double-precision": "attacks on the last bits of double precision are not examined"}
    adaptive = any(not case.fixed for case in cases)
    if times_known:
        transcripts += [ReleaseLaw(), TranscriptLaw(), ValueLaw(cases), SessionIndependence(), SameAnswer()]
        transcripts += _ties(description)
        pairs.append(ChangeOfMeasure(process_of(description)))
        if adaptive:
            transcripts.append(AdaptiveLaw())
        else:
            missing["law.adaptive"] = "the subject has no open(): sessions cannot be driven adaptively"
        if any(len(case.value) > 1 for case in cases):
            transcripts.append(CoordinateIndependence())
        else:
            missing["independence.coordinates"] = "the subject has one dimension"
    else:
        if description.mechanism == "brownian":
            transcripts.append(IncrementLaw())
        for name in (
            *("law.release", "law.transcript", "law.adaptive", "law.value", "ties", "ties.repeated-time"),
            *("independence.coordinates", "independence.sessions", "loss.stopping"),
        ):
            missing[name] = "the noise level of an ε is not known: offer time_of(epsilon)"
    _privacy(description, knob, times_known, transcripts, pairs, missing)
    kept = [check for check in transcripts if not only or check.id in only]
    return Battery(
        kept,
        [check for check in pairs if not only or check.id in only],
        [_not_covered(name, why) for name, why in missing.items() if not only or name in only],
    )


def _integrity(description: Description) -> list[TranscriptCheck]:
    process = process_of(description)
    if description.mechanism == "skellam":
        return [Streams(process), WholeNumbers()]
    return [Streams(process), Lattice()]


def _ties(description: Description) -> list[TranscriptCheck]:
    if description.mechanism == "laplace":
        return [LaplaceTies()]
    return [NoTies()] if description.mechanism == "brownian" else []


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
    elif description.mechanism == "laplace":
        pairs.append(ExPost("laplace", None, 0.0, 0.5))
    else:
        missing["privacy.ex-post"] = "with knob 'time' the claim is the law itself"


def _not_covered(name: str, why: str) -> CheckResult:
    return CheckResult(name, "law", CheckVerdict.NOT_COVERED, message=why)
