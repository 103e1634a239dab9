"""Faults of any size for the calibration of stated sizes: halts, streams, values, and sessions that adapt."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.noise_reduction.design.batch import Batch
from nrverify.auditing.noise_reduction.design.cases import Case
from nrverify.auditing.threshold.designs import Design
from nrverify.auditing.threshold.drawing import Runs
from nrverify.auditing.threshold.faulty_laws import claimed_law
from nrverify.laws.brownian import Brownian
from nrverify.subjects.policies import Fixed, Follow

Floats = NDArray[np.float64]

SESSIONS = 1500
"""Of a trial, at each look."""
TIMES = (8.0, 4.0, 1.0)
"""A short step and a long one, so that a session can adapt between them."""
FAR = Case("planted", (1000.0,), Fixed(TIMES), "sample")
"""A value of which noise may depend."""
ADAPTIVE = Case("planted", (0.0,), Follow(TIMES[0], TIMES[-1], 0.25, 0.5, len(TIMES), 0.0), "open")
OPENED = Case("planted", (0.0,), Fixed(TIMES), "open")
HALTING = Design("planted", (-1.0,) * 6, (1.0,) * 6, 0.0, 1.0)
"""Six equal rounds below the threshold: it halts in each of them often enough to be counted."""
RUNS = 3000
"""Of a trial of halts, at each look."""


def path(rng: np.random.Generator, sessions: int = SESSIONS, d: int = 1) -> Floats:
    """Brownian noise at the times, falling."""
    steps = np.sqrt(np.diff(TIMES[::-1], prepend=0.0))[:, None]
    return np.asarray(np.cumsum(steps * rng.standard_normal((sessions, len(TIMES), d)), axis=1)[:, ::-1])


def observed(case: Case, noise: Floats) -> Batch:
    """Sessions of a case with this noise."""
    asked = np.tile(TIMES, (len(noise), 1))
    value = np.broadcast_to(case.array, noise.shape)
    found = innovations(Brownian(), noise, asked, np.abs(noise), np.random.default_rng(0), integer=False)
    return Batch(case, value + noise, asked, asked, found)


def smaller_at_a_value(size: float, rng: np.random.Generator) -> Batch:
    """Noise with less variance at a value."""
    return observed(FAR, np.sqrt(max(1 - size, 0.0)) * path(rng))


def smaller_when_adaptive(size: float, rng: np.random.Generator) -> Batch:
    """Noise with less variance in sessions that adapt."""
    return observed(ADAPTIVE, np.sqrt(max(1 - size, 0.0)) * path(rng))


def of_few_streams(streams: float, rng: np.random.Generator) -> Batch:
    """Every session has one of so many streams of noise; all are different for 0."""
    if not streams:
        return observed(OPENED, path(rng))
    which = rng.integers(max(round(streams), 1), size=SESSIONS)
    kept, where = np.unique(which, return_inverse=True)
    return observed(OPENED, path(rng, kept.size)[where])


def on_the_wrong_side(size: float, rng: np.random.Generator) -> Batch:
    """A share of the noise lies below the value instead of above it; times are not told."""
    noise = np.abs(rng.standard_normal((SESSIONS, 1, 1)))
    noise = np.where(rng.random(noise.shape) < 0.5 + size, -noise, noise)
    case = Case("planted", (0.0,), Fixed(TIMES[:1]), "sample")
    return Batch(case, noise, np.tile(TIMES[:1], (SESSIONS, 1)), None, None)


def halts_more_often(size: float, rng: np.random.Generator) -> Runs:
    """The odds of every halt are moved, so that halts are more likely by this, on average over the rounds played."""
    law = _moved(size)
    cells = rng.choice(law.size, size=RUNS, p=law)
    claimed = np.concatenate([[0.0], np.cumsum(claimed_law(HALTING))])
    uniforms = claimed[cells] + rng.random(RUNS) * (claimed[cells + 1] - claimed[cells])
    return Runs(HALTING, "run_many", cells, scores=ndtri(np.clip(uniforms, 1e-12, 1 - 1e-12)), request=RUNS)


@lru_cache(maxsize=64)
def _moved(size: float) -> Floats:
    hazard = _hazard(claimed_law(HALTING))

    def tilted(log_odds: float) -> tuple[Floats, float]:
        own = hazard * np.exp(log_odds) / (1 - hazard + hazard * np.exp(log_odds))
        reached = np.concatenate([[1.0], np.cumprod(1 - own)])
        law = np.append(own, 1.0) * reached
        return law / law.sum(), float(reached[:-1] @ (own - hazard) / reached[:-1].sum()) - size

    return tilted(float(brentq(lambda x: tilted(x)[1], 0.0, 10.0)))[0] if size else claimed_law(HALTING)


def _hazard(law: Floats) -> Floats:
    reached = law[::-1].cumsum()[::-1][:-1]
    return np.asarray(law[:-1] / reached)
