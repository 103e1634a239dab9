"""Sessions of the exact mechanisms, and their Rosenblatt scores."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from nrverify.reference.exact import ExactBrownian, ExactLaplace

TIMES = (4.0, 2.0, 1.0, 0.3)
VALUE = 1 / 3
SESSIONS = 1200
CONTINUOUS = [ExactBrownian, ExactLaplace]
COARSE = 0.7
"""A grid about as coarse as the noise and no power of two: every way to round shows."""


def sessions(mechanism: Callable[..., Any], count: int = SESSIONS, times=TIMES, value=VALUE, **options) -> np.ndarray:
    """The releases of sessions with the seeds 0, 1, …, one row a session."""
    drawn = (mechanism(value, bits=random.Random(seed), **options) for seed in range(count))
    return np.array([[session.release(t) for t in times] for session in drawn])


def scores(process: Any, noise: np.ndarray, times=TIMES) -> np.ndarray:
    """Rosenblatt's transform, randomised over atoms: independent uniforms if and only if the law is right."""
    rng = np.random.default_rng(99)
    columns = [process.marginal(times[0]).cdf(noise[:, 0])]
    for i in range(1, len(times)):
        bridge = process.bridge(times[i], times[i - 1], noise[:, i - 1])
        atom = np.where(noise[:, i] == noise[:, i - 1], getattr(bridge, "atom", 0.0), 0.0)
        columns.append(bridge.cdf(noise[:, i]) - atom * rng.random(len(noise)))
    return np.stack(columns, axis=1)


def uniform_and_uncorrelated(u: np.ndarray, law: Any) -> bool:
    """Ten tests, each of which rejects a true law with probability at most 1e-9."""
    pairs = itertools.combinations(range(u.shape[1]), 2)
    uniform = all(law.fits(column, stats.uniform.cdf) for column in u.T)
    return uniform and all(stats.pearsonr(u[:, i], u[:, j]).pvalue > 1e-9 for i, j in pairs)


# Same bits, same releases.
