"""The Rosenblatt transform of a transcript through the process's bridge.

Given the past, each release has a known law; its normal score is N(0, 1) whatever the (adaptive) times, and whether
there is a next release is decided by the past, so stopping does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nrverify.laws.process import Law, Process

Floats = NDArray[np.float64]

LARGEST_SCORE = 8.2
"""Normal scores are cut here on both sides: double precision cannot tell a cdf from 1 beyond."""

SAME_RELEASE = 64 * np.finfo(float).eps
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
    log_weight: Floats
    """log-probability, or density, of a first release, and of a later one given the one before; else NaN."""

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Where there is a normal score."""
        return np.isfinite(self.z)

    @cached_property
    def filled(self) -> Floats:
        """The normal scores, 0 where there is none: sums over them are sums over those present."""
        return np.where(self.present, self.z, 0.0)

    def of_coordinates(self, most: int) -> Innovations:
        """Those of the first coordinates, as many as these."""
        if self.z.shape[2] <= most:
            return self
        z, marginal, atom, fresh = (part[..., :most] for part in (self.z, self.marginal, self.atom, self.fresh))
        return Innovations(z, marginal, self.tied[..., :most], atom, fresh, self.repeated, self.log_weight[..., :most])

    @property
    def past(self) -> Floats:
        """The marginal score of the release before, a covariate of the past; 0 at the first."""
        past = np.zeros_like(self.marginal)
        past[:, 1:] = np.nan_to_num(self.marginal[:, :-1])
        return past


def innovations(
    process: Process, noise: Floats, times: Floats, scale: Floats, rng: np.random.Generator, *, integer: bool
) -> Innovations:
    """The innovations of noise (n, k, d) released at times (n, k); `scale` bounds |value| + |release| for rounding.

    Noise that is `integer` is scored through its pmf, spread out at random between the two ends of its step.
    """
    z, atom, marginal, fresh = (np.full(noise.shape, np.nan) for _ in range(4))
    tied, repeated = np.zeros(noise.shape, dtype=bool), np.zeros(times.shape, dtype=bool)
    tied[:, 1:] = np.abs(noise[:, 1:] - noise[:, :-1]) <= SAME_RELEASE * scale[:, 1:]
    repeated[:, 1:] = times[:, 1:] == times[:, :-1]
    # With one schedule for all sessions, its times are worked out once for each release and not for each session.
    alike = bool((times == times[:1]).all())

    rows, columns, t = _where(np.isfinite(times), times, alike)
    here = noise[rows, columns]
    alone = process.marginal(t)
    log_alone = np.full(noise.shape, np.nan)
    log_alone[rows, columns] = alone.logpdf(here)
    marginal[rows, columns] = (
        integer_scores(alone, here, log_alone[rows, columns], rng) if integer else scores(alone, here)
    )
    z[:, 0] = marginal[:, 0]
    log_weight = np.full(noise.shape, np.nan)
    log_weight[:, 0] = log_alone[:, 0]

    moving = np.zeros(times.shape, dtype=bool)
    moving[:, 1:] = times[:, 1:] < times[:, :-1]
    rows, columns, s = _where(moving, times, alike)
    if s.size:
        here, given = noise[rows, columns], noise[rows, columns - 1]
        law = process.bridge(s, (times[:1] if alike else times)[rows, columns - 1][..., None], given)
        log_bridge = np.asarray(law.logpdf(here))
        atom[rows, columns] = law.atom
        on_atom = tied[rows, columns] & (atom[rows, columns] > 0)
        scored = integer_scores(law, here, log_bridge, rng) if integer else scores_off_the_atom(law, here, given)
        z[rows, columns] = np.where(on_atom, np.nan, scored)
        fresh[rows, columns] = np.where(on_atom, -np.inf, log_alone[rows, columns] - log_bridge)
        log_weight[rows, columns] = log_bridge
    return Innovations(z, marginal, tied, atom, fresh, repeated, log_weight)


Places = slice | NDArray[np.intp]


def _where(mask: NDArray[np.bool_], times: Floats, alike: bool) -> tuple[Places, NDArray[np.intp], Floats]:
    """Rows and columns where the mask holds, and the times there with an axis for the coordinates."""
    if alike:
        columns = np.flatnonzero(mask[0])
        return slice(None), columns, times[:1, columns, None]
    rows, columns = np.nonzero(mask)
    return rows, columns, times[rows, columns][:, None]


def scores(law: Law, x: Floats) -> Floats:
    """Normal scores of x under a continuous law."""
    score = getattr(law, "score", None)
    if score is not None:
        return np.asarray(np.clip(score(x), -LARGEST_SCORE, LARGEST_SCORE))
    return _from_tails(np.asarray(law.cdf(x)), np.asarray(law.sf(x)))


def integer_scores(law: Law, x: Floats, log_weight: Floats, rng: np.random.Generator) -> Floats:
    """Normal scores of x under an integer-valued law, randomised within the weight of x."""
    lower = np.asarray(law.cdf_left(x)) + rng.random(x.shape) * np.exp(log_weight)
    return _from_tails(lower, 1.0 - lower)


def scores_off_the_atom(law: Law, x: Floats, given: Floats) -> Floats:
    """Normal scores given that x is not on the atom at `given`, whose weight is taken off the tail it is in."""
    if getattr(law, "score", None) is not None:
        return scores(law, x)
    atom = np.asarray(law.atom)
    below, above = np.asarray(law.cdf_left(x)), np.asarray(law.sf(x))
    lower = np.where(x > given, below - atom, below)
    upper = np.where(x > given, above, above - atom)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _from_tails(lower / (1.0 - atom), upper / (1.0 - atom))


def _from_tails(lower: Floats, upper: Floats) -> Floats:
    """Φ⁻¹ through the shorter tail."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(lower < upper, ndtri(np.clip(lower, 0, 1)), -ndtri(np.clip(upper, 0, 1)))
    return np.clip(z, -LARGEST_SCORE, LARGEST_SCORE)
