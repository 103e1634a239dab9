"""Scores learned from outputs: what a user must bring who hands scores to an auditor and does not know the law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEW = 32
"""Different outputs up to which each has a score of its own."""
BINS = 16
"""Of numbers, by quantiles of the outputs learned from."""


def learned_scores(zero: Any, one: Any) -> tuple[Floats, Floats]:
    """Scores of the second half of the outputs on either data: log ratios of frequencies counted in the first half."""
    half = [len(outputs) // 2 for outputs in (zero, one)]
    columns = [_column(outputs) for outputs in (zero, one)]
    past = [column[:end] for column, end in zip(columns, half, strict=True)]
    places, size = _places(past, columns)
    counts = [np.bincount(place[:end], minlength=size) + 0.5 for place, end in zip(places, half, strict=True)]
    ratio = np.log(counts[1] / counts[1].sum()) - np.log(counts[0] / counts[0].sum())
    first, second = (ratio[place[end:]] for place, end in zip(places, half, strict=True))
    return first, second


def _column(outputs: Any) -> NDArray[Any]:
    """Numbers as they are, everything else as text."""
    if isinstance(outputs, Sequence) and outputs and not isinstance(outputs[0], (int, float)):
        return np.array([repr(one) for one in outputs])
    return np.asarray(outputs)


def _places(past: Sequence[NDArray[Any]], columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[np.int64]], int]:
    """The bin of each output, and how many there are; bins depend on the past only, what is new has the last one."""
    values = np.unique(np.concatenate(past))
    if len(values) <= FEW or values.dtype.kind not in "iuf":
        found = [np.searchsorted(values, column) for column in columns]
        known = [
            np.where(values[np.minimum(place, len(values) - 1)] == column, place, len(values))
            for place, column in zip(found, columns, strict=True)
        ]
        return known, len(values) + 1
    edges = np.quantile(np.concatenate(past), np.arange(1, BINS) / BINS)
    return [np.searchsorted(edges, column) for column in columns], BINS
