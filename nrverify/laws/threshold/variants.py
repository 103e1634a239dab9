"""Threshold mechanisms as libraries ship them: other scales, other noise, more than one positive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nrverify.laws.threshold.noises import NOISES
from nrverify.laws.validation.times import Floats, positive


@dataclass(frozen=True)
class Variant:
    """The scales (a, b), the name of the noise, and after how many 1s the mechanism halts."""

    scales: tuple[float, float]
    noise: str
    positives: int

    @property
    def reduces_noise(self) -> bool:
        """Whether the threshold's noise may be reduced from round to round: Laplace noise, halting at the first 1."""
        return self.noise == "laplace" and self.positives == 1


def checked_variant(scales: Sequence[float], noise: Any, positives: Any, epsilons: Floats) -> Variant:
    """The variant, where it has a law: with other noise or several positives all epsilons are equal."""
    pair = positive("scales", scales)
    if pair.shape != (2,):
        raise ValueError(
            f"scales is {scales!r}: it must be a pair (a, b) for noises of scale aΔ/ε and bΔ/ε; pass two numbers"
        )
    if not isinstance(noise, str) or noise not in NOISES:
        raise ValueError(f"noise is {noise!r}: it must be one of {', '.join(NOISES)}; name one of them")
    if not isinstance(positives, (int, np.integer)) or isinstance(positives, bool) or positives < 1:
        raise ValueError(f"positives is {positives!r}: it must be one integer of at least 1; pass how many 1s halt it")
    variant = Variant((float(pair[0]), float(pair[1])), noise, int(positives))
    if not variant.reduces_noise and np.any(epsilons != epsilons[0]):
        raise ValueError(
            f"epsilons is {epsilons.tolist()}: all must be equal for noise = {noise!r} and positives = {positives}: "
            "the threshold's noise is drawn once; only Laplace noise with one positive is reduced from round to round"
        )
    return variant
