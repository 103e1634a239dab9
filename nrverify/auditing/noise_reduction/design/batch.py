"""Transcripts as the checks see them: of one case, or of two neighbouring values chosen by a coin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.check import Observes, ObservesLabelled
from nrverify.auditing.core.coincidences import comparable
from nrverify.auditing.core.transforms.any_order import Placed
from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE, Innovations
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """Transcripts of one case: releases (n, k, d), what was asked (n, k), and their transform where times are known."""

    case: Case
    releases: Floats
    asked: Floats
    times: Floats | None
    innovations: Innovations | None
    placed: Placed | None = None
    """The transform of sessions in any order; None where times fall."""

    @cached_property
    def noise(self) -> Floats:
        """release − value."""
        return self.releases - self.case.array

    @cached_property
    def scale(self) -> Floats:
        """|value| + |release|, by which rounding is judged."""
        return np.abs(self.releases) + np.abs(self.case.array)

    @cached_property
    def comparable(self) -> NDArray[np.bool_]:
        """Which releases are known to so many digits that exact coincidences mean something."""
        return comparable(self.noise, self.scale)

    @property
    def steps(self) -> Floats:
        """From each release to the noisier one before, (n, k − 1, d); 0 where there is no more than rounding."""
        steps = self.noise[:, :-1] - self.noise[:, 1:]
        # By the less noisy release, so that what counts as rounding says nothing of the sign of the step.
        return np.where(np.abs(steps) > SAME_RELEASE * self.scale[:, 1:], steps, 0.0)

    @property
    def sessions(self) -> int:
        """How many transcripts."""
        return int(self.releases.shape[0])


class TranscriptCheck(Observes[Batch], Protocol):
    """A check that takes in transcripts of the designed cases."""


@runtime_checkable
class PairCheck(ObservesLabelled[Labelled], Protocol):
    """A check that takes in transcripts of two neighbouring values chosen by a coin."""
