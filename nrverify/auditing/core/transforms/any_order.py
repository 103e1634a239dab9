"""The Rosenblatt transform of transcripts in any order: each release given its neighbours in time among those before.

By the Markov property the nearest releases on both sides say all that earlier ones say. A release less noisy than all
before follows the bridge, one noisier than all the forward law, one between two the law between them, which for Laplace
noise has an atom at either neighbour; where the two are equal nothing is left to draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nrverify.auditing.core.transforms.rosenblatt import SAME_RELEASE, integer_scores, scores, scores_off_the_atom
from nrverify.laws.brownian import Normal
from nrverify.laws.process import Law, TwoSided

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]

NONE = -1
"""The index of a neighbour that is not there."""


@dataclass(frozen=True)
class Neighbours:
    """For each release (n, k) the index of the nearest earlier one at a smaller, a larger and the same time."""

    lower: Indices
    upper: Indices
    same: Indices


def neighbours(times: Floats) -> Neighbours:
    """Of requests (n, k) in the order asked, NaN after the end; of several at one time the first counts."""
    lower, upper, same = (np.full(times.shape, NONE) for _ in range(3))
    for at in range(1, times.shape[1]):
        before, here = times[:, :at], times[:, at : at + 1]
        for found, such, key in (
            (lower, before < here, before),
            (upper, before > here, -before),
            (same, before == here, np.zeros_like(before)),
        ):
            nearest = np.where(such, key, -np.inf).argmax(axis=1)
            found[:, at] = np.where(such.any(axis=1), nearest, NONE)
    return Neighbours(lower, upper, same)


@dataclass(frozen=True)
class Placed:
    """The transform of n sessions of up to k releases in d coordinates, each given those before it; NaN where none."""

    z: Floats
    """Normal scores: N(0, 1) given the past; none on an atom, at a repeated time, or after the end."""
    near: Neighbours
    tied_low: Bools
    """Whether the release is that at the nearest smaller time."""
    tied_high: Bools
    """Whether it is that at the nearest larger time, and not that at the smaller one."""
    atom_low: Floats
    """The probability of the first given the past; 0 for noise without atoms, NaN where there is no neighbour."""
    atom_high: Floats
    log_ratios: Mapping[str, Floats]
    """By alternative: log-likelihood ratios to the law of the releases where it differs, on neighbours alike."""

    @cached_property
    def present(self) -> Bools:
        """Where there is a normal score."""
        return np.isfinite(self.z)

    @cached_property
    def filled(self) -> Floats:
        """The normal scores, 0 where there is none."""
        return np.where(self.present, self.z, 0.0)

    @property
    def between(self) -> Bools:
        """Releases (n, k) with a neighbour on either side."""
        return (self.near.lower >= 0) & (self.near.upper >= 0) & (self.near.same < 0)

    @property
    def noisier(self) -> Bools:
        """Releases noisier than all before."""
        return (self.near.lower >= 0) & (self.near.upper < 0) & (self.near.same < 0)

    @property
    def less_noisy(self) -> Bools:
        """Releases less noisy than all before."""
        return (self.near.lower < 0) & (self.near.upper >= 0) & (self.near.same < 0)


FRESH, NO_UPPER, NO_LOWER, LAST_ALONE = "fresh", "no-upper", "no-lower", "last-alone"
"""Alternatives: all releases forgotten, the noisier neighbour, the less noisy one, all but the release asked last."""
NOISIER_FRESH = "noisier-fresh"
"""The alternative that a release noisier than all before forgets them."""
BRIDGE_VARIANCE, MIDDLE, NEVER_LOW = "bridge-variance", "middle", "never-low"
"""Alternatives between two releases: normal noise with the variance of a bridge from 0, or centred at their middle; and
noise with atoms that never equals the less noisy neighbour."""


def placed(
    process: TwoSided, noise: Floats, times: Floats, scale: Floats, rng: np.random.Generator, *, integer: bool
) -> Placed:
    """The transform of noise (n, k, d) released at times (n, k) in the order asked.

    `scale` bounds |value| + |release| for rounding. Noise that is `integer` is scored through its pmf, spread out at
    random between the two ends of its step.
    """
    return _Transform(process, noise, times, scale, rng, integer).result()


class _Transform:
    """Fills in the arrays of a `Placed`, one kind of place after the other."""

    def __init__(
        self, process: TwoSided, noise: Floats, times: Floats, scale: Floats, rng: np.random.Generator, integer: bool
    ) -> None:
        self.process = process
        self.noise = noise
        self.times = times
        self.scale = scale
        self.rng = rng
        self.integer = integer
        self.near = neighbours(times)
        self.log_ratios: dict[str, Floats] = {}
        self.z, self.atom_low, self.atom_high, self.log = (np.full(noise.shape, np.nan) for _ in range(4))
        self.tied_low, self.tied_high = (np.zeros(noise.shape, dtype=bool) for _ in range(2))

    def result(self) -> Placed:
        new = np.isfinite(self.times) & (self.near.same < 0) & ~self._after_change()
        low, high = self.near.lower >= 0, self.near.upper >= 0
        self._first(*np.nonzero(new & ~low & ~high))
        self._one_sided(new & ~low & high, self.near.upper, self.tied_high, self.atom_high)
        self._one_sided(new & low & ~high, self.near.lower, self.tied_low, self.atom_low)
        self._between(*np.nonzero(new & low & high))
        self.log_ratios |= self._forgetful(new & low, new & high)
        tied, atoms = (self.tied_low, self.tied_high), (self.atom_low, self.atom_high)
        return Placed(self.z, self.near, *tied, *atoms, self.log_ratios)

    def _after_change(self) -> Bools:
        """Releases (n, k) after a time that came again with another release: there is no path to judge them by."""
        same = self.near.same
        before = np.take_along_axis(self.noise, np.maximum(same, 0)[..., None], axis=1)
        changed = (same >= 0) & (np.abs(self.noise - before) > SAME_RELEASE * self.scale).any(axis=2)
        return np.cumsum(changed, axis=1) > 0

    def _first(self, rows: Indices, columns: Indices) -> None:
        law, here = self.process.marginal(self.times[rows, columns][:, None]), self.noise[rows, columns]
        self.log[rows, columns] = law.logpdf(here)
        self.z[rows, columns] = (
            integer_scores(law, here, self.log[rows, columns], self.rng) if self.integer else scores(law, here)
        )

    def _one_sided(self, where: Bools, near: Indices, tied: Bools, atoms: Floats) -> None:
        """Releases with neighbours on one side: through the bridge, or the forward law."""
        rows, columns = np.nonzero(where)
        if not rows.size:
            return
        other = near[rows, columns]
        here, given, law = self.noise[rows, columns], self.noise[rows, other], self._given(rows, columns, other)
        atoms[rows, columns] = law.atom
        tie = self._equal(here, given, rows, columns)
        tied[rows, columns] = tie
        on_atom = tie & (atoms[rows, columns] > 0)
        log = np.asarray(law.logpdf(here))
        found = integer_scores(law, here, log, self.rng) if self.integer else scores_off_the_atom(law, here, given)
        self.z[rows, columns] = np.where(on_atom, np.nan, found)
        self.log[rows, columns] = _with_atom(log, on_atom, atoms[rows, columns])

    def _between(self, rows: Indices, columns: Indices) -> None:
        """Releases with neighbours on both sides."""
        if not rows.size:
            return
        lower, upper = self.near.lower[rows, columns], self.near.upper[rows, columns]
        here, below, above = (self.noise[rows, at] for at in (columns, lower, upper))
        # Two that differ by rounding alone are the same release.
        above = np.where(self._equal(above, below, rows, lower), below, above)
        s, low, high = (self.times[rows, at][:, None] for at in (columns, lower, upper))
        law: Any = self.process.between(s, low, high, below, above)
        atom_low, atom_high = (
            np.broadcast_to(getattr(law, name, 0.0), here.shape) for name in ("atom_low", "atom_high")
        )
        self.atom_low[rows, columns], self.atom_high[rows, columns] = atom_low, atom_high
        tied_low = self._equal(here, below, rows, columns)
        tied_high = self._equal(here, above, rows, columns) & ~tied_low
        self.tied_low[rows, columns], self.tied_high[rows, columns] = tied_low, tied_high
        on_low, on_high = tied_low & (atom_low > 0), tied_high & (atom_high > 0)
        log = np.asarray(law.logpdf(here))
        if self.integer:
            found = integer_scores(law, here, log, self.rng)
        elif hasattr(law, "step"):
            # Off both atoms it is the bridge from the noisier neighbour off its atom, counted from the other.
            found = scores_off_the_atom(law.step, here - below, above - below)
            found = np.where(atom_low + atom_high < 1, found, np.nan)
        else:
            found = scores(law, here)
        self.z[rows, columns] = np.where(on_low | on_high, np.nan, found)
        self.log[rows, columns] = _with_atom(_with_atom(log, on_low, atom_low), on_high, atom_high)
        if isinstance(law, Normal):
            wide = Normal(law.mean, np.sqrt(s * ((high - s) / high)))
            central = Normal(0.5 * (below + above), law.deviation)
            self.log_ratios[BRIDGE_VARIANCE] = (wide.logpdf(here) - log).ravel()
            self.log_ratios[MIDDLE] = (central.logpdf(here) - log).ravel()
        elif not self.integer:
            drawn = atom_low < 1
            with np.errstate(divide="ignore"):
                never = np.where(on_low, -np.inf, -np.log1p(-np.where(drawn, atom_low, 0.0)))
            self.log_ratios[NEVER_LOW] = never[drawn]

    def _forgetful(self, low: Bools, high: Bools) -> dict[str, Floats]:
        """log-likelihood ratios of the alternatives that forget something, where they differ from the law."""
        later, between = low | high, low & high
        column = np.broadcast_to(np.arange(self.times.shape[1]), self.times.shape)
        last = column - 1
        # With one neighbour, which was also asked last, there is nothing else to remember.
        alone = later & ~between & ((self.near.lower == last) | (self.near.upper == last))
        return {
            FRESH: self._ratio(later, None),
            NOISIER_FRESH: self._ratio(low & ~high, None),
            NO_UPPER: self._ratio(between, self.near.lower),
            NO_LOWER: self._ratio(between, self.near.upper),
            LAST_ALONE: self._ratio(later & ~alone, last),
        }

    def _ratio(self, where: Bools, given: Indices | None) -> Floats:
        """Of the law given the release of one index alone, or none, to the law given all."""
        rows, columns = np.nonzero(where)
        if not rows.size:
            return np.empty(0)
        here, on_atom = self.noise[rows, columns], np.zeros((rows.size, self.noise.shape[2]), dtype=bool)
        if given is None:
            law: Law = self.process.marginal(self.times[rows, columns][:, None])
            log = np.asarray(law.logpdf(here))
        else:
            other = given[rows, columns]
            smaller = self.times[rows, other] < self.times[rows, columns]
            log = np.empty(here.shape)
            for side in (smaller, ~smaller):
                if side.any():
                    law = self._given(rows[side], columns[side], other[side])
                    atom = np.broadcast_to(law.atom, here[side].shape)
                    tie = self._equal(here[side], self.noise[rows[side], other[side]], rows[side], columns[side])
                    on_atom[side] = tie & (atom > 0)
                    log[side] = _with_atom(np.asarray(law.logpdf(here[side])), on_atom[side], atom)
        # A release on an atom of the law, where the alternative has none, is impossible under the alternative.
        atoms = np.nan_to_num(self.atom_low) > 0, np.nan_to_num(self.atom_high) > 0
        elsewhere = (self.tied_low & atoms[0] | self.tied_high & atoms[1])[rows, columns] & ~on_atom
        with np.errstate(invalid="ignore"):
            ratio = log - self.log[rows, columns]
        # Impossible under both: no evidence.
        return np.where(elsewhere, -np.inf, np.where(np.isnan(ratio), 0.0, ratio)).ravel()

    def _given(self, rows: Indices, columns: Indices, other: Indices) -> Law:
        """The law of releases given one other each, all of them at smaller times or all at larger ones."""
        here, there = self.times[rows, columns][:, None], self.times[rows, other][:, None]
        if there[0, 0] < here[0, 0]:
            return self.process.forward(there, here, self.noise[rows, other])
        return self.process.bridge(here, there, self.noise[rows, other])

    def _equal(self, one: Floats, other: Floats, rows: Indices, columns: Indices) -> Bools:
        return np.abs(one - other) <= SAME_RELEASE * self.scale[rows, columns]


def _with_atom(log: Floats, on_atom: Bools, atom: Floats) -> Floats:
    """log-likelihoods, those on an atom by its weight."""
    with np.errstate(divide="ignore"):
        return np.where(on_atom, np.log(atom), log)
