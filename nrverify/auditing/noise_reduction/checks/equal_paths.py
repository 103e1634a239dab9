"""Integer noise of two coordinates that is the same at every release, up to its sign, and how likely that is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.laws.process import Process

Floats = NDArray[np.float64]

REACH = 2.0**61
"""Up to this size the laws count in integers of 64 bits: absurd noise beyond it is as impossible as noise at it."""


def equal_paths(process: Process, noise: Floats, times: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """For sessions (n, k, d) and each coordinate but the first: whether its path is that of one before, up to sign.

    And the probability of that given the ones before, which is the sum of those of their paths and of their mirror
    images: arrays (n, d − 1). NaN after the end of a session.
    """
    likely = np.exp(_log_probability(process, np.clip(noise, -REACH, REACH), times))
    zero = np.nan_to_num(noise).any(axis=1)
    own = np.where(zero, 2.0, 1.0) * likely
    shown = np.nan_to_num(noise)
    happened = np.zeros((noise.shape[0], noise.shape[2] - 1), dtype=bool)
    probability = np.zeros(happened.shape)
    for j in range(1, noise.shape[2]):
        earlier, here = shown[:, :, :j], shown[:, :, j : j + 1]
        same = (earlier == here).all(axis=1) | (earlier == -here).all(axis=1)
        happened[:, j - 1] = same.any(axis=1)
        # Paths that came before already are counted twice: the bound is larger, and the bet still fair.
        probability[:, j - 1] = np.minimum(own[:, :j].sum(axis=1), 1.0)
    return happened, probability


def _log_probability(process: Process, noise: Floats, times: Floats) -> Floats:
    """log P of each path, (n, d)."""
    total = np.asarray(process.marginal(times[:, 0, None]).logpdf(noise[:, 0]))
    for position in range(1, noise.shape[1]):
        t, s = times[:, position - 1, None], times[:, position, None]
        moving = s < t
        if moving.any():
            # Where a session has ended, or a time comes again, there is no step to pay for.
            s, t = np.where(moving, s, 0.5), np.where(moving, t, 1.0)
            before, here = (np.nan_to_num(noise[:, at]) for at in (position - 1, position))
            total = total + np.where(moving, process.bridge(s, t, before).logpdf(here), 0.0)
    return total
