"""Rounded normal numbers in place of Skellam steps, as a code may draw them where the counts are large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from nrverify.auditing.core.bets.named_alternatives import FLOOR, LARGEST_LOG_RATIO
from nrverify.auditing.core.faults import alternative
from nrverify.auditing.core.faults.noise import ROUNDED_NORMALS
from nrverify.laws.skellam import Skellam
from nrverify.laws.special.integer_sums import distinct

Floats = NDArray[np.float64]

MEANS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Mean counts from which on normal numbers may have been drawn."""
MOST_DEVIATIONS = 40.0
"""Counts further out are taken for this far: logarithms of their probabilities stay finite."""
LARGEST_MEAN = 1e4
"""From here on the two laws are told apart by no audit."""


def _named(mean: float) -> str:
    title = f"rounded normals for steps of mean count above {mean:g}" if mean else "rounded normals"
    return alternative(f"rounded-normals-above-{mean:g}", title, ROUNDED_NORMALS).id


ROUNDED = {mean: _named(mean) for mean in MEANS}
"""The ids of the alternatives, by the mean count from which on normal numbers are drawn."""


def rounded_ratios(process: Skellam, noise: Floats, times: Floats) -> dict[str, float]:
    """Σ log of the alternatives' weights over those of the steps in growing time, at one schedule for all sessions.

    The steps of noise (n, k, d) are independent; where no time passes there is none.
    """
    steps = np.diff(noise[:, ::-1], axis=1, prepend=0.0)
    spans = np.diff(times[::-1], prepend=0.0)
    means = process.rate * spans
    usual = np.flatnonzero((means > 0) & (means < LARGEST_MEAN))
    found = dict.fromkeys(ROUNDED.values(), 0.0)
    if not usual.size or not steps.size:
        return found
    at = np.broadcast_to(usual[:, None].astype(float), (len(steps), usual.size, steps.shape[2]))
    (place, counts), where = distinct(at.reshape(-1), steps[:, usual].reshape(-1))
    place = place.astype(np.intp)
    log_ratio = _log_rounded(counts, 2 * means[place]) - np.asarray(process.marginal(spans[place]).logpdf(counts))
    ratio = np.exp(np.minimum(log_ratio, LARGEST_LOG_RATIO))
    often = np.bincount(where)
    totals = np.bincount(place, often * np.log(FLOOR + (1 - FLOOR) * ratio), spans.size)
    for least, id in ROUNDED.items():
        found[id] = float(totals[means > least].sum())
    return found


def _log_rounded(counts: Floats, variance: Floats) -> Floats:
    """log P(a normal number of each variance is rounded to each count); of a count it hardly ever gives, far less."""
    size = np.minimum(np.abs(counts), MOST_DEVIATIONS * np.sqrt(variance) + 1)
    upper, lower = (log_ndtr(-(size + side) / np.sqrt(variance)) for side in (-0.5, 0.5))
    return np.asarray(upper + np.log1p(-np.exp(lower - upper)))
