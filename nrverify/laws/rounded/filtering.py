"""The law of each rounded release given the rounded releases before it: an exact filter on one cell of the grid.

The ideal release f + X_t is rounded to the nearest multiple of g. X is Markov but its roundings are not: given them the
hidden X_t has a density on the one cell of its release. With h that density, and F and p the distribution function and
density of the bridge, the next release takes the conditional distribution function from ∫hF(lo) to ∫hF(hi), and

    h'(y) ∝ ∫ h(x) p(y | x) dx + h(y)·atom(y) where the cell is the same: an atom of the bridge keeps X in its place.

All integrals are Gauss-Legendre sums on panels that are narrow against the noise of the steps before and after. Where
the bridge has an atom (Laplace) it has kinks at 0 and at the last value, and panels are divided there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from nrverify.laws.process import Process
from nrverify.laws.rounded.cells import POINTS, Cells, Resolution, cells, split_at_nodes
from nrverify.laws.rounded.resolution import growing_resolutions, known_resolutions
from nrverify.laws.rounded.transcripts import Transcript, checked_transcript
from nrverify.laws.validation.times import Floats

_AT_ONCE = 2**21
"""Entries of a kernel held in memory at a time: 16 MB for each array of them."""
_SETTLED = 1e-11
"""Agreement of two resolutions asked of a process whose smoothness is not known."""


@dataclass(frozen=True, eq=False)
class Filtered:
    """Both ends of each release's conditional distribution function, and the log-likelihood of all releases.

    `lower` = P(release < the one seen | those before) and `upper` = P(release <= it | …), of the shape of the releases;
    `above` = P(release > it | …), accurate where `upper` is close to 1. `log_likelihood` is a float, or where there are
    several transcripts an array with one for each. lower + V(upper - lower), V uniform, is uniform and independent.
    """

    lower: Floats
    upper: Floats
    above: Floats
    log_likelihood: Any


def filtered(
    process: Process, value: ArrayLike, times: Sequence[float], releases: ArrayLike, granularity: float
) -> Filtered:
    """The exact filter for `releases` at the non-increasing `times`, each the ideal release rounded to the grid.

    `value` is a number and `releases` of shape (…, n), or `value` of shape (d,) and `releases` (…, n, d): coordinates
    are independent. Relative accuracy about 1e-10 for Brownian and Laplace; for another process, whose densities must
    be smooth except at 0 and at the last value, panels are doubled until nothing changes. A ValueError where times are
    so close, or releases so far out, that more than 4096 nodes in a cell would be needed.
    """
    transcript = checked_transcript(process, value, times, releases, granularity)
    resolutions = known_resolutions(process, transcript)
    if resolutions is not None:
        return _filter(process, transcript, resolutions)
    coarse = None
    for resolutions in growing_resolutions(transcript):
        fine = _filter(process, transcript, resolutions)
        if coarse is not None and _agree(coarse, fine):
            return fine
        coarse = fine
    raise ValueError(
        f"granularity is {transcript.granularity:g}: it must be such that the filter settles to {_SETTLED}, but for "
        f"this process it does not at times = {transcript.times}; take a finer grid, or times less close together"
    )


def _agree(coarse: Filtered, fine: Filtered) -> bool:
    """Whether two resolutions give the same answers."""
    pairs = ((coarse.lower, fine.lower), (coarse.upper, fine.upper), (coarse.log_likelihood, fine.log_likelihood))
    return all(np.allclose(a, b, rtol=_SETTLED, atol=_SETTLED) for a, b in pairs)


def _filter(process: Process, transcript: Transcript, resolutions: list[Resolution]) -> Filtered:
    rows, looks = transcript.cells.shape
    ends = np.empty((3, rows, looks))
    likelihood = np.empty((rows, looks))
    step = max(1, _AT_ONCE // max(resolution.nodes for resolution in resolutions) ** 2)
    for begin in range(0, rows, step):
        part = slice(begin, begin + step)
        _filter_rows(process, transcript, part, resolutions, ends[:, part], likelihood[part])
    lower, upper, above = (transcript.shaped(end) for end in ends)
    return Filtered(lower, upper, above, transcript.totals(likelihood))


def _filter_rows(
    process: Process,
    transcript: Transcript,
    part: slice,
    resolutions: list[Resolution],
    ends: Floats,
    likelihood: Floats,
) -> None:
    low, high = transcript.edges(part, 0)
    law = process.marginal(transcript.times[0])
    own = cells(low, high, resolutions[0])
    log_h = np.asarray(law.logpdf(own.nodes))
    ends[:, :, 0] = law.cdf(low), law.cdf(high), law.sf(high)
    likelihood[:, 0], log_h = _normalised(own, log_h)
    for look in range(1, len(transcript.times)):
        s, t = transcript.times[look], transcript.times[look - 1]
        low, high = transcript.edges(part, look)
        same = transcript.cells[part, look] == transcript.cells[part, look - 1]
        if s == t:
            above = transcript.cells[part, look] > transcript.cells[part, look - 1]
            ends[:, :, look] = (
                np.where(above, 1.0, 0.0),
                np.where(above | same, 1.0, 0.0),
                np.where(above | same, 0.0, 1.0),
            )
            likelihood[:, look] = np.where(same, 0.0, -np.inf)
            continue
        ends[:, :, look] = _conditional(process, s, t, own, log_h, low, high)
        after = cells(low, high, resolutions[look])
        predicted = _predicted(process, s, t, own, log_h, after, same)
        likelihood[:, look], log_h = _normalised(after, predicted)
        own = after


def _normalised(own: Cells, log_h: Floats) -> tuple[Floats, Floats]:
    """log ∫h over the cell, and log h with the integral 1."""
    with np.errstate(divide="ignore"):
        total = np.asarray(logsumexp(log_h + own.flat_log_weights, axis=1))
    reachable = np.isfinite(total)
    flat = -np.log(own.highs[:, -1] - own.lows[:, 0])[:, None]  # an impossible cell leaves nothing to condition on
    return total, np.where(reachable[:, None], log_h - np.where(reachable, total, 0.0)[:, None], flat)


def _conditional(
    process: Process, s: float, t: float, own: Cells, log_h: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats, Floats]:
    law = process.bridge(s, t, own.nodes)
    weights = np.exp(log_h + own.flat_log_weights)
    lower, upper = (np.minimum((weights * law.cdf(end[:, None])).sum(axis=1), 1.0) for end in (low, high))
    return lower, upper, np.minimum((weights * law.sf(high[:, None])).sum(axis=1), 1.0)


def _predicted(process: Process, s: float, t: float, own: Cells, log_h: Floats, after: Cells, same: Any) -> Floats:
    """log of the density of the next hidden value on its cell, and of its probability, not yet normalised."""
    masses = log_h + own.flat_log_weights
    kernel = np.asarray(process.bridge(s, t, own.nodes[:, :, None]).logpdf(after.nodes[:, None, :]))
    terms = masses[:, :, None] + kernel
    atoms = np.broadcast_to(process.bridge(s, t, after.nodes).atom, after.nodes.shape)
    stays = same & (atoms.max(axis=1) > 0)
    with np.errstate(divide="ignore"):
        predicted = np.asarray(logsumexp(terms, axis=1))
        if stays.any():
            predicted[stays] = _kinked(process, s, t, _rows(own, stays), log_h[stays], terms[stays], atoms[stays])
    return predicted


def _kinked(process: Process, s: float, t: float, own: Cells, log_h: Floats, terms: Floats, atoms: Floats) -> Floats:
    """The same where the cell is the same and the bridge has a kink at its own value: own panels are divided there."""
    rows, panels = own.x.shape[:2]
    blocks = terms.reshape(rows, panels, POINTS, panels, POINTS).copy()
    for panel in range(panels):
        blocks[:, panel, :, panel, :] = -np.inf
    elsewhere = logsumexp(blocks.reshape(rows, panels * POINTS, panels * POINTS), axis=1)
    x, log_weights, log_values = split_at_nodes(own, log_h.reshape(own.x.shape))
    near = np.asarray(process.bridge(s, t, x).logpdf(own.x[..., None])) + log_weights + log_values
    inside = logsumexp(near, axis=-1).reshape(rows, -1)
    return np.asarray(np.logaddexp(np.logaddexp(elsewhere, inside), log_h + np.log(atoms)))


def _rows(own: Cells, chosen: Any) -> Cells:
    return Cells(own.x[chosen], own.log_weights[chosen], own.lows[chosen], own.highs[chosen])
