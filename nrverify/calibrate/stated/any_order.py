"""Statements about releases in any order: one between two others that is pulled, tied, or has too little variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.transforms.any_order import placed
from nrverify.auditing.noise_reduction.checks.any_order import AnyOrderLaw
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.calibrate.stated.faults import SESSIONS
from nrverify.calibrate.stated.planted import Planted
from nrverify.laws.brownian import Brownian
from nrverify.laws.laplace import Laplace
from nrverify.subjects.policies import Fixed

Floats = NDArray[np.float64]

HIGH, LOW, BETWEEN = ASKED = (4.0, 1.0, 2.0)
"""Times in the order asked: the last lies between the others."""
CASE = Case("planted", (0.0,), Fixed(ASKED), "sample", ranks=(2, 0, 1))


def _batch(noise: Floats, process: Brownian | Laplace) -> Batch:
    asked = np.tile(ASKED, (len(noise), 1))
    found = placed(process, noise, asked, np.abs(noise), np.random.default_rng(0), integer=False)
    return Batch(CASE, noise, asked, asked, None, found)


def _brownian(scale: float, pull: float, rng: np.random.Generator) -> Batch:
    """Between two releases noise of another scale, or that leans to the noisier one."""
    z = rng.standard_normal((3, SESSIONS, 1))
    low = np.sqrt(LOW) * z[0]
    high = low + np.sqrt(HIGH - LOW) * z[1]
    part = (BETWEEN - LOW) / (HIGH - LOW)
    lean = pull * z[1] + np.sqrt(1 - pull**2) * z[2]
    between = low + part * (high - low) + scale * np.sqrt((BETWEEN - LOW) * (1 - part)) * lean
    return _batch(np.stack([high, low, between], axis=1), Brownian())


def _smaller(size: float, rng: np.random.Generator) -> Batch:
    return _brownian(np.sqrt(max(1 - size, 0.0)), 0.0, rng)


def _pulled(size: float, rng: np.random.Generator) -> Batch:
    return _brownian(1.0, size, rng)


def _tied(size: float, rng: np.random.Generator) -> Batch:
    """Releases equal the less noisy neighbour more often than they should, each with the same difference."""
    low = rng.laplace(scale=LOW, size=(SESSIONS, 1))
    jumps = []
    for s, t in ((LOW, BETWEEN), (BETWEEN, HIGH)):
        jumps.append((rng.random((SESSIONS, 1)) >= (s / t) ** 2) * rng.laplace(scale=t, size=(SESSIONS, 1)))
    noise = np.stack([low + jumps[0] + jumps[1], low, low + jumps[0]], axis=1)
    right = _batch(noise, Laplace()).placed
    assert right is not None
    atom, tied = right.atom_low[:, 2], right.tied_low[:, 2]
    free = (atom > 0) & (atom < 1) & ~tied
    again = free & (rng.random(atom.shape) < size / np.where(free, 1 - atom, 1.0))
    noise[:, 2] = np.where(again, noise[:, 1], noise[:, 2])
    return _batch(noise, Laplace())


PLANTED = (
    Planted("law.any-order (variance)", lambda: AnyOrderLaw("brownian"), "relative", _smaller),
    Planted("law.any-order (pull)", lambda: AnyOrderLaw("brownian"), "correlation", _pulled),
    Planted("law.any-order (ties)", lambda: AnyOrderLaw("laplace"), "probability", _tied),
)
