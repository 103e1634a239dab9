"""What a check is: it takes in batches of transcripts and says what they exclude.

Batches are scored where they are drawn: a `fresh` check observes one, and the check of the run merges it, in the order
in which batches were laid out and not in the order in which they come. A bet that learns is made with what the check of
the run had learned when it was asked for a fresh one, or at the merge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.results import CheckResult
from nrverify.auditing.core.rosenblatt import ROUNDING, Innovations
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled

Floats = NDArray[np.float64]
T = TypeVar("T", contravariant=True)


@dataclass(frozen=True)
class Batch:
    """Transcripts of one case: releases (n, k, d), what was asked (n, k), and their transform where times are known."""

    case: Case
    releases: Floats
    asked: Floats
    times: Floats | None
    innovations: Innovations | None

    @property
    def noise(self) -> Floats:
        """release − value."""
        return self.releases - self.case.array

    @property
    def steps(self) -> Floats:
        """From each release to the noisier one before, (n, k − 1, d); 0 where there is no more than rounding."""
        steps = -np.diff(self.noise, axis=1)
        # By the less noisy release, so that what counts as rounding says nothing of the sign of the step.
        return np.where(np.abs(steps) > ROUNDING * (np.abs(self.releases) + np.abs(self.case.array))[:, 1:], steps, 0.0)

    @property
    def sessions(self) -> int:
        """How many transcripts."""
        return int(self.releases.shape[0])


class Check(Protocol):
    """A question put to a subject; its class docstring says what it catches and what it misses."""

    id: str
    kind: str
    claims: tuple[str, ...]

    def refuted(self, alpha: float) -> bool:
        """Whether what was seen excludes the claim at this error probability, valid at every look."""

    def conclude(self, alpha: float) -> CheckResult:
        """The verdict so far at this error probability."""

    def fresh(self) -> Self:
        """The same check before anything was seen, but for what was learned; small, and fit to be sent elsewhere."""

    def merge(self, other: Self) -> None:
        """Takes in what a fresh check has seen."""


@runtime_checkable
class Observes(Check, Protocol[T]):
    """A check that takes in what was drawn."""

    def observe(self, drawn: T, /) -> None:
        """Takes it in."""


@runtime_checkable
class ObservesLabelled(Check, Protocol[T]):
    """A check that takes in what was drawn of two neighbours chosen by a coin."""

    def observe_labelled(self, drawn: T, /) -> None:
        """Takes it in."""


class TranscriptCheck(Observes[Batch], Protocol):
    """A check that takes in transcripts of the designed cases."""


@runtime_checkable
class PairCheck(ObservesLabelled[Labelled], Protocol):
    """A check that takes in transcripts of two neighbouring values chosen by a coin."""
