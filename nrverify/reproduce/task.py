"""What a task is to the trials: values to release, an estimate from the noisy values, its loss and its Δ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from nrverify.reproduce.data.files import Floats


class Regression(Protocol):
    """A regression whose statistics are released with noise."""

    @property
    def target(self) -> float:
        """The loss at which to stop."""

    @property
    def values(self) -> tuple[Floats, ...]:
        """The vectors to be released, each with a schedule of its own."""

    def estimates(self, releases: Sequence[Floats]) -> Floats:
        """(k, d) parameters from k noisy versions of each value."""

    def losses(self, estimates: Floats) -> Floats:
        """(k,) regularised losses on the data."""

    def units(self, estimates: Floats) -> Floats:
        """(k,) bounds Δ on how far one record moves the loss of each estimate."""


def unit_rows(features: Floats) -> Floats:
    """Every row divided by its ℓ₂ norm; a row of zeros stays."""
    norms = np.linalg.norm(features, axis=1, keepdims=True)
    return np.asarray(np.divide(features, norms, out=np.zeros_like(features), where=norms > 0))


def into_ball(estimates: Floats, radius: float) -> Floats:
    """Every row moved to the nearest point of norm at most radius."""
    norms = np.linalg.norm(estimates, axis=-1, keepdims=True)
    return np.asarray(estimates * np.minimum(1.0, radius / np.maximum(norms, radius)))
