"""Noise shared by the two sides of a record: both recorded from the same seeds, they are not independent sessions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE
from nrverify.subjects.errors import SubjectFailed
from nrverify.subjects.records.transcripts import RecordedTranscripts, Side

Floats = NDArray[np.float64]

MOST_COMPARED = 4096
"""Sessions: the first ones tell, since shared seeds are shared throughout; it bounds time and memory for large
files."""
COINCIDENCE = 0.25
"""More than the chance that two real-valued transcripts agree up to rounding."""
NATS = 20.0
"""An error of e^{−20}: not the error of the audit, for nothing is refuted by it."""


def refuse_shared_noise(record: RecordedTranscripts) -> None:
    """`SubjectFailed` when sessions at the same place of both sides have the same noise.

    Where sessions of one side repeat each other too, it is the implementation's doing, and left to the checks.
    """
    count = min(record.value.sessions, record.neighbour.sessions, MOST_COMPARED)
    chance = _chance(record, count)
    if _alike(record.value, record.neighbour, 0, count, chance) and not _alike(
        record.value, record.value, 1, min(count, record.value.sessions - 1), chance
    ):
        raise SubjectFailed(
            "the two sides have the same noise, session by session: record every session with a seed of its own, "
            "also across the two values"
        )


def _alike(side: Side, other: Side, later: int, count: int, chance: float) -> bool:
    """Whether so many pairs of sessions agree that chance is excluded (Hoeffding's inequality)."""
    if count * (1 - chance) ** 2 < 2 * NATS:
        return False
    (left, asked, _), (right, asked_too, _) = side.part(0, count), other.part(later, later + count)
    with np.errstate(invalid="ignore", over="ignore"):
        rounding = SAME_RELEASE * (np.abs(left) + np.abs(right) + np.abs(side.value) + np.abs(other.value))
        same = np.abs((left - side.value) - (right - other.value)) <= rounding
        ended = np.isnan(left) & np.isnan(right)
    agree = (same | ended).all(axis=(1, 2)) & (np.nan_to_num(asked) == np.nan_to_num(asked_too)).all(axis=1)
    return bool(agree.mean() > 0.5 * (1 + chance))


def _chance(record: RecordedTranscripts, count: int) -> float:
    """A bound on the chance that two independent sessions agree: that of their first releases."""
    if not record.description.integer:
        return COINCIDENCE
    if record.value.times is None:
        return 1.0
    first = float(np.min(record.value.times[:count, 0]))
    return float(ive(0, 4 * (record.description.rate or 1.0) * first) ** record.value.value.size)
