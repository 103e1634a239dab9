"""Statements about digits: numbers on a grid, and last bits that only one of two values can give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.claims.bets import Point
from nrverify.auditing.claims.columns import columns_of
from nrverify.auditing.claims.context import Claim
from nrverify.auditing.claims.last_bits import OutputBits
from nrverify.auditing.claims.pairs import Case as DataPair
from nrverify.auditing.claims.sample import Labelled as LabelledOutputs
from nrverify.auditing.noise_reduction.checks.last_bits import WEIGHT, LastBits
from nrverify.auditing.noise_reduction.checks.lattice import Lattice
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.noise_reduction.design.neighbours import Labelled, Pair
from nrverify.auditing.numerics.reachable import reachable_by_sum
from nrverify.calibrate.stated.faults import SESSIONS, TIMES, path
from nrverify.calibrate.stated.planted import ONE_EVENT, Planted
from nrverify.laws.brownian import Brownian
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]

VALUE = (1 / 3,)
"""A value that is on no grid."""
FINEST = 2.0**-29
"""A grid just coarser than the finest that is judged, in units of the noise."""
VALUES = np.array([0.1, 0.7])
"""Two values whose sums with doubles are told apart now and then."""
LEVEL = 1e-6 * WEIGHT
"""At which last bits that are claimed to be safe are attacked."""


def _single(noise: Floats) -> Floats:
    return noise.astype(np.float32).astype(float)


def _rounded(noise: Floats) -> Floats:
    grid = FINEST * np.sqrt(TIMES[-1])
    return np.asarray(grid * np.rint(noise / grid))


def _on_grid(rounded: Callable[[Floats], Floats], share: float, rng: np.random.Generator) -> Batch:
    """A share of the numbers are rounded."""
    noise = path(rng)
    noise = np.where(rng.random(noise.shape) < share, rounded(noise), noise)
    case = Case("planted", (0.0,), Fixed(TIMES), "sample")
    return Batch(case, noise, np.tile(TIMES, (SESSIONS, 1)), None, None)


def _betrayed(
    share: float, rng: np.random.Generator, noise: Callable[[int], Floats]
) -> tuple[NDArray[np.bool_], Floats]:
    """Sums of the value and a double, of which a share of those of label 1 are no sum of the other value and one.

    Sums are drawn, and sorted by whether the other value can give them, too.
    """
    label = rng.random(SESSIONS) < 0.5
    own, other = VALUES[label.astype(int)], VALUES[1 - label.astype(int)]
    told = label & (rng.random(SESSIONS) < share / 100)
    releases = np.full(SESSIONS, np.nan)
    while (missing := np.isnan(releases)).any():
        drawn = own[missing] + noise(int(missing.sum()))
        fits = reachable_by_sum(other[missing], drawn) != told[missing]
        releases[missing] = np.where(fits, drawn, np.nan)
    return label, releases


def _of_releases(share: float, rng: np.random.Generator) -> Labelled:
    label, releases = _betrayed(share, rng, lambda size: rng.standard_normal(size))
    pair = Pair(Case("planted", (float(VALUES[1]),), Fixed((1.0,)), "sample"), (float(VALUES[0]),))
    asked = np.ones((SESSIONS, 1))
    return Labelled(pair, releases[:, None, None], asked, asked, label)


def _of_outputs(share: float, rng: np.random.Generator) -> LabelledOutputs:
    label, outputs = _betrayed(share, rng, lambda size: rng.laplace(size=size))
    return LabelledOutputs(0, columns_of(outputs.tolist()), label, np.ones(SESSIONS))


def _output_bits() -> OutputBits:
    claim = Claim((Point(1.0, 0.0, 1.0),), "1-differential privacy")
    pair = DataPair(float(VALUES[0]), float(VALUES[1]))
    return OutputBits(claim, (pair,), exact=True, alpha=LEVEL)


PLANTED = (
    Planted("lattice (single precision)", Lattice, "share", partial(_on_grid, _single), ONE_EVENT, place=1),
    Planted("lattice (a fine grid)", Lattice, "share", partial(_on_grid, _rounded), ONE_EVENT),
    Planted("numerics.last-bits", lambda: LastBits(Brownian(), "brownian", exact=True, alpha=LEVEL), "%", _of_releases),
    Planted("numerics.last-bits (any mechanism)", _output_bits, "%", _of_outputs),
)
