"""Which columns of wide outputs are learned from: those that tell the label most in the latest runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nrverify.auditing.claims.bins import bins_of
from nrverify.auditing.claims.columns import CHARGED, WHOLE
from nrverify.auditing.claims.sample import Sample
from nrverify.auditing.claims.tree import growth

MOST_LEARNED = 48
"""Columns that are learned from: a look at a list of a thousand entries is to take no longer than its drawing."""
MOST_LOOKED_AT = 4_000
"""Of the latest runs, by which columns are compared: one that betrays as much as is claimed shows in some hundred."""


def telling(sample: Sample) -> Sample:
    """The sample with the columns that tell most, in their order; the same where it has few."""
    if len(sample.paths) <= MOST_LEARNED:
        return sample
    late = sample.tail(max(sample.size - MOST_LOOKED_AT, 0))
    scores = np.array([np.inf if path in (WHOLE, CHARGED) else _told(late, at) for at, path in enumerate(sample.paths)])
    kept = np.sort(np.argsort(-scores, kind="stable")[:MOST_LEARNED])
    return replace(
        sample,
        paths=tuple(sample.paths[at] for at in kept),
        keys=sample.keys[:, kept],
        values=sample.values[:, kept],
    )


def _told(sample: Sample, column: int) -> float:
    """Nats that a table of the column tells of the labels, less what as many bins tell by chance."""
    keys, values = sample.keys[:, column], sample.values[:, column]
    bins = bins_of(keys, values)
    code = bins.codes(keys, values)
    total = np.bincount(code, minlength=bins.count).astype(float)
    ones = np.bincount(code[sample.label], minlength=bins.count).astype(float)
    return float(growth(ones, total - ones, 0.0).sum()) - 0.5 * bins.count
