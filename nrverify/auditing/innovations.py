"""The Rosenblatt transform of a transcript through the process's bridge.

Given the past, each release has a known law; its normal score is N(0, 1) whatever the (adaptive) times, and whether
there is a next release is decided by the past, so stopping does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.laws.process import Law, Process

Floats = NDArray[np.float64]

LARGEST_SCORE = 8.2
"""Normal scores are cut here on both sides: double precision cannot tell a cdf from 1 beyond."""

ROUNDING = 64 * np.finfo(float).eps
"""Two releases are the same when they differ by no more than this, relative to value and release."""


@dataclass(frozen=True)
class Innovations:
    """The transform of n sessions of up to k releases in d coordinates; NaN where there is none."""

    z: Floats
    """Normal scores: N(0, 1) given the past; none at a tie, a repeated time, or after the end."""
    marginal: Floats
    """The normal score of each release under its marginal law: N(0, 1) at a fixed schedule, not independent."""
    tied: NDArray[np.bool_]
    """Whether the release is the same as the one before."""
    atom: Floats
    """The probability of that given the past: 0 for continuous noise, NaN at a first release and after the end."""
    fresh: Floats
    """log-likelihood ratio of a release drawn afresh, forgetting the one before, to the bridge."""
    repeated: NDArray[np.bool_]
    """Whether the time is that of the release before, so that the release must be, too."""

    @property
    def past(self) -> Floats:
        """The marginal score of the release before, a covariate of the past; 0 at the first."""
        past = np.zeros_like(self.marginal)
        past[:, 1:] = np.nan_to_num(self.marginal[:, :-1])
        return past


def innovations(process: Process, noise: Floats, times: Floats, scale: Floats, rng: np.random.Generator) -> Innovations:
    """The innovations of noise (n, k, d) released at times (n, k); `scale` bounds |value| + |release| for rounding."""
    n, k, d = noise.shape
    z, atom, marginal, fresh = (np.full((n, k, d), np.nan) for _ in range(4))
    tied = np.zeros((n, k, d), dtype=bool)
    repeated = np.zeros((n, k), dtype=bool)
    for step in range(k):
        present = np.isfinite(times[:, step])
        if not present.any():
            break
        here, t = noise[present, step], times[present, step][:, None]
        marginal[present, step] = scores(process.marginal(t), here, rng)
        if step == 0:
            z[present, 0] = marginal[present, 0]
            continue
        before, earlier = noise[present, step - 1], times[present, step - 1][:, None]
        same = np.abs(here - before) <= ROUNDING * scale[present, step]
        tied[present, step] = same
        repeated[present, step] = (t == earlier)[:, 0]
        moving = np.flatnonzero(present)[(t < earlier)[:, 0]]
        if moving.size == 0:
            continue
        given = noise[moving, step - 1]
        law = process.bridge(times[moving, step][:, None], times[moving, step - 1][:, None], given)
        atom[moving, step] = law.atom
        here = noise[moving, step]
        z[moving, step] = _scores_off_the_atom(law, here, given, tied[moving, step], rng)
        unremembered = process.marginal(times[moving, step][:, None]).logpdf(here)
        fresh[moving, step] = np.where(
            (atom[moving, step] > 0) & tied[moving, step], -np.inf, unremembered - law.logpdf(here)
        )
    return Innovations(z, marginal, tied, atom, fresh, repeated)


def scores(law: Law, x: Floats, rng: np.random.Generator) -> Floats:
    """Normal scores of x under a law without an extra atom, randomised where the law sits on the integers."""
    below, above = np.asarray(law.cdf_left(x)), np.asarray(law.sf(x))
    share = rng.random(x.shape)
    jump = np.maximum(1.0 - below - above, 0.0)
    lower = below + share * jump
    upper = above + (1.0 - share) * jump
    return _from_tails(lower, upper)


def _scores_off_the_atom(
    law: Law, x: Floats, given: Floats, tied: NDArray[np.bool_], rng: np.random.Generator
) -> Floats:
    """Normal scores given that there is no tie; none (NaN) at a tie on an atom."""
    atom = np.broadcast_to(np.asarray(law.atom), x.shape)
    if not np.any(atom > 0):
        return scores(law, x, rng)
    below, above = np.asarray(law.cdf_left(x)), np.asarray(law.sf(x))
    # The atom sits at `given`: its weight is taken off the tail that holds it.
    lower = np.where(x > given, below - atom, below)
    upper = np.where(x > given, above, above - atom)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = _from_tails(lower / (1.0 - atom), upper / (1.0 - atom))
    return np.where(tied, np.nan, z)


def _from_tails(lower: Floats, upper: Floats) -> Floats:
    """Φ⁻¹ through the shorter tail."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(lower < upper, ndtri(np.clip(lower, 0, 1)), -ndtri(np.clip(upper, 0, 1)))
    return np.clip(z, -LARGEST_SCORE, LARGEST_SCORE)
