"""The jumps of Laplace noise, whose sizes tell its scale with everything that transcripts know of it."""

from __future__ import annotations

import numpy as np

from nrverify.auditing.noise_reduction.design.batch import Batch


def every_jump(batch: Batch) -> tuple[int, float]:
    """How many jumps there are, each least noisy release included, and the sum of their sizes over their scales.

    Read upwards from the least noisy time the noise is a walk: it begins with Lap(s), and from s to t it stays or jumps
    by Lap(t). So the likelihood of a transcript under noise c times as large, over that under the noise claimed, is
    c^{-J} exp(S(1 − 1/c)) for J jumps with the sum S, and the same where times were chosen by what was released: given
    the releases before, the time of the next is known, and the law of the release is the same function of it.
    """
    found, times = batch.innovations, batch.times
    assert found is not None
    assert times is not None
    noise = batch.noise
    moving = times[:, 1:] < times[:, :-1]
    moved = moving[..., None] & ~found.tied[:, 1:]
    with np.errstate(invalid="ignore"):
        sizes = np.abs(noise[:, :-1] - noise[:, 1:]) / times[:, :-1, None]
    rows, last = np.arange(len(noise)), np.isfinite(times).sum(axis=1) - 1
    least = np.abs(noise[rows, last]) / times[rows, last, None]
    return int(moved.sum()) + least.size, float(sizes[moved].sum() + least.sum())
