"""What the declared noise of a threshold mechanism costs: the worst loss in closed form, a witness, and δ at pairs.

For Laplace and exponential noise drawn once, moving the threshold's noise by Δ costs ε/a, and each of c ones then costs
at most 2ε/b, or ε/b where all utilities move the same way; no bits of any neighbours lose more than their sum, and a
witness comes as near to it as one likes. Gaussian noise has no largest loss: δ is computed at pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.threshold.designs import Neighbours
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.auditing.threshold.variant_designs import most_rounds, noise_unit, worst_signs
from nrverify.laws.threshold.fixed_threshold import log_output
from nrverify.laws.threshold.variants import Variant
from nrverify.laws.threshold.whole_output import excess

Floats = NDArray[np.float64]

ROUNDING = 1e-9
"""Of ε, relative: losses are known to it."""
FAR = 40.0
"""Scales of the threshold's noise from where it matters: e^-40 is below rounding."""
ZEROS, ABOVE, BELOW, EPSILONS = (1, 5, 15, 39), (0.0, 2.0, 4.0), (3.0, 0.0, -3.0, -7.0), (1.0, 2.0)
"""Where δ is looked for: rounds of zeros before the ones; how far in units of the noise the utilities of the zeros and
those of the ones lie above the threshold, around where δ was largest for scales from 1.5 to 10; and ε."""


def worst_share(variant: Variant, monotone: bool) -> float:
    """The largest loss of any bits and any neighbours over ε; that of Gaussian noise has no bound."""
    if variant.noise == "gaussian":
        return math.inf
    a, b = variant.scales
    return 1 / a + (1 if monotone else 2) * variant.positives / b


@dataclass(frozen=True)
class Witness:
    """Neighbours and bits whose loss comes near to the largest there is."""

    zeros: int
    ones: int
    at_zeros: tuple[float, float]
    """The utilities of the zeros, of the value and of its neighbour."""
    at_ones: tuple[float, float]
    """The utilities of the ones, of the value and of its neighbour."""
    share: float
    """Their loss over ε."""

    def __str__(self) -> str:
        ones = f"{self.ones} one{'s' if self.ones > 1 else ''}"
        return (
            f"{self.zeros} zeros and then {ones}, with τ = 0, Δ = 1 and ε = 1, from utilities {self.at_zeros[0]:g} "
            f"(neighbour {self.at_zeros[1]:g}) and then {self.at_ones[0]:g} (neighbour {self.at_ones[1]:g})"
        )


def witness(variant: Variant, monotone: bool) -> Witness:
    """Zeros well above the threshold, which show that its noise is large, and ones far below that noise."""
    a, b = variant.scales
    ones, gaussian = variant.positives, variant.noise == "gaussian"
    zeros = ones + math.ceil(4 * (b / a) ** (2 if gaussian else 1))
    far = FAR * a + (4 * a**2 if gaussian else 0.0)
    high = float(math.ceil(1 + far))
    low = high - math.ceil(2 + far)
    own = (high - 1, low if monotone else low + 1)
    laws = []
    for at_zeros, at_ones in (own, (high, low)):
        margins = np.array([at_zeros] * zeros + [at_ones] * ones, dtype=np.longdouble)
        bits = [0] * zeros + [1] * ones
        laws.append(log_output(bits, margins, np.longdouble(a), np.longdouble(b), variant.noise))
    return Witness(zeros, ones, (own[0], high), (own[1], low), float(laws[0] - laws[1]))


def pairs_for_delta(variant: Variant, monotone: bool) -> Iterator[Neighbours]:
    """Neighbours at the worst signs, at distances and ε's where δ is large."""
    most, unit = most_rounds(variant.positives), noise_unit(variant)
    ones = min(variant.positives, most - 1)
    lengths = dict.fromkeys(min(zeros, most - ones) for zeros in ZEROS)
    for epsilon in EPSILONS:
        for zeros in lengths:
            for above in ABOVE:
                for below in BELOW:
                    margins = [above * unit / epsilon] * zeros + [below * unit / epsilon] * ones
                    where = f"margins {margins[0]:.4g} and {margins[-1]:.4g}"
                    yield worst_signs(margins, zeros, epsilon, variant, monotone, where)


def needed_delta(pair: Neighbours, ex_post: bool) -> float:
    """The δ that these neighbours need at their ε, in the worse direction: of DP, or of an ex-post claim."""
    laws = [claimed_law(design) for design in (pair.design, pair.neighbour)]
    epsilon = np.array([pair.design.epsilons[-1] * (1 + ROUNDING)])
    if not ex_post:
        return max(float(excess(own, other, epsilon, 0.0)[0]) for own, other in (laws, laws[::-1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(laws[0]) - np.log(laws[1])
    return max(float(laws[0][losses > epsilon[0]].sum()), float(laws[1][-losses > epsilon[0]].sum()))
