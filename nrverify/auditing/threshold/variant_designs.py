"""The battery of threshold mechanisms as libraries ship them: other scales, other noise, several positives.

The usual battery in units of the noise that is declared, cut to as many rounds as have few enough outputs to be counted
one by one; neighbours at the worst signs for zeros that are followed by all the ones there may be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nrverify.auditing.threshold.designs import (
    USUAL,
    Design,
    Neighbours,
    designs_for,
    neighbours_for,
)
from nrverify.laws.threshold.variants import Variant
from nrverify.laws.threshold.whole_output import output_count
from nrverify.subjects.description import Description
from nrverify.subjects.threshold_attributes import USUAL_SCALES

MOST_ROUNDS = 40
"""As in the usual battery, and the rounds over which a claim with Gaussian noise holds."""
MOST_OUTPUTS = 850
"""Bins that are counted one by one: 40 rounds with 2 positives, 17 with 3, 10 with 5; more are hardly ever met."""
NORMAL_TAIL = 0.7
"""A normal tail is so much lighter that the same distances from the threshold would hardly ever print a 1."""
PAIR_EPSILON = 2.0
"""As in the usual battery: there a black box sees most."""
ZEROS = (5, 8, 15)
"""Rounds of a pair before its ones, as in the usual battery."""
PLACES = (("near the threshold", 0.0, 0.0), ("above, then below", 0.5, -0.5), ("below", -1.0, 0.0))
"""Where the utilities of the zeros and of the ones lie, as in the usual battery."""


def variant_of(description: Description) -> Variant:
    """What a subject declares of its noise and of its halt."""
    return Variant(description.scales or USUAL_SCALES, description.noise, description.positives)


def battery(mechanism: str, variant: Variant) -> tuple[Design, ...]:
    """The designs for what a subject declares."""
    if variant == USUAL:
        return designs_for(mechanism)
    unit = noise_unit(variant)
    if variant.reduces_noise:
        return tuple(_in_unit(design, unit, variant) for design in designs_for(mechanism))
    return _many_outputs(unit, variant)


def pairs(mechanism: str, variant: Variant, monotone: bool) -> tuple[Neighbours, ...]:
    """The neighbours for what a subject declares."""
    if variant == USUAL and not monotone:
        return neighbours_for(mechanism)
    if variant.reduces_noise:
        return tuple(_moved(pair, noise_unit(variant), variant, monotone) for pair in neighbours_for(mechanism))
    most, unit = most_rounds(variant.positives), noise_unit(variant)
    found = []
    for zeros, (where, above, below) in zip(ZEROS, PLACES, strict=True):
        ones = min(variant.positives, most - 1)
        before = min(zeros, most - ones)
        margins = [above * unit] * before + [below * unit] * ones
        found.append(worst_signs(margins, before, PAIR_EPSILON, variant, monotone, where))
    return tuple(found)


def worst_signs(
    margins: Sequence[float], zeros: int, epsilon: float, variant: Variant, monotone: bool, where: str
) -> Neighbours:
    """Neighbours of which one prints zeros and then ones the more likely: Δ below for zeros, Δ above for ones.

    Monotone neighbours move one way only: where the ones are, they are the same.
    """
    ones = len(margins) - zeros
    name = f"{zeros} zeros, then {ones} one{'s' if ones > 1 else ''}, {where}"
    epsilons = (epsilon,) * len(margins)
    other = Design(f"{name}, neighbour", tuple(map(float, margins)), epsilons, 0.0, 1.0, variant)
    above = 0.0 if monotone else 1.0
    moved = [u - 1.0 if n < zeros else u + above for n, u in enumerate(other.utilities)]
    return Neighbours(Design(name, tuple(moved), epsilons, 0.0, 1.0, variant), other)


def most_rounds(positives: int) -> int:
    """The most rounds whose outputs are few enough to be counted."""
    return max(n for n in range(1, MOST_ROUNDS + 1) if output_count(n, positives) <= MOST_OUTPUTS)


def noise_unit(variant: Variant) -> float:
    """The noise in units of the usual one, by which distances from the threshold are multiplied.

    To ten bits, so that neighbours are exactly the sensitivity apart.
    """
    unit = sum(variant.scales) / sum(USUAL_SCALES) * (NORMAL_TAIL if variant.noise == "gaussian" else 1.0)
    mantissa, exponent = math.frexp(unit)
    return math.ldexp(round(mantissa * 1024), exponent - 10)


def _many_outputs(unit: float, variant: Variant) -> tuple[Design, ...]:
    most, ones = most_rounds(variant.positives), variant.positives
    rows: tuple[tuple[str, Sequence[float], float, float, float], ...] = (
        ("far below", [-6.0] * 40, 1.0, 0.0, 1.0),
        ("below, shifted and scaled", [-5.0] * 30, 1.0, -131.0, 2.5),
        ("drift through the threshold", np.linspace(-10, 10, min(20, most)).tolist(), 1.0, 12.0, 1.0),
        ("alternating", [-8.0, -1.0] * 8, 1.0, -3.0, 0.25),
        ("at the threshold", [0.0] * (ones + 5), 0.5, 7.5, 0.1),
        ("above, then below", [3.0] * ones + [-2.0, -6.0, -12.0], 0.7, 0.0, 4.0),
        ("small ε", [-45.0] * 25, 0.1, 0.0, 1.0),
        ("large ε", [-1.5] * 35, 4.0, 250.0, 30.0),
    )
    return tuple(
        Design(
            name,
            tuple(threshold + sensitivity * unit * margin for margin in margins[:most]),
            (epsilon,) * len(margins[:most]),
            threshold,
            sensitivity,
            variant,
        )
        for name, margins, epsilon, threshold, sensitivity in rows
    )


def _in_unit(design: Design, unit: float, variant: Variant) -> Design:
    utilities = tuple(design.threshold + unit * (u - design.threshold) for u in design.utilities)
    return replace(design, utilities=utilities, variant=variant)


def _moved(pair: Neighbours, unit: float, variant: Variant, monotone: bool) -> Neighbours:
    """The pair in another unit of noise; the sensitivity between the neighbours stays."""
    other = _in_unit(pair.neighbour, unit, variant)
    steps = [u - v for u, v in zip(pair.design.utilities, pair.neighbour.utilities, strict=True)]
    if monotone:
        steps[-1] = 0.0
    utilities = tuple(u + step for u, step in zip(other.utilities, steps, strict=True))
    return Neighbours(replace(pair.design, utilities=utilities, variant=variant), other)
