"""Integer noise of two coordinates that is the same at every release, up to its sign, and how likely that is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def equal_paths(noise: Floats, log_weight: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """For sessions (n, k, d) and each coordinate but the first: whether its path is that of one before, up to sign.

    `log_weight` is the log-probability of each release given the one before it. Also the probability of such a path
    given the coordinates before, which is the sum of those of their paths and of their mirror images: arrays
    (n, d − 1). NaN after the end of a session, and where a time comes again: there is no step to pay for.
    """
    likely = np.exp(np.nansum(log_weight, axis=1))
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
