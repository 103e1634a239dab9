"""What is known of a noise-reduction subject before it is audited: its description, and what it will be asked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nrverify.auditing.core.declaration import Need
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.knob import Knob
from nrverify.auditing.noise_reduction.epsilon.own_law_loss import last_tells_all
from nrverify.auditing.noise_reduction.epsilon.single_release import least_time
from nrverify.subjects.description import NOISE_REDUCTION, Description
from nrverify.subjects.guarantees import DP, EX_POST, guarantee_of

MECHANISMS = NOISE_REDUCTION
WEIGHT = 0.06
"""The share of α of each check: the fifteen ids of noise reduction together have 0.90, and law.any-order, of subjects
with that attribute, 0.02; so there is room for more."""

FINE_GRID, LEAST_DELTA = 0.01, 1e-12
"""Of the noise: a grid so fine is not seen in releases moved within their cells; and the δ of a claim that has none."""

TRIED_TIMES = 5
"""Times of a law of one's own between which it is tried whether the last release tells all: ends, middle, quarters."""

OF_INTEGRITY = ("randomness.streams", "lattice")
"""Checks whose refutation explains a wrong law: of shared streams, and of grids or values in the clear."""
OF_ANY_LAW = (
    *OF_INTEGRITY,
    *("law.release", "law.transcript", "law.adaptive", "law.any-order", "law.value", "ties", "ties.repeated-time"),
)
"""Checks whose refutation explains those that see what comes of a wrong law."""


@dataclass(frozen=True)
class FromRecords:
    """What is known of sessions that were recorded and are not asked for."""

    releases: int
    """How many the longest session has."""
    fixed: bool
    """Whether all are on one schedule that was fixed in advance."""
    largest_claim: float
    """The largest ε claimed at any stop."""
    last_bits: bool = True
    """Whether releases have all the digits of doubles."""


@dataclass(frozen=True)
class NoiseReductionContext:
    """From which the checks of a noise-reduction subject are built."""

    description: Description
    cases: tuple[Case, ...]
    knob: Knob
    times_known: bool
    """Whether the noise level of every release is known: the knob is the time, or the subject offers time_of()."""
    dimensions: tuple[int, ...]
    record: FromRecords | None = None
    """None for a subject that is asked."""
    most_releases: int | None = None
    """How many releases a session of a subject that is asked may have: as it says, or as was found; None for any."""
    numerics: str = "idealized"
    """What is claimed of the last bits: nothing, or with "exact" that they are safe."""

    @property
    def several_dimensions(self) -> bool:
        """Whether some case has two coordinates or more."""
        return any(len(case.value) > 1 for case in self.cases)

    @property
    def adaptive(self) -> bool:
        """Whether some case is asked adaptively."""
        return any(not case.fixed for case in self.cases)

    @property
    def several_releases(self) -> bool:
        """Whether sessions have releases after the first."""
        return self.most_releases != 1 if self.record is None else self.record.releases > 1

    @property
    def may_adapt(self) -> bool:
        """Whether sessions are long enough for a time that depends on a step: the third is the first such."""
        return self.record is not None or self.most_releases is None or self.most_releases > 2

    @property
    def once(self) -> bool:
        """Whether a session has one release, as the subject says or as was found."""
        said = getattr(self.description, "most_releases", None)
        return 1 in (said, getattr(self, "most_releases", None))

    @property
    def guarantee(self) -> str | None:
        """What the ε of the subject guarantees; None with knob "time"."""
        return guarantee_of(self.description, 1 if self.once else None)

    @property
    def fine_grid(self) -> bool:
        """Whether rounding to the declared grid, if any, is lost in the least noise that an ε-knob's claim leaves."""
        said = self.description
        if said.granularity is None or self.knob.falling:
            return True
        noise = least_time(said.mechanism, self.knob.high, said.sensitivity or 1.0, said.delta or LEAST_DELTA, 1.0)
        return said.granularity <= FINE_GRID * (noise if said.family.pure else math.sqrt(noise))

    @property
    def claims_curve(self) -> bool:
        """Whether differential privacy is claimed with a δ of its own at each ε."""
        return self.guarantee == DP and "delta_of" in self.description.methods

    @property
    def last_tells_all(self) -> bool:
        """Whether a transcript says of the value what its last release says: so it is for all that is built in."""
        family = self.description.family
        if self.once or not family.own or family.once:
            return True
        return last_tells_all(family, np.geomspace(*family.times(1.0), TRIED_TIMES).tolist())

    @property
    def scheduled(self) -> bool:
        """Whether some sessions are on a schedule fixed in advance; of a subject that is asked some always are."""
        return self.record is None or self.record.fixed


TIMES_KNOWN = Need(
    lambda context: bool(context.times_known),
    "the noise level of an ε is not known: offer time_of(epsilon)",
    "the record does not say at which times the ε's were released: add the array times",
)
SEVERAL_DIMENSIONS = Need(
    lambda context: bool(context.several_dimensions),
    "the subject has one dimension",
    "the recorded value has one coordinate",
)
ADAPTIVE = Need(
    lambda context: bool(context.adaptive),
    "the subject has no open(): sessions cannot be driven adaptively",
    "every session was recorded on a schedule fixed in advance, to its end",
)
SEVERAL_RELEASES = Need(
    lambda context: bool(context.several_releases),
    "the subject makes one release in a session",
    "no release after the first was recorded",
)
THREE_RELEASES = Need(
    lambda context: bool(context.may_adapt),
    "the subject makes fewer than three releases in a session: none of its times can depend on a step before",
)
REPEATABLE = Need(
    lambda context: context.record is not None or bool(context.several_releases),
    "the subject makes one release in a session: no time can be asked for twice",
)
LAST_TELLS_ALL = Need(
    lambda context: bool(context.last_tells_all),
    "by its law earlier releases say more of the value than the last one does: the loss of a transcript is not known",
)
SCHEDULED = Need(
    lambda context: bool(context.scheduled),
    "no session was recorded on a schedule fixed in advance: law.adaptive judges those there are",
)
LAW_BUILT_IN = Need(
    lambda context: not context.description.family.own,
    "it is not known of a law of one's own: its steps and losses have no closed form here; samples judge its claims",
)
CLAIMS_EX_POST = Need(lambda context: context.guarantee != DP, "the claim is one of differential privacy")
CLAIMS_DP = Need(lambda context: context.guarantee != EX_POST, "the claim is ex-post")


def knob_is_epsilon(mechanism: str, knob: str) -> bool:
    """For checks that mean something only where releases are asked for by their ε."""
    return knob == "epsilon"
