"""The designed battery of a threshold mechanism: where its faults show, and neighbouring utilities at worst signs.

One round at the threshold says little; many rounds well below it, a drift through it, and rising ε's each betray other
faults. Shift and scale are interleaved: the law depends on (u − τ)/Δ and ε alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.threshold.variants import Variant

USUAL = Variant((2.0, 4.0), "laplace", 1)
"""Laplace noise of the scales 2Δ/ε and 4Δ/ε, and a halt at the first 1."""

Numbers = Sequence[float] | NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Design:
    """What one run of a threshold mechanism is given."""

    name: str
    utilities: tuple[float, ...]
    epsilons: tuple[float, ...]
    threshold: float = 0.0
    sensitivity: float = 1.0
    variant: Variant = USUAL
    """The scales, the noise and the number of positives that are claimed."""

    @property
    def positives(self) -> int:
        """After how many ones it halts."""
        return self.variant.positives

    @property
    def rounds(self) -> int:
        """How many rounds."""
        return len(self.utilities)

    @property
    def constant(self) -> bool:
        """Whether all ε are equal."""
        return self.epsilons[0] == self.epsilons[-1]


@dataclass(frozen=True)
class Neighbours:
    """Two designs whose utilities differ by at most the sensitivity in every round."""

    design: Design
    neighbour: Design

    @property
    def sides(self) -> tuple[Design, Design]:
        """The neighbour, label 0, and the design itself, label 1."""
        return self.neighbour, self.design


def designs_for(mechanism: str) -> tuple[Design, ...]:
    """The battery: constant ε for `above-threshold`, and rising ones too for `reduced-above-threshold`."""
    fixed = (
        _constant("far below", [-6.0] * 40, 1.0),
        _constant("below, shifted and scaled", [-5.0] * 30, 1.0, threshold=-131.0, sensitivity=2.5),
        _constant("drift through the threshold", np.linspace(-10, 10, 20), 1.0, threshold=12.0),
        _constant("alternating", [-8.0, -1.0] * 8, 1.0, threshold=-3.0, sensitivity=0.25),
        _constant("at the threshold", [0.0] * 6, 0.5, threshold=7.5, sensitivity=0.1),
        _constant("above, then below", [3.0, -2.0, -6.0, -12.0], 0.7, sensitivity=4.0),
        _constant("small ε", [-45.0] * 25, 0.1),
        _constant("large ε", [-1.5] * 35, 4.0, threshold=250.0, sensitivity=30.0),
        _constant("hardly ever", [-14.0, -13.0, -12.0], 1.5, threshold=1.0, sensitivity=0.02),
    )
    if mechanism == "above-threshold":
        return fixed
    doubling, fourfold, tenfold = 0.1 * 2.1 ** np.arange(6), 0.02 * 4.0 ** np.arange(6), 0.05 * 10.0 ** np.arange(3)
    rising = (
        _rising("doubling ε at the threshold", [0.0] * 8, 0.125 * 2.0 ** np.arange(8)),
        _rising("quadrupling ε, below by the noise", -8 / fourfold, fourfold, threshold=20.0, sensitivity=0.5),
        _rising("ε times 2.1, below by the noise", -5 / doubling, doubling, threshold=-4.0, sensitivity=10.0),
        _rising("tenfold ε, below by the noise", -4 / tenfold, tenfold, threshold=3.0),
        _rising("slowly rising ε at the threshold", [0.0] * 20, 0.1 * 1.2 ** np.arange(20), sensitivity=0.3),
        _rising("nearly constant ε", [-4.0] * 8, 1.02 ** np.arange(8), threshold=-2.0),
        _rising("steps of ε", [-3.0, -1.0] * 5, np.repeat([0.5, 1.0, 4.0], [4, 3, 3]), sensitivity=3.0),
        _rising("drift and rising ε", np.linspace(-9, 3, 9), np.geomspace(0.4, 2.0, 9), threshold=5.0),
    )
    return (*rising, *fixed[:4], *fixed[7:])


def neighbours_for(mechanism: str) -> tuple[Neighbours, ...]:
    """Worst signs: up to the last round the value's utilities lie Δ below the neighbour's, in the last Δ above.

    ε about 2, where a black box sees most; a few rounds at the threshold for too little query noise, more of them well
    below for a threshold that is not kept.
    """
    pairs = [
        neighbours_at("6 rounds near the threshold", [0.0] * 6, [2.0] * 6, 0.0, 1.0),
        neighbours_at("9 rounds above, then below", [0.5] * 8 + [-0.5], [2.0] * 9, 4.0, 2.0),
        neighbours_at("16 rounds below", [-1.0] * 15 + [0.0], [2.0] * 16, -6.0, 1.0),
    ]
    if mechanism == "reduced-above-threshold":
        pairs.append(neighbours_at("rising ε", [0.0] * 5, [1.0, 1.2, 1.5, 1.8, 2.0], 3.0, 0.5))
        pairs.append(neighbours_at("doubling ε", [0.0] * 5, [0.125, 0.25, 0.5, 1.0, 2.0], 0.0, 1.0))
    return tuple(pairs)


def every_design(mechanism: str) -> tuple[Design, ...]:
    """The battery, and both sides of all pairs of neighbours."""
    sides = (side for pair in neighbours_for(mechanism) for side in pair.sides)
    return (*designs_for(mechanism), *sides)


def _constant(
    name: str,
    margins: Numbers,
    epsilon: float,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> Design:
    return _rising(name, margins, [epsilon] * len(margins), threshold, sensitivity)


def _rising(
    name: str,
    margins: Numbers,
    epsilons: Numbers,
    threshold: float = 0.0,
    sensitivity: float = 1.0,
) -> Design:
    utilities = tuple(float(threshold + sensitivity * a) for a in margins)
    return Design(name, utilities, tuple(float(e) for e in epsilons), threshold, sensitivity)


def neighbours_at(
    name: str,
    margins: Sequence[float],
    epsilons: Sequence[float],
    threshold: float,
    sensitivity: float,
    raised: int | None = None,
) -> Neighbours:
    """Neighbours at worst signs for a halt in the last round, or from the one `raised` on; margins of the neighbour."""
    other = _rising(f"{name}, neighbour", margins, epsilons, threshold, sensitivity)
    below = len(margins) - 1 if raised is None else raised
    signs = [-1.0] * below + [1.0] * (len(margins) - below)
    moved = tuple(u + sign * sensitivity for u, sign in zip(other.utilities, signs, strict=True))
    return Neighbours(Design(name, moved, other.epsilons, threshold, sensitivity), other)
