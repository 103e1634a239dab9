"""The loss of a law of one's own: its bound, and the hockey-stick divergence of one look from its density.

A law is tested to 1e-6 (`nrverify law`). So losses within `GRANTED` of ε do not count, and what is left is known well
enough: divergences are enclosed between lower and upper sums over cells between quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from nrverify.subjects.noise_families import FAMILIES, NoiseFamily
from nrverify.subjects.own_laws.process import OwnLaw, OwnProcess

Floats = NDArray[np.float64]

GRANTED = 1e-4
"""Nats by which a loss must exceed ε to count: a hundred times what densities of a tested law may be off."""
RELATIVE = 0.02
"""What divergences may be off then, relative: 1e-6 over the nats granted, and as much for the cells."""
LEAST_TAIL = 1e-12
"""Quantiles reach from here to one less this: the rest is added to upper sums."""
TAIL, LEVELS, CELLS = 0.02, 30, 24
"""So many quantiles in each tail and on each side of the middle, and so many cells between two of them: a quantile
takes a hundred evaluations."""
MOST_INTEGERS = 200_000
"""Integers that are summed over, at most."""
SHARES = (1.0, 0.5)
"""Shares of the sensitivity at which a bound is asked for, besides all of it: it need not grow."""
SAME = 1e-5
"""Relative and absolute: two losses of a tested law that are the same."""
PROBED = ((0.3, 1.0, -0.7), (1.5, -0.4, 0.9), (-0.8, -2.0, 0.25), (0.1, 0.15, 2.0))
"""Noise at the smaller and at the larger time, from its median, and a shift, in units of the scale."""
MIDDLE_AND_ABOVE = np.array([0.5, 0.75])
"""The median, and a scale above it."""


@dataclass(frozen=True)
class Enclosed:
    """A divergence between two numbers; the lower is 0 where no loss above ε was found."""

    lower: float
    upper: float


@dataclass(frozen=True)
class OwnLoss:
    """What one look of a law of one's own loses, between values a sensitivity apart."""

    mechanism: str
    sensitivity: float
    dimension: int

    @property
    def family(self) -> NoiseFamily:
        """The row of the law, while it is in use."""
        return FAMILIES[self.mechanism]

    def bounds(self, times: Floats) -> Floats | None:
        """The law's own bound on the loss at each time, the largest over the shifts tried; None without one."""
        bound = self.family.bound
        if bound is None:
            return None
        return np.asarray(np.max([bound(times, shift) for shift in self._both_ways()], axis=0))

    def _shifts(self) -> list[Floats]:
        """In one coordinate, and spread over all; of integers in one, as far as they go."""
        if self.family.integer:
            sizes = {1.0, float(max(1, math.floor(self.sensitivity * (1 + 1e-12))))}
            return [np.array([size] + [0.0] * (self.dimension - 1)) for size in sorted(sizes)]
        spread = self.sensitivity / (self.dimension if self.family.norm == 1 else math.sqrt(self.dimension))
        alone = np.array([self.sensitivity] + [0.0] * (self.dimension - 1))
        return [share * shift for share in SHARES for shift in (alone, np.full(self.dimension, spread))]

    def _both_ways(self) -> list[Floats]:
        """Noise that is no mirror image of itself may lose more when the value falls."""
        return [
            sign * shift for sign in ((1.0,) if self.family.symmetric() else (1.0, -1.0)) for shift in self._shifts()
        ]

    def divergence(self, epsilon: float, time: float) -> Enclosed:
        """sup P(S) − e^ε P'(S) of one release, the value moved by the sensitivity in one coordinate, either way."""
        size = float(self._shifts()[-1 if self.family.integer else 0][0])
        law = cast(OwnProcess, self.family.process(1.0)).marginal(time)
        own = self._points(law)
        both = [self._moved(law, own, epsilon, shift) for shift in (size, -size)]
        return Enclosed(max(one.lower for one in both), max(one.upper for one in both))

    def _moved(self, law: OwnLaw, own: Floats, epsilon: float, shift: float) -> Enclosed:
        points = self._and_shifted(own, shift)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            log_p, log_q = np.asarray(law.logpdf(points)), np.asarray(law.logpdf(points - shift))
            loss = np.where(np.isneginf(log_p), -np.inf, log_p - log_q)
            excess = np.exp(log_p) * -np.expm1(np.minimum(epsilon - loss, 0.0))
        excess = np.nan_to_num(excess, nan=0.0, posinf=0.0)
        surely = np.where(loss > epsilon + GRANTED, excess, 0.0)
        perhaps = np.where(loss > epsilon - GRANTED, excess, 0.0)
        if self.family.integer:
            lower, upper = float(surely.sum()), float(perhaps.sum())
        else:
            widths = np.diff(points)
            lower = float((widths * np.minimum(surely[1:], surely[:-1])).sum())
            upper = float((widths * np.maximum(perhaps[1:], perhaps[:-1])).sum())
        return Enclosed((1 - RELATIVE) * lower, (1 + RELATIVE) * upper + 2 * LEAST_TAIL)

    def _points(self, law: OwnLaw) -> Floats:
        """From one end of the noise to the other: quantiles, and evenly between them."""
        half = np.concatenate([np.geomspace(LEAST_TAIL, TAIL, LEVELS), np.linspace(TAIL, 0.5, LEVELS)])
        ends = np.unique(law.quantile(np.concatenate([half, 1 - half])))
        places = np.arange((ends.size - 1) * CELLS + 1) / CELLS
        return np.asarray(np.interp(places, np.arange(ends.size), ends))

    def _and_shifted(self, own: Floats, shift: float) -> Floats:
        """The points of both values; of integers all between the outermost."""
        if not self.family.integer:
            return np.unique(np.concatenate([own, own + shift, [0.0, shift]]))
        first, last = min(own[0], own[0] + shift), max(own[-1], own[-1] + shift)
        return np.arange(max(first, -MOST_INTEGERS / 2), min(last, MOST_INTEGERS / 2) + 1.0)


def last_tells_all(family: NoiseFamily, times: Sequence[float]) -> bool:
    """Whether two releases lose what the less noisy one does alone, at pairs of these times: tried, and not proved.

    It holds where what is added from the smaller time to the larger does not depend on the noise there.
    """
    process = cast(OwnProcess, family.process(1.0))
    for s, t in pairwise(times):
        (below, least), (centre, most) = (
            process.marginal(at).quantile(np.array([0.5, 0.75])).tolist() for at in (s, t)
        )
        for small, large, moved in PROBED:
            shift = moved * (least - below)
            x, y = below + small * (least - below), centre + large * (most - centre)
            if family.integer:
                x, y, shift = round(x), round(y), round(shift) or 1
            both = [_log_joint(process, s, t, x + by, y + by) for by in (0.0, shift)]
            alone = [float(process.marginal(s).logpdf(x + by)) for by in (0.0, shift)]
            if not math.isclose(both[1] - both[0], alone[1] - alone[0], rel_tol=SAME, abs_tol=SAME):
                return False
    return True


def _log_joint(process: OwnProcess, s: float, t: float, x: float, y: float) -> float:
    """log of the density of X_s = x and X_t = y, off the atom of the bridge."""
    return float(process.marginal(t).logpdf(y)) + float(process.bridge(s, t, y).logpdf(x))
