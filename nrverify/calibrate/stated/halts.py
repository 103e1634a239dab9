"""Statements about private stopping: its releases, and its halts given them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from nrverify.auditing.core.transforms.rosenblatt import innovations
from nrverify.auditing.private_stopping.designs import StoppingDesign
from nrverify.auditing.private_stopping.drawing import Stopped
from nrverify.auditing.private_stopping.halting_law import pattern
from nrverify.auditing.private_stopping.law import StoppingLaw
from nrverify.auditing.private_stopping.releases import StoppingReleases
from nrverify.calibrate.stated.faults import SESSIONS, TIMES
from nrverify.calibrate.stated.planted import Planted
from nrverify.laws.brownian import Brownian
from nrverify.subjects.stopping_utilities import Levels

Floats = NDArray[np.float64]

DESIGN = StoppingDesign("planted", (0.0,), TIMES, (0.5, 0.7, 1.4), Levels((), (-1.0,)), 0.0, 1.0)
"""Its releases do not matter, so that every run has the same law of its halt."""


def _law() -> Floats:
    return pattern(DESIGN, DESIGN.utility.levels * len(TIMES)).law


@lru_cache(maxsize=64)
def _moved(size: float) -> Floats:
    """The law of the halt with the odds of every halt moved, so that halts are likelier by this on average."""
    law = _law()
    hazard = law[:-1] / law[::-1].cumsum()[::-1][:-1]

    def tilted(log_odds: float) -> tuple[Floats, float]:
        own = hazard * np.exp(log_odds) / (1 - hazard + hazard * np.exp(log_odds))
        reached = np.concatenate([[1.0], np.cumprod(1 - own)])
        return np.append(own, 1.0) * reached, float(reached[:-1] @ (own - hazard) / reached[:-1].sum()) - size

    return tilted(float(brentq(lambda x: tilted(x)[1], 0.0, 10.0)))[0] if size else law


def _stopped(noise: Floats, law: Floats, rng: np.random.Generator) -> Stopped:
    bins = rng.choice(law.size, size=len(noise), p=law / law.sum())
    runs = Stopped(DESIGN, noise, bins)
    shown = np.where(runs.present[:, :, None], noise, np.nan)
    found = innovations(Brownian(), shown, runs.times, np.abs(np.nan_to_num(shown)), rng, integer=False)
    return Stopped(DESIGN, shown, bins, innovations=found)


def _path(rng: np.random.Generator, first: float = 1.0, memory: float = 0.0) -> Floats:
    """Brownian noise, its first release of another variance, or with steps that remember the innovation before."""
    z = rng.standard_normal((len(TIMES), SESSIONS, 1))
    for at in range(1, len(TIMES)):
        z[at] = memory * z[at - 1] + np.sqrt(1 - memory**2) * z[at]
    noise = [np.sqrt(first * TIMES[0]) * z[0]]
    for at in range(1, len(TIMES)):
        t, s = TIMES[at - 1], TIMES[at]
        noise.append(noise[-1] * s / t + np.sqrt(s * (t - s) / t) * z[at])
    return np.stack(noise, axis=1)


def stopped(rng: np.random.Generator, which: NDArray[np.intp]) -> Stopped:
    """Runs of which some have one stream of noise."""
    noise, found = _path(rng)[which], _stopped(_path(rng), _law(), rng)
    shown = np.where(found.present[:, :, None], noise, np.nan)
    z = innovations(Brownian(), shown, found.times, np.abs(np.nan_to_num(shown)), rng, integer=False)
    return Stopped(DESIGN, shown, found.bins, innovations=z)


def _halts_more_often(size: float, rng: np.random.Generator) -> Stopped:
    return _stopped(_path(rng), _moved(size), rng)


def _smaller(size: float, rng: np.random.Generator) -> Stopped:
    return _stopped(_path(rng, first=max(1 - size, 0.0)), _law(), rng)


def _remembers(size: float, rng: np.random.Generator) -> Stopped:
    return _stopped(_path(rng, memory=size), _law(), rng)


PLANTED = (
    Planted("stopping.law", StoppingLaw, "probability", _halts_more_often),
    Planted("stopping.releases (variance)", StoppingReleases, "relative", _smaller),
    Planted("stopping.releases (memory)", StoppingReleases, "correlation", _remembers),
)
