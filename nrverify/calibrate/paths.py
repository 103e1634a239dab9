"""Sessions of a case played out many at a time: the times a fixed or adaptive play asks for, given the releases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.policies import Fixed, Follow

Floats = NDArray[np.float64]


def next_times(play: Fixed | Follow, times: list[Floats], releases: list[Floats]) -> Floats | None:
    """The next time of each session (n,), NaN where it has ended; None where all have.

    `times` are arrays (n,), `releases` arrays (n, d), one for each release so far; at least one session's worth of
    shape is taken from the first release, so the first time is asked for by `first_time`.
    """
    if len(times) == play.length:
        return None
    if isinstance(play, Fixed):
        return np.full(times[0].shape, play.schedule[len(times)])
    last = times[-1]
    factor = np.full(last.shape, play.slow)
    ended = np.isnan(last) | (last == play.end)
    if len(times) > 1:
        change = releases[-1][:, 0] - releases[-2][:, 0]
        factor[change > 0] = play.fast
        ended |= np.abs(change) < play.close
    toward = np.maximum if play.end < play.start else np.minimum
    following = np.where(ended, np.nan, toward(last * factor, play.end))
    return None if ended.all() else following


def first_time(play: Fixed | Follow) -> float:
    """What every session of the play asks for first."""
    return play.schedule[0] if isinstance(play, Fixed) else play.start
